"""Means over resampled queries: the bootstrap of many columns at once."""

import numpy as np

from benchbench.kernels._jit import jit, leaf
from benchbench.kernels.arrays import F64
from benchbench.kernels.random import key, mix, next_state

_BLOCK = 8  # resamples that share one reading of `values`: the pass is bound by memory, not arithmetic


def column_means(values: F64) -> F64:
    """Mean of each column of (n, m), added in row order with Neumaier's correction: fixed bits."""
    total: F64 = np.zeros(values.shape[1])
    lost = np.zeros(values.shape[1])
    _add_up(values, total, lost)
    total += lost
    total /= values.shape[0]
    return total


@leaf
def _add_up(values: F64, total: F64, lost: F64) -> None:
    n, m = values.shape
    for i in range(n):
        for j in range(m):
            x = values[i, j]
            added = total[j] + x
            if abs(total[j]) >= abs(x):
                lost[j] += (total[j] - added) + x
            else:
                lost[j] += (x - added) + total[j]
            total[j] = added


@jit
def resampled_means(values: F64, resamples: int, seed: int) -> F64:
    """Draw `resamples` samples of n rows of (n, m) with replacement; return their means (resamples, m).

    The stream of one resample depends on `seed` and its number only, so any split of the work over
    threads gives the same bits.
    """
    n, m = values.shape
    means: F64 = np.zeros((resamples, m))
    drawn = np.zeros((_BLOCK, n), np.int32)
    for block in range(0, resamples, _BLOCK):
        size = min(_BLOCK, resamples - block)
        drawn[:] = 0
        for b in range(size):
            state = key(seed, block + b)
            for _ in range(n):
                state = next_state(state)
                drawn[b, ((mix(state) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32)] += 1
        for i in range(n):
            for b in range(size):
                times = drawn[b, i]
                if times > 0:
                    for j in range(m):
                        means[block + b, j] += times * values[i, j]
    means /= n
    return means
