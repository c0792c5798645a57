"""Every measure of every judged query, in one pass over the hits of a run.

Conventions
-----------
Judgments of query `q` are `judgments.offsets[q]:judgments.offsets[q + 1]`, grades descending. A document that nobody
judged, or that has a negative grade, is no judged document.
"""

from typing import NamedTuple

from benchbench.kernels._jit import leaf
from benchbench.kernels.arrays import F64, I64, U64, F64x2
from benchbench.kernels.formulas import ALL, add_up_ideals, fill_values, relevant_judgments
from benchbench.kernels.judged_hits import JudgedScratch, find_judged
from benchbench.kernels.query_lists import QueryLists, Recall


class Judgments(NamedTuple):
    """What was judged; `gain` and `ideal` have a row a kind of gains, and what is below 0 counts as 0."""

    offsets: I64
    document: U64
    grade: F64  # descending within a query
    gain: F64x2  # (kinds, judgments)
    ideal: F64x2  # (kinds, judgments): the gains of each query, descending


@leaf
def measure(
    judgments: Judgments,
    offsets: I64,
    document: U64,
    query: I64,
    first: int,
    last: int,
    depth: int,
    log2: F64,
    scratch: JudgedScratch,
    here: QueryLists,
    values: F64x2,
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
    scratch, here
        Of this thread alone.
    """
    recall = Recall(ALL, 0.0)
    for g in range(first, last):
        q = query[g]
        if q < 0:
            continue
        a, b = judgments.offsets[q], judgments.offsets[q + 1]
        start, returned = offsets[g], offsets[g + 1] - offsets[g]
        grades = judgments.grade[a:b]
        hits = document[start : start + min(returned, depth)]
        found = find_judged(hits, judgments.document[a:b], scratch)
        for i in range(found):
            here.hits[i].rank, here.hits[i].grade = scratch.ranks[i], grades[scratch.which[i]]
        for which in range(here.levels.size):
            here.levels[which].number = relevant_judgments(grades, here.levels[which].rel)
        for kind in range(judgments.gain.shape[0]):
            for i in range(found):
                here.gains[kind, i] = judgments.gain[kind, a + scratch.which[i]]
            add_up_ideals(judgments.ideal[kind, a:b], here.gained, kind, log2)
        fill_values(here, found, returned, grades, recall, log2, values[q])
