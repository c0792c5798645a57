"""Which two systems are compared, and the p-values of pairs."""

from functools import partial
from itertools import combinations

import numpy as np

from benchbench.errors import InputError
from benchbench.kernels.arrays import F64, I64
from benchbench.significance.paired_tests import rank_direction, t_test, wilcoxon
from benchbench.significance.randomization import randomization, smallest_p
from benchbench.significance.settings import Settings, Test
from benchbench.tables.paired import Paired
from benchbench.tables.threads import in_order

Pair = tuple[int, int]  # places of baseline and system


def pairs_of(systems: tuple[str, ...], baseline: str | None) -> list[Pair]:
    """Return the pairs to compare: each other system with the baseline, or without one all.

    Raises
    ------
    InputError
        The baseline is none of the systems.
    """
    if baseline is None:
        return list(combinations(range(len(systems)), 2))
    if baseline not in systems:
        raise InputError(f"the baseline {baseline} is not among the systems compared: {', '.join(systems)}")
    place = systems.index(baseline)
    return [(place, system) for system in range(len(systems)) if system != place]


def p_values(paired: Paired, settings: Settings, test: Test, pairs: list[Pair]) -> F64:
    """Return the p-values of one test (measures, pairs), not corrected."""
    if test == "randomization":
        baselines, systems = np.array(pairs).T
        return randomization(paired.values, settings.resamples, settings.seed)[:, baselines, systems]

    def of(m: int, a: int, b: int) -> float:
        differences = paired.difference(m, a, b)
        return t_test(differences) if test == "t" else wilcoxon(differences, paired.rounding[m])

    calls = (partial(of, m, a, b) for m in range(len(paired.measures)) for a, b in pairs)
    return np.array(list(in_order(calls))).reshape(-1, len(pairs))


def least_p(settings: Settings, queries: int) -> float:
    """Return the p-value below which none of the chosen test of so many queries can be."""
    if settings.test == "randomization":
        return smallest_p(queries, settings.resamples)
    return 0.0 if settings.test == "t" else 2.0 ** (1 - queries)  # of Wilcoxon's, all signs alike


def directions(paired: Paired, test: Test, m: int, pairs: list[Pair]) -> I64:
    """Return which way a test sees each pair in one measure: 1 where the system is better, -1 where it is worse, or 0.

    Wilcoxon's test is about ranks: of many small losses and a few large gains the mean is a gain, and the ranks a loss.
    """

    def of(a: int, b: int) -> int:
        differences = paired.difference(m, a, b)
        if test == "wilcoxon":
            return rank_direction(differences, paired.rounding[m])
        return int(np.sign(differences.mean()))

    return np.array(list(in_order(partial(of, a, b) for a, b in pairs)), np.int64)
