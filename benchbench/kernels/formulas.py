"""Every measure of every query, in one pass over the hits.

Conventions
-----------
A plan is one row per measure: formula, cut-off (a huge one where there is none), lowest relevant grade `rel`,
one parameter `a`, and which row of the gains it takes. Judgments of query `q` are
`judgments.offsets[q]:offsets[q + 1]`, grades descending. A document that nobody judged, or that has a
negative grade, is no judged document.

Of a query's hits only the judged ones matter, and there are few: they are found with a Bloom filter of one
64-bit word a few judgments in front of a hash table, and every formula then walks that short list.

Sources: trec_eval 10 for all that it has; ERR (Chapelle et al., CIKM 2009) as gdeval, with grades up to 4;
RBP (Moffat, Zobel, TOIS 2008) with binary gains; Judged as ir_measures.
"""

import math
from typing import NamedTuple

import numpy as np

from benchbench.kernels._jit import inline, leaf
from benchbench.kernels.arrays import F64, I64, U64

FORMULAS = (
    "p",
    "r",
    "success",
    "f1",
    "rr",
    "ap",
    "ndcg",
    "rprec",
    "bpref",
    "rbp",
    "err",
    "judged",
    "infap",
    "iprec",
    "setp",
    "setr",
    "setf",
    "numret",
    "numrel",
    "numrelret",
    "numq",
    "hits",
    "divisor",
)
(P, R, SUCCESS, F1, RR, AP, NDCG, RPREC, BPREF, RBP, ERR, JUDGED, INFAP, IPREC, SETP, SETR, SETF) = range(17)
NUMRET, NUMREL, NUMRELRET, NUMQ, HITS, DIVISOR = range(17, 23)

# Those that may look further down than any cut-off.
DEEP = frozenset({RPREC, BPREF, INFAP, IPREC, SETP, SETR, SETF, NUMRELRET})

ALL, CAPPED, FIXED = 0, 1, 2  # what recall divides by: R, min(R, a), a
NO_CUTOFF = np.int64(2**62)
INFAP_EPSILON = 1e-5  # trec_eval's INFAP_EPSILON


class Judgments(NamedTuple):
    """What was judged; `gain` and `ideal` have a row a kind of gains, and what is below 0 counts as 0."""

    offsets: I64
    document: U64
    grade: F64  # descending within a query
    gain: F64  # (kinds, judgments)
    ideal: F64  # (kinds, judgments): the gains of each query, descending


class Plan(NamedTuple):
    """One row per measure."""

    formula: I64
    cutoff: I64
    rel: F64
    a: F64
    kind: I64  # of gains; or what recall divides by


@inline
def recall_divisor(number: int, rule: int, limit: float) -> float:
    """Return what recall divides by, given the number of relevant judgments."""
    if rule == ALL:
        return float(number)
    return min(float(number), limit) if rule == CAPPED else limit


@inline
def find_judged(documents: U64, judged: U64, bloom: U64, table: I64, ranks: I64, which: I64) -> int:
    """Fill `ranks` (from 0) and `which` with the hits that were judged; return how many there are.

    `bloom` and `table` are scratch, powers of two; `table` has more than twice as many places as judgments.
    """
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
                    ranks[found], which[found] = i, table[slot]
                    found += 1
                    break
                slot = (slot + np.uint64(1)) & mask
    return found


@inline
def _count(grades: F64, which: I64, ranks: I64, found: int, k: int | np.int64, rel: float) -> int:
    """Return the relevant hits within the cut-off."""
    hits = 0
    for i in range(found):
        if ranks[i] >= k:
            break
        hits += grades[which[i]] >= rel
    return hits


@inline
def relevant_judgments(grades: F64, rel: float) -> int:
    """Return the number of judgments of at least this grade."""
    number = 0
    while number < grades.size and grades[number] >= rel:
        number += 1
    return number


@inline
def _average_precision(grades: F64, which: I64, ranks: I64, found: int, k: int, rel: float, number: int) -> float:
    hits, total = 0, 0.0
    for i in range(found):
        if ranks[i] >= k:
            break
        if grades[which[i]] >= rel:
            hits += 1
            total += hits / (ranks[i] + 1.0)
    return total / number if number > 0 else 0.0


@inline
def ideal_dcg(ideal: F64, k: int, log2: F64) -> float:
    """Return what the best order gains; `ideal` are the gains of a query, descending."""
    best = 0.0
    for i in range(min(k, ideal.size)):
        if ideal[i] <= 0.0:
            break
        best += ideal[i] / log2[i]
    return best


@inline
def _ndcg(gains: F64, ideal: F64, which: I64, ranks: I64, found: int, k: int, log2: F64) -> float:
    dcg = 0.0
    for i in range(found):
        if ranks[i] >= k:
            break
        if gains[which[i]] > 0.0:
            dcg += gains[which[i]] / log2[ranks[i]]
    best = ideal_dcg(ideal, k, log2)
    return dcg / best if best > 0.0 else 0.0


@inline
def _bpref(grades: F64, which: I64, found: int, rel: float, number: int) -> float:
    nonrelevant = 0
    for grade in grades:
        nonrelevant += 0.0 <= grade < rel
    seen, total = 0, 0.0
    for i in range(found):
        grade = grades[which[i]]
        if grade >= rel:
            total += 1.0 - min(seen, number) / min(nonrelevant, number) if seen > 0 else 1.0
        elif grade >= 0.0:
            seen += 1
    return total / number if number > 0 else 0.0


@inline
def _inferred_ap(grades: F64, which: I64, ranks: I64, found: int, rel: float, number: int) -> float:
    relevant, nonrelevant, unjudged, total = 0, 0, 0, 0.0
    for i in range(found):
        grade = grades[which[i]]
        if grade < 0.0:
            unjudged += 1
        elif grade < rel:
            nonrelevant += 1
        else:
            relevant += 1
            j = float(ranks[i])
            if j == 0.0:
                total += 1.0
            else:
                judged_share = (relevant - 1 + INFAP_EPSILON) / (relevant - 1 + nonrelevant + 2 * INFAP_EPSILON)
                pooled = (relevant - 1 + nonrelevant + unjudged) / j
                total += 1.0 / (j + 1.0) + (j / (j + 1.0)) * pooled * judged_share
    return total / number if number > 0 else 0.0


@inline
def _interpolated(grades: F64, which: I64, ranks: I64, found: int, rel: float, number: int, level: float) -> float:
    """Return the highest precision at any rank where recall is at least `level`."""
    needed = math.floor(level * number + 0.5)  # trec_eval 10; version 9, and so pytrec_eval, added 0.9
    hits, best = 0, 0.0
    total = _count(grades, which, ranks, found, NO_CUTOFF, rel)
    if needed > total:
        return 0.0
    for i in range(found):
        if grades[which[i]] >= rel:
            hits += 1
            if hits >= needed:
                best = max(best, hits / (ranks[i] + 1.0))
    return best


@inline
def _expected_rr(grades: F64, which: I64, ranks: I64, found: int, k: int) -> float:
    total, go_on = 0.0, 1.0
    for i in range(found):
        if ranks[i] >= k:
            break
        grade = min(max(grades[which[i]], 0.0), 4.0)
        stop = (2.0**grade - 1.0) / 16.0
        total += go_on * stop / (ranks[i] + 1.0)
        go_on *= 1.0 - stop
    return total


@inline
def _rank_biased(grades: F64, which: I64, ranks: I64, found: int, k: int, rel: float, p: float) -> float:
    total = 0.0
    for i in range(found):
        if ranks[i] >= k:
            break
        if grades[which[i]] >= rel:
            total += p ** float(ranks[i])
    return (1.0 - p) * total


class Scratch(NamedTuple):
    """Room that one thread works in; made by `scratch`."""

    bloom: U64
    table: I64
    ranks: I64
    which: I64


def scratch(most: int) -> Scratch:
    """Return scratch memory for queries of at most so many judgments."""
    places = 1 << (2 * most).bit_length()
    words = 1 << (most // 4).bit_length()  # at least 16 bits per judgment: few hits are looked up in vain
    return Scratch(
        np.empty(words, np.uint64), np.empty(places, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    )


@leaf
def measure(
    plan: Plan,
    judgments: Judgments,
    offsets: I64,
    document: U64,
    query: I64,
    first: int,
    last: int,
    depth: int,
    log2: F64,
    scratch: Scratch,
    values: F64,
) -> None:
    """Fill the rows of `values` (judged queries, measures) that groups `first:last` are the hits of.

    Parameters
    ----------
    offsets, document
        The hits in rank order, without repeated documents.
    query
        Of each group the judged query, or -1.
    depth
        Hits further down matter to no measure.
    log2
        `log2(i + 2)` for i below the deepest rank and below the most judgments.
    scratch
        Of this thread alone.
    """
    ranks, which = scratch.ranks, scratch.which
    for g in range(first, last):
        q = query[g]
        if q < 0:
            continue
        a, b = judgments.offsets[q], judgments.offsets[q + 1]
        start, returned = offsets[g], offsets[g + 1] - offsets[g]
        grades = judgments.grade[a:b]
        hits = document[start : start + min(returned, depth)]
        found = find_judged(hits, judgments.document[a:b], scratch.bloom, scratch.table, ranks, which)
        counted_rel, number = math.nan, 0
        for m in range(plan.formula.size):
            formula, k, rel, x = plan.formula[m], plan.cutoff[m], plan.rel[m], plan.a[m]
            if rel != counted_rel:
                counted_rel, number = rel, relevant_judgments(grades, rel)
            value = 0.0
            if formula == P:
                value = _count(grades, which, ranks, found, k, rel) / k
            elif formula == R:
                divisor = recall_divisor(number, plan.kind[m], x)
                value = min(_count(grades, which, ranks, found, k, rel) / divisor, 1.0) if divisor > 0 else 0.0
            elif formula == SUCCESS:
                value = 1.0 if _count(grades, which, ranks, found, k, rel) > 0 else 0.0
            elif formula == F1:
                relevant, divisor = _count(grades, which, ranks, found, k, rel), recall_divisor(number, plan.kind[m], x)
                if relevant > 0:
                    precision, recall = relevant / k, min(relevant / divisor, 1.0)
                    value = 2.0 * precision * recall / (precision + recall)
            elif formula == RR:
                for i in range(found):
                    if ranks[i] >= k:
                        break
                    if grades[which[i]] >= rel:
                        value = 1.0 / (ranks[i] + 1.0)
                        break
            elif formula == AP:
                value = _average_precision(grades, which, ranks, found, k, rel, number)
            elif formula == NDCG:
                kind = plan.kind[m]
                value = _ndcg(judgments.gain[kind, a:b], judgments.ideal[kind, a:b], which, ranks, found, k, log2)
            elif formula == RPREC:
                value = _count(grades, which, ranks, found, number, rel) / number if number > 0 else 0.0
            elif formula == BPREF:
                value = _bpref(grades, which, found, rel, number)
            elif formula == RBP:
                value = _rank_biased(grades, which, ranks, found, k, rel, x)
            elif formula == ERR:
                value = _expected_rr(grades, which, ranks, found, k)
            elif formula == JUDGED:
                seen = min(k, returned)
                value = _count(grades, which, ranks, found, k, 0.0) / seen if seen > 0 else 0.0
            elif formula == INFAP:
                value = _inferred_ap(grades, which, ranks, found, rel, number)
            elif formula == IPREC:
                value = _interpolated(grades, which, ranks, found, rel, number, x)
            elif formula == NUMRET:
                value = float(returned)
            elif formula == NUMREL:
                value = float(number)
            elif formula == NUMQ:
                value = 1.0
            elif formula == HITS:
                value = float(_count(grades, which, ranks, found, k, rel))
            elif formula == DIVISOR:
                value = recall_divisor(number, plan.kind[m], x)
            else:
                relevant = _count(grades, which, ranks, found, NO_CUTOFF, rel)
                if formula == NUMRELRET:
                    value = float(relevant)
                elif relevant > 0:
                    precision, recall = relevant / returned, relevant / number
                    if formula == SETP:
                        value = precision
                    elif formula == SETR:
                        value = recall
                    else:
                        value = (x + 1.0) * precision * recall / (x * precision + recall)
            values[q, m] = value
