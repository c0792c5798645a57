"""The measures of a trend where none are named: what each part of a result leads with."""

import json
from collections.abc import Mapping, Sequence

from benchbench.history.database import Row
from benchbench.history.leading_measures import leading_measures as leading

SLICE, TASK = "slice", "task"  # of scopes


MEMBERS = ("run", "measure", "scope", "better")  # of numbers, that say which lead


def leading_measures(rows: Sequence[Row]) -> list[str]:
    """Return what leads in each scope, of numbers without slices; those with no direction where a scope has no others.

    Parameters
    ----------
    rows
        `MEMBERS` of the numbers of one run.
    """
    directed = {scope for _, _, scope, better in rows if better is not None}
    return leading(
        (measure, scope or "", bare(measure, scope_of(scope)))
        for _, measure, scope, better in rows
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
