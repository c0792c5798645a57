"""How alike two rankings of a query are, without judgments.

Conventions
-----------
Hits of group `g` are `offsets[g]:offsets[g + 1]` of `document`, in rank order and without repeated documents. A query
that a side lacks has an empty list there. Two empty lists are the same list; an empty one and another have nothing in
common, and so an overlap and an RBO of 0 and a changed top hit.

Columns
-------
overlap@k
    Documents that both have among their first k, over the longer of both beginnings: over k, unless neither list is as
    long as that. Identical lists have 1, however short.
RBO
    Rank-biased overlap, extrapolated: the mean over all depths d, with weights (1 - p) p^(d - 1), of what the lists
    share of their first d. Behind the end of the shorter list its documents are taken to be shared as often as before
    it, and behind the longer one the share stays as it is (equation 32 of the source).
tau
    Kendall's rank correlation of the documents that both lists have; NaN where these are fewer than two.
top_changed
    1 where the first hits differ, else 0.

Source: Webber, Moffat, Zobel, A Similarity Measure for Indefinite Rankings, TOIS 28(4), 2010.
"""

import math
from typing import NamedTuple

import numpy as np

from benchbench.kernels._jit import inline, leaf
from benchbench.kernels.arrays import F64, I64, U64, F64x2
from benchbench.kernels.lookup import RunHits


class AgreementRoom(NamedTuple):
    """Room that one thread works in; made by `room`."""

    places: I64  # a hash table of the ranks of one list, a power of two
    mates: I64  # the rank in that list of each shared document, in the order of the other
    spare: I64
    entered: I64  # documents that come to be shared at a depth


def room(longest: int) -> AgreementRoom:
    """Return room for lists of at most so many hits."""
    ranks = max(longest, 1)
    return AgreementRoom(
        np.empty(1 << (2 * ranks).bit_length(), np.int64),
        np.empty(ranks, np.int64),
        np.empty(ranks, np.int64),
        np.empty(ranks, np.int64),
    )


@inline
def _match(left: U64, right: U64, room: AgreementRoom) -> int:
    """Fill `mates` and `entered` for two lists; return how many documents they share."""
    mask = np.uint64(room.places.size - 1)
    room.places[:] = -1
    for rank in range(left.size):
        slot = left[rank] & mask
        while room.places[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        room.places[slot] = rank
    room.entered[: max(left.size, right.size)] = 0
    shared = 0
    for rank in range(right.size):
        slot = right[rank] & mask
        while room.places[slot] >= 0:
            mate = room.places[slot]
            if left[mate] == right[rank]:
                room.mates[shared] = mate
                room.entered[max(mate, rank)] += 1
                shared += 1
                break
            slot = (slot + np.uint64(1)) & mask
    return shared


@inline
def _inversions(ranks: I64, spare: I64, n: int) -> int:
    """Return how many pairs stand in falling order; the ranks are sorted by merging."""
    inverted, width = 0, 1
    while width < n:
        for left in range(0, n, 2 * width):
            middle, right = min(left + width, n), min(left + 2 * width, n)
            i, j = left, middle
            for k in range(left, right):
                if i < middle and (j >= right or ranks[i] < ranks[j]):
                    spare[k] = ranks[i]
                    i += 1
                else:
                    spare[k] = ranks[j]
                    inverted += middle - i
                    j += 1
        for k in range(n):
            ranks[k] = spare[k]
        width *= 2
    return inverted


@inline
def _biased(entered: I64, short: int, long: int, p: float) -> float:
    """Return the rank-biased overlap of lists of two lengths, extrapolated; 1, unrounded, where nothing is missing."""
    at_short = 0
    for depth in range(short):
        at_short += entered[depth]
    total, weight, shared, missing = 0.0, 1.0, 0, False
    for depth in range(1, long + 1):
        shared += entered[depth - 1]
        beyond = at_short * (depth - short) / short if depth > short else 0.0
        missing |= shared + beyond < depth
        total += weight * (shared + beyond) / depth
        weight *= p
    if not missing:
        return 1.0
    return min(1.0, (1.0 - p) * total + weight * ((shared - at_short) / long + at_short / short))


@inline
def _extent(side: RunHits, query: int) -> tuple[int, int]:
    """Return where the hits of a query begin and end."""
    group = side.group[query]
    return (side.offsets[group], side.offsets[group + 1]) if group >= 0 else (0, 0)


@leaf
def agree(left: RunHits, right: RunHits, cutoffs: I64, ps: F64, room: AgreementRoom, values: F64x2) -> None:
    """Fill the rows of `values` (queries, cut-offs and ps and 2): overlaps, RBOs, tau, and whether the top changed.

    Parameters
    ----------
    left, right
        Two runs.
    cutoffs, ps
        Of the overlaps and the RBOs.
    room
        For the longest list of either side.
    """
    for q in range(left.group.size):
        (a, a_end), (b, b_end) = _extent(left, q), _extent(right, q)
        one, other = left.document[a:a_end], right.document[b:b_end]
        short, long = min(one.size, other.size), max(one.size, other.size)
        n = _match(one, other, room)
        column = 0
        for k in cutoffs:
            shared, deepest = 0, min(k, long)
            for depth in range(deepest):
                shared += room.entered[depth]
            values[q, column] = shared / deepest if deepest > 0 else 1.0
            column += 1
        for p in ps:
            if short > 0:
                values[q, column] = _biased(room.entered, short, long, p)
            else:
                values[q, column] = 0.0 if long > 0 else 1.0
            column += 1
        pairs = n * (n - 1) / 2
        values[q, column] = 1.0 - 2.0 * _inversions(room.mates, room.spare, n) / pairs if n > 1 else math.nan
        values[q, column + 1] = 0.0 if long == 0 or (short > 0 and one[0] == other[0]) else 1.0
