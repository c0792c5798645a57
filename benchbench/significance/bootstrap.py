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


def interval(values: F64, resampled: F64, alpha: float, rounding: float) -> tuple[float, float]:
    """Return the bounds of the 1 - alpha interval of a mean.

    Parameters
    ----------
    values
        (queries,), such as the differences of a pair.
    resampled
        (resamples,): means, or differences of means.
    alpha
        The share of intervals that may miss, half of them on each side.
    rounding
        What arithmetic may have added to a value.

    Returns
    -------
    tuple of float
        As scipy.stats.bootstrap has them. A resampled mean that equals the mean counts as half below it, and equal is
        what differs by rounding. The share below is taken to be within half a resample of 0 and 1, so that no interval
        is unbounded; where the acceleration leaves no percentile it is the extreme one. Where all resampled means are
        equal the interval is the mean.
    """
    point, accelerated, resamples = float(values.mean()), acceleration(values), len(resampled)
    least = rounding * math.sqrt(len(values))  # a sum gathers roundings, of both signs
    off = resampled - point
    below, above = int(np.count_nonzero(off < -least)), int(np.count_nonzero(off > least))
    if below + above == 0:
        return point, point
    share = 0.5 * (resamples + below - above) / resamples
    bias = normal_quantile(min(max(share, 0.5 / resamples), 1.0 - 0.5 / resamples))
    reach = bias + normal_quantile(np.array([alpha / 2, 1.0 - alpha / 2]))
    left = 1.0 - accelerated * reach
    low, high = _quantiles(
        resampled,
        normal_cdf(bias + np.divide(reach, left, out=np.copysign(np.inf, reach), where=left > 0.0)),
    )
    return float(low), float(high)


def acceleration(values: F64) -> float:
    """Return a sixth of the skewness of the mean's jackknife; 0 where all values are equal."""
    distances = values - values.mean()
    squares = distances * distances
    total = squares.sum()
    return float((squares * distances).sum() / (6.0 * total**1.5)) if total > 0.0 else 0.0


def _quantiles(numbers: F64, shares: F64) -> F64:
    """Return the quantiles of some numbers, linear between neighbours."""
    place = shares * (len(numbers) - 1)
    low = np.floor(place).astype(np.int64)
    high = np.minimum(low + 1, len(numbers) - 1)
    ordered = np.sort(numbers)
    quantiles: F64 = ordered[low] + (place - low) * (ordered[high] - ordered[low])
    return quantiles
