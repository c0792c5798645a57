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


def rank_intervals(means: F64, p: F64, alpha: float) -> tuple[I64, I64]:
    """Return the best and the worst rank that each system may have.

    Parameters
    ----------
    means
        (systems,), the greatest is best.
    p
        (systems * (systems - 1) / 2,): p-values of all pairs in the order of `itertools.combinations`, not corrected.
    alpha
        Chance that one of the intervals or more misses.
    """
    systems = len(means)
    differ = np.zeros((systems, systems), bool)
    differ[np.triu_indices(systems, 1)] = holm(p) <= alpha
    differ |= differ.T
    better = differ & (means[None, :] > means[:, None])
    worse = differ & (means[None, :] < means[:, None])
    return 1 + better.sum(axis=1, dtype=np.int64), systems - worse.sum(axis=1, dtype=np.int64)
