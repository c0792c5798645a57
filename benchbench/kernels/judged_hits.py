"""Which hits of a query were judged: a Bloom filter, one 64-bit word per few judgments, in front of a hash table."""

from typing import NamedTuple

import numpy as np

from benchbench.kernels._jit import inline
from benchbench.kernels.arrays import I64, U64


class JudgedScratch(NamedTuple):
    """Room that one thread works in; made by `scratch`."""

    bloom: U64
    table: I64  # a power of two like `bloom`, and more than twice as many places as judgments
    ranks: I64
    which: I64


def scratch(most: int) -> JudgedScratch:
    """Return scratch memory for queries of at most so many judgments."""
    places = 1 << (2 * most).bit_length()
    words = 1 << (most // 4).bit_length()  # at least 16 bits per judgment: few hits are looked up in vain
    return JudgedScratch(
        np.empty(words, np.uint64), np.empty(places, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    )


@inline
def find_judged(documents: U64, judged: U64, scratch: JudgedScratch) -> int:
    """Fill `ranks` (from 0) and `which` with the hits that were judged; return how many there are.

    The scratch is for at least as many judgments as there are.
    """
    bloom, table = scratch.bloom, scratch.table
    words, mask = np.uint64(bloom.size - 1), np.uint64(table.size - 1)
    bloom[:] = np.uint64(0)
    table[:] = -1
    for j in range(judged.size):
        h = judged[j]
        bloom[(h >> np.uint64(6)) & words] |= np.uint64(1) << (h & np.uint64(63))
        slot = (h >> np.uint64(16)) & mask
        while table[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = j
    found = 0
    for i in range(documents.size):
        h = documents[i]
        if (bloom[(h >> np.uint64(6)) & words] >> (h & np.uint64(63))) & np.uint64(1):
            slot = (h >> np.uint64(16)) & mask
            while table[slot] >= 0:
                if judged[table[slot]] == h:
                    scratch.ranks[found], scratch.which[found] = i, table[slot]
                    found += 1
                    break
                slot = (slot + np.uint64(1)) & mask
    return found
