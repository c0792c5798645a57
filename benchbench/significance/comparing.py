"""Compare systems over the same queries: means, differences, tests, corrections, ranks, slices."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.significance.comparison_settings import CompareSettings
from benchbench.significance.corrections import MOST_WORK, corrected, enough_resamples, resamples_needed
from benchbench.significance.design_effects import group_spread
from benchbench.significance.families import tested_together
from benchbench.significance.findings import Finding, findings
from benchbench.significance.margin_verdicts import margins
from benchbench.significance.mean_intervals import mean_interval, scale_of
from benchbench.significance.notes import family, notes, of_differences, of_groups, tests_in_family
from benchbench.significance.pairs import Pair, least_p, pairs_of
from benchbench.significance.power import detectable_effect, queries_needed
from benchbench.significance.ranks import rank_intervals, ranks
from benchbench.significance.result import Comparison, PairedDifference, SliceDifference, SystemMean, method
from benchbench.significance.shares import MeanInterval
from benchbench.significance.subset_means import patterns
from benchbench.significance.unasked import unasked
from benchbench.tables.groups import groups_of
from benchbench.tables.paired import Paired


def compare(paired: Paired, settings: CompareSettings) -> Comparison:
    """Say which differences are real.

    Parameters
    ----------
    paired
        Values of the systems; in every measure more is better.
    settings
        What a test is, and when a difference counts.

    Returns
    -------
    Comparison
        The same bits for the same input and seed, whatever the machine's number of cores.

    Raises
    ------
    InputError
        The baseline is none of the systems, or a column to slice or to group by none of the columns.
    """
    if settings.cluster is not None:
        paired = replace(paired, groups=groups_of(paired.table, settings.cluster))
    pairs = pairs_of(paired.systems, settings.baseline)
    every = pairs_of(paired.systems, None)
    slices, left_out = _sliced(paired, settings, pairs)
    tested = replace(settings, resamples=resamples_of_tests(paired, settings, pairs, every))
    estimates: list[SystemMean] = []
    shown: list[list[Finding]] = []  # of each measure, those that are asked for
    for m, whole in enumerate(findings(paired, tested, every, settings.tests, settings.resamples)):
        estimates += _estimates(paired, settings, m, whole)  # ranks go by all pairs
        by_pair = dict(zip(every, whole, strict=True))
        shown.append([by_pair[a, b] if a < b else by_pair[b, a].turned() for a, b in pairs])
    differences = _differences(paired, tested, pairs, shown)
    explained = (
        *notes(paired, tested, [finding for of_measure in shown for finding in of_measure], len(pairs)),
        *of_groups(paired, settings, differences),
        *unasked(paired, settings, pairs, shown),
    )
    return Comparison(
        paired=paired,
        settings=settings,
        estimates=tuple(estimates),
        differences=tuple(differences),
        family=family(paired, settings, len(pairs)),
        slices=slices,
        resamples=tested.resamples,
        notes=(*explained, *of_differences(differences, settings), *left_out),
        explained=frozenset(explained),
    )


def _sliced(
    paired: Paired, settings: CompareSettings, pairs: list[Pair]
) -> tuple[tuple[SliceDifference, ...], list[str]]:
    if not settings.slices:
        return (), []
    from benchbench.significance.sliced import sliced

    return sliced(paired, settings, pairs)


def _estimates(paired: Paired, settings: CompareSettings, m: int, whole: Sequence[Finding]) -> list[SystemMean]:
    """Return the estimates of one measure, from what all its pairs show."""
    values, test = paired.values[m], settings.test
    means = values.mean(axis=1)
    place = ranks(means, paired.rounding[m])
    p = np.array([finding.p[test] if finding.excludes_0 else 1.0 for finding in whole])
    ways = np.array([finding.direction for finding in whole], np.int64)
    best, worst = rank_intervals(len(means), p, ways, settings.alpha)
    return [
        SystemMean(
            measure=paired.measures[m],
            system=system,
            mean=float(means[s]),
            low=ends.low,
            high=ends.high,
            rank=int(place[s]),
            rank_low=int(best[s]),
            rank_high=int(worst[s]),
            interval=ends.method or "",
        )
        for s, system in enumerate(paired.systems)
        for ends in [_mean_interval(paired, settings, values[s])]
    ]


def _mean_interval(paired: Paired, settings: CompareSettings, values: F64) -> MeanInterval:
    """Return the interval of one system's mean."""
    mean = values.mean()
    apart = values - mean
    spread = None if paired.groups is None else group_spread(apart, paired.groups)
    scale = scale_of(float(values.min()), float(values.max()))
    return mean_interval(len(values), float(mean), float((apart * apart).sum()), scale, spread, settings.alpha)


def _differences(
    paired: Paired, settings: CompareSettings, pairs: Sequence[Pair], shown: Sequence[Sequence[Finding]]
) -> list[PairedDifference]:
    """Return the differences of all measures, p-values corrected."""
    p = {
        test: np.array([[finding.p[test] for finding in of_measure] for of_measure in shown]) for test in settings.tests
    }
    adjusted = {test: _corrected(values, settings) for test, values in p.items()}
    together = tested_together(paired, settings, pairs) if settings.correction == "maxt" else None
    if together is not None:
        adjusted[settings.test] = together.p
    units = paired.unit_count
    can = units > 1 and least_p(settings, units) <= settings.alpha
    effect = detectable_effect(units, settings.alpha, settings.power) if can else None
    differences = []
    for m, of_measure in enumerate(shown):
        for c, ((a, b), finding) in enumerate(zip(pairs, of_measure, strict=True)):
            if together is not None:
                finding = replace(finding, together=(float(together.low[m, c]), float(together.high[m, c])))
            significant, low, high = finding.decided(float(adjusted[settings.test][m, c]), settings.alpha)
            spread = finding.spread if paired.groups is None else finding.error * math.sqrt(units)
            differences.append(
                PairedDifference(
                    measure=paired.measures[m],
                    baseline=paired.systems[a],
                    system=paired.systems[b],
                    mean=finding.mean,
                    low=low,
                    high=high,
                    p=finding.p,
                    corrected={test: float(values[m, c]) for test, values in adjusted.items()},
                    significant=significant,
                    direction=finding.direction if significant else 0,
                    effect=_effect(finding.mean, finding.spread),
                    wins=finding.wins,
                    ties=finding.ties,
                    losses=finding.losses,
                    detectable=effect * spread if effect is not None and spread > 0.0 else None,
                    interval=method(settings, family=True),
                    design_effect=finding.design_effect,
                    changed=finding.changed,
                    found=finding.found,
                    lost=finding.lost,
                    need=_need(settings, spread),
                )
            )
    return differences if settings.margin is None else _with_margins(paired, settings, pairs, differences)


def _with_margins(
    paired: Paired, settings: CompareSettings, pairs: Sequence[Pair], differences: Sequence[PairedDifference]
) -> list[PairedDifference]:
    """Return the differences with what is said of the margin."""
    directions = np.array([difference.direction for difference in differences]).reshape(-1, len(pairs))
    margins_shown = margins(paired, settings, pairs, directions, partial(_corrected, settings=settings))
    every = (margin for of_measure in margins_shown for margin in of_measure)
    return [replace(difference, margin=margin) for difference, margin in zip(differences, every, strict=True)]


def _need(settings: CompareSettings, spread: float) -> int | None:
    """Return how many queries or groups would show the difference asked for; None where they do not vary.

    As many at least as the chosen test needs for a p-value of alpha.
    """
    if settings.need is None or not spread > 0.0:
        return None
    fewest = 2 if settings.test == "t" else math.ceil(1.0 - math.log2(settings.alpha))
    return max(fewest, queries_needed(settings.need / spread, settings.alpha, settings.power))


def resamples_of_tests(paired: Paired, settings: CompareSettings, pairs: Sequence[Pair], every: Sequence[Pair]) -> int:
    """Return the resamples of the randomisation test: so many that one p-value of a family can be significant.

    Ranks go by Holm's correction over all pairs. Where all patterns are gone through more of them change nothing. What
    would take more than `MOST_WORK` is not done, and noted.
    """
    units = paired.unit_count
    if settings.test != "randomization" or patterns(units, settings.resamples) is not None:
        return settings.resamples
    of_table = resamples_needed(tests_in_family(paired, settings, len(pairs)), settings.correction, settings.alpha)
    of_ranks = resamples_needed(len(every), "holm", settings.alpha)
    affordable = MOST_WORK // (len(every) * len(paired.measures))
    return enough_resamples(settings.resamples, min(max(of_table, of_ranks), affordable))


def _corrected(p: F64, settings: CompareSettings) -> F64:
    """Correct the p-values (measures, pairs) of one test, a family at a time."""
    families = p.reshape(1, -1) if settings.family == "together" else p
    return np.array([corrected(family, settings.correction) for family in families]).reshape(p.shape)


def _effect(mean: float, spread: float) -> float | None:
    if spread > 0.0:
        return mean / spread
    return 0.0 if mean == 0.0 else None
