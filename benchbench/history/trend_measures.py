"""The measures of a trend where none are named: what each part of a result leads with."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from benchbench.errors import InputError
from benchbench.measures.default_list import leading

if TYPE_CHECKING:
    import polars as pl

_MOST = 6
SLICE, TASK = "slice", "task"  # of scopes
_LEADING = ("overall", "p50", "queries_per_second")  # of numbers that are no measures of rankings


def leading_measures(numbers: "pl.DataFrame") -> list[str]:
    """Return one measure per scope: that which reports lead with, else the first; numbers with no direction last.

    Parameters
    ----------
    numbers
        Of one run, as `History.numbers` returns them, without slices.
    """
    groups: dict[str, list[tuple[str, str, bool]]] = {}
    for measure, scope, better in numbers.select("measure", "scope", "better").iter_rows():
        groups.setdefault(scope or "", []).append((measure, bare(measure, scope_of(scope)), better is not None))
    found = []
    for of_scope in groups.values():
        directed = [(measure, bare) for measure, bare, has in of_scope if has] or [
            (measure, bare) for measure, bare, _ in of_scope
        ]
        lead = _leading([bare for _, bare in directed])
        found.append(next(measure for measure, bare in directed if bare == lead))
    return list(dict.fromkeys(found))[:_MOST]


def scope_of(text: str | None) -> dict[str, str]:
    """Return the scope of a number of the store, without its slice."""
    found = json.loads(text) if text else {}
    return {str(name): str(value) for name, value in found.items() if name != SLICE}


def bare(measure: str, scope: Mapping[str, str]) -> str:
    """Return a measure without its scope: subjects stand in front, then the task."""
    front = [value for name, value in scope.items() if name != TASK]
    front += [scope[TASK]] if TASK in scope else []
    return measure.removeprefix("".join(f"{value}." for value in front))


def _leading(names: Sequence[str]) -> str:
    for name in _LEADING:
        if name in names:
            return name
    try:
        return leading(names)
    except InputError:  # not measures of rankings
        return names[0]
