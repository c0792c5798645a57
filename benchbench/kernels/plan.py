"""What is measured of a query, a row per column of values.

Conventions
-----------
A plan is one row per column of values: formula, cut-off (a huge one where there is none), which of the lowest relevant
grades, one parameter `a`, and which kind of gains it takes or what recall divides by. `counted` and `gained` are the
ranks at which several rows look: relevant hits and gains are added up once for all of them.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from benchbench.kernels.arrays import F64, I64
from benchbench.kernels.formulas import Formula
from benchbench.kernels.query_lists import COLUMN, COUNTED, GAINED, LEVEL, LISTED, PLACE, Columns, Places, QueryLists

PlanRow = tuple[int, int, float, float, int]  # of a plan: formula, cut-off, rel, a, kind


class FormulaPlan(NamedTuple):
    """What is computed; `plan_of` makes it.

    Few arrays of records: each array is taken apart whenever a kernel is called.
    """

    columns: Columns  # one per column of values
    rels: F64  # the lowest relevant grades
    counted: Places  # ranks to which relevant hits are counted: of which grade, by grade and rank
    gained: Places  # ranks to which gains are added up: of which kind, by kind and rank
    blocks: I64  # where rows of one formula begin, and the number of rows
    changed: I64  # which columns may have another value where tied hits stand in another order


def plan_of(rows: Sequence[PlanRow], unchanged: Collection[PlanRow] = ()) -> FormulaPlan:
    """Return the plan of some rows; those that are `unchanged` have one value for all orders of tied hits."""
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
    return FormulaPlan(
        np.array(columns, COLUMN),
        np.array(rels, np.float64),
        np.array(counted, PLACE),
        np.array(gained, PLACE),
        np.flatnonzero(np.diff([formula for formula, *_ in rows], prepend=-1, append=-1)),
        np.array([m for m, row in enumerate(rows) if row not in unchanged], np.int64),
    )


def lists(plan: FormulaPlan, most: int, kinds: int) -> QueryLists:
    """Return what one thread needs to compute a plan, for at most so many hits and kinds of gains."""
    levels = np.zeros(plan.rels.size, LEVEL)
    levels["rel"] = plan.rels
    counted, gained = np.zeros(plan.counted.size, COUNTED), np.zeros(plan.gained.size, GAINED)
    for name in PLACE.fields or ():
        counted[name], gained[name] = plan.counted[name], plan.gained[name]
    return QueryLists(
        plan.columns, plan.blocks, np.empty(most, LISTED), np.empty((kinds, most)), levels, counted, gained
    )
