"""The measures that stand for a result where none is named: a check judges those that a trend draws."""

import json
from collections.abc import Iterable, Mapping, Sequence

from benchbench.history.database import Row
from benchbench.measures.default_list import leading
from benchbench.measures.notation import task_and_measures

MOST = 6  # measures of a result
_OF_PART = 3  # of a part whose measures are none of rankings, and none of which stands for all
_FOR_ALL = ("overall", "p50", "queries_per_second")  # of numbers that are no measures of rankings
SLICE, TASK = "slice", "task"  # of scopes
MEMBERS = ("run", "measure", "scope", "better")  # of numbers, that say which lead


def leading_measures(named: Iterable[tuple[str, str, str]]) -> list[str]:
    """Return what leads in each part of a result: a target, a task, a step.

    Parameters
    ----------
    named
        Of each measure its name, the part that it is of, and its name without that; in the order of the result.

    Returns
    -------
    list of str
        Of each part nDCG at the deepest rank, or the first measure of rankings; where there is none, the number that
        stands for all, else the first three. As many as there are: callers cut at `MOST`, and say so.
    """
    parts: dict[str, dict[str, str]] = {}
    for name, part, bare in named:
        parts.setdefault(part, {}).setdefault(bare, name)
    return list(dict.fromkeys(names[bare] for names in parts.values() for bare in _of_part(list(names))))


def _of_part(names: Sequence[str]) -> Sequence[str]:
    ranked = [one for one in names if task_and_measures(one)[1] and not task_and_measures(one)[0]]
    if ranked:
        return [leading(ranked)]
    for_all = [one for one in _FOR_ALL if one in names]
    return for_all[:1] or names[:_OF_PART]


def leading_of_rows(rows: Sequence[Row]) -> list[str]:
    """Return what leads in each scope, of numbers without slices; those with no direction where a scope has no others.

    Parameters
    ----------
    rows
        `MEMBERS` of the numbers of one run.
    """
    directed = {scope for _, _, scope, better in rows if better is not None}
    return leading_measures(
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
