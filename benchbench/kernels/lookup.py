"""Which judged query a query of a run is, by a hash table of all judged queries; and whether any hit is judged."""

from typing import NamedTuple

import numpy as np

from benchbench.kernels._jit import leaf
from benchbench.kernels.arrays import I64, U64


class RunHits(NamedTuple):
    """The hits of a run, and of each query its group among them, or -1."""

    offsets: I64
    document: U64
    group: I64


def table(keys: U64) -> I64:
    """Return the places of some different hashes in an open-addressing table; -1 is empty."""
    places = _empty(keys.size)
    _fill(places, keys)
    return places


def are_different(keys: U64) -> bool:
    """Say whether no hash stands twice among some. Sorting them takes five times as long, `np.unique` 60 times."""
    return _fill(_empty(keys.size), keys)


def _empty(keys: int) -> I64:
    return np.full(1 << (2 * keys).bit_length(), -1, np.int64)


@leaf
def _fill(places: I64, keys: U64) -> bool:
    """Fill the table; stop and say so where a hash stands twice."""
    mask = np.uint64(places.size - 1)
    for i in range(keys.size):
        slot = keys[i] & mask
        while places[slot] >= 0:
            if keys[places[slot]] == keys[i]:
                return False
            slot = (slot + np.uint64(1)) & mask
        places[slot] = i
    return True


def find(places: I64, keys: U64, wanted: U64) -> I64:
    """Return the place of each wanted hash among `keys`, or -1."""
    found = np.empty(wanted.size, np.int64)
    _find(places, keys, wanted, found)
    return found


@leaf
def _find(places: I64, keys: U64, wanted: U64, found: I64) -> None:
    mask = np.uint64(places.size - 1)
    after = 0  # the last one that was found: mostly both are in one order, and nothing is to be looked up
    for i in range(wanted.size):
        if after < keys.size and keys[after] == wanted[i]:
            found[i] = after
        else:
            slot = wanted[i] & mask
            while places[slot] >= 0 and keys[places[slot]] != wanted[i]:
                slot = (slot + np.uint64(1)) & mask
            found[i] = places[slot]
        after = found[i] + 1


@leaf
def any_judged(offsets: I64, document: U64, judged: I64, judged_offsets: I64, judged_document: U64) -> bool:
    """Say whether a hit of some query is among the judgments of that query.

    The hits of query `g` are `offsets[g]:offsets[g + 1]` of `document`; it is judged query `judged[g]`, or none (-1).
    """
    for g in range(judged.size):
        q = judged[g]
        if q < 0:
            continue
        for h in range(offsets[g], offsets[g + 1]):
            for j in range(judged_offsets[q], judged_offsets[q + 1]):
                if document[h] == judged_document[j]:
                    return True
    return False
