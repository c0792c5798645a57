"""Bootstrap intervals of means: bias-corrected and accelerated (BCa; Efron 1987).

All systems and measures share the queries of a resample, so that a difference of means has the resampled means'
differences for its distribution.
"""

import math
from functools import partial

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.kernels.bootstrap import add_drawn, draw
from benchbench.significance.distributions import normal_cdf, normal_quantile
from benchbench.tables.threads import in_order

_BLOCK = 32  # resamples that share one reading of the values


def resampled_means(values: F64, resamples: int, seed: int) -> F64:
    """Draw queries with replacement, as many as there are; return the means (measures, systems, resamples)."""
    measures, systems, queries = values.shape
    rows = np.ascontiguousarray(values.reshape(-1, queries).T)

    def sums(first: int) -> F64:
        number = min(_BLOCK, resamples - first)
        added: F64 = np.zeros((number, measures * systems))
        add_drawn(rows, draw(queries, first, number, seed), 0, added)
        return added

    blocks = in_order(partial(sums, first) for first in range(0, resamples, _BLOCK))
    means: F64 = np.concatenate(list(blocks)).T.reshape(measures, systems, resamples)
    means /= queries
    return means


def intervals(values: F64, resampled: F64, alpha: float, rounding: float) -> tuple[F64, F64]:
    """Return the bounds of the 1 - alpha intervals of some means.

    Parameters
    ----------
    values
        (n, queries), such as the differences of n pairs.
    resampled
        (n, resamples): means, or differences of means.
    alpha
        The share of intervals that may miss, half of them on each side.
    rounding
        What arithmetic may have added to a value.

    Returns
    -------
    tuple of F64
        Low and high bounds (n,), as scipy.stats.bootstrap has them. A resampled mean that equals the mean counts as
        half below it, and equal is what differs by rounding. The share below is taken to be within half a resample of
        0 and 1, so that no interval is unbounded; where the acceleration leaves no percentile it is the extreme one.
        Where all resampled means are equal the interval is the mean.
    """
    point, accelerated = values.mean(axis=1), acceleration(values)
    least = rounding * math.sqrt(values.shape[1])  # a sum gathers roundings, of both signs
    resamples = resampled.shape[1]
    off = resampled - point[:, None]
    share = ((off < -least).sum(axis=1) + 0.5 * (np.abs(off) <= least).sum(axis=1)) / resamples
    bias = normal_quantile(np.clip(share, 0.5 / resamples, 1.0 - 0.5 / resamples))
    ordered = np.sort(resampled, axis=1)
    bounds = []
    for z in normal_quantile(np.array([alpha / 2, 1.0 - alpha / 2])):
        reach = bias + z
        left = 1.0 - accelerated * reach
        percentile = normal_cdf(bias + np.divide(reach, left, out=np.copysign(np.inf, reach), where=left > 0.0))
        bounds.append(np.where(np.abs(off).max(axis=1) <= least, point, _at(ordered, percentile)))
    return bounds[0], bounds[1]


def acceleration(values: F64) -> F64:
    """Return a sixth of the skewness of the mean's jackknife, of each row; 0 where all its values are equal."""
    distances = values - values.mean(axis=1, keepdims=True)
    squares = distances * distances
    total, cubes = squares.sum(axis=1), (squares * distances).sum(axis=1)
    found: F64 = np.divide(cubes, 6.0 * total**1.5, out=np.zeros_like(cubes), where=total > 0.0)
    return found


def _at(ordered: F64, share: F64) -> F64:
    """Return the quantile of each row, linear between its neighbours."""
    place = share * (ordered.shape[1] - 1)
    low = np.floor(place).astype(np.int64)
    high = np.minimum(low + 1, ordered.shape[1] - 1)
    rows = np.arange(len(ordered))
    found: F64 = ordered[rows, low] + (place - low) * (ordered[rows, high] - ordered[rows, low])
    return found
