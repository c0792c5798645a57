"""Compare systems over the same queries: means, differences, tests, corrections, ranks, slices."""

import numpy as np

from benchbench.kernels.arrays import F64, I64
from benchbench.significance.bootstrap import intervals, resampled_measures
from benchbench.significance.corrections import corrected
from benchbench.significance.notes import family, notes, without_spread
from benchbench.significance.paired_tests import deviation
from benchbench.significance.pairs import Pair, directions, least_p, p_values, pairs_of
from benchbench.significance.power import detectable_effect
from benchbench.significance.ranks import rank_intervals, ranks
from benchbench.significance.result import Comparison, Difference, Estimate
from benchbench.significance.settings import TESTS, Settings, Test
from benchbench.significance.sliced import sliced
from benchbench.tables.paired import Paired

P = dict[Test, tuple[F64, F64]]  # p-values of the pairs as they are, and corrected


def compare(paired: Paired, settings: Settings) -> Comparison:
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
        The baseline is none of the systems, or a column to slice by none of the columns.
    """
    pairs = pairs_of(paired.systems, settings.baseline)
    every = pairs_of(paired.systems, None)
    slices, left_out = sliced(paired, settings, pairs)
    p = {test: p_values(paired, settings, test, every) for test in TESTS}  # of all pairs, because ranks go by all
    asked = [every.index((min(pair), max(pair))) for pair in pairs]
    turned = np.array([1 if a < b else -1 for a, b in pairs])
    adjusted = {test: _corrected(p[test][:, asked], settings) for test in TESTS}
    estimates: list[Estimate] = []
    differences: list[Difference] = []
    for m, resampled in enumerate(resampled_measures(paired.values, settings.resamples, settings.seed)):
        both = {test: (p[test][m, asked], adjusted[test][m]) for test in TESTS}
        ways = directions(paired, settings.test, m, every)
        estimates += _estimates(paired, settings, m, p[settings.test][m], ways, resampled)
        differences += _differences(paired, settings, m, pairs, both, ways[asked] * turned, resampled)
    return Comparison(
        paired=paired,
        settings=settings,
        estimates=tuple(estimates),
        differences=tuple(differences),
        family=family(paired, settings, len(pairs)),
        slices=slices,
        notes=(*notes(paired, settings, len(pairs)), *without_spread(differences), *left_out),
    )


def _estimates(paired: Paired, settings: Settings, m: int, p: F64, ways: I64, resampled: F64) -> list[Estimate]:
    """Return the estimates of one measure, from p-values and directions of all its pairs and the resampled means."""
    means = paired.values[m].mean(axis=1)
    low, high = intervals(paired.values[m], resampled, settings.alpha, paired.rounding[m])
    place = ranks(means, paired.rounding[m])
    best, worst = rank_intervals(len(means), p, ways, settings.alpha)
    return [
        Estimate(
            measure=paired.measures[m],
            system=system,
            mean=float(means[s]),
            low=float(low[s]),
            high=float(high[s]),
            rank=int(place[s]),
            rank_low=int(best[s]),
            rank_high=int(worst[s]),
        )
        for s, system in enumerate(paired.systems)
    ]


def _differences(
    paired: Paired, settings: Settings, m: int, pairs: list[Pair], p: P, ways: I64, resampled: F64
) -> list[Difference]:
    """Return the differences of one measure."""
    queries = len(paired.queries)
    can = least_p(settings, queries) <= settings.alpha
    detectable = detectable_effect(queries, settings.alpha, settings.power) if can else None
    least = settings.tie + paired.rounding[m]
    found = []
    for c, (a, b) in enumerate(pairs):
        values = paired.difference(m, a, b)
        mean, spread = values.mean(), deviation(values)
        low, high = intervals(values[None], resampled[[b]] - resampled[[a]], settings.alpha, paired.rounding[m])
        significant = bool(p[settings.test][1][c] <= settings.alpha)
        wins, losses = int((values > least).sum()), int((values < -least).sum())
        found.append(
            Difference(
                measure=paired.measures[m],
                baseline=paired.systems[a],
                system=paired.systems[b],
                mean=float(mean),
                low=float(low[0]),
                high=float(high[0]),
                p={test: float(p[test][0][c]) for test in TESTS},
                corrected={test: float(p[test][1][c]) for test in TESTS},
                significant=significant,
                direction=int(ways[c]) if significant else 0,
                effect=_effect(float(mean), spread),
                wins=wins,
                ties=len(values) - wins - losses,
                losses=losses,
                detectable=detectable * spread if detectable is not None and spread > 0.0 else None,
            )
        )
    return found


def _corrected(p: F64, settings: Settings) -> F64:
    """Correct the p-values (measures, pairs) of one test, a family at a time."""
    families = p.reshape(1, -1) if settings.family == "together" else p
    return np.array([corrected(one, settings.correction) for one in families]).reshape(p.shape)


def _effect(mean: float, spread: float) -> float | None:
    if spread > 0.0:
        return mean / spread
    return 0.0 if mean == 0.0 else None
