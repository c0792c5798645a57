"""The interval of a number that its record has without one, from the values per query that lie beside the record."""

import math
from typing import TYPE_CHECKING

import numpy as np

from benchbench.errors import InputError
from benchbench.measures.aggregate import means_of

if TYPE_CHECKING:
    from benchbench.results.record import Number
    from benchbench.results.result import Result

_TABLE, _RUN = "per_query", "run"
_ROUNDING = 1e-9  # relative; sums of the same values in another order


def own_interval(result: "Result", number: "Number") -> tuple[float, float, str] | None:
    """Return low and high end, and method, of the interval that a run has of the same values per query.

    There is none where no table has these values, one of them is missing, or their mean is another number, as that of a
    micro average or of a sum is.
    """
    value, task = number.value, number.scope.get("task")
    if value is None or _TABLE not in result.tables():
        return None
    try:
        frame = result.table(_TABLE)
    except InputError:
        return None
    names = [name for name in (f"{task}.{number.name}", number.name) if name in frame.columns]
    if _RUN in number.scope and _RUN in frame.columns:
        frame = frame.filter(frame[_RUN] == number.scope[_RUN])
    if not names or frame.is_empty() or not frame[names[0]].dtype.is_numeric() or frame[names[0]].null_count():
        return None
    values = frame[names[0]].to_numpy().astype(np.float64)
    ((mean, ends),) = means_of(values[:, None])
    if not math.isclose(mean, value, rel_tol=_ROUNDING, abs_tol=_ROUNDING):
        return None
    return None if ends.low is None or ends.high is None else (ends.low, ends.high, f"95 %, {ends.method}")
