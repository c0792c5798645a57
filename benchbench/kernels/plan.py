"""What is measured of a query: a row per column of values, and the hits that it is computed from.

Conventions
-----------
A plan is one row per column of values: formula, cut-off (a huge one where there is none), which of the lowest relevant
grades, one parameter `a`, and which kind of gains it takes or what recall divides by. `counted` and `gained` are the
ranks at which several rows look: relevant hits and gains are added up once for all of them.

Of a query's hits only those matter that were judged, or that are relevant by a label, and there are few. `Lists` has
their ranks (from 0, ascending), grades and gains. A document that nobody judged, or that has a negative grade, is no
judged document.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from benchbench.kernels.arrays import F64, I64, Records


class Formula(IntEnum):
    """What a row of a plan computes; a measure has the formula of its name."""

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


USUAL = frozenset(
    {
        Formula.P,
        Formula.R,
        Formula.SUCCESS,
        Formula.F1,
        Formula.RR,
        Formula.AP,
        Formula.NDCG,
        Formula.JUDGED,
        Formula.HITS,
        Formula.DIVISOR,
    }
)
SUBTOPIC_FORMULAS = ("alpha_ndcg", "err_ia", "strecall")
PLAIN, ALL, CAPPED, FIXED = 0, 1, 2, 3  # what recall divides by: as is said for all rows, or R, min(R, a), a
NO_CUTOFF = np.int64(2**62)
INFAP_EPSILON = 1e-5  # trec_eval's INFAP_EPSILON
WITHOUT_BRANCH = "a kernel has no branch for a formula of kernels.plan.Formula"  # for whoever adds a measure

Row = tuple[int, int, float, float, int]  # of a plan: formula, cut-off, rel, a, kind


COLUMN = np.dtype(
    [
        ("formula", np.int64),
        ("cutoff", np.int64),
        ("rel", np.int64),  # which of the lowest relevant grades
        ("a", np.float64),
        ("kind", np.int64),  # of gains; or what recall divides by
        ("place", np.uint64),  # which of the counted ranks, or of the gained ones
    ],
    align=True,
)
PLACE = np.dtype([("of", np.int64), ("rank", np.int64)], align=True)


class Plan(NamedTuple):
    """What is computed; `plan_of` makes it.

    Few arrays of records: each array that a kernel is given costs time to compile, and its tuple wherever it is used.
    """

    columns: Records  # `COLUMN`, one per column of values
    rels: F64  # the lowest relevant grades
    counted: Records  # `PLACE`, ranks to which relevant hits are counted: of which grade, by grade and rank
    gained: Records  # `PLACE`, ranks to which gains are added up: of which kind, by kind and rank
    blocks: I64  # where rows of one formula begin, and the number of rows

    @property
    def rare(self) -> bool | None:
        """True where some formula is not among those that are measured by default, else None.

        A kernel that is given None has no code for them, and compiles in four fifths of the time.
        """
        return None if USUAL.issuperset(self.columns["formula"].tolist()) else True


class SubtopicPlan(NamedTuple):
    """One entry per measure that looks at subtopics; `formula` counts in `SUBTOPIC_FORMULAS`."""

    formula: I64
    cutoff: I64
    rel: F64
    a: F64
    kind: I64


class Recall(NamedTuple):
    """What recall divides by where a measure does not say it."""

    rule: int
    limit: float


LISTED = np.dtype([("rank", np.int64), ("grade", np.float64)], align=True)
LEVEL = np.dtype([("rel", np.float64), ("number", np.int64)], align=True)
COUNTED = np.dtype([*PLACE.descr, ("hits", np.int64)], align=True)
GAINED = np.dtype([*PLACE.descr, ("dcg", np.float64), ("ideal", np.float64)], align=True)


class Lists(NamedTuple):
    """A plan, the hits of one query that matter, and what is added up of them; made by `lists`."""

    columns: Records  # `COLUMN`, and …
    blocks: I64  # … where they begin, of the plan
    hits: Records  # `LISTED`
    gains: F64  # (kinds, hits)
    levels: Records  # `LEVEL`, of each lowest relevant grade: R
    counted: Records  # `COUNTED`: hits to each counted rank
    gained: Records  # `GAINED`: gains to each gained rank, and those of the best order


def plan_of(rows: Sequence[Row]) -> Plan:
    """Return the plan of some rows."""
    rels = sorted({rel for _, _, rel, _, _ in rows})
    counted = sorted({(rels.index(rel), cutoff) for formula, cutoff, rel, _, _ in rows if formula != Formula.NDCG})
    gained = sorted({(kind, cutoff) for formula, cutoff, _, _, kind in rows if formula == Formula.NDCG})
    places = [
        gained.index((kind, cutoff)) if formula == Formula.NDCG else counted.index((rels.index(rel), cutoff))
        for formula, cutoff, rel, _, kind in rows
    ]
    columns = [
        (formula, cutoff, rels.index(rel), a, kind, place)
        for (formula, cutoff, rel, a, kind), place in zip(rows, places, strict=True)
    ]
    return Plan(
        np.array(columns, COLUMN),
        np.array(rels, np.float64),
        np.array(counted, PLACE),
        np.array(gained, PLACE),
        np.flatnonzero(np.diff([formula for formula, *_ in rows], prepend=-1, append=-1)),
    )


def lists(plan: Plan, most: int, kinds: int) -> Lists:
    """Return what one thread needs to compute a plan, for at most so many hits and kinds of gains."""
    levels = np.zeros(plan.rels.size, LEVEL)
    levels["rel"] = plan.rels
    counted, gained = np.zeros(plan.counted.size, COUNTED), np.zeros(plan.gained.size, GAINED)
    for name in PLACE.fields or ():
        counted[name], gained[name] = plan.counted[name], plan.gained[name]
    return Lists(plan.columns, plan.blocks, np.empty(most, LISTED), np.empty((kinds, most)), levels, counted, gained)
