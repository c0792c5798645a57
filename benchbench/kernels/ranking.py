"""Hits in rank order and judgments by grade, in place, without repeated documents.

Conventions
-----------
Rows of group `g` are `groups[g]:groups[g + 1]` (there is one group more than groups). What is kept of them moves to
the front of the columns: afterwards group `g` is `offsets[g]:offsets[g + 1]` of `document` and `value`. Spans of the
documents' ids stay where they were.
"""

from typing import NamedTuple

import numpy as np

from benchbench.kernels._jit import inline, leaf
from benchbench.kernels.arrays import F64, I64, U64, Bytes
from benchbench.kernels.spans import span_before

_FEW = 64  # rows that are sorted by comparing each two of them, in at most two thirds of the time
_MANY = 4096  # rows of a group


class Ranked(NamedTuple):
    """Where the rows of each group are now, and what was dropped."""

    offsets: I64
    duplicates: int
    first_duplicate: int  # a row as they came, -1 when there is none
    first_conflict: int  # the same, of a repeated document with another value
    close: int  # groups that values of 32 bits would order otherwise
    fingerprint: U64  # of each group: its documents and their ranks, or its documents and their grades


@inline
def _before(text: Bytes, value: F64, starts: U64, stops: U64, a: int, b: int) -> bool:
    """Say whether row `a` ranks before row `b`: the higher score, then the higher document id in byte order."""
    if value[a] != value[b]:
        return bool(value[a] > value[b])
    return starts.size > 0 and span_before(text, starts[a], stops[a], starts[b], stops[b])


@inline
def _sort(text: Bytes, value: F64, starts: U64, stops: U64, rows: I64, spare: I64) -> None:
    """Sort `rows` by rank, stable: by insertion in eights, which are merged, so n log n also when all are equal."""
    n = rows.size
    for left in range(0, n, 8):
        for i in range(left + 1, min(left + 8, n)):
            row, j = rows[i], i
            while j > left and _before(text, value, starts, stops, row, rows[j - 1]):
                rows[j] = rows[j - 1]
                j -= 1
            rows[j] = row
    width = 8
    while width < n:
        for left in range(0, n, 2 * width):
            middle, right = min(left + width, n), min(left + 2 * width, n)
            i, j = left, middle
            for k in range(left, right):
                if i < middle and (j >= right or not _before(text, value, starts, stops, rows[j], rows[i])):
                    spare[k] = rows[i]
                    i += 1
                else:
                    spare[k] = rows[j]
                    j += 1
        for k in range(n):
            rows[k] = spare[k]
        width *= 2


@inline
def _sort_few(value: F64, first: int, last: int, order: I64) -> None:
    """Fill `order` with the rows from `first` to `last` as `_sort` sorts them, without a branch a comparison."""
    for i in range(np.uint64(first), np.uint64(last)):
        place = np.uint64(0)  # how many rows stand before this one
        for j in range(np.uint64(first), i):
            place += np.uint64(value[j] >= value[i])
        for j in range(i, np.uint64(last)):
            place += np.uint64(value[j] > value[i])
        order[place] = np.int64(i)


@inline
def _mixed(document: np.uint64, salt: np.uint64) -> np.uint64:
    mixed = (document ^ salt) * np.uint64(0xBF58476D1CE4E5B9)
    return mixed ^ (mixed >> np.uint64(32))


def rank(
    text: Bytes, groups: I64, document: U64, value: F64, starts: U64, stops: U64, by_value: bool, graded: bool
) -> Ranked:
    """Rank the rows of each group, and drop those whose document stands above.

    Parameters
    ----------
    text
        What the document spans point into.
    groups, document, value
        The rows: first of each group, then hash of the document and score or grade of each.
    starts, stops
        Spans of the document ids, by which equal values are ordered; none keep the order of the rows.
    by_value
        trec_eval's order: value, then document id, both descending. Otherwise the order of the rows.
    graded
        Whether values are what counts (judgments), or ranks (hits): it says what the fingerprint is of.
    """
    longest = int(np.diff(groups).max(initial=0))
    offsets, fingerprint = np.zeros(groups.size, np.int64), np.zeros(groups.size - 1, np.uint64)
    room = 8 * longest if longest <= _MANY else 2 * longest  # where documents seldom meet, as long as it is small
    places = np.full(1 << room.bit_length(), -1, np.int64)
    order, spare = np.empty(longest, np.int64), np.empty(longest, np.int64)
    reordered, values = np.empty(longest, np.uint64), np.empty(longest)
    found = _rank(
        text, groups, document, value, starts, stops, by_value, graded,
        places, order, spare, reordered, values, offsets, fingerprint,
    )  # fmt: skip
    duplicates, first_duplicate, first_conflict, close = map(int, found)
    return Ranked(offsets, duplicates, first_duplicate, first_conflict, close, fingerprint)


@leaf
def _rank(
    text: Bytes, groups: I64, document: U64, value: F64, starts: U64, stops: U64, by_value: bool, graded: bool,
    places: I64, order: I64, spare: I64, reordered: U64, values: F64, offsets: I64, fingerprint: U64,
) -> tuple[int, int, int, int]:  # fmt: skip
    """Do what `rank` says; return the number of duplicates, the first of them, the first conflict, and close groups.

    `places` is a hash table of the documents that were kept, all -1, where those of earlier groups are stale.
    """
    mask = np.uint64(places.size - 1)
    duplicates, first_duplicate, first_conflict, close, end = 0, -1, -1, 0, 0
    for g in range(groups.size - 1):
        first, last, begin = groups[g], groups[g + 1], end
        in_order, apart = True, True
        if by_value:
            for i in range(first + 1, last):
                in_order &= value[i] < value[i - 1]
                apart &= bool(np.float32(value[i]) < np.float32(value[i - 1]))
        if not in_order:
            size = last - first
            if starts.size == 0 and size <= _FEW:
                _sort_few(value, first, last, order)
            else:
                for i in range(size):
                    order[i] = first + i
                _sort(text, value, starts, stops, order[:size], spare)
            for i in range(size):
                reordered[i], values[i] = document[order[i]], value[order[i]]
            for i in range(size):
                document[first + i], value[first + i] = reordered[i], values[i]
        if by_value and not apart and not graded:
            for i in range(first + 1, last):
                if np.float32(value[i]) == np.float32(value[i - 1]) and value[i] != value[i - 1]:
                    a, b = (i, i - 1) if in_order else (order[i - first], order[i - 1 - first])
                    if starts.size > 0 and span_before(text, starts[a], stops[a], starts[b], stops[b]):
                        close += 1
                        break
        mark = np.uint64(0)  # the fingerprint
        for i in range(first, last):
            slot = document[i] & mask
            while places[slot] >= begin and document[places[slot]] != document[i]:
                slot = (slot + np.uint64(1)) & mask
            if places[slot] >= begin:
                row = i if in_order else order[i - first]
                duplicates += 1
                if first_duplicate < 0:
                    first_duplicate = row
                if first_conflict < 0 and value[places[slot]] != value[i]:
                    first_conflict = row
                continue
            places[slot] = end
            salt = np.float64(value[i] + 0.0).view(np.uint64) if graded else np.uint64(end - begin + 1)
            mark += _mixed(document[i], salt * np.uint64(0x9E3779B97F4A7C15))
            document[end], value[end] = document[i], value[i]
            end += 1
        offsets[g + 1], fingerprint[g] = end, mark
    return duplicates, first_duplicate, first_conflict, close
