"""Every measure of one query at once, from the list of its hits that matter.

Conventions
-----------
A plan is one row per column of values: formula, cut-off (a huge one where there is none), which of the lowest relevant
grades, one parameter `a`, and which kind of gains it takes or what recall divides by. `counted` and `gained` are the
ranks at which several rows look: relevant hits and gains are added up once for all of them.

Of a query's hits only those matter that were judged, or that are relevant by a label, and there are few. `Lists` has
their ranks (from 0, ascending), grades and gains. A document that nobody judged, or that has a negative grade, is no
judged document.

Sources: trec_eval 10 for all that it has; ERR (Chapelle et al., CIKM 2009) as gdeval, with grades up to 4;
RBP (Moffat, Zobel, TOIS 2008) with binary gains; Judged as ir_measures.
"""

import math
from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from benchbench.kernels._jit import inline
from benchbench.kernels.arrays import F64, I64


class Formula(IntEnum):
    """What a row of a plan computes; the names are the keys of the catalog."""

    P = 0
    R = 1
    SUCCESS = 2
    F1 = 3
    RR = 4
    AP = 5
    NDCG = 6
    RPREC = 7
    BPREF = 8
    RBP = 9
    ERR = 10
    JUDGED = 11
    INFAP = 12
    IPREC = 13
    SETP = 14
    SETR = 15
    SETF = 16
    NUMRET = 17
    NUMREL = 18
    NUMRELRET = 19
    NUMQ = 20
    HITS = 21  # relevant hits, at most what recall divides by: a part of micro averages …
    DIVISOR = 22  # … and what recall divides by


PLAIN, ALL, CAPPED, FIXED = 0, 1, 2, 3  # what recall divides by: as is said for all rows, or R, min(R, a), a
NO_CUTOFF = np.int64(2**62)
INFAP_EPSILON = 1e-5  # trec_eval's INFAP_EPSILON

# Those that may look further down than any cut-off.
DEEP = frozenset(
    {
        Formula.RPREC,
        Formula.BPREF,
        Formula.INFAP,
        Formula.IPREC,
        Formula.SETP,
        Formula.SETR,
        Formula.SETF,
        Formula.NUMRELRET,
    }
)

Row = tuple[int, int, float, float, int]  # of a plan: formula, cut-off, rel, a, kind


class Plan(NamedTuple):
    """One entry per column of values; `plan_of` makes it."""

    formula: I64
    cutoff: I64
    rel: I64  # which of the lowest relevant grades
    a: F64
    kind: I64  # of gains; or what recall divides by
    place: I64  # which of the counted ranks, or of the gained ones
    rels: F64  # the lowest relevant grades
    counted_rel: I64  # of each counted rank, by grade and rank
    counted: I64
    gained_kind: I64  # of each rank to which gains are added up, by kind and rank
    gained: I64


class Recall(NamedTuple):
    """What recall divides by where a measure does not say it."""

    rule: int
    limit: float


class Lists(NamedTuple):
    """The hits of one query that matter, what was judged, and what is added up; made by `lists`."""

    ranks: I64
    grades: F64
    gains: F64  # (kinds, hits)
    number: I64  # of each grade of the plan: R
    ideal: F64  # of each gained rank: the gains of the best order
    hits: I64  # of each counted rank
    dcg: F64  # of each gained rank


def plan_of(rows: Sequence[Row]) -> Plan:
    """Return the plan of some rows."""
    rels = sorted({rel for _, _, rel, _, _ in rows})
    counted = sorted({(rels.index(rel), cutoff) for formula, cutoff, rel, _, _ in rows if formula != Formula.NDCG})
    gained = sorted({(kind, cutoff) for formula, cutoff, _, _, kind in rows if formula == Formula.NDCG})
    places = [
        gained.index((kind, cutoff)) if formula == Formula.NDCG else counted.index((rels.index(rel), cutoff))
        for formula, cutoff, rel, _, kind in rows
    ]
    formula, cutoff, rel, a, kind = zip(*rows, strict=True) if rows else ((),) * 5
    by_rel, by_kind = np.array(counted, np.int64).reshape(-1, 2), np.array(gained, np.int64).reshape(-1, 2)
    return Plan(
        np.array(formula, np.int64),
        np.array(cutoff, np.int64),
        np.array([rels.index(one) for one in rel], np.int64),
        np.array(a, np.float64),
        np.array(kind, np.int64),
        np.array(places, np.int64),
        np.array(rels, np.float64),
        by_rel[:, 0].copy(),
        by_rel[:, 1].copy(),
        by_kind[:, 0].copy(),
        by_kind[:, 1].copy(),
    )


def lists(plan: Plan, most: int, kinds: int) -> Lists:
    """Return room for at most so many hits and kinds of gains."""
    return Lists(
        np.empty(most, np.int64),
        np.empty(most),
        np.empty((kinds, most)),
        np.zeros(plan.rels.size, np.int64),
        np.zeros(plan.gained.size),
        np.empty(plan.counted.size, np.int64),
        np.empty(plan.gained.size),
    )


@inline
def recall_divisor(number: int, kind: int, a: float, recall: Recall) -> float:
    """Return what recall divides by, given the number of relevant documents."""
    rule, limit = (recall.rule, recall.limit) if kind == PLAIN else (kind, a)
    if rule == ALL:
        return float(number)
    return min(float(number), limit) if rule == CAPPED else limit


@inline
def relevant_judgments(grades: F64, rel: float) -> int:
    """Return the number of judgments of at least this grade; grades descend."""
    number = 0
    while number < grades.size and grades[number] >= rel:
        number += 1
    return number


@inline
def add_up_ideals(gains: F64, plan: Plan, kind: int, log2: F64, ideal: F64) -> None:
    """Fill `ideal` at the gained ranks of one kind; `gains` are those of a query, descending."""
    total, i, best = 0.0, 0, gains.size
    for g in range(plan.gained.size):
        if plan.gained_kind[g] == kind:
            while i < min(plan.gained[g], best):
                if gains[i] <= 0.0:
                    best = i
                    break
                total += gains[i] / log2[i]
                i += 1
            ideal[g] = total


@inline
def _add_up(plan: Plan, rels: F64, found: int, here: Lists, log2: F64) -> None:
    """Fill the hits at the counted ranks and the DCG at the gained ones."""
    at = 0
    while at < plan.counted.size:
        which = plan.counted_rel[at]
        rel, hits, i = rels[which], 0, 0
        while at < plan.counted.size and plan.counted_rel[at] == which:
            k = plan.counted[at]
            while i < found and here.ranks[i] < k:
                hits += here.grades[i] >= rel
                i += 1
            here.hits[at] = hits
            at += 1
    at = 0
    while at < plan.gained.size:
        kind, dcg, i = plan.gained_kind[at], 0.0, 0
        while at < plan.gained.size and plan.gained_kind[at] == kind:
            k = plan.gained[at]
            while i < found and here.ranks[i] < k:
                gain = here.gains[kind, i]
                if gain > 0.0:
                    dcg += gain / log2[here.ranks[i]]
                i += 1
            here.dcg[at] = dcg
            at += 1


@inline
def _hits_to(here: Lists, found: int, k: int, rel: float) -> int:
    """Return the relevant hits within the cut-off."""
    hits = 0
    for i in range(found):
        if here.ranks[i] >= k:
            break
        hits += here.grades[i] >= rel
    return hits


@inline
def _reciprocal_rank(here: Lists, found: int, k: int, rel: float) -> float:
    for i in range(found):
        if here.ranks[i] >= k:
            break
        if here.grades[i] >= rel:
            return 1.0 / (here.ranks[i] + 1.0)
    return 0.0


@inline
def _average_precision(here: Lists, found: int, k: int, rel: float, number: int) -> float:
    hits, total = 0, 0.0
    for i in range(found):
        if here.ranks[i] >= k or hits == number:
            break
        if here.grades[i] >= rel:
            hits += 1
            total += hits / (here.ranks[i] + 1.0)
    return total / number if number > 0 else 0.0


@inline
def _bpref(here: Lists, found: int, judged: F64, rel: float, number: int) -> float:
    nonrelevant = 0
    for grade in judged:
        nonrelevant += 0.0 <= grade < rel
    seen, total = 0, 0.0
    for i in range(found):
        grade = here.grades[i]
        if grade >= rel:
            total += 1.0 - min(seen, number) / min(nonrelevant, number) if seen > 0 else 1.0
        elif grade >= 0.0:
            seen += 1
    return total / number if number > 0 else 0.0


@inline
def _inferred_ap(here: Lists, found: int, rel: float, number: int) -> float:
    relevant, nonrelevant, unjudged, total = 0, 0, 0, 0.0
    for i in range(found):
        grade = here.grades[i]
        if grade < 0.0:
            unjudged += 1
        elif grade < rel:
            nonrelevant += 1
        else:
            relevant += 1
            j = float(here.ranks[i])
            if j == 0.0:
                total += 1.0
            else:
                judged_share = (relevant - 1 + INFAP_EPSILON) / (relevant - 1 + nonrelevant + 2 * INFAP_EPSILON)
                pooled = (relevant - 1 + nonrelevant + unjudged) / j
                total += 1.0 / (j + 1.0) + (j / (j + 1.0)) * pooled * judged_share
    return total / number if number > 0 else 0.0


@inline
def _interpolated(here: Lists, found: int, total: int, rel: float, number: int, level: float) -> float:
    """Return the highest precision at any rank where recall is at least `level`, of `total` relevant hits."""
    needed = math.floor(level * number + 0.5)  # trec_eval 10; version 9, and so pytrec_eval, added 0.9
    hits, best = 0, 0.0
    if needed > total:
        return 0.0
    for i in range(found):
        if here.grades[i] >= rel:
            hits += 1
            if hits >= needed:
                best = max(best, hits / (here.ranks[i] + 1.0))
    return best


@inline
def _expected_rr(here: Lists, found: int, k: int) -> float:
    total, go_on = 0.0, 1.0
    for i in range(found):
        if here.ranks[i] >= k:
            break
        grade = min(max(here.grades[i], 0.0), 4.0)
        stop = (2.0**grade - 1.0) / 16.0
        total += go_on * stop / (here.ranks[i] + 1.0)
        go_on *= 1.0 - stop
    return total


@inline
def _rank_biased(here: Lists, found: int, k: int, rel: float, p: float) -> float:
    total = 0.0
    for i in range(found):
        if here.ranks[i] >= k:
            break
        if here.grades[i] >= rel:
            total += p ** float(here.ranks[i])
    return (1.0 - p) * total


@inline
def _of_sets(formula: int, relevant: int, returned: int, number: int, beta: float) -> float:
    """Return SetP, SetR or SetF of a list with relevant hits."""
    precision, recall = relevant / returned, min(relevant / number, 1.0)
    if formula == Formula.SETP:
        return precision
    if formula == Formula.SETR:
        return recall
    return (beta + 1.0) * precision * recall / (beta * precision + recall)


@inline
def fill_values(
    plan: Plan, rels: F64, here: Lists, found: int, returned: int, judged: F64, recall: Recall, log2: F64, values: F64
) -> None:
    """Fill `values` (columns,) with the measures of one query.

    Parameters
    ----------
    rels
        The lowest relevant grades of the plan, as they are here.
    here
        `found` hits; with R and ideal gains filled in.
    returned
        How many hits there are in all.
    judged
        The grades of all judged documents; for bpref only.
    recall
        What recall divides by where a row does not say it.
    log2
        `log2(i + 2)` for i below the deepest rank.
    """
    _add_up(plan, rels, found, here, log2)
    for m in range(plan.formula.size):
        formula, k, which, x, at = plan.formula[m], plan.cutoff[m], plan.rel[m], plan.a[m], plan.place[m]
        rel, number = rels[which], here.number[which]
        value = 0.0
        if formula == Formula.NDCG:
            value = here.dcg[at] / here.ideal[at] if here.ideal[at] > 0.0 else 0.0
        elif formula == Formula.P:
            value = here.hits[at] / k
        elif formula == Formula.R:
            divisor = recall_divisor(number, plan.kind[m], x, recall)
            value = min(here.hits[at] / divisor, 1.0) if divisor > 0 else 0.0
        elif formula == Formula.SUCCESS:
            value = 1.0 if here.hits[at] > 0 else 0.0
        elif formula == Formula.F1:
            divisor = recall_divisor(number, plan.kind[m], x, recall)
            if here.hits[at] > 0 and divisor > 0:
                precision, share = here.hits[at] / k, min(here.hits[at] / divisor, 1.0)
                value = 2.0 * precision * share / (precision + share)
        elif formula == Formula.RR:
            value = _reciprocal_rank(here, found, k, rel)
        elif formula == Formula.HITS:
            value = min(float(here.hits[at]), recall_divisor(number, plan.kind[m], x, recall))
        elif formula == Formula.DIVISOR:
            value = recall_divisor(number, plan.kind[m], x, recall)
        elif formula == Formula.AP:
            value = _average_precision(here, found, k, rel, number)
        elif formula == Formula.RPREC:
            value = _hits_to(here, found, number, rel) / number if number > 0 else 0.0
        elif formula == Formula.BPREF:
            value = _bpref(here, found, judged, rel, number)
        elif formula == Formula.RBP:
            value = _rank_biased(here, found, k, rel, x)
        elif formula == Formula.ERR:
            value = _expected_rr(here, found, k)
        elif formula == Formula.JUDGED:
            value = here.hits[at] / min(k, returned) if returned > 0 else 0.0
        elif formula == Formula.INFAP:
            value = _inferred_ap(here, found, rel, number)
        elif formula == Formula.IPREC:
            value = _interpolated(here, found, here.hits[at], rel, number, x)
        elif formula == Formula.NUMRET:
            value = float(returned)
        elif formula == Formula.NUMREL:
            value = float(number)
        elif formula == Formula.NUMQ:
            value = 1.0
        elif formula == Formula.NUMRELRET:
            value = float(here.hits[at])
        elif here.hits[at] > 0 and number > 0:
            value = _of_sets(formula, here.hits[at], returned, number, x)
        values[m] = value
