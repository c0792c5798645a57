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

from benchbench.kernels._jit import inline, jit
from benchbench.kernels.arrays import F64, I32, I64, U8, U64, Bools

TASKS = ("gold", "accusation", "article", "imprisonment")
MEASURES = ("P", "R", "Success", "F1", "nDCG", "RR")

NO_HASH = np.uint64(0)
KEPT, SELF, COPY, DUPLICATE = 0, 1, 2, 3


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


@inline
def imprisonment_fits(months: int, penalty: int, other_months: int, other_penalty: int) -> bool:
    """Equal death and life flags and, when neither is set, months within max(6, 20 % of `months`)."""
    if penalty != other_penalty:
        return False
    if penalty != 0:
        return True
    difference = abs(months - other_months)
    return difference <= 6 or difference * 5 <= months


@inline
def same_document(
    by_text: bool, text: np.uint64, identity: np.uint64, other_text: np.uint64, other_identity: np.uint64
) -> bool:
    """Equal text hashes; equal ids when asked for, or where one side has no text."""
    if by_text and text != NO_HASH and other_text != NO_HASH:
        return bool(text == other_text)
    return bool(identity != NO_HASH and identity == other_identity)


@inline
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


@inline
def _match_positive(hit_text: np.uint64, hit_id: np.uint64, texts: U64, ids: U64, by_text: bool, taken: Bools) -> int:
    """Return the first positive that the hit is and that no earlier hit was, or -1."""
    for p in range(texts.size):
        if not taken[p] and same_document(by_text, hit_text, hit_id, texts[p], ids[p]):
            taken[p] = True
            return p
    return -1


@inline
def _bits(hashes: U64) -> np.uint64:
    """Return a 64-bit Bloom word: the low six bits of each hash."""
    word = np.uint64(0)
    for h in hashes:
        word |= np.uint64(1) << (h & np.uint64(63))
    return word


@inline
def _score(
    gains: F64,
    depth: int,
    cutoffs: I64,
    denominator: int,
    gaining: int,
    ideal: F64,
    log2: F64,
    values: F64,
    found: I64,
) -> None:
    """Fill `values` (K, M) and `found` (K,) from the gains in rank order.

    `ideal` is the ideal DCG a cut-off; only the first `gaining` relevant hits gain, so that no nDCG is above 1.
    """
    hits, i = 0, 0
    dcg, reciprocal = 0.0, 0.0
    for c in range(cutoffs.size):
        k = cutoffs[c]
        while i < min(k, depth):
            if gains[i] > 0.0:
                hits += 1
                if hits <= gaining:
                    dcg += gains[i] / log2[i]
                if reciprocal == 0.0:
                    reciprocal = 1.0 / (i + 1.0)
            i += 1
        found[c] = min(hits, denominator)
        precision = hits / k
        recall = found[c] / denominator if denominator > 0 else 0.0
        values[c, 0] = precision
        values[c, 1] = recall
        values[c, 2] = 1.0 if hits > 0 else 0.0
        values[c, 3] = 2.0 * precision * recall / (precision + recall) if hits > 0 else 0.0
        values[c, 4] = dcg / ideal[c] if ideal[c] > 0.0 else 0.0
        values[c, 5] = reciprocal


@inline
def _ideal_gold(gains: F64, cutoffs: I64, log2: F64, ordered: F64, ideal: F64) -> None:
    """Fill `ideal` (K,) with the DCG of the positives in their best order."""
    for p in range(gains.size):  # insertion: there are some ten, and np.sort would allocate
        place = p
        while place > 0 and ordered[place - 1] < gains[p]:
            ordered[place] = ordered[place - 1]
            place -= 1
        ordered[place] = gains[p]
    total, i = 0.0, 0
    for c in range(cutoffs.size):
        while i < min(cutoffs[c], gains.size):
            total += ordered[i] / log2[i]
            i += 1
        ideal[c] = total


@inline
def _longest(offsets: I64) -> int:
    longest = 0
    for q in range(offsets.size - 1):
        longest = max(longest, offsets[q + 1] - offsets[q])
    return longest


@jit
def judge(hits: HitColumns, queries: QueryColumns, cutoffs: I64, self_by_text: bool, gold_by_text: bool) -> Judged:
    """Remove self-retrievals, copies and duplicates, rank what is left, judge it and score it.

    The caller guarantees that `cutoffs` ascend. Each positive counts once: a second hit that is the same
    positive stays in the ranking and is not relevant for `gold`. Label tasks have gain 1 and an ideal list
    of min(k, denominator), of which no more hits gain.
    """
    n_queries, n_hits, n_cutoffs = queries.id.size, hits.id.size, cutoffs.size
    fate = np.zeros(n_hits, np.uint8)
    rank = np.zeros(n_hits, np.int32)
    relevant = np.zeros(n_hits, np.uint8)
    positive = np.full(n_hits, -1, np.int64)
    values = np.zeros((n_queries, 4, n_cutoffs, 6))
    found = np.zeros((n_queries, 4, n_cutoffs), np.int64)
    unlabelled = np.zeros(4, np.int64)

    deepest = cutoffs[-1]
    log2 = np.log2(np.arange(deepest) + 2.0)
    ideal_ones = np.zeros(deepest + 1)  # DCG of so many relevant documents of gain 1
    for i in range(deepest):
        ideal_ones[i + 1] = ideal_ones[i] + 1.0 / log2[i]
    ideal = np.zeros(n_cutoffs)
    gains = np.zeros((4, deepest))
    taken = np.zeros(_longest(queries.positive_offsets), np.bool_)
    ordered = np.empty(taken.size)
    capacity = 2
    while capacity <= 2 * _longest(hits.offsets):
        capacity *= 2
    seen = np.empty(capacity, np.int64)

    for q in range(n_queries):
        first, last = hits.offsets[q], hits.offsets[q + 1]
        p_first, p_last = queries.positive_offsets[q], queries.positive_offsets[q + 1]
        _decide_fates(hits, first, last, queries.id[q], queries.text[q], self_by_text, fate, seen)
        texts = queries.positive_text[p_first:p_last]
        ids = queries.positive_id[p_first:p_last]
        text_bits, id_bits = _bits(texts), _bits(ids)
        accusation, article = queries.accusation[q], queries.article[q]
        months, penalty = queries.months[q], queries.penalty[q]
        taken[:] = False
        depth = 0
        for h in range(first, last):
            if fate[h] != KEPT:
                continue
            flags = 0
            gain = 0.0
            may_match = (text_bits >> (hits.text[h] & np.uint64(63))) | (id_bits >> (hits.id[h] & np.uint64(63)))
            if may_match & np.uint64(1):
                p = _match_positive(hits.text[h], hits.id[h], texts, ids, gold_by_text, taken)
                if p >= 0:
                    positive[h] = p_first + p
                    gain = queries.positive_gain[p_first + p]
                    flags |= 1
            if hits.accusation[h] < 0:
                unlabelled[1] += 1
            elif hits.accusation[h] == accusation:
                flags |= 2
            if hits.article[h] < 0:
                unlabelled[2] += 1
            elif hits.article[h] == article:
                flags |= 4
            if hits.months[h] < 0:
                unlabelled[3] += 1
            elif months >= 0 and imprisonment_fits(months, penalty, hits.months[h], hits.penalty[h]):
                flags |= 8
            if depth < deepest:
                gains[0, depth] = gain
                for t in range(1, 4):
                    gains[t, depth] = (flags >> t) & 1
            relevant[h] = flags
            depth += 1
            rank[h] = depth

        for t in range(4):
            denominator = queries.denominator[q, t]
            gaining = deepest if t == 0 else denominator
            if t == 0:
                _ideal_gold(queries.positive_gain[p_first:p_last], cutoffs, log2, ordered, ideal)
            else:
                for c in range(n_cutoffs):
                    ideal[c] = ideal_ones[min(cutoffs[c], denominator)]
            _score(gains[t], depth, cutoffs, denominator, gaining, ideal, log2, values[q, t], found[q, t])
    return Judged(fate, rank, relevant, positive, values, found, unlabelled)
