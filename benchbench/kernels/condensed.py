"""Condensed lists: the hits of each query without those that nobody judged, as `judged_only` scores them.

Conventions
-----------
Hits of group `g` are `offsets[g]:offsets[g + 1]` of `document`, in rank order and without repeated documents;
`query[g]` is the judged query that they are of, or -1. A document with a negative grade is no judged document.

Source: Sakai, Alternatives to Bpref, SIGIR 2007; trec_eval's `-J`.
"""

from benchbench.kernels._jit import leaf
from benchbench.kernels.arrays import I64, U64, Bools
from benchbench.kernels.judged_hits import JudgedScratch, find_judged
from benchbench.kernels.measure import Judgments


@leaf
def condense(
    judgments: Judgments,
    offsets: I64,
    document: U64,
    tied: Bools,
    query: I64,
    scratch: JudgedScratch,
    kept_offsets: I64,
    kept_document: U64,
    kept_tied: Bools,
) -> None:
    """Fill the kept columns with the judged hits of each group; what is behind `kept_offsets[-1]` is not filled.

    Parameters
    ----------
    tied
        Whether a hit has the score of the one above it; empty unless ties are averaged over, and so is `kept_tied`.
        Two hits that are kept are tied when all between them were.
    scratch
        Room for the judgments of any of these queries.
    """
    end = 0
    kept_offsets[0] = 0
    for g in range(query.size):
        q = query[g]
        if q >= 0:
            a, b = judgments.offsets[q], judgments.offsets[q + 1]
            start = offsets[g]
            grades = judgments.grade[a:b]
            found = find_judged(document[start : offsets[g + 1]], judgments.document[a:b], scratch)
            above = -1
            for i in range(found):
                if grades[scratch.which[i]] < 0.0:
                    continue
                rank = scratch.ranks[i]
                kept_document[end] = document[start + rank]
                if kept_tied.size > 0:
                    together = above >= 0
                    for between in range(above + 1, rank + 1):
                        together &= tied[start + between]
                    kept_tied[end] = together
                above = rank
                end += 1
        kept_offsets[g + 1] = end
