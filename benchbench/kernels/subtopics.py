"""Measures of novelty and diversity: how many subtopics of a query its hits cover, and how soon.

Conventions
-----------
A plan is one row per measure, as in `kernels.plan`: `a` is the alpha of alpha_nDCG, and `kind` is 1 where documents
that nobody judged are removed before ranks count.

Judgments of query `q` are rows `subtopics.offsets[q]:subtopics.offsets[q + 1]`. Rows of one document stand together,
documents by their id descending in byte order, rows of a document by subtopic. That order decides: of documents that
gain equally the ideal takes the first, and gains are added in it, so that the bits that make a tie are ndeval's.

A document covers a subtopic with a grade of at least `rel`, which is above 0; how much above makes no difference.
A subtopic that no document covers does not count. A document without a grade of at least 0 is no judged document.

Sources: ndeval 4.5 (TREC Web Track), as pyndeval and ir_measures run it, for any cut-off instead of 20 at most:
alpha-nDCG (Clarke et al., SIGIR 2008), ERR-IA (Chapelle et al., Information Retrieval 14(6), 2011) with grades
binary by `rel`, subtopic recall (Zhai, Cohen, Lafferty, SIGIR 2003).
"""

import math
from typing import NamedTuple

import numpy as np

from benchbench.kernels import judged_hits
from benchbench.kernels._jit import inline, leaf
from benchbench.kernels.arrays import F64, I64, U64, F64x2
from benchbench.kernels.formulas import Formula
from benchbench.kernels.judged_hits import find_judged
from benchbench.kernels.query_lists import Columns
from benchbench.kernels.random import mix, next_state

_WITHOUT_BRANCH = (  # for whoever adds a measure
    "kernels.subtopics has no branch for a formula of a measure: add one to measure_subtopics"
)
_SATISFIES = 0.5  # the probability that one relevant document is enough, (2^grade - 1) / 2^highest with both 1
_NO_MORE = 64  # ranks after which the divisor of ERR_IA changes by less than its last bit


class Subtopics(NamedTuple):
    """What was judged: a row for each document and subtopic, in the order that the module's conventions give."""

    offsets: I64  # of judged queries, and one more
    document: U64
    subtopic: I64  # of this query, from 0 without a gap, in the order in which the qrels name subtopics
    grade: F64


class SubtopicScratch(NamedTuple):
    """Room that one thread works in; made by `scratch`."""

    found: judged_hits.JudgedScratch
    document: U64  # the judged ones, each once
    ends: I64  # document d covers the subtopics covered[ends[d]:ends[d + 1]]
    covered: I64
    weight: F64  # of each subtopic: what the next document that covers it gains
    head: I64  # of each set of subtopics: the first document left that covers exactly these
    bound: F64  # of each set: what its documents gained when last added up, which is no less than now
    following: I64  # of each document: the next one that covers the same, or -1
    ideal: F64  # what the ideal order has gained down to each rank


def scratch(most: int) -> SubtopicScratch:
    """Return scratch memory for queries of at most so many rows."""
    return SubtopicScratch(
        judged_hits.scratch(most),
        np.empty(most, np.uint64),
        np.zeros(most + 1, np.int64),
        np.empty(most, np.int64),
        np.empty(most),
        np.empty(most, np.int64),
        np.empty(most),
        np.empty(most, np.int64),
        np.empty(most),
    )


@inline
def _gather(document: U64, subtopic: I64, grade: F64, rel: float, scratch: SubtopicScratch) -> int:
    """Fill the judged documents and what they cover; return how many documents there are."""
    documents, end, first = 0, 0, 0
    while first < document.size:
        row, judged = first, False
        while row < document.size and document[row] == document[first]:
            judged |= grade[row] >= 0.0
            repeated = end > scratch.ends[documents] and scratch.covered[end - 1] == subtopic[row]
            if grade[row] >= rel and not repeated:
                scratch.covered[end] = subtopic[row]
                end += 1
            row += 1
        if judged:
            scratch.document[documents] = document[first]
            documents += 1
            scratch.ends[documents] = end
        first = row
    return documents


@inline
def _count_covered(covered: I64, seen: F64) -> int:
    """Return how many subtopics some document covers; `seen` is scratch."""
    number = 0
    seen[:] = 0.0
    for subtopic in covered:
        number += seen[subtopic] == 0.0
        seen[subtopic] = 1.0
    return number


@inline
def _gain(d: int, weight: F64, scratch: SubtopicScratch) -> float:
    total = 0.0
    for i in range(scratch.ends[d], scratch.ends[d + 1]):
        total += weight[scratch.covered[i]]
    return total


@inline
def _diminish(d: int, alpha: float, weight: F64, scratch: SubtopicScratch) -> None:
    for i in range(scratch.ends[d], scratch.ends[d + 1]):
        weight[scratch.covered[i]] *= 1.0 - alpha


@inline
def _cover_the_same(d: int, other: int, scratch: SubtopicScratch) -> bool:
    start, stop, shift = scratch.ends[d], scratch.ends[d + 1], scratch.ends[other] - scratch.ends[d]
    i = start
    while i < stop and i + shift < scratch.ends[other + 1] and scratch.covered[i] == scratch.covered[i + shift]:
        i += 1
    return bool(i == stop and i + shift == scratch.ends[other + 1])


@inline
def _group(documents: int, scratch: SubtopicScratch) -> int:
    """Fill `head` and `following` by what documents cover; return how many different sets of subtopics that is."""
    table = scratch.found.table
    mask = np.uint64(table.size - 1)
    table[:] = -1
    sets = 0
    for d in range(documents - 1, -1, -1):  # from the last, because each is put in front of its set
        if scratch.ends[d] == scratch.ends[d + 1]:
            continue
        slot = np.uint64(0)
        for i in range(scratch.ends[d], scratch.ends[d + 1]):
            slot = mix(next_state(slot ^ np.uint64(scratch.covered[i])))
        slot &= mask
        while table[slot] >= 0 and not _cover_the_same(d, scratch.head[table[slot]], scratch):
            slot = (slot + np.uint64(1)) & mask
        if table[slot] < 0:
            table[slot], scratch.head[sets] = sets, -1
            sets += 1
        scratch.following[d] = scratch.head[table[slot]]
        scratch.head[table[slot]] = d
    return sets


@inline
def _leads(s: int, best: int, bound: F64, head: I64) -> bool:
    return bool(best < 0 or bound[s] > bound[best] or (bound[s] == bound[best] and head[s] < head[best]))


@inline
def _idealise(documents: int, depth: int, alpha: float, weight: F64, log2: F64, scratch: SubtopicScratch) -> int:
    """Fill `ideal`: each rank has the document that gains most there; return the number of ranks that gain.

    Documents that cover the same gain the same. Gains only fall, so few are added up again at each rank.
    """
    head, bound = scratch.head, scratch.bound
    sets = _group(documents, scratch)
    bound[:sets] = math.inf
    weight[:] = 1.0
    rank, total = 0, 0.0
    while rank < depth and sets > 0:
        best = -1
        for s in range(sets):
            if _leads(s, best, bound, head):
                bound[s] = _gain(head[s], weight, scratch)
                if _leads(s, best, bound, head):
                    best = s
        total += bound[best] / log2[rank]
        scratch.ideal[rank] = total
        rank += 1
        _diminish(head[best], alpha, weight, scratch)
        head[best] = scratch.following[head[best]]
        if head[best] < 0:
            sets -= 1
            head[best], bound[best] = head[sets], bound[sets]
    return rank


@inline
def _accumulate(
    formula: int, k: int, alpha: float, condensed: bool, found: int, weight: F64, log2: F64, scratch: SubtopicScratch
) -> float:
    """Return what the hits within the cut-off gain, discounted as the formula does."""
    weight[:] = 1.0
    total = 0.0
    for i in range(found):
        rank = i if condensed else scratch.found.ranks[i]
        if rank >= k:
            break
        d = scratch.found.which[i]
        gain = _gain(d, weight, scratch)
        _diminish(d, alpha, weight, scratch)
        if formula == Formula.ALPHA_NDCG:
            gain /= log2[rank]
        elif formula == Formula.ERR_IA:
            gain /= rank + 1.0
        total += gain
    return total


@inline
def _highest_err(k: int) -> float:
    """Return what one subtopic gains in ERR_IA if every document covers it."""
    total, weight = 0.0, 1.0
    for rank in range(min(k, _NO_MORE)):
        total += weight / (rank + 1.0)
        weight *= 1.0 - _SATISFIES
    return total


@leaf
def measure_subtopics(
    columns: Columns,
    rels: F64,
    subtopics: Subtopics,
    offsets: I64,
    document: U64,
    query: I64,
    first: int,
    last: int,
    log2: F64,
    scratch: SubtopicScratch,
    values: F64x2,
) -> None:
    """Fill the rows of `values` (judged queries, measures) that groups `first:last` are the hits of.

    Parameters
    ----------
    columns, rels
        Of a plan. Equal `rel` and alpha that stand together share their ideal.
    offsets, document
        The hits in rank order, without repeated documents.
    query
        Of each group the judged query, or -1.
    log2
        `log2(i + 2)` for i below the most hits and below the most rows of a query.
    scratch
        Of this thread alone.
    """
    deepest, condensed = 0, False
    for m in range(columns.size):
        deepest = max(deepest, columns[m].cutoff)
        condensed |= columns[m].kind == 1
    for g in range(first, last):
        q = query[g]
        if q < 0:
            continue
        a, b = subtopics.offsets[q], subtopics.offsets[q + 1]
        judged, subtopic, grade = subtopics.document[a:b], subtopics.subtopic[a:b], subtopics.grade[a:b]
        highest = -1
        for one in subtopic:
            highest = max(highest, one)
        weight = scratch.weight[: highest + 1]
        documents = _gather(judged, subtopic, grade, math.inf, scratch)  # which are the same for every `rel`
        returned = offsets[g + 1] - offsets[g]
        hits = document[offsets[g] : offsets[g] + (returned if condensed else min(returned, deepest))]
        found = find_judged(hits, scratch.document[:documents], scratch.found)
        gathered_rel, number, ideal_rel, ideal_alpha, depth = math.nan, 0, math.nan, math.nan, 0
        for m in range(columns.size):
            formula, k, alpha, judged_only = columns[m].formula, columns[m].cutoff, columns[m].a, columns[m].kind == 1
            rel = rels[columns[m].rel]
            if rel != gathered_rel:
                _gather(judged, subtopic, grade, rel, scratch)
                gathered_rel, number = rel, _count_covered(scratch.covered[: scratch.ends[documents]], weight)
            if formula == Formula.ERR_IA:
                alpha = _SATISFIES
            elif formula == Formula.STRECALL:
                alpha = 1.0
            elif formula != Formula.ALPHA_NDCG:
                raise NotImplementedError(_WITHOUT_BRANCH)
            value = 0.0
            if number > 0:
                value = _accumulate(formula, k, alpha, judged_only, found, weight, log2, scratch)
                if formula == Formula.ALPHA_NDCG:
                    if rel != ideal_rel or alpha != ideal_alpha:
                        depth = _idealise(documents, deepest, alpha, weight, log2, scratch)
                        ideal_rel, ideal_alpha = rel, alpha
                    value /= scratch.ideal[min(k, depth) - 1]
                elif formula == Formula.STRECALL:
                    value /= number
                elif k > 1:  # ndeval divides from the second rank on, so ERR_IA@1 is a number of subtopics
                    value /= number * _highest_err(k)
            values[q, m] = value
