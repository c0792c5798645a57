"""Differences over slices: where a system gains, and where it loses."""

from collections.abc import Iterator
from dataclasses import replace
from operator import attrgetter

import numpy as np

from benchbench.significance.bootstrap import intervals, resampled_means
from benchbench.significance.corrections import corrected
from benchbench.significance.pairs import Pair, p_values
from benchbench.significance.result import Slice
from benchbench.significance.settings import Settings
from benchbench.significance.slices import overlap, slices_of
from benchbench.tables.paired import Paired

FEWEST = 6  # queries of a slice: of fewer, no randomisation test has a p-value below 0.05
RESAMPLES = 2_000  # of an interval: there are many, and two digits of each are enough


def sliced(paired: Paired, settings: Settings, pairs: list[Pair]) -> tuple[tuple[Slice, ...], list[str]]:
    """Return the differences over slices, of each pair and measure the greatest loss first, and notes.

    The p-values are those of the chosen test, corrected over all slices of a pair and measure, of all columns: one of
    many slices is low by chance.

    Raises
    ------
    InputError
        There is no such column.
    """
    found: dict[tuple[int, Pair], list[Slice]] = {(m, pair): [] for m in range(len(paired.measures)) for pair in pairs}
    notes = []
    for column in dict.fromkeys(settings.slices):
        slices = slices_of(paired.columns, column)
        large = [one for one in slices if len(one.queries) >= FEWEST]
        if len(large) < len(slices):
            left_out = len(slices) - len(large)
            notes.append(f"{left_out} of {len(slices)} slices of {column} left out: fewer than {FEWEST} queries each")
        if overlap(paired.columns, column):
            notes.append(f"slices of {column} overlap: a query is in those of all its values")
        for value, queries in large:
            for place, one in _slices(paired.part(queries), settings, pairs, column, value):
                found[place].append(one)
    return tuple(one for group in found.values() for one in _judged(group, settings)), notes


def _slices(
    part: Paired, settings: Settings, pairs: list[Pair], column: str, value: str
) -> Iterator[tuple[tuple[int, Pair], Slice]]:
    """Yield the differences over one slice with their places; the p-values are not corrected yet."""
    baselines, systems = np.array(pairs).T
    p = p_values(part, settings, settings.test, pairs)
    resampled = resampled_means(part.values, min(RESAMPLES, settings.resamples), settings.seed)
    means = part.values.mean(axis=2)
    for m, measure in enumerate(part.measures):
        values = np.array([part.difference(m, a, b) for a, b in pairs])
        resampled_differences = resampled[m, systems] - resampled[m, baselines]
        low, high = intervals(values, resampled_differences, settings.alpha, part.rounding[m])
        for c, (a, b) in enumerate(pairs):
            yield (
                (m, (a, b)),
                Slice(
                    measure=measure,
                    baseline=part.systems[a],
                    system=part.systems[b],
                    column=column,
                    value=value,
                    queries=len(part.queries),
                    baseline_mean=float(means[m, a]),
                    system_mean=float(means[m, b]),
                    mean=float(values[c].mean()),
                    low=float(low[c]),
                    high=float(high[c]),
                    p=float(p[m, c]),
                    corrected=float(p[m, c]),
                    significant=False,
                ),
            )


def _judged(group: list[Slice], settings: Settings) -> list[Slice]:
    """Correct the p-values of the slices of one pair and measure, and put the greatest loss first."""
    adjusted = corrected(np.array([one.p for one in group]), settings.correction).tolist()
    both = zip(group, adjusted, strict=True)
    judged = [replace(one, corrected=p, significant=p <= settings.alpha) for one, p in both]
    return sorted(judged, key=attrgetter("mean"))
