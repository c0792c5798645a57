"""Paired tests of one difference: Student's t and Wilcoxon's signed ranks, both two-sided.

Conventions
-----------
`differences` is (queries,), system minus baseline. `rounding` is what arithmetic may have added to a value: 0.6 - 0.4
and 0.2 are one difference, and their ranks are equal.

Both agree with scipy.stats (`ttest_rel`, `wilcoxon`). Where there are equal ranks among 14 to 50 differences scipy
falls back to the normal approximation; the distribution here is exact.
"""

import math

import numpy as np

from benchbench.kernels.arrays import F64, I64
from benchbench.significance.distributions import normal_cdf, t_cdf, t_quantile
from benchbench.significance.subset_means import Tested

EXACT_RANKS = 50  # as scipy: above, the normal approximation is good


def deviation(differences: F64) -> float:
    """Return the standard deviation (ddof = 1), exactly 0 where all are equal."""
    return float(differences.std(ddof=1)) if np.ptp(differences) > 0.0 else 0.0


def t_test(mean: float, error: float, freedom: int, alpha: float) -> Tested:
    """Return Student's test of a mean, with the interval that goes with it.

    Parameters
    ----------
    mean
        Of the differences.
    error
        Its standard error. Where it is 0 the p-value is 1 of a mean of 0, and 0 of any other.
    freedom
        Degrees of freedom; of none, as one group has, nothing can be said.
    alpha
        Of the interval.
    """
    if freedom < 1:
        return Tested(1.0, -math.inf, math.inf)
    if error == 0.0:
        return Tested(float(mean == 0.0), mean, mean)
    reach = t_quantile(1.0 - alpha / 2, freedom) * error
    p = 2.0 * t_cdf(-abs(mean) / error, freedom)
    return Tested(p, mean - reach, mean + reach)


def wilcoxon(differences: F64, rounding: float) -> float:
    """Return the p-value of the signed-rank test; 1 where all differences are 0.

    Differences of 0 are dropped (Wilcoxon 1945, scipy's default): a query on which both systems are the same says
    nothing about which is better. Equal sizes share their mean rank. The distribution is exact, given the ranks, for up
    to `EXACT_RANKS` differences (Streitberg and Röhmel 1986), else normal with the correction for ties and without one
    for continuity.
    """
    ranks, counts, total = _signed_ranks(differences, rounding)
    n = int(counts.sum())
    if n == 0:
        return 1.0
    if n <= EXACT_RANKS:
        return _exact(np.repeat(ranks, counts), total)
    middle = n * (n + 1) / 2
    variance = (n * (n + 1) * (2 * n + 1) - float((counts.astype(np.float64) ** 3 - counts).sum()) / 2) / 6
    return min(1.0, 2.0 * float(normal_cdf(-abs(total - middle) / math.sqrt(variance))))


def rank_direction(differences: F64, rounding: float) -> int:
    """Return the sign of the positive rank sum against its middle, which need not be that of the mean."""
    _, counts, total = _signed_ranks(differences, rounding)
    n = int(counts.sum())
    return int(np.sign(2 * total - n * (n + 1)))


def _signed_ranks(differences: F64, rounding: float) -> tuple[I64, I64, int]:
    """Return twice the mean rank of each size, how many share it, and twice the rank sum of the positive ones."""
    differences = differences[np.abs(differences) > rounding]
    n = len(differences)
    if n == 0:
        none = np.zeros(0, np.int64)
        return none, none, 0
    sizes = np.abs(differences)
    order = np.argsort(sizes)
    starts = np.flatnonzero(np.diff(sizes[order], prepend=-math.inf) > rounding)
    counts = np.diff(starts, append=n)
    ranks = 2 * starts + counts + 1  # a whole number
    positive = np.add.reduceat((differences[order] > 0).astype(np.int64), starts)
    return ranks, counts, int(ranks @ positive)


def chances_of_sums(ranks: I64) -> F64:
    """Return how likely each sum of ranks is, from 0 on, where each of them counts with a chance of one half."""
    chance: F64 = np.zeros(int(ranks.sum()) + 1)
    chance[0] = 1.0
    for rank in ranks.tolist():
        chance[rank:] = (chance[rank:] + chance[:-rank]) / 2
        chance[:rank] /= 2
    return chance


def _exact(ranks: I64, total: int) -> float:
    """Return the share of all sign patterns whose sum is as far from the middle as `total`."""
    chance = chances_of_sums(ranks)
    tail = min(total, len(chance) - 1 - total)
    return min(1.0, 2.0 * float(chance[: tail + 1].sum()))
