"""Means of random subsets: the intervals that sign-flip tests leave open (Hartigan 1969).

A unit is a query, or a group of queries: it has a sum `S` and a size `n`, and the mean is that of all sums over that of
all sizes. Were the mean `m`, the sum `S - m n` of each unit could as well have the other sign, and a pattern of signs
is as far from 0 as what was observed when the units that keep their sign, or those that do not, have a mean beyond `m`.
So the test that goes through all patterns has for its interval two quantiles of the means of subsets, and no search is
needed.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.kernels.sign_flips import GROUP, WIDTH, kept_sums
from benchbench.tables.threads import in_order


class Tested(NamedTuple):
    """What a two-sided test of a mean says: how likely what was observed is, and which means it does not reject."""

    p: float
    low: float  # least mean with a p-value above alpha; -inf where the test rejects none, however small
    high: float


BLOCK = 1024  # patterns a call: enough to pay for the sums of all subsets of eight rows
STREAM = 0x7369676E  # so that signs and bootstrap draws of one seed are independent
_MOST = 40  # units of which nobody asks for all patterns
_QUICK = 1 << 21  # units of all patterns and tiles that one thread adds up in the time in which others begin


def patterns(units: int, resamples: int) -> int | None:
    """Return the number of all sign patterns if a test goes through them, which it does when they are not more."""
    return 1 << units if units < _MOST and 1 << units <= resamples else None


def kept(columns: F64, resamples: int, seed: int) -> F64:
    """Return sums over the units that each pattern keeps, of columns (n, units): (n, patterns).

    All 2^units patterns where `patterns` says so, else as many random ones as `resamples`.
    """
    count, units = columns.shape
    exact = patterns(units, resamples)
    drawn = exact or resamples
    tiles = np.zeros((-(-count // WIDTH), -(-units // GROUP) * GROUP, WIDTH))
    for c, column in enumerate(columns):
        tiles[c // WIDTH, :units, c % WIDTH] = column
    sums_kept: F64 = np.empty((count, drawn))
    starts = range(0, drawn, BLOCK)
    turns = (
        partial(kept_sums, tiles, first, min(BLOCK, drawn - first), seed ^ STREAM, exact is not None)
        for first in starts
    )
    done = in_order(turns) if len(tiles) * tiles.shape[1] * drawn > _QUICK else (turn() for turn in turns)
    for first, sums in zip(starts, done, strict=True):
        sums_kept[:, first : first + BLOCK] = sums.transpose(0, 2, 1).reshape(-1, sums.shape[1])[:count]
    return sums_kept


def most_beyond(alpha: float, drawn: int, exact: bool) -> int:
    """Return the largest count of patterns as far from 0 as the one observed of which the p-value is at most alpha.

    The p-value is the count over `drawn` of all patterns, or (count + 1) / (drawn + 1) of random ones; -1 where no
    count has one so small.
    """
    every, more = (drawn, 0) if exact else (drawn + 1, 1)
    count = int(alpha * every) - more
    while (count + 1 + more) / every <= alpha:
        count += 1
    while count >= 0 and (count + more) / every > alpha:
        count -= 1
    return count


def bounds(sums: F64, kept_sizes: F64, size: float, most: int) -> tuple[float, float] | None:
    """Return the least and the greatest mean that a sign-flip test does not reject, both of them inside.

    Parameters
    ----------
    sums
        (2 * patterns,): over the units that each pattern keeps, then over those that it does not.
    kept_sizes
        (patterns,): of the units that each pattern keeps.
    size
        Of all units.
    most
        As `most_beyond` returns it.

    Returns
    -------
    tuple of float or None
        None where there are so few units that no mean can be rejected.
    """
    sizes = np.concatenate([kept_sizes, size - kept_sizes])
    there = sizes > 0.0
    means = sums[there] / sizes[there]
    beyond = most - (len(sums) - len(means))  # an empty subset is beyond any mean
    if beyond < 0:
        return None
    last = len(means) - 1 - beyond
    ordered = np.partition(means, (beyond, last))
    return float(ordered[beyond]), float(ordered[last])
