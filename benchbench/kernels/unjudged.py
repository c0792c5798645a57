"""Hits that nobody judged, and judgments in which they have a grade.

Conventions
-----------
Judgments of query `q` are `offsets[q]:offsets[q + 1]` of the columns, grades descending; a document with a negative
grade is no judged document. Hits of group `g` are in rank order, without repeated documents; `group[q]` is the group of
judged query `q`, or -1.
"""

from typing import NamedTuple

from benchbench.kernels._jit import leaf
from benchbench.kernels.arrays import F64, I64, U64, Bools
from benchbench.kernels.judged_hits import JudgedScratch, find_judged
from benchbench.kernels.lookup import RunHits


class GradedDocuments(NamedTuple):
    """What was judged, by query."""

    offsets: I64
    document: U64
    grade: F64


class Added(NamedTuple):
    """Documents of judged queries that get a grade."""

    offsets: I64
    document: U64


@leaf
def unjudged_hits(
    judged: GradedDocuments,
    run: RunHits,
    other: RunHits,
    depth: int,
    alone: bool,
    scratch: JudgedScratch,
    known: Bools,
    added: Added,
) -> None:
    """Fill `added` with the unjudged hits of each judged query, in rank order.

    Parameters
    ----------
    judged
        What was judged.
    run, other
        The run whose hits are meant, and another one.
    depth
        Hits further down do not count.
    alone
        Whether hits are left out that the other run has to that depth as well.
    scratch, known
        Room for the judgments of a query and for its hits to that depth, of either run.
    """
    end = 0
    added.offsets[0] = 0
    for q in range(run.group.size):
        g, o = run.group[q], other.group[q]
        if g >= 0:
            first = run.offsets[g]
            hits = run.document[first : min(run.offsets[g + 1], first + depth)]
            known[: hits.size] = False
            a, b = judged.offsets[q], judged.offsets[q + 1]
            met = find_judged(hits, judged.document[a:b], scratch)
            for i in range(met):
                known[scratch.ranks[i]] = judged.grade[a + scratch.which[i]] >= 0.0
            if alone and o >= 0:
                first = other.offsets[o]
                met = find_judged(hits, other.document[first : min(other.offsets[o + 1], first + depth)], scratch)
                for i in range(met):
                    known[scratch.ranks[i]] = True
            for rank in range(hits.size):
                if not known[rank]:
                    added.document[end] = hits[rank]
                    end += 1
        added.offsets[q + 1] = end


@leaf
def graded(judged: GradedDocuments, added: Added, new_grade: float, out: GradedDocuments) -> None:
    """Fill judgments in which the added documents have a grade, which is above 0; those without one lose their own."""
    end = 0
    out.offsets[0] = 0
    for q in range(judged.offsets.size - 1):
        a, b = added.offsets[q], added.offsets[q + 1]
        placed = False
        for j in range(judged.offsets[q], judged.offsets[q + 1] + 1):
            last = j == judged.offsets[q + 1]
            if not placed and (last or judged.grade[j] < new_grade):
                for i in range(a, b):
                    out.document[end], out.grade[end] = added.document[i], new_grade
                    end += 1
                placed = True
            if last:
                break
            again = False
            if judged.grade[j] < 0.0:
                for i in range(a, b):
                    again |= added.document[i] == judged.document[j]
            if not again:
                out.document[end], out.grade[end] = judged.document[j], judged.grade[j]
                end += 1
        out.offsets[q + 1] = end
