"""What formulas read of one query: the columns to fill, the hits that matter, and what is added up of them.

Conventions
-----------
Of a query's hits only those matter that were judged, or that are relevant by a label, and there are few. `QueryLists`
has their ranks (from 0, ascending), grades and gains. A document that nobody judged, or that has a negative grade, is
no judged document.
"""

from typing import Annotated, NamedTuple

import numpy as np

from benchbench.kernels.arrays import I64, F64x2, Records

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
LISTED = np.dtype([("rank", np.int64), ("grade", np.float64)], align=True)
LEVEL = np.dtype([("rel", np.float64), ("number", np.int64)], align=True)
COUNTED = np.dtype([*PLACE.descr, ("hits", np.int64)], align=True)
GAINED = np.dtype([*PLACE.descr, ("dcg", np.float64), ("ideal", np.float64)], align=True)
Columns = Annotated[Records, COLUMN]
Places = Annotated[Records, PLACE]


class Recall(NamedTuple):
    """What recall divides by where a measure does not say it."""

    rule: int
    limit: float


class QueryLists(NamedTuple):
    """A plan, the hits of one query that matter, and what is added up of them; made by `plan.lists`."""

    columns: Columns  # and …
    blocks: I64  # … where they begin, of the plan
    hits: Annotated[Records, LISTED]
    gains: F64x2  # (kinds, hits)
    levels: Annotated[Records, LEVEL]  # of each lowest relevant grade: R
    counted: Annotated[Records, COUNTED]  # hits to each counted rank
    gained: Annotated[Records, GAINED]  # gains to each gained rank, and those of the best order
