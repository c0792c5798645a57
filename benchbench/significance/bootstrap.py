"""Bootstrap intervals of means: bias-corrected and accelerated (BCa; Efron 1987).

All systems and measures share the queries of a resample, so that a difference of means has the resampled means'
differences for its distribution.
"""

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.kernels.bootstrap import resampled_sums
from benchbench.kernels.simd import LANES
from benchbench.significance.distributions import normal_cdf, normal_quantile
from benchbench.tables.threads import in_order

_WORK = 2**21  # draws and sums of one thread's turn: some milliseconds, and some megabytes
_HELD = 2**27  # bytes of means at a time: more than 16 million of them are rare


def resampled_means(values: F64, resamples: int, seed: int) -> F64:
    """Draw queries with replacement, as many as there are; return the means (measures, systems, resamples)."""
    measures, systems, queries = values.shape
    rows = np.ascontiguousarray(values.reshape(-1, queries).T)
    means: F64 = np.empty((measures * systems, resamples))
    turn = LANES * max(1, _WORK // (LANES * (queries + measures * systems)))
    starts = range(0, resamples, turn)
    turns = in_order(partial(resampled_sums, rows, first, min(turn, resamples - first), seed) for first in starts)
    for first, sums in zip(starts, turns, strict=True):
        np.divide(sums, queries, out=means[:, first : first + turn])
    return means.reshape(measures, systems, resamples)


def resampled_measures(values: F64, resamples: int, seed: int) -> Iterator[F64]:
    """Yield the same of one measure after the other (systems, resamples), few of them in memory at a time.

    Measures that do not fit draw the same queries again.
    """
    together = max(1, _HELD // (8 * values.shape[1] * resamples))
    for first in range(0, len(values), together):
        yield from resampled_means(values[first : first + together], resamples, seed)


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
    off = np.array([_beside(row - mean, least) for row, mean in zip(resampled, point, strict=True)])
    below, above = off.T
    share = 0.5 * (resamples + below - above) / resamples
    bias = normal_quantile(np.clip(share, 0.5 / resamples, 1.0 - 0.5 / resamples))
    percentiles = []
    for z in normal_quantile(np.array([alpha / 2, 1.0 - alpha / 2])):
        reach = bias + z
        left = 1.0 - accelerated * reach
        percentiles.append(normal_cdf(bias + np.divide(reach, left, out=np.copysign(np.inf, reach), where=left > 0.0)))
    bounds = np.array([_quantiles(row, both) for row, both in zip(resampled, np.transpose(percentiles), strict=True)])
    low, high = np.where(below + above == 0, point, bounds.T)
    return low, high


def acceleration(values: F64) -> F64:
    """Return a sixth of the skewness of the mean's jackknife, of each row; 0 where all its values are equal."""
    distances = values - values.mean(axis=1, keepdims=True)
    squares = distances * distances
    total, cubes = squares.sum(axis=1), (squares * distances).sum(axis=1)
    sixths: F64 = np.divide(cubes, 6.0 * total**1.5, out=np.zeros_like(cubes), where=total > 0.0)
    return sixths


def _beside(off: F64, least: float) -> tuple[int, int]:
    """Return how many distances are below and above 0 by more than `least`."""
    return int(np.count_nonzero(off < -least)), int(np.count_nonzero(off > least))


def _quantiles(numbers: F64, shares: F64) -> F64:
    """Return the quantiles of some numbers, linear between neighbours."""
    place = shares * (len(numbers) - 1)
    low = np.floor(place).astype(np.int64)
    high = np.minimum(low + 1, len(numbers) - 1)
    ordered = np.sort(numbers)
    quantiles: F64 = ordered[low] + (place - low) * (ordered[high] - ordered[low])
    return quantiles
