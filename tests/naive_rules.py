"""Relevance by labels, written from the specification: on records as JSON has them, without codes and arrays."""

from fractions import Fraction
from typing import Any

from naive_labels import MALFORMED, flag_of, number_of, set_of, value_of

from benchbench.tasks.task import Task

Record = dict[str, Any]


def is_relevant(task: Task, query: Record, hit: Record) -> bool | None:
    """Say whether a hit is relevant for a query in a task by labels; None where it lacks the label."""
    rule = task.rule
    if rule == "span":
        return _by_span(task, query, hit)
    if rule == "within":
        return _by_number(task, query, hit)
    wanted, there = _sets(task.label, query, hit)
    if there in (None, MALFORMED):
        return None
    if wanted in (None, MALFORMED):
        return False
    if rule == "equal":
        return wanted == there
    if rule == "contains":
        return there <= wanted if task["within"] else wanted <= there
    shared, either = len(wanted & there), len(wanted | there)
    least, jaccard = task["least"], task["jaccard"]
    return (least is not None and shared >= least) or (jaccard is not None and shared / either >= jaccard)


def can_be_relevant(task: Task, query: Record) -> bool:
    """Say whether any hit could be relevant for a query in a task by labels."""
    rule = task.rule
    if rule == "span":
        return any(end - start >= task["least"] for _, start, end in _gold(task, query))
    if rule == "within":
        flags = [flag_of(value_of(query, label.query)) for label in task["unless"]]
        return any(flags) or number_of(value_of(query, task.label.query)) is not None
    wanted = set_of(value_of(query, task.label.query), task.label.ignore)
    if rule == "overlap" and wanted is not None and task["jaccard"] is None:
        return len(wanted) >= task["least"]
    return wanted is not None


def _sets(label: Any, query: Record, hit: Record) -> tuple[Any, Any]:
    """Return both sets; what is malformed in a hit is missing."""
    there = set_of(_of_hit(hit, label.hit), label.ignore)
    return set_of(value_of(query, label.query), label.ignore), None if there == MALFORMED else there


def _by_number(task: Task, query: Record, hit: Record) -> bool | None:
    wanted, there = number_of(value_of(query, task.label.query)), number_of(_of_hit(hit, task.label.hit))
    flags = [(flag_of(value_of(query, label.query)), flag_of(_of_hit(hit, label.hit))) for label in task["unless"]]
    flags = [(wanted, None if its == MALFORMED else its) for wanted, its in flags]
    if there in (None, MALFORMED) and not any(isinstance(its, frozenset) for _, its in flags):
        return None
    if any(isinstance(one, frozenset) for pair in flags for one in pair):
        fits = all(one == other for one, other in flags)
    elif wanted is None:
        fits = False
    else:
        absolute, relative = (Fraction(str(task[name] or 0)) for name in ("absolute", "relative"))
        wanted, there = Fraction(str(wanted)), Fraction(str(there))
        fits = abs(wanted - there) <= max(absolute, relative * abs(wanted))
    return fits and all(one == other for one, other in (_sets(label, query, hit) for label in task["same"]))


def _by_span(task: Task, query: Record, hit: Record) -> bool | None:
    file = set_of(_of_hit(hit, task["file"].hit), task["file"].ignore)
    start, end = (number_of(_of_hit(hit, task[name].hit)) for name in ("start", "end"))
    if None in (file, start, end) or MALFORMED in (file, start, end):
        return None
    return any(
        file == {name} and min(end, its_end) - max(start, its_start) >= task["least"]
        for name, its_start, its_end in _gold(task, query)
    )


def _gold(task: Task, query: Record) -> list[tuple[str, float, float]]:
    found = value_of(query, task.label.query) or []
    return [(one["file"].strip(), one["start"], one["end"]) for one in found]


def _of_hit(hit: Record, paths: Any) -> Any:
    """Return the value at the first path that leads to one, as they stand and then in `meta`."""
    return value_of(hit, (*paths, *(("meta", *path) for path in paths)))
