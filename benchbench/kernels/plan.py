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

from benchbench.kernels.arrays import F64, I64, U64


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


SUBTOPIC_FORMULAS = ("alpha_ndcg", "err_ia", "strecall")
PLAIN, ALL, CAPPED, FIXED = 0, 1, 2, 3  # what recall divides by: as is said for all rows, or R, min(R, a), a
NO_CUTOFF = np.int64(2**62)
INFAP_EPSILON = 1e-5  # trec_eval's INFAP_EPSILON

Row = tuple[int, int, float, float, int]  # of a plan: formula, cut-off, rel, a, kind


class Plan(NamedTuple):
    """One entry per column of values; `plan_of` makes it."""

    formula: I64
    cutoff: I64
    rel: I64  # which of the lowest relevant grades
    a: F64
    kind: I64  # of gains; or what recall divides by
    place: U64  # which of the counted ranks, or of the gained ones
    rels: F64  # the lowest relevant grades
    counted_rel: I64  # of each counted rank, by grade and rank
    counted: I64
    gained_kind: I64  # of each rank to which gains are added up, by kind and rank
    gained: I64
    blocks: I64  # where rows of one formula begin, and the number of rows


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
        np.array(places, np.uint64),
        np.array(rels, np.float64),
        by_rel[:, 0].copy(),
        by_rel[:, 1].copy(),
        by_kind[:, 0].copy(),
        by_kind[:, 1].copy(),
        np.flatnonzero(np.diff(formula, prepend=-1, append=-1)),
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
