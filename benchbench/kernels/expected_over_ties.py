"""Measures expected over all orders of equally scored hits, each order of a block being equally likely.

Conventions
-----------
A block is all consecutive hits with equal scores. It covers the ranks `begin:end` (from 0), `size` of them,
`within` of which lie within the cut-off; `relevant` of its hits are relevant, and `before` stand in the blocks
above, all of them in every order. Of the judged hits `i < found`, in rank order, only the block is known: it covers
`begins[i]:ends[i]`.

- A sum over ranks (P, AP, nDCG, RBP) takes at each rank of a block what the mean hit of the block gives there.
- R, Success and F1 bend with the number of hits, so their mean is over its distribution in the block that the
  cut-off cuts, which is hypergeometric; so are the judged hits above a rank, on which infAP and ERR depend.
- RR takes the distribution of the first relevant rank of the first block that has one.

All of it is exact. The cost is linear in the hits and in the judgments, and for two formulas it is the product of
both within a block: infAP, and ERR, whose blocks end at the cut-off. IPrec, a maximum over ranks, is left out. The
catalog of measures says which measures stand here, and which ones no order of tied hits changes.

Sources: McSherry, Najork, Computing Information Retrieval Performance Measures Efficiently in the Presence of Tied
Scores, ECIR 2008, for P, R, F1, RR, AP and nDCG; the others follow from the definitions in `formulas`.
"""

from typing import NamedTuple

import numpy as np

from benchbench.kernels._jit import inline, leaf
from benchbench.kernels.arrays import F64, I64, U64, Bools, F64x2
from benchbench.kernels.formulas import (
    ALL,
    INFAP_EPSILON,
    Formula,
    add_up_ideals,
    of_hits,
    recall_divisor,
    relevant_judgments,
)
from benchbench.kernels.judged_hits import JudgedScratch, find_judged
from benchbench.kernels.measure import Judgments, measure
from benchbench.kernels.query_lists import QueryLists, Recall

_WITHOUT_BRANCH = (  # for whoever adds a measure
    "kernels.expected_over_ties has no branch for a formula of a measure: add one to measure_expected, or say that "
    "the measure has no expected value in its row of measures.catalog"
)
_NEGLIGIBLE = 1e-20  # against the likeliest case


class TiedHits(NamedTuple):
    """The judged hits of a query, in rank order, by the block of equal scores that each is in."""

    grades: F64  # of all judged documents
    which: I64  # of these, which one a hit is
    begins: I64  # the first rank of its block …
    ends: I64  # … and the one behind the last
    found: int  # how many hits there are


@inline
def _any(tied: Bools) -> bool:
    """Say whether any hit has the score of the one before it; the first has none before it."""
    for i in range(1, tied.size):  # noqa: SIM110 - a generator cannot be compiled
        if tied[i]:
            return True
    return False


@inline
def _find_blocks(tied: Bools, begins: I64, ends: I64, found: int) -> None:
    """Replace the ranks in `begins` by the first of their block, and fill `ends` with the one behind its last."""
    begin, end = 0, 0
    for i in range(found):
        if begins[i] >= end:
            begin, end = begins[i], begins[i] + 1
            while begin > 0 and tied[begin]:
                begin -= 1
            while end < tied.size and tied[end]:
                end += 1
        begins[i], ends[i] = begin, end


@inline
def _of_block(tied: TiedHits, i: int, rel: float) -> tuple[int, int]:
    """Return the relevant hits of the block of judged hit `i`, its first, and the first one behind the block."""
    relevant, j = 0, i
    while j < tied.found and tied.begins[j] == tied.begins[i]:
        relevant += tied.grades[tied.which[j]] >= rel
        j += 1
    return relevant, j


@inline
def _mean_drawn(value: F64, size: int, special: int, drawn: int) -> float:
    """Return the mean of `value[x]`, where x of the `drawn` out of `size` hits are among the `special` ones.

    Hypergeometric weights, from the likeliest on by their ratios: nothing overflows and nothing cancels.
    """
    low, high = max(0, drawn + special - size), min(drawn, special)
    mode = (drawn + 1) * (special + 1) // (size + 2)
    total, weights = value[mode], 1.0
    weight = 1.0
    for x in range(mode + 1, high + 1):
        weight *= (special - x + 1) * (drawn - x + 1) / (x * (size - special - drawn + x))
        if weight < _NEGLIGIBLE:
            break
        total += weight * value[x]
        weights += weight
    weight = 1.0
    for x in range(mode - 1, low - 1, -1):
        weight *= (x + 1) * (size - special - drawn + x + 1) / ((special - x) * (drawn - x))
        if weight < _NEGLIGIBLE:
            break
        total += weight * value[x]
        weights += weight
    return float(total / weights)


@inline
def _hits(tied: TiedHits, k: int | np.int64, rel: float) -> float:
    """Return the relevant hits within the cut-off."""
    hits, i = 0.0, 0
    while i < tied.found and tied.begins[i] < k:
        relevant, j = _of_block(tied, i, rel)
        hits += relevant * (min(tied.ends[i], k) - tied.begins[i]) / (tied.ends[i] - tied.begins[i])
        i = j
    return hits


@inline
def _mean_of_hits(formula: int, tied: TiedHits, k: int, rel: float, divisor: float, value: F64) -> float:
    """Return R, Success or F1."""
    before, i = 0, 0
    while i < tied.found and tied.ends[i] <= k:
        relevant, i = _of_block(tied, i, rel)
        before += relevant
    if i == tied.found or tied.begins[i] >= k:
        return of_hits(formula, before, k, divisor)
    relevant, _ = _of_block(tied, i, rel)
    size, within = tied.ends[i] - tied.begins[i], k - tied.begins[i]
    for x in range(min(relevant, within) + 1):
        value[x] = of_hits(formula, before + x, k, divisor)
    return _mean_drawn(value, size, relevant, within)


@inline
def _reciprocal_rank(tied: TiedHits, k: int, rel: float) -> float:
    i, total = 0, 0.0
    while i < tied.found and tied.begins[i] < k:
        relevant, j = _of_block(tied, i, rel)
        if relevant > 0:
            begin, size = tied.begins[i], tied.ends[i] - tied.begins[i]
            first = relevant / size  # the probability that the first relevant hit has this rank
            for x in range(min(size - relevant + 1, k - begin)):
                if x > 0:
                    first *= (size - relevant - x + 1) / (size - x)
                if first < _NEGLIGIBLE:
                    break
                total += first / (begin + x + 1.0)
            break
        i = j
    return total


@inline
def _average_precision(tied: TiedHits, k: int, rel: float, number: int) -> float:
    before, total, i = 0, 0.0, 0
    while i < tied.found and tied.begins[i] < k:
        relevant, j = _of_block(tied, i, rel)
        if relevant > 0:
            begin, size = tied.begins[i], tied.ends[i] - tied.begins[i]
            here = relevant / size
            above = (relevant - 1) / (size - 1) if size > 1 else 0.0  # at each rank above, if a relevant one is here
            for x in range(min(size, k - begin)):
                total += here * (before + 1 + x * above) / (begin + x + 1.0)
        before += relevant
        i = j
    return total / number if number > 0 else 0.0


@inline
def _ndcg(tied: TiedHits, gains: F64, best: float, k: int, log2: F64) -> float:
    dcg, i = 0.0, 0
    while i < tied.found and tied.begins[i] < k:
        begin, end, gain = tied.begins[i], tied.ends[i], 0.0
        while i < tied.found and tied.begins[i] == begin:
            gain += max(gains[tied.which[i]], 0.0)
            i += 1
        if gain > 0.0:
            gain /= end - begin
            for rank in range(begin, min(end, k)):
                dcg += gain / log2[rank]
    return dcg / best if best > 0.0 else 0.0


@inline
def _rank_biased(tied: TiedHits, k: int, rel: float, p: float) -> float:
    total, i = 0.0, 0
    while i < tied.found and tied.begins[i] < k:
        relevant, j = _of_block(tied, i, rel)
        begin, end = tied.begins[i], tied.ends[i]
        within = float(min(end, k) - begin)
        total += relevant / (end - begin) * p ** float(begin) * ((1.0 - p**within) / (1.0 - p))
        i = j
    return (1.0 - p) * total


@inline
def _expected_rr(tied: TiedHits, k: int, value: F64) -> float:
    """Return ERR, from the probability that the user goes on below each rank.

    `value[x]` is the mean, over all choices of x graded hits of a block, of the probability to go on after all x.
    """
    total, go_on, i = 0.0, 1.0, 0
    while i < tied.found and tied.begins[i] < k:
        begin, end, graded = tied.begins[i], tied.ends[i], 0
        within = min(end, k) - begin
        value[0] = 1.0
        while i < tied.found and tied.begins[i] == begin:
            grade = min(tied.grades[tied.which[i]], 4.0)
            if grade > 0.0:
                graded += 1
                stay = 1.0 - (2.0**grade - 1.0) / 16.0
                value[graded] = 0.0
                for x in range(min(graded, within), 0, -1):
                    value[x] = ((graded - x) * value[x] + x * stay * value[x - 1]) / graded
            i += 1
        if graded > 0:
            above = 1.0
            for x in range(within):
                below = _mean_drawn(value, end - begin, graded, x + 1)
                total += go_on * (above - below) / (begin + x + 1.0)
                above = below
            go_on *= above
    return total


@inline
def _bpref(tied: TiedHits, rel: float, number: int) -> float:
    """Return bpref: of the n others judged in its block, any number from 0 to n is as likely above a relevant hit."""
    nonrelevant = 0
    for grade in tied.grades:
        nonrelevant += 0.0 <= grade < rel
    seen, total, i = 0, 0.0, 0
    while i < tied.found:
        relevant, j = _of_block(tied, i, rel)
        others = _of_block(tied, i, 0.0)[0] - relevant
        if relevant > 0:
            mean = 0.0
            for above in range(seen, seen + others + 1):
                mean += 1.0 - min(above, number) / min(nonrelevant, number) if above > 0 else 1.0
            total += relevant * (mean / (others + 1))
        seen += others
        i = j
    return total / number if number > 0 else 0.0


@inline
def _inferred_ap(tied: TiedHits, rel: float, number: int, value: F64) -> float:
    """Return infAP: the mean over how many judged hits of the block stand above a relevant one, at each rank.

    Of so many judged hits the relevant ones are as frequent as in the block, and so are, of the rest, the pooled
    ones without a judgment; the two are independent.
    """
    before, judged_before, pooled_before, total, i = 0, 0, 0, 0.0, 0
    while i < tied.found:
        relevant, j = _of_block(tied, i, rel)
        judged, pooled = _of_block(tied, i, 0.0)[0], j - i
        begin, size = tied.begins[i], tied.ends[i] - tied.begins[i]
        rest = size - judged
        good = (relevant - 1) / (judged - 1) if judged > 1 else 0.0
        unjudged = (pooled - judged) / rest if rest > 0 else 0.0
        for x in range(size if relevant > 0 else 0):
            rank = float(begin + x)
            if rank == 0.0:
                total += relevant / size
                continue
            for above in range(max(0, x - rest), min(judged - 1, x) + 1):
                share = (before + above * good + INFAP_EPSILON) / (judged_before + above + 2 * INFAP_EPSILON)
                value[above] = (pooled_before + above + (x - above) * unjudged) / rank * share
            mean = _mean_drawn(value, size - 1, judged - 1, x)
            total += relevant / size * (1.0 / (rank + 1.0) + (rank / (rank + 1.0)) * mean)
        before, judged_before, pooled_before = before + relevant, judged_before + judged, pooled_before + pooled
        i = j
    return total / number if number > 0 else 0.0


@leaf
def measure_expected(
    judgments: Judgments,
    offsets: I64,
    document: U64,
    tied: Bools,
    changed: I64,
    query: I64,
    first: int,
    last: int,
    depth: int,
    log2: F64,
    scratch: JudgedScratch,
    here: QueryLists,
    values: F64x2,
) -> None:
    """Fill the rows of `values` with expected measures, as `measure.measure` fills them with those of one order.

    What ties cannot change, and every query without a tie, has the bits of `measure.measure`.

    Parameters
    ----------
    tied
        A hit each: whether it has the score of the hit before it. Not read for the first hit of a query.
    changed
        The columns that ties may change, as `plan.FormulaPlan` has them.
    depth
        Hits further down matter to no measure, unless their block begins above.
    judgments, offsets, document, query, first, last, log2, scratch, here, values
        As for `measure.measure`. The order of hits within a block does not matter.
    """
    recall = Recall(ALL, 0.0)
    measure(judgments, offsets, document, query, first, last, depth, log2, scratch, here, values)
    begins, which = scratch.ranks, scratch.which
    for g in range(first, last):
        q = query[g]
        start, returned = offsets[g], offsets[g + 1] - offsets[g]
        deepest = min(returned, depth)
        while deepest < returned and tied[start + deepest]:
            deepest += 1
        if q < 0 or not _any(tied[start : start + deepest]):
            continue
        a, b = judgments.offsets[q], judgments.offsets[q + 1]
        grades = judgments.grade[a:b]
        hits = document[start : start + deepest]
        found = find_judged(hits, judgments.document[a:b], scratch)
        ends, value = scratch.table[:found], scratch.table[found:].view(np.float64)  # free until the next query
        _find_blocks(tied[start : start + deepest], begins, ends, found)
        blocks = TiedHits(grades, which, begins, ends, found)
        for gains in range(judgments.gain.shape[0]):
            add_up_ideals(judgments.ideal[gains, a:b], here.gained, gains, log2)
        for m in changed:
            column = here.columns[m]
            formula, k, x, kind, rel = column.formula, column.cutoff, column.a, column.kind, here.levels[column.rel].rel
            number = relevant_judgments(grades, rel)
            if formula == Formula.P:
                values[q, m] = _hits(blocks, k, rel) / k
            elif formula == Formula.HITS:
                divisor = recall_divisor(number, kind, x, recall)
                values[q, m] = _hits(blocks, k, rel)
                if divisor < number:
                    share = _mean_of_hits(Formula.R, blocks, k, rel, divisor, value)
                    values[q, m] = share * divisor
            elif formula == Formula.RPREC:
                if number > 0:
                    values[q, m] = _hits(blocks, number, rel) / number
            elif formula == Formula.JUDGED:
                values[q, m] = _hits(blocks, k, 0.0) / min(k, returned)
            elif formula in (Formula.R, Formula.SUCCESS, Formula.F1):
                divisor = recall_divisor(number, kind, x, recall)
                values[q, m] = _mean_of_hits(formula, blocks, k, rel, divisor, value)
            elif formula == Formula.RR:
                values[q, m] = _reciprocal_rank(blocks, k, rel)
            elif formula == Formula.AP:
                values[q, m] = _average_precision(blocks, k, rel, number)
            elif formula == Formula.NDCG:
                gain, best = judgments.gain[kind, a:b], here.gained[column.place].ideal
                values[q, m] = _ndcg(blocks, gain, best, k, log2)
            elif formula == Formula.RBP:
                values[q, m] = _rank_biased(blocks, k, rel, x)
            elif formula == Formula.ERR:
                values[q, m] = _expected_rr(blocks, k, value)
            elif formula == Formula.BPREF:
                values[q, m] = _bpref(blocks, rel, number)
            elif formula == Formula.INFAP:
                values[q, m] = _inferred_ap(blocks, rel, number, value)
            elif formula != Formula.DIVISOR:  # which is the same in any order
                raise NotImplementedError(_WITHOUT_BRANCH)
