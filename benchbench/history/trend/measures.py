"""The measures of a trend where none are named: what each part of a result leads with."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from benchbench.history.leading_measures import leading_measures as leading

if TYPE_CHECKING:
    import polars as pl

SLICE, TASK = "slice", "task"  # of scopes


def leading_measures(numbers: "pl.DataFrame") -> list[str]:
    """Return what leads in each scope; numbers with no direction only where a scope has no others.

    Parameters
    ----------
    numbers
        Of one run, as `History.numbers` returns them, without slices.
    """
    rows = list(numbers.select("measure", "scope", "better").iter_rows())
    directed = {scope for _, scope, better in rows if better is not None}
    return leading(
        (measure, scope or "", bare(measure, scope_of(scope)))
        for measure, scope, better in rows
        if better is not None or scope not in directed
    )


def scope_of(text: str | None) -> dict[str, str]:
    """Return the scope of a number of the store, without its slice."""
    found = json.loads(text) if text else {}
    return {str(name): str(value) for name, value in found.items() if name != SLICE}


def bare(measure: str, scope: Mapping[str, str]) -> str:
    """Return a measure without its scope: subjects stand in front, then the task."""
    front = [value for name, value in scope.items() if name != TASK]
    front += [scope[TASK]] if TASK in scope else []
    return measure.removeprefix("".join(f"{value}." for value in front))
