"""How far two series rise together: Spearman's correlation of ranks (1904), with the interval of Bonett and Wright."""

import math

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.significance.shares import USUAL_REACH

_FEWEST = 10  # pairs: the interval is made for no fewer


def rank_correlation(first: F64, second: F64) -> tuple[float, float, float] | None:
    """Return the correlation with the ends of its 95 % interval; None of fewer than ten pairs, or of equal values.

    The interval is Fisher's, with the variance (1 + r² / 2) / (n - 3) of Bonett and Wright (2000), which holds for
    ranks. Equal values share the mean of their ranks.

    Parameters
    ----------
    first, second
        (pairs,): finite numbers.
    """
    if len(first) < _FEWEST:
        return None
    ranks = [mean_ranks(values) - (len(values) + 1) / 2 for values in (first, second)]
    spread = float((ranks[0] @ ranks[0]) * (ranks[1] @ ranks[1]))
    if spread <= 0.0:
        return None
    r = min(max(float(ranks[0] @ ranks[1]) / math.sqrt(spread), -1.0), 1.0)
    if abs(r) == 1.0:
        return r, r, r
    half = USUAL_REACH * math.sqrt((1 + r * r / 2) / (len(first) - 3))
    return r, math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


def mean_ranks(values: F64) -> F64:
    """Return ranks from 1 for the lowest; equal values share the mean of theirs."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: F64 = (np.cumsum(counts) - (counts - 1) / 2)[which]
    return ranks
