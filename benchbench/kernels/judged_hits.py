"""Which hits of a query were judged: a Bloom filter, one 64-bit word per few judgments, in front of the judgments."""

from typing import NamedTuple

import numpy as np

from benchbench.kernels._jit import inline
from benchbench.kernels.arrays import I64, U64
from benchbench.kernels.byte_words import first_bit

_LEAST = 4  # places of a table
_FEW = 16  # judgments that are compared one by one: filling a table takes twice as long


class JudgedScratch(NamedTuple):
    """Room that one thread works in; made by `scratch`."""

    bloom: U64
    table: I64  # a power of two like `bloom`, and more than twice as many places as judgments
    ranks: I64  # one more than judgments, like `which`: where a hit goes that was not judged after all
    which: I64


def scratch(most: int) -> JudgedScratch:
    """Return scratch memory for queries of at most so many judgments."""
    places = max(_LEAST, 1 << (2 * most).bit_length())
    return JudgedScratch(
        np.empty(places // 4, np.uint64),  # at least 32 bits per judgment: few hits are looked up in vain
        np.empty(places, np.int64),
        np.empty(most + 1, np.int64),
        np.empty(most + 1, np.int64),
    )


@inline
def _place(judged: U64, table: I64, mask: np.uint64, document: np.uint64) -> np.int64:
    """Return which judgment is of a document, or -1."""
    which = np.int64(-1)
    if judged.size <= _FEW:  # without a branch a judgment
        for j in range(np.uint64(judged.size)):
            which = np.int64(j) if judged[j] == document else which
        return which
    slot = (document >> np.uint64(16)) & mask
    while table[slot] >= 0:
        if judged[table[slot]] == document:
            return np.int64(table[slot])
        slot = (slot + np.uint64(1)) & mask
    return which


@inline
def _fill_table(judged: U64, table: I64, mask: np.uint64) -> None:
    for slot in range(mask + np.uint64(1)):
        table[slot] = -1
    for j in range(judged.size):
        slot = (judged[j] >> np.uint64(16)) & mask
        while table[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = j


@inline
def find_judged(documents: U64, judged: U64, scratch: JudgedScratch) -> int:
    """Fill `ranks` (from 0) and `which` with the hits that were judged; return how many there are.

    The scratch is for at least as many judgments as there are, and they are of different documents.
    """
    bloom, table = scratch.bloom, scratch.table
    found, one, block, size = 0, np.uint64(1), np.uint64(64), np.uint64(documents.size)
    places = np.uint64(_LEAST)  # of the table: as many as this query needs
    while places <= np.uint64(2 * judged.size):
        places <<= one
    mask, words = places - one, (places >> np.uint64(2)) - one
    for word in range(words + one):
        bloom[word] = np.uint64(0)
    for j in range(np.uint64(judged.size)):
        h = judged[j]
        bloom[(h >> np.uint64(6)) & words] |= one << (h & np.uint64(63))
    if judged.size > _FEW:
        _fill_table(judged, table, mask)
    for first in range(np.uint64(0), size, block):
        likely = np.uint64(0)  # bit `i`: hit `first + i`; without a branch a hit, since nobody can foresee it
        for i in range(min(block, size - first)):
            h = documents[first + i]
            likely |= ((bloom[(h >> np.uint64(6)) & words] >> (h & np.uint64(63))) & one) << i
        while likely:
            rank = first + np.uint64(first_bit(likely))
            likely &= likely - one
            which = _place(judged, table, mask, documents[rank])
            scratch.ranks[found], scratch.which[found] = rank, which
            found += bool(which >= 0)
    return found
