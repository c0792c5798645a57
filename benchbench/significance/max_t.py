"""Tests of a family corrected together by their largest statistic, and intervals that hold together.

The sign flips of a randomisation test flip all differences of a unit (a query, or a group of queries) at once, so that
statistics of one pattern are as dependent as those observed. Where systems are alike, as pairs that share a system are,
the largest of them is smaller than that of independent ones, which is what Holm's correction allows for.

Conventions
-----------
The statistic of a difference is Student's t. Flips leave the sum of squares `Q` as it is, so that t is a function of
the flipped sum over the root of `Q`, and the same one for all differences: that quotient is what is compared here.

Both are exact where the differences of a unit are jointly symmetric, and else good for many units, as Student's t is.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from benchbench.kernels.arrays import F64, I64
from benchbench.significance.subset_means import kept, most_beyond, patterns

_WORK = 2**20  # statistics at a time
_EQUAL = 1e-9  # statistics that differ by less, in standard deviations, are equal: adding in 64 bits loses no more


class FlippedMaxima(NamedTuple):
    """Some columns of values over units, with what sign patterns keep of them.

    A difference is one column minus another: those of all pairs are had from one column per system.
    """

    sums: F64  # (columns, units): of values, over the queries of a unit
    sizes: F64  # (units,): queries of each
    kept_sums: F64  # (columns, patterns): over the units that a pattern keeps
    kept_sizes: F64  # (patterns,)
    exact: bool  # whether the patterns are all that there are


def flipped_maxima(sums: F64, sizes: F64, resamples: int, seed: int) -> FlippedMaxima:
    """Return the patterns of columns (columns, units): `resamples` random ones, or all where they are not more."""
    drawn = kept(np.concatenate([sums, sizes[None]]), resamples, seed)
    return FlippedMaxima(sums, sizes, drawn[:-1], drawn[-1], patterns(len(sizes), resamples) is not None)


def maxima_of_units_that_differ(
    whole: FlippedMaxima, pairs: I64, rounding: F64, resamples: int, seed: int
) -> FlippedMaxima:
    """Return all patterns of the units on which some pair differs where they are not more; else the same as `whole`.

    Flips of the others change nothing. Parameters are those of `step_down`.
    """
    differ = np.zeros(len(whole.sizes), np.bool_)
    for (a, b), rounded in zip(pairs, rounding, strict=True):
        differ |= np.abs(whole.sums[b] - whole.sums[a]) > rounded * whole.sizes
    if whole.exact or patterns(int(differ.sum()), resamples) is None:
        return whole
    return flipped_maxima(whole.sums[:, differ], whole.sizes[differ], resamples, seed)


def step_down(flipped: FlippedMaxima, pairs: I64, rounding: F64) -> F64:
    """Return p-values corrected by step-down maxT (Romano and Wolf 2005, with studentised statistics).

    Parameters
    ----------
    flipped
        The values.
    pairs
        (tests, 2): the columns of baseline and system of each difference.
    rounding
        (tests,): what arithmetic may have added to the difference of a query.

    Returns
    -------
    F64
        (tests,): for each difference, the share of patterns in which the largest statistic, of it and of all with a
        smaller one, is at least its own; but none below that of a greater one. The chance of one or more that are at
        most alpha though their systems are equal is alpha.
    """
    zeros = np.zeros(len(flipped.sums))
    scales = _scales(flipped, pairs, rounding, zeros)
    totals = flipped.sums.sum(axis=1)
    observed = np.abs(totals[pairs[:, 1]] - totals[pairs[:, 0]]) * scales
    order = np.argsort(-observed, kind="stable")
    least = observed[order, None] - _EQUAL
    counts = np.zeros(len(pairs), np.int64)
    for statistics in _statistics(flipped, pairs[order], scales[order], zeros):
        largest = np.maximum.accumulate(statistics[::-1], axis=0)[::-1]
        counts += (largest >= least).sum(axis=1)
    drawn = flipped.kept_sums.shape[1]
    p: F64 = np.empty(len(pairs))
    p[order] = np.maximum.accumulate(counts / drawn if flipped.exact else (counts + 1) / (drawn + 1))
    return p


def simultaneous_intervals(
    flipped: FlippedMaxima, whole: FlippedMaxima, pairs: I64, rounding: F64, alpha: float
) -> tuple[F64, F64]:
    """Return intervals of the mean differences that all hold together with a chance of about 1 - alpha.

    A difference is left open as long as its statistic is at most one bound for all: what the largest of a pattern
    exceeds in a share of alpha (single-step maxT), of flipped differences or of flipped distances from their means,
    whichever is greater. So an interval without 0 always has a single-step p-value, and with it a step-down one, of at
    most alpha.

    Parameters
    ----------
    flipped, pairs, rounding
        As `step_down` takes them.
    whole
        The patterns of all units.
    alpha
        The chance that one of the intervals or more misses.

    Returns
    -------
    tuple of F64
        Low and high bounds (tests,), infinite where there are too few units to bound anything.
    """
    means = whole.sums.sum(axis=1) / whole.sizes.sum()
    of_tests = _critical(flipped, pairs, rounding, np.zeros(len(means)), alpha)
    bound = _critical(whole, pairs, rounding, means, alpha)
    if math.isfinite(of_tests):
        bound = max(bound, of_tests)
    low: F64 = np.empty(len(pairs))
    high: F64 = np.empty(len(pairs))
    for c, (a, b) in enumerate(pairs):
        mean = means[b] - means[a]
        off = _off(whole, a, b, means, rounding[c])
        below, above = _reach(off, whole.sizes, bound)
        low[c], high[c] = mean + below, mean + above
    if math.isfinite(of_tests):
        return low, high
    return np.minimum(low, 0.0), np.maximum(high, 0.0)  # no p-value of so few units that differ is at most alpha


def _reach(off: F64, sizes: F64, bound: float) -> tuple[float, float]:
    """Return how far below and above the mean the statistic is `bound`, from distances and sizes of units.

    The sum of squares about `mean + x` is a quadratic in x, so that there is no search. Units of one size give
    Student's symmetric interval.
    """
    square = bound * bound
    a = float(sizes.sum() ** 2 - square * (sizes @ sizes))
    b, c = square * float(off @ sizes), -square * float(off @ off)
    if not a > 0.0:
        return -math.inf, math.inf
    root = math.sqrt(b * b - a * c)
    return (-b - root) / a, (-b + root) / a


def _critical(flipped: FlippedMaxima, pairs: I64, rounding: F64, means: F64, alpha: float) -> float:
    """Return the greatest statistic of which the single-step p-value is above alpha; infinite where all of them are."""
    scales = _scales(flipped, pairs, rounding, means)
    largest = np.concatenate([statistics.max(axis=0) for statistics in _statistics(flipped, pairs, scales, means)])
    most = most_beyond(alpha, len(largest), flipped.exact)
    if most < (2 if flipped.exact else 0):  # of all patterns at least two reach what was observed: it, and its opposite
        return math.inf
    place = len(largest) - 1 - most
    return float(np.partition(largest, place)[place]) + _EQUAL


def _off(flipped: FlippedMaxima, a: int, b: int, means: F64, rounding: float) -> F64:
    """Return the distances of a pair's differences (units,) from the difference of two means; 0 within rounding."""
    off: F64 = flipped.sums[b] - flipped.sums[a] - (means[b] - means[a]) * flipped.sizes
    off[np.abs(off) <= rounding * flipped.sizes] = 0.0
    return off


def _scales(flipped: FlippedMaxima, pairs: I64, rounding: F64, means: F64) -> F64:
    """Return what sums of each difference (tests,) are multiplied with; 0 where all of its values are 0."""
    offs = (_off(flipped, a, b, means, rounded) for (a, b), rounded in zip(pairs, rounding, strict=True))
    roots = np.array([math.sqrt(off @ off) for off in offs])
    scales: F64 = np.divide(1.0, roots, out=np.zeros(len(roots)), where=roots > 0.0)
    return scales


def _statistics(flipped: FlippedMaxima, pairs: I64, scales: F64, means: F64) -> Iterator[F64]:
    """Yield the statistics (tests, some patterns) of distances from means."""
    totals = flipped.sums.sum(axis=1) - means * flipped.sizes.sum()
    totals = totals[pairs[:, 1]] - totals[pairs[:, 0]]
    patterns = flipped.kept_sums.shape[1]
    block = max(1, _WORK // len(pairs))
    for first in range(0, patterns, block):
        part = slice(first, first + block)
        kept = flipped.kept_sums[:, part] - means[:, None] * flipped.kept_sizes[part]
        yield np.abs(2.0 * (kept[pairs[:, 1]] - kept[pairs[:, 0]]) - totals[:, None]) * scales[:, None]
