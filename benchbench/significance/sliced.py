"""Differences over slices: where a system gains, and where it loses."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter

import numpy as np

from benchbench.kernels.arrays import I64
from benchbench.significance.comparison_settings import CompareSettings
from benchbench.significance.corrections import corrected, enough_resamples, resamples_needed
from benchbench.significance.findings import Finding, findings
from benchbench.significance.pairs import Pair
from benchbench.significance.result import SliceDifference, method
from benchbench.significance.slices import overlap, slices_of
from benchbench.significance.subset_means import patterns
from benchbench.tables.paired import Paired

_Part = tuple[Finding, Callable[..., SliceDifference]]

FEWEST = 6  # queries of a slice: of fewer, no randomisation test has a p-value below 0.05
RESAMPLES = 2_000  # of an interval: there are many, and two digits of each are enough


def sliced(
    paired: Paired, settings: CompareSettings, pairs: list[Pair]
) -> tuple[tuple[SliceDifference, ...], list[str]]:
    """Return the differences over slices, of each pair and measure the greatest loss first, and notes.

    The p-values are those of the chosen test, corrected over all slices of a pair and measure, of all columns: one of
    many slices is low by chance.

    Raises
    ------
    InputError
        There is no such column.
    """
    by_place: dict[tuple[int, Pair], list[_Part]] = {
        (m, pair): [] for m in range(len(paired.measures)) for pair in pairs
    }
    notes = []
    parts: list[tuple[str, str, I64]] = []
    for column in dict.fromkeys(settings.slices):
        slices = slices_of(paired.table, column)
        large = [part for part in slices if len(part.queries) >= FEWEST]
        if len(large) < len(slices):
            left_out = len(slices) - len(large)
            notes.append(f"{left_out} of {len(slices)} slices of {column} left out: fewer than {FEWEST} queries each")
        if overlap(paired.table, column):
            notes.append(f"slices of {column} overlap: a query is in those of all its values")
        parts += [(column, *part) for part in large]
    tested = replace(settings, resamples=_resamples(settings, parts))
    if tested.resamples > settings.resamples:
        notes.append(
            f"tests of slices take {tested.resamples:,} resamples, which the correction for so many tests needs"
        )
    for column, value, queries in parts:
        for place, part in _slices(paired.part(queries), tested, pairs, column, value):
            by_place[place].append(part)
    return tuple(part for group in by_place.values() for part in _judged(group, settings)), notes


def _resamples(settings: CompareSettings, parts: Sequence[tuple[str, str, I64]]) -> int:
    """Return the resamples of the tests of slices: so many that one p-value can be significant."""
    drawn = any(patterns(len(queries), settings.resamples) is None for _, _, queries in parts)
    if settings.test != "randomization" or not drawn:
        return settings.resamples
    correction = "holm" if settings.correction == "maxt" else settings.correction
    return enough_resamples(settings.resamples, resamples_needed(len(parts), correction, settings.alpha))


def _slices(
    part: Paired, settings: CompareSettings, pairs: list[Pair], column: str, value: str
) -> Iterator[tuple[tuple[int, Pair], _Part]]:
    """Yield what one slice shows, with its place, and what makes a slice of it."""
    means = part.values.mean(axis=2)
    of_measures = findings(part, settings, pairs, (settings.test,), min(RESAMPLES, settings.resamples))
    for m, shown in enumerate(of_measures):
        for (a, b), finding in zip(pairs, shown, strict=True):
            made = partial(
                SliceDifference,
                measure=part.measures[m],
                baseline=part.systems[a],
                system=part.systems[b],
                column=column,
                value=value,
                queries=len(part.queries),
                baseline_mean=float(means[m, a]),
                system_mean=float(means[m, b]),
                mean=finding.mean,
                p=finding.p[settings.test],
                interval=method(settings),
            )
            yield (m, (a, b)), (finding, made)


def _judged(group: Sequence[_Part], settings: CompareSettings) -> list[SliceDifference]:
    """Correct the p-values of the slices of one pair and measure, and put the greatest loss first."""
    adjusted = corrected(np.array([finding.p[settings.test] for finding, _ in group]), settings.correction).tolist()
    judged = []
    for (finding, made), p in zip(group, adjusted, strict=True):
        significant, low, high = finding.decided(p, settings.alpha)
        judged.append(made(corrected=p, significant=significant, low=low, high=high))
    return sorted(judged, key=attrgetter("mean"))
