"""Sums over queries, and over resampled queries: the bootstrap of many columns at once.

Rows may come in blocks. Every sum is taken in the order of the rows, so that blocks change no bit.
"""

import numpy as np

from benchbench.kernels._jit import jit, leaf
from benchbench.kernels.arrays import F64, U8
from benchbench.kernels.random import key, mix, next_state

RESAMPLED = 8  # resamples that share one reading of a block: the pass is bound by memory, not arithmetic


@leaf
def add_rows(values: F64, total: F64, lost: F64) -> None:
    """Add the rows of (n, m) to `total` (m,) with Neumaier's correction: the sum is `total + lost`."""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            x = values[i, j]
            added = total[j] + x
            if abs(total[j]) >= abs(x):
                lost[j] += (total[j] - added) + x
            else:
                lost[j] += (x - added) + total[j]
            total[j] = added


@leaf
def add_squares(values: F64, means: F64, total: F64) -> None:
    """Add the squared distances of the rows of (n, m) from `means` (m,) to `total` (m,)."""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            distance = values[i, j] - means[j]
            total[j] += distance * distance


@jit
def draw(n: int, first: int, number: int, seed: int) -> U8:
    """Return how often each of n rows is in the resamples `first`, `first + 1`, …; (number, n).

    The stream of one resample depends on `seed` and its number only, so any split of the work gives the
    same bits.
    """
    drawn: U8 = np.zeros((number, n), np.uint8)  # 256 times the same of more rows than that has a chance below 1e-500
    for b in range(number):
        state = key(seed, first + b)
        for _ in range(n):
            state = next_state(state)
            drawn[b, ((mix(state) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32)] += np.uint8(1)
    return drawn


@jit
def add_drawn(values: F64, drawn: U8, first: int, sums: F64) -> None:
    """Add rows `first`, `first + 1`, … to `sums` (number, m), each as often as the resamples have drawn it."""
    for i in range(values.shape[0]):
        for b in range(drawn.shape[0]):
            times = np.float64(drawn[b, first + i])
            if times > 0.0:
                for j in range(values.shape[1]):
                    sums[b, j] += times * values[i, j]


def column_means(values: F64) -> F64:
    """Mean of each column of (n, m)."""
    total: F64 = np.zeros(values.shape[1])
    lost = np.zeros(values.shape[1])
    add_rows(values, total, lost)
    total += lost
    total /= values.shape[0]
    return total


@jit
def resampled_means(values: F64, resamples: int, seed: int) -> F64:
    """Draw `resamples` samples of n rows of (n, m) with replacement; return their means (resamples, m)."""
    n, m = values.shape
    means: F64 = np.zeros((resamples, m))
    for first in range(0, resamples, RESAMPLED):
        number = min(RESAMPLED, resamples - first)
        add_drawn(values, draw(n, first, number, seed), 0, means[first : first + number])
    means /= n
    return means
