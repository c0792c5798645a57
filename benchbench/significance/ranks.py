"""The ranks that systems may have, as far as the tests can tell.

Of the pairwise tests of all systems (Mogstad, Romano, Shaikh and Wilhelm 2024): a system has at least as many above it
as are significantly better, and at least as many below as are significantly worse. With Holm's correction over all
pairs of a measure all intervals hold together with a chance of 1 - alpha. Ranks of bootstrap resamples have no such
coverage: where systems are about equal a rank jumps, and the bootstrap distribution of what jumps is wrong.
"""

import numpy as np

from benchbench.kernels.arrays import F64, I64
from benchbench.significance.corrections import holm


def ranks(means: F64, rounding: float) -> I64:
    """Return the rank of each mean, from 1 for the greatest; equal means share the better one."""
    better: I64 = (means[None, :] - means[:, None] > rounding).sum(axis=1, dtype=np.int64)
    return 1 + better


def rank_intervals(systems: int, p: F64, directions: I64, alpha: float) -> tuple[I64, I64]:
    """Return the best and the worst rank that each system may have.

    Parameters
    ----------
    systems
        How many there are.
    p
        (systems * (systems - 1) / 2,): p-values of all pairs in the order of `itertools.combinations`, not corrected.
    directions
        (systems * (systems - 1) / 2,): 1 where the test sees the second of a pair as better, -1 where as worse.
    alpha
        Chance that one of the intervals or more misses.
    """
    better = np.zeros((systems, systems), np.int64)  # 1 where the system of the column is better
    better[np.triu_indices(systems, 1)] = np.where(holm(p) <= alpha, directions, 0)
    better -= better.T
    return 1 + (better > 0).sum(axis=1, dtype=np.int64), systems - (better < 0).sum(axis=1, dtype=np.int64)
