"""Judge the hits of a chunk of queries for four notions of relevance, and score them, in one pass.

Conventions
-----------
Ragged data are columns with offsets: the hits of query `q` are `offsets[q]:offsets[q + 1]`, best first.
Texts and ids are 64-bit hashes; `NO_HASH` says that there is none. Label sets are integer codes of one
vocabulary shared by queries and hits; a negative code says that the label is missing.
Task `t` is bit `1 << t` of a relevance flag, in the order of `TASKS`; measures are in the order of
`MEASURES`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchbench.kernels._jit import jit

TASKS = ("gold", "accusation", "article", "imprisonment")
MEASURES = ("P", "R", "Success", "F1", "nDCG", "RR")

NO_HASH = np.uint64(0)
KEPT, SELF, COPY, DUPLICATE = 0, 1, 2, 3

U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]
I32 = NDArray[np.int32]
U8 = NDArray[np.uint8]
F64 = NDArray[np.float64]


class HitColumns(NamedTuple):
    """Hits of a chunk; `offsets` has one entry more than there are queries."""

    offsets: I64
    id: U64
    text: U64
    accusation: I32
    article: I32
    months: I32
    penalty: U8


class QueryColumns(NamedTuple):
    """Queries of a chunk with their positives (`gain` as nDCG takes it) and recall denominators."""

    id: U64
    text: U64
    accusation: I32
    article: I32
    months: I32
    penalty: U8
    positive_offsets: I64
    positive_id: U64
    positive_text: U64
    positive_gain: F64
    denominator: I64  # (queries, tasks)


class Judged(NamedTuple):
    """What `judge` returns; `T` tasks, `K` cut-offs, `M` measures."""

    fate: U8  # (hits,) KEPT, SELF, COPY or DUPLICATE
    rank: I32  # (hits,) from 1 among the kept hits, 0 when removed
    relevant: U8  # (hits,) task bits
    positive: I64  # (hits,) the positive that the hit is, as an index into the positives, or -1
    values: F64  # (queries, T, K, M)
    found: I64  # (queries, T, K) relevant hits within the cut-off, at most the denominator
    unlabelled: I64  # (T,) kept hits without the task's label


@jit
def imprisonment_fits(months: int, penalty: int, other_months: int, other_penalty: int) -> bool:
    """Equal death and life flags and, when neither is set, months within max(6, 20 % of `months`)."""
    if penalty != other_penalty:
        return False
    if penalty != 0:
        return True
    difference = abs(months - other_months)
    return difference <= 6 or difference * 5 <= months


@jit
def same_document(
    by_text: bool, text: np.uint64, identity: np.uint64, other_text: np.uint64, other_identity: np.uint64
) -> bool:
    """Equal text hashes; equal ids when asked for, or where one side has no text."""
    if by_text and text != NO_HASH and other_text != NO_HASH:
        return bool(text == other_text)
    return bool(identity != NO_HASH and identity == other_identity)


@jit
def _decide_fates(
    hits: HitColumns,
    first: int,
    last: int,
    query_id: np.uint64,
    query_text: np.uint64,
    self_by_text: bool,
    fate: U8,
    seen: I64,
) -> None:
    """Fill `fate[first:last]`; `seen` is a scratch hash table, a power of two larger than any list."""
    own = -1
    for h in range(first, last):
        fate[h] = KEPT
        same_id = query_id != NO_HASH and hits.id[h] == query_id
        same_text = query_text != NO_HASH and hits.text[h] == query_text
        if same_text or same_document(self_by_text, hits.text[h], hits.id[h], query_text, query_id):
            fate[h] = COPY
            # The hit with the query's id is the query; without one, the best equal text is.
            if (same_id and (own < 0 or hits.id[own] != query_id)) or (own < 0 and self_by_text):
                own = h
    if own >= 0:
        fate[own] = SELF

    seen[:] = -1
    for h in range(first, last):
        if fate[h] == KEPT and hits.id[h] != NO_HASH:
            slot = np.int64(hits.id[h] & np.uint64(seen.size - 1))
            while seen[slot] >= 0 and hits.id[seen[slot]] != hits.id[h]:
                slot = (slot + 1) & (seen.size - 1)
            if seen[slot] >= 0:
                fate[h] = DUPLICATE
            else:
                seen[slot] = h


@jit
def _ideal_dcg(gains: F64, k: int) -> float:
    ideal = 0.0
    ordered = np.sort(gains)[::-1]
    for i in range(min(k, ordered.size)):
        ideal += ordered[i] / np.log2(i + 2.0)
    return ideal


@jit
def _score(ranked: F64, depth: int, k: int, denominator: int, ideal: float, values: F64) -> int:
    """Fill `values` (M,) from the gains in rank order; return the relevant hits that recall counts."""
    hits = 0
    dcg = 0.0
    reciprocal = 0.0
    for i in range(min(k, depth)):
        if ranked[i] > 0.0:
            hits += 1
            dcg += ranked[i] / np.log2(i + 2.0)
            if reciprocal == 0.0:
                reciprocal = 1.0 / (i + 1.0)
    found = min(hits, denominator)
    precision = hits / k
    recall = found / denominator if denominator > 0 else 0.0
    values[0] = precision
    values[1] = recall
    values[2] = 1.0 if hits > 0 else 0.0
    values[3] = 2.0 * precision * recall / (precision + recall) if precision + recall > 0.0 else 0.0
    values[4] = dcg / ideal if ideal > 0.0 else 0.0
    values[5] = reciprocal
    return found


@jit
def judge(hits: HitColumns, queries: QueryColumns, cutoffs: I64, self_by_text: bool, gold_by_text: bool) -> Judged:
    """Remove self-retrievals, copies and duplicates, rank what is left, judge it and score it.

    Each positive counts once: a second hit that is the same positive stays in the ranking and is not
    relevant for `gold`. Label tasks have gain 1 and an ideal list of min(k, denominator).
    """
    n_queries, n_hits, n_cutoffs = queries.id.size, hits.id.size, cutoffs.size
    fate = np.zeros(n_hits, np.uint8)
    rank = np.zeros(n_hits, np.int32)
    relevant = np.zeros(n_hits, np.uint8)
    positive = np.full(n_hits, -1, np.int64)
    values = np.zeros((n_queries, 4, n_cutoffs, 6))
    found = np.zeros((n_queries, 4, n_cutoffs), np.int64)
    unlabelled = np.zeros(4, np.int64)
    deepest = cutoffs.max()
    ranked = np.zeros((4, deepest))
    longest = 0
    for q in range(n_queries):
        longest = max(longest, hits.offsets[q + 1] - hits.offsets[q])
    capacity = 2
    while capacity <= 2 * longest:
        capacity *= 2
    seen = np.empty(capacity, np.int64)

    for q in range(n_queries):
        first, last = hits.offsets[q], hits.offsets[q + 1]
        p_first, p_last = queries.positive_offsets[q], queries.positive_offsets[q + 1]
        _decide_fates(hits, first, last, queries.id[q], queries.text[q], self_by_text, fate, seen)
        taken = np.zeros(p_last - p_first, np.bool_)
        ranked[:] = 0.0
        depth = 0
        for h in range(first, last):
            if fate[h] != KEPT:
                continue
            depth += 1
            rank[h] = depth
            flags = 0
            gold_gain = 0.0
            for p in range(p_first, p_last):
                if not taken[p - p_first] and same_document(
                    gold_by_text, hits.text[h], hits.id[h], queries.positive_text[p], queries.positive_id[p]
                ):
                    taken[p - p_first] = True
                    positive[h] = p
                    gold_gain = queries.positive_gain[p]
                    flags |= 1
                    break
            if hits.accusation[h] < 0:
                unlabelled[1] += 1
            elif hits.accusation[h] == queries.accusation[q]:
                flags |= 2
            if hits.article[h] < 0:
                unlabelled[2] += 1
            elif hits.article[h] == queries.article[q]:
                flags |= 4
            if hits.months[h] < 0:
                unlabelled[3] += 1
            elif queries.months[q] >= 0 and imprisonment_fits(
                queries.months[q], queries.penalty[q], hits.months[h], hits.penalty[h]
            ):
                flags |= 8
            relevant[h] = flags
            if depth <= deepest:
                ranked[0, depth - 1] = gold_gain
                for t in range(1, 4):
                    if flags & (1 << t):
                        ranked[t, depth - 1] = 1.0

        for c in range(n_cutoffs):
            k = cutoffs[c]
            for t in range(4):
                if t == 0:
                    ideal = _ideal_dcg(queries.positive_gain[p_first:p_last], k)
                else:
                    ideal = 0.0
                    for i in range(min(k, queries.denominator[q, t])):
                        ideal += 1.0 / np.log2(i + 2.0)
                found[q, t, c] = _score(ranked[t], depth, k, queries.denominator[q, t], ideal, values[q, t, c])
    return Judged(fate, rank, relevant, positive, values, found, unlabelled)
