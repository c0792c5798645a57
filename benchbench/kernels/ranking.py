"""The hits of each query in rank order, without repeated documents."""

from typing import NamedTuple

import numpy as np

from benchbench.kernels._jit import jit, leaf
from benchbench.kernels.arrays import F64, I64, U64, Bytes
from benchbench.kernels.spans import span_before


class Ranked(NamedTuple):
    """Hits in rank order; those of group `g` are `offsets[g]:offsets[g + 1]`."""

    offsets: I64
    document: U64
    score: F64
    duplicates: int
    first_duplicate: int  # a row of the input, -1 when there is none


@leaf
def _before(text: Bytes, score: F64, starts: U64, stops: U64, a: int, b: int) -> bool:
    """Say whether row `a` ranks before row `b`: the higher score, then the higher document id in byte order."""
    if score[a] != score[b]:
        return bool(score[a] > score[b])
    return span_before(text, starts[a], stops[a], starts[b], stops[b])


@jit
def _sort(text: Bytes, score: F64, starts: U64, stops: U64, rows: I64, spare: I64) -> None:
    """Sort `rows` by rank: a merge sort, stable, in n log n also when all scores are equal."""
    n = rows.size
    width = 1
    while width < n:
        for left in range(0, n, 2 * width):
            middle, right = min(left + width, n), min(left + 2 * width, n)
            i, j = left, middle
            for k in range(left, right):
                if i < middle and (j >= right or not _before(text, score, starts, stops, rows[j], rows[i])):
                    spare[k] = rows[i]
                    i += 1
                else:
                    spare[k] = rows[j]
                    j += 1
        rows[:] = spare[:n]
        width *= 2


@jit
def rank(text: Bytes, groups: I64, document: U64, score: F64, starts: U64, stops: U64, by_score: bool) -> Ranked:
    """Rank the rows of each group.

    Parameters
    ----------
    text
        What the document spans point into.
    groups
        First row of each group, and the number of rows.
    document, score, starts, stops
        A row each: hash and span of the document id, and the score.
    by_score
        trec_eval's order: score, then document id, both descending. Otherwise the order of the rows.
    """
    n = document.size
    offsets = np.zeros(groups.size, np.int64)
    ranked_document, ranked_score = np.empty(n, np.uint64), np.empty(n)
    longest = 0
    for g in range(groups.size - 1):
        longest = max(longest, groups[g + 1] - groups[g])
    rows, spare = np.empty(longest, np.int64), np.empty(longest, np.int64)
    capacity = 2
    while capacity < 2 * longest:
        capacity *= 2
    mask = np.uint64(capacity - 1)
    seen, stamp = np.zeros(capacity, np.uint64), np.full(capacity, -1, np.int64)
    duplicates, first_duplicate, end = 0, -1, 0
    for g in range(groups.size - 1):
        first, last = groups[g], groups[g + 1]
        size = last - first
        for i in range(size):
            rows[i] = first + i
        if by_score:
            for i in range(first + 1, last):
                if not score[i] < score[i - 1]:
                    _sort(text, score, starts, stops, rows[:size], spare)
                    break
        for i in range(size):
            row = rows[i]
            slot = document[row] & mask
            while stamp[slot] == g and seen[slot] != document[row]:
                slot = (slot + np.uint64(1)) & mask
            if stamp[slot] == g:
                duplicates += 1
                if first_duplicate < 0:
                    first_duplicate = row
                continue
            stamp[slot], seen[slot] = g, document[row]
            ranked_document[end], ranked_score[end] = document[row], score[row]
            end += 1
        offsets[g + 1] = end
    return Ranked(offsets, ranked_document[:end], ranked_score[:end], duplicates, first_duplicate)
