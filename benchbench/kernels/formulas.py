"""Every measure of one query at once, from the list of its hits that matter.

Indices in the loops that run per hit are unsigned, here and in the kernels of judging: numba lets a signed one count
from the end, and asks at each use.

Sources: trec_eval 10 for all that it has; ERR (Chapelle et al., CIKM 2009) as gdeval, with grades up to 4;
RBP (Moffat, Zobel, TOIS 2008) with binary gains; Judged as ir_measures.
"""

import math
from enum import IntEnum
from typing import Any

import numpy as np

from benchbench.kernels._jit import inline, step
from benchbench.kernels.arrays import F64
from benchbench.kernels.query_lists import QueryLists, Recall


class Formula(IntEnum):
    """What a column of values is; a measure has the formula of its name, and each has a branch below."""

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
    NUMRELRET = 17
    HITS = 18  # relevant hits, at most what recall divides by: a part of micro averages …
    DIVISOR = 19  # … and what recall divides by; this and the following may be above 0 without any hit
    NUMRET = 20
    NUMREL = 21
    NUMQ = 22
    ALPHA_NDCG = 23  # these look at subtopics, and have their branches in `kernels.subtopics`
    ERR_IA = 24
    STRECALL = 25


PLAIN, ALL, CAPPED, FIXED = 0, 1, 2, 3  # what recall divides by: as is said for all rows, or R, min(R, a), a
NO_CUTOFF = np.int64(2**62)
INFAP_EPSILON = 1e-5  # trec_eval's INFAP_EPSILON
_WITHOUT_BRANCH = (  # for whoever adds a measure: an error of a kernel does not say where it was raised
    "kernels.formulas has no branch for a formula of a measure: add one to _of_other_formula"
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
def add_up_ideals(gains: F64, gained: Any, kind: int, log2: F64) -> None:
    """Fill the ideal at the gained ranks of one kind; `gains` are those of a query, descending."""
    total, i, best = 0.0, 0, gains.size
    for g in range(gained.size):
        place = gained[g]
        if place.of == kind:
            while i < place.rank and i < best:
                if gains[i] <= 0.0:
                    best = i
                    break
                total += gains[i] / log2[i]
                i += 1
            place.ideal = total


@inline
def _add_up(here: QueryLists, found: int, log2: F64) -> None:
    """Fill the hits at the counted ranks and the DCG at the gained ones."""
    listed, levels, counted, gained, gains = here.hits, here.levels, here.counted, here.gained, here.gains
    of, rel, hits, i = -1, 0.0, 0, 0
    for at in range(np.uint64(counted.size)):
        place = counted[at]
        if place.of != of:
            of, hits, i = place.of, 0, 0
            rel = levels[of].rel
        while i < found and listed[np.uint64(i)].rank < place.rank:
            hits += listed[np.uint64(i)].grade >= rel
            i += 1
        place.hits = hits
    of, dcg, i = -1, 0.0, 0
    for at in range(np.uint64(gained.size)):
        place = gained[at]
        if place.of != of:
            of, dcg, i = place.of, 0.0, 0
        while i < found and listed[np.uint64(i)].rank < place.rank:
            gain = gains[of, np.uint64(i)]
            if gain > 0.0:
                dcg += gain / log2[listed[np.uint64(i)].rank]
            i += 1
        place.dcg = dcg


@inline
def _hits_to(listed: Any, found: int, k: int, rel: float) -> int:
    """Return the relevant hits within the cut-off."""
    hits = 0
    for i in range(found):
        if listed[i].rank >= k:
            break
        hits += listed[i].grade >= rel
    return hits


@inline
def _first_relevant(listed: Any, found: int, rel: float) -> int:
    """Return the rank of the first relevant hit, or a huge one."""
    for i in range(found):
        if listed[i].grade >= rel:
            return int(listed[i].rank)
    return int(NO_CUTOFF)


@inline
def _average_precision(listed: Any, found: int, k: int, rel: float, number: int) -> float:
    hits, total = 0, 0.0
    for i in range(found):
        if listed[i].rank >= k or hits == number:
            break
        if listed[i].grade >= rel:
            hits += 1
            total += hits / (listed[i].rank + 1.0)
    return total / number if number > 0 else 0.0


@inline
def _bpref(listed: Any, found: int, judged: F64, rel: float, number: int) -> float:
    nonrelevant = 0
    for grade in judged:
        nonrelevant += 0.0 <= grade < rel
    seen, total = 0, 0.0
    for i in range(found):
        grade = listed[i].grade
        if grade >= rel:
            total += 1.0 - min(seen, number) / min(nonrelevant, number) if seen > 0 else 1.0
        elif grade >= 0.0:
            seen += 1
    return total / number if number > 0 else 0.0


@inline
def _inferred_ap(listed: Any, found: int, rel: float, number: int) -> float:
    relevant, nonrelevant, unjudged, total = 0, 0, 0, 0.0
    for i in range(found):
        grade = listed[i].grade
        if grade < 0.0:
            unjudged += 1
        elif grade < rel:
            nonrelevant += 1
        else:
            relevant += 1
            j = float(listed[i].rank)
            if j == 0.0:
                total += 1.0
            else:
                judged_share = (relevant - 1 + INFAP_EPSILON) / (relevant - 1 + nonrelevant + 2 * INFAP_EPSILON)
                pooled = (relevant - 1 + nonrelevant + unjudged) / j
                total += 1.0 / (j + 1.0) + (j / (j + 1.0)) * pooled * judged_share
    return total / number if number > 0 else 0.0


@inline
def _interpolated(listed: Any, found: int, total: int, rel: float, number: int, level: float) -> float:
    """Return the highest precision at any rank where recall is at least `level`, of `total` relevant hits."""
    needed = math.floor(level * number + 0.5)  # trec_eval 10; version 9, and so pytrec_eval, added 0.9
    hits, best = 0, 0.0
    if needed > total:
        return 0.0
    for i in range(found):
        if listed[i].grade >= rel:
            hits += 1
            if hits >= needed:
                best = max(best, hits / (listed[i].rank + 1.0))
    return best


@inline
def _expected_rr(listed: Any, found: int, k: int) -> float:
    total, go_on = 0.0, 1.0
    for i in range(found):
        if listed[i].rank >= k:
            break
        grade = min(max(listed[i].grade, 0.0), 4.0)
        stop = (2.0**grade - 1.0) / 16.0
        total += go_on * stop / (listed[i].rank + 1.0)
        go_on *= 1.0 - stop
    return total


@inline
def _rank_biased(listed: Any, found: int, k: int, rel: float, p: float) -> float:
    total = 0.0
    for i in range(found):
        if listed[i].rank >= k:
            break
        if listed[i].grade >= rel:
            total += p ** float(listed[i].rank)
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
def of_hits(formula: int, hits: int, k: int, divisor: float) -> float:
    """Return what depends on the relevant hits to a rank, and on what recall divides by."""
    if formula == Formula.DIVISOR:
        return divisor
    if formula == Formula.SUCCESS:
        return 1.0 if hits > 0 else 0.0
    if hits == 0 or divisor == 0.0:
        return 0.0
    if formula == Formula.HITS:
        return min(float(hits), divisor)
    recall = min(hits / divisor, 1.0)
    if formula == Formula.R:
        return recall
    precision = hits / k
    return 2.0 * precision * recall / (precision + recall)


@inline
def _of_list(column: Any, hits: int, level: Any, listed: Any, found: int, returned: int, judged: F64) -> float:
    """Return what depends on the whole list."""
    if column.formula == Formula.AP:
        return _average_precision(listed, found, column.cutoff, level.rel, level.number)
    if column.formula == Formula.JUDGED:
        return hits / min(column.cutoff, returned) if returned > 0 else 0.0
    return _of_other_formula(column, hits, level.rel, level.number, listed, found, returned, judged)


@step
def _of_other_formula(
    column: Any, hits: int, rel: float, number: int, listed: Any, found: int, returned: int, judged: F64
) -> float:
    """Return what depends on the whole list, of a formula that few ask for: its code is not in each kernel."""
    formula, k, x, value = column.formula, column.cutoff, column.a, 0.0
    if formula == Formula.RPREC:
        value = _hits_to(listed, found, number, rel) / number if number > 0 else 0.0
    elif formula == Formula.BPREF:
        value = _bpref(listed, found, judged, rel, number)
    elif formula == Formula.RBP:
        value = _rank_biased(listed, found, k, rel, x)
    elif formula == Formula.ERR:
        value = _expected_rr(listed, found, k)
    elif formula == Formula.INFAP:
        value = _inferred_ap(listed, found, rel, number)
    elif formula == Formula.IPREC:
        value = _interpolated(listed, found, hits, rel, number, x)
    elif formula == Formula.NUMRET:
        value = float(returned)
    elif formula == Formula.NUMREL:
        value = float(number)
    elif formula == Formula.NUMRELRET:
        value = float(hits)
    elif formula == Formula.NUMQ:
        value = 1.0
    elif formula in (Formula.SETP, Formula.SETR, Formula.SETF):
        value = _of_sets(formula, hits, returned, number, x) if hits > 0 and number > 0 else 0.0
    else:
        raise NotImplementedError(_WITHOUT_BRANCH)
    return value


@inline
def fill_values(
    here: QueryLists, found: int, returned: int, judged: F64, recall: Recall, log2: F64, values: F64
) -> None:
    """Fill `values` (columns,) with the measures of one query.

    Parameters
    ----------
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
    columns, blocks, listed, levels = here.columns, here.blocks, here.hits, here.levels
    counted, gained = here.counted, here.gained
    if found > 0:
        _add_up(here, found, log2)
    else:
        for at in range(counted.size):
            counted[at].hits = 0
        values[:] = 0.0
    divided_rel, divided_kind, divided_a, divisor = -1, -1, 0.0, 0.0
    for block in range(blocks.size - 1):
        first, last = np.uint64(blocks[block]), np.uint64(blocks[block + 1])
        formula = columns[first].formula
        if found == 0 and formula < Formula.DIVISOR:
            continue
        if formula == Formula.P:
            for m in range(first, last):
                values[m] = counted[columns[m].place].hits / columns[m].cutoff
        elif formula == Formula.NDCG:
            for m in range(first, last):
                place = gained[columns[m].place]
                values[m] = place.dcg / place.ideal if place.ideal > 0.0 else 0.0
        elif formula == Formula.RR:
            which, rank, reciprocal = -1, 0, 0.0
            for m in range(first, last):
                if columns[m].rel != which:
                    which = columns[m].rel
                    rank = _first_relevant(listed, found, levels[which].rel)
                    reciprocal = 1.0 / (rank + 1.0)
                values[m] = reciprocal if rank < columns[m].cutoff else 0.0
        elif formula in (Formula.R, Formula.SUCCESS, Formula.F1, Formula.HITS, Formula.DIVISOR):
            for m in range(first, last):
                one = columns[m]
                if one.rel != divided_rel or one.kind != divided_kind or one.a != divided_a:
                    divided_rel, divided_kind, divided_a = one.rel, one.kind, one.a
                    divisor = recall_divisor(levels[divided_rel].number, divided_kind, divided_a, recall)
                values[m] = of_hits(formula, counted[one.place].hits, one.cutoff, divisor)
        else:
            for m in range(first, last):
                one = columns[m]
                hits, level = counted[one.place].hits, levels[one.rel]
                values[m] = _of_list(one, hits, level, listed, found, returned, judged)
