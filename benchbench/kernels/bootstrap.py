"""Sums over queries, and over resampled queries: the bootstrap of many columns at once.

Rows may come in blocks. Every sum is taken in the order of the rows, so that blocks change no bit.
"""

import numpy as np

from benchbench.kernels._jit import leaf
from benchbench.kernels.arrays import F64, F64x2, StridedF64x2, U8x2
from benchbench.kernels.bootstrap_counts import draw
from benchbench.kernels.simd import LANES, add_times, load, load_bytes, store

_BLOCK = 64  # rows whose numbers stay in the fastest cache while all columns are added


@leaf
def add_rows(values: StridedF64x2, total: F64, lost: F64) -> None:
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
def add_squares(values: StridedF64x2, means: F64, total: F64) -> None:
    """Add the squared distances of the rows of (n, m) from `means` (m,) to `total` (m,)."""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            distance = values[i, j] - means[j]
            total[j] += distance * distance


@leaf
def _add_drawn(values: F64x2, drawn: U8x2, times: F64x2, sums: F64x2) -> None:
    """Add the rows of (n, m) to `sums` (m, `LANES`), each as often as it is `drawn` (n, `LANES`)."""
    rows, m = values.shape
    for start in range(0, rows, _BLOCK):
        height = min(_BLOCK, rows - start)
        for i in range(height):
            store(times, i, load_bytes(drawn, start + i))
        for j in range(m):
            total = load(sums, j)
            for i in range(height):
                total = add_times(total, load(times, i), values[np.uint64(start + i), np.uint64(j)])
            store(sums, j, total)


def column_sums(values: F64) -> F64:
    """Sum of each column of (n, m); of counts it is exact."""
    total: F64 = np.zeros(values.shape[1])
    lost = np.zeros(values.shape[1])
    add_rows(values, total, lost)
    total += lost
    return total


def resampled_sums(values: F64, first: int, number: int, seed: int) -> F64:
    """Draw n rows of (n, m) with replacement, for the resamples `first`, `first + 1`, …; return sums (m, number)."""
    n, m = values.shape
    sums: F64 = np.empty((m, number))
    times = np.empty((_BLOCK, LANES))
    for start in range(0, number, LANES):
        width = min(LANES, number - start)
        added: F64 = np.zeros((m, LANES))
        _add_drawn(values, draw(n, first + start, width, seed), times, added)
        sums[:, start : start + width] = added[:, :width]
    return sums
