"""The interval of Wilcoxon's signed-rank test (Hodges and Lehmann 1963): which middles it does not reject.

A middle is rejected where too few means of two differences (Walsh averages, of a difference with itself too) are on one
side of it, so the interval ends in two of them. There are more than a billion of 50,000 differences; they are counted
in order of one of the two, and never held.
"""

import math

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.significance.distributions import normal_quantile
from benchbench.significance.paired_tests import EXACT_RANKS, chances_of_sums


def rank_interval(differences: F64, rounding: float, alpha: float) -> tuple[float, float]:
    """Return the interval of the middle of the differences that are not 0, which are those that the test goes by.

    The distribution is that of the test without equal ranks: exact for up to `EXACT_RANKS` differences, else normal.

    Parameters
    ----------
    differences
        (queries,).
    rounding
        What arithmetic may have added to a value: what is within it of 0 is 0.
    alpha
        The share of intervals that may miss, half of them on each side.

    Returns
    -------
    tuple of float
        Low and high; infinite where there are so few differences that no middle can be rejected, and 0 where there are
        none.
    """
    values = np.sort(differences[np.abs(differences) > rounding])
    n = len(values)
    if n == 0:
        return 0.0, 0.0
    most = _most_below(n, alpha)
    if most < 0:
        return -math.inf, math.inf
    low, high = _walsh(values, most, rounding), -_walsh(-values[::-1], most, rounding)
    return min(low, high), max(low, high)  # of equal values the search ends beside them, within rounding


def _most_below(n: int, alpha: float) -> int:
    """Return the largest rank sum of one side with a two-sided p-value of at most alpha; -1 where there is none."""
    whole = n * (n + 1) // 2
    if n > EXACT_RANKS:
        spread = math.sqrt(whole * (2 * n + 1) / 12)
        return math.floor(whole / 2 + float(normal_quantile(alpha / 2)) * spread)
    chance = chances_of_sums(np.arange(1, n + 1))
    return int(np.searchsorted(2.0 * np.cumsum(chance), alpha, side="right")) - 1


def _walsh(values: F64, place: int, rounding: float) -> float:
    """Return the Walsh average of ascending values that `place` others are below, within rounding."""

    def at_most(middle: float) -> int:
        both = int(np.searchsorted(values, 2.0 * middle - values, side="right").sum())
        return (both + int(np.searchsorted(values, middle, side="right"))) // 2

    low, high = float(values[0]), float(values[-1])
    if at_most(low) > place:
        return low
    while high - low > rounding / 4:
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (low, middle) if at_most(middle) > place else (middle, high)
    return 0.0 if abs(high) <= rounding else high
