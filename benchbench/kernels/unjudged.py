"""Hits that nobody judged, and judgments in which they have a grade.

Conventions
-----------
Judgments of query `q` are `offsets[q]:offsets[q + 1]` of `document` and `grade`, grades descending; a document with a
negative grade is no judged document. Hits of group `g` are in rank order, without repeated documents; `group[q]` is the
group of judged query `q`, or -1.
"""

from benchbench.kernels._jit import leaf
from benchbench.kernels.arrays import F64, I64, U64, Bools
from benchbench.kernels.judged_hits import Scratch, find_judged


@leaf
def unjudged_hits(
    offsets: I64, document: U64, grade: F64,
    hit_offsets: I64, hit_document: U64, group: I64,
    other_offsets: I64, other_document: U64, other_group: I64,
    depth: int, alone: bool, scratch: Scratch, known: Bools, found_offsets: I64, found: U64,
) -> None:  # fmt: skip
    """Fill `found` with the unjudged hits of each judged query, in rank order.

    Parameters
    ----------
    offsets, document, grade
        What was judged.
    hit_offsets, hit_document, group
        The run whose hits are meant.
    other_offsets, other_document, other_group
        Another run.
    depth
        Hits further down do not count.
    alone
        Whether hits are left out that the other run has to that depth as well.
    scratch, known
        Room for the judgments of a query and for its hits to that depth, of either run.
    """
    end = 0
    found_offsets[0] = 0
    for q in range(group.size):
        g, o = group[q], other_group[q]
        if g >= 0:
            first = hit_offsets[g]
            hits = hit_document[first : min(hit_offsets[g + 1], first + depth)]
            known[: hits.size] = False
            a, b = offsets[q], offsets[q + 1]
            met = find_judged(hits, document[a:b], scratch.bloom, scratch.table, scratch.ranks, scratch.which)
            for i in range(met):
                known[scratch.ranks[i]] = grade[a + scratch.which[i]] >= 0.0
            if alone and o >= 0:
                first = other_offsets[o]
                others = other_document[first : min(other_offsets[o + 1], first + depth)]
                met = find_judged(hits, others, scratch.bloom, scratch.table, scratch.ranks, scratch.which)
                for i in range(met):
                    known[scratch.ranks[i]] = True
            for rank in range(hits.size):
                if not known[rank]:
                    found[end] = hits[rank]
                    end += 1
        found_offsets[q + 1] = end


@leaf
def graded(
    offsets: I64, document: U64, grade: F64, added_offsets: I64, added: U64, new_grade: float,
    out_offsets: I64, out_document: U64, out_grade: F64,
) -> None:  # fmt: skip
    """Fill judgments in which the added documents have a grade, which is above 0; those without one lose their own."""
    end = 0
    out_offsets[0] = 0
    for q in range(offsets.size - 1):
        a, b = added_offsets[q], added_offsets[q + 1]
        placed = False
        for j in range(offsets[q], offsets[q + 1] + 1):
            last = j == offsets[q + 1]
            if not placed and (last or grade[j] < new_grade):
                for i in range(a, b):
                    out_document[end], out_grade[end] = added[i], new_grade
                    end += 1
                placed = True
            if last:
                break
            again = False
            if grade[j] < 0.0:
                for i in range(a, b):
                    again |= added[i] == document[j]
            if not again:
                out_document[end], out_grade[end] = document[j], grade[j]
                end += 1
        out_offsets[q + 1] = end
