"""The interval of a number that its record has without one, from the values per query that lie beside the record."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from benchbench.errors import InputError
from benchbench.kernels.arrays import F64
from benchbench.measures.aggregate import means_of
from benchbench.results.record import with_ends

if TYPE_CHECKING:
    from benchbench.results.record import Number
    from benchbench.results.result import Result

_TABLE, _RUN = "per_query", "run"
_ROUNDING = 1e-9  # relative; sums of the same values in another order


def own_intervals(result: "Result", numbers: "Sequence[Number]") -> "list[Number]":
    """Return numbers, those without an interval with the one that a run has of the same values per query.

    There is none where no table has these values, one of them is missing or not from 0 to 1, or their mean is another
    number, as that of a micro average or of a sum is.
    """
    filled = list(numbers)
    lacking = [
        place for place, number in enumerate(filled) if number.value is not None and number.low is number.high is None
    ]
    if not lacking or _TABLE not in result.tables():
        return filled
    try:
        frame = result.table(_TABLE)
    except InputError:
        return filled
    by_run: dict[str | None, list[tuple[int, str]]] = {}
    for place in lacking:
        number = filled[place]
        names = [name for name in (f"{number.scope.get('task')}.{number.name}", number.name) if name in frame.columns]
        if names and frame[names[0]].dtype.is_numeric():
            run = number.scope.get(_RUN) if _RUN in frame.columns else None
            by_run.setdefault(run, []).append((place, names[0]))
    for run, columns in by_run.items():
        rows = frame if run is None else frame.filter(frame[_RUN] == run)
        for place, name in columns:
            filled[place] = with_interval(filled[place], rows[name].to_numpy().astype(np.float64))
    return filled


def with_interval(number: "Number", values: F64 | None) -> "Number":
    """Return a number with the 95 % interval of the mean of values, one per query.

    As it is where there are none, one of them is missing or not from 0 to 1, or their mean is another number.
    """
    if values is None or not len(values) or number.value is None or not ((values >= 0.0) & (values <= 1.0)).all():
        return number
    ((mean, ends),) = means_of(values[:, None])
    same = math.isclose(mean, number.value, rel_tol=_ROUNDING, abs_tol=_ROUNDING)
    if not same or ends.low is None or ends.high is None:
        return number
    return with_ends(number, ends.low, ends.high, f"95 %, {ends.method}")
