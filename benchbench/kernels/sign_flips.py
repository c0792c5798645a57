"""Sums over queries, each kept or left out at random: the sign flips of a randomisation test, of many columns at once.

Flipping the signs of differences gives `2 * kept - total`, so the sum over the queries kept is all that is needed.

Conventions
-----------
Columns come in tiles of `WIDTH`, rows in groups of `GROUP` (fill up with zeros). Within a group the sums of all
2^`GROUP` subsets are made once, and each resample adds one of them: an eighth of the additions.
"""

import numpy as np

from benchbench.kernels._jit import leaf
from benchbench.kernels.arrays import F64, U64, F64x2, F64x3
from benchbench.kernels.random import key, mix, next_state

WIDTH = 8
GROUP = 8
_WORD = 64


def kept_sums(values: F64, first: int, number: int, seed: int, enumerate_all: bool) -> F64:
    """Sum the rows that the resamples `first`, `first + 1`, … keep.

    Parameters
    ----------
    values
        (tiles, rows, `WIDTH`), rows a multiple of `GROUP`.
    first, number
        Which resamples; the stream of one depends on `seed` and its number only, so any split of the work gives the
        same bits.
    seed
        Of the stream.
    enumerate_all
        Resample `r` keeps row `i` if bit `i` of `r` is set, for at most 64 rows: all subsets instead of random ones.

    Returns
    -------
    F64
        (tiles, number, `WIDTH`); rows are added in their order.
    """
    sums: F64 = np.zeros((values.shape[0], number, WIDTH))
    states, words = np.empty(number, np.uint64), np.empty(number, np.uint64)
    _add_kept(values, first, seed, enumerate_all, np.zeros((1 << GROUP, WIDTH)), states, words, sums)
    return sums


@leaf
def _add_kept(
    values: F64x3, first: int, seed: int, enumerate_all: bool, table: F64x2, states: U64, words: U64, sums: F64x3
) -> None:
    tiles, rows, _ = values.shape
    number = states.size
    for b in range(number):
        states[b] = key(seed, first + b)
    for start in range(0, rows, _WORD):
        for b in range(number):
            states[b] = next_state(states[b])
            words[b] = np.uint64(first + b) if enumerate_all else mix(states[b])
        for tile in range(tiles):
            into = sums[tile]
            for row in range(start, min(start + _WORD, rows), GROUP):
                for k in range(GROUP):
                    size = 1 << k
                    for subset in range(size):
                        for j in range(WIDTH):
                            table[size + subset, j] = table[subset, j] + values[tile, row + k, j]
                shift = np.uint64(row - start)
                for b in range(number):
                    subset = (words[b] >> shift) & np.uint64(0xFF)
                    for j in range(WIDTH):
                        into[b, j] += table[subset, j]
