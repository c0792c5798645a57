"""Do two samples of blocks, measured in several numbers, differ? Exact permutations, and all numbers together.

Were both of one system, any of the blocks could as well have been of the other. The statistic is Welch's t (Janssen
1997); of several numbers the largest of all decides (Westfall and Young 1993), so that the chance of one false finding
among them is at most alpha however they hang together. An interval holds the differences that the same quantile leaves
open, so that it lacks 0 where, and only where, p is at most alpha. All intervals hold together.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from benchbench.kernels.arrays import F64, Bools

_ALL = 20_000  # ways of dealing the blocks out up to which all are gone through
_RANDOM = 10_000  # ways that are drawn, where there are more
_AT_ONCE = 1_000
_STREAM = 0x626C6F63  # so that what is drawn by one seed elsewhere is independent


@dataclass(frozen=True)
class Shift:
    """The second sample minus the first, of each number."""

    difference: F64  # of the means
    low: F64
    high: F64
    p: F64  # corrected over the numbers


def shift(first: F64, second: F64, alpha: float = 0.05, seed: int = 0) -> Shift:
    """Return how far the second sample is from the first.

    Parameters
    ----------
    first, second
        (numbers, blocks), at least two blocks each.
    alpha
        Of all intervals together.
    seed
        Of the ways that are drawn, where there are too many to go through.
    """
    values = np.concatenate([first, second], axis=1)
    blocks, of_second = values.shape[1], second.shape[1]
    ways = math.comb(blocks, of_second)
    exact = ways <= _ALL
    largest = []
    for chosen in _dealt(blocks, of_second, exact, seed):
        largest.append(np.abs(_welch(values, chosen)[0]).max(axis=0))
    farthest = np.sort(np.concatenate(largest))
    observed = np.zeros((blocks, 1), np.bool_)
    observed[blocks - of_second :] = True
    t, error = (part[:, 0] for part in _welch(values, observed))
    reached = len(farthest) - np.searchsorted(farthest, np.abs(t) * (1.0 - 1e-9), side="left")
    p = reached / len(farthest) if exact else (reached + 1) / (len(farthest) + 1)
    kept = math.floor(alpha * (len(farthest) + (not exact)) + 1e-9) - (not exact)  # ways that may lie beyond
    bound = math.inf if kept < 0 else float(farthest[-1 - kept]) * (1.0 + 1e-9)
    difference = second.mean(axis=1) - first.mean(axis=1)
    with np.errstate(invalid="ignore"):
        reach = np.where(error > 0.0, bound * error, 0.0)
    return Shift(difference, difference - reach, difference + reach, p)


def _dealt(blocks: int, of_second: int, exact: bool, seed: int) -> Iterator[Bools]:
    """Yield which blocks are of the second sample, (blocks, ways), some ways at a time."""
    if exact:
        places = np.array(list(combinations(range(blocks), of_second)))
        whole = np.zeros((blocks, len(places)), np.bool_)
        whole[places.T, np.arange(len(places))] = True
        for begin in range(0, len(places), _AT_ONCE):
            yield whole[:, begin : begin + _AT_ONCE]
        return
    random = np.random.default_rng(seed ^ _STREAM)
    for _ in range(_RANDOM // _AT_ONCE):
        yield random.permuted(np.tile(np.arange(blocks) < of_second, (_AT_ONCE, 1)), axis=1).T


def _welch(values: F64, second: Bools) -> tuple[F64, F64]:
    """Return t and its standard error, (numbers, ways)."""
    centred = values - values.mean(axis=1, keepdims=True)
    squares = centred**2
    means, errors = [], []
    for part in (~second, second):
        some = part.astype(np.float64)
        n = some.sum(axis=0)
        mean = centred @ some / n
        variance = np.maximum(squares @ some - n * mean**2, 0.0) / (n - 1.0)
        means.append(mean)
        errors.append(variance / n)
    error = np.sqrt(errors[0] + errors[1])
    scale = np.abs(values).max(axis=1, keepdims=True)
    error = np.where(error > 1e-12 * scale, error, 0.0)
    difference = means[1] - means[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(
            error > 0.0,
            difference / error,
            np.where(np.abs(difference) > 1e-12 * scale, np.inf * np.sign(difference), 0.0),
        )
    return t, error
