"""What a task may be called, and which tasks may stand together."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress

from benchbench.errors import InputError
from benchbench.measures.catalog import CATALOG
from benchbench.measures.notation import parse
from benchbench.tasks.task import Task
from benchbench.tasks.toml_text import shown

MOST = 64  # tasks: a hit's relevance is one bit each
_NAME = re.compile(r"[^\W_](?:[\w-]{0,62}[^\W_])?")
_MEASURES = {name.lower() for row in CATALOG.values() for name in (row.name, *row.aliases)}
_COLUMNS = {
    *("query_id", "latency_ms", "failure", "hits", "kept", "self_hits", "copies", "duplicates"),
    *("place", "rank", "id", "score", "self", "copy", "duplicate", "positive", "positive_id", "task", "measure"),
}
_GATES = {
    *("d", "delta", "p", "low", "high", "changed", "found", "lost", "need", "design_effect", "worst", "best", "spread"),
    *("mean", "max", "errors", "error_rate", "queries_per_second", "and"),
}


def check_name(name: str) -> None:
    """Raise InputError, which begins with what is wrong, for a name that no task can have."""
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{shown(name)} is not a task name: a name has up to 64 letters and digits, with _ and - between them"
        )
    lower = name.lower().replace("-", "_")
    if lower in _MEASURES or _is_measure(lower):
        raise InputError(f"{shown(name)} cannot be a task name: it is the name of a measure")
    if lower in _COLUMNS | _GATES:
        raise InputError(f"{shown(name)} cannot be a task name: it is used in columns of tables or in gates")


def _is_measure(name: str) -> bool:
    with suppress(InputError):
        return bool(parse(name))
    return False


def together(sources: Mapping[str, Sequence[Task]]) -> tuple[Task, ...]:
    """Return the tasks of several sources as those of one run, in their order.

    Parameters
    ----------
    sources
        Tasks by where they were given: an option, or a file.

    Raises
    ------
    InputError
        Naming the tasks and where they stand: a name that stands twice (case does not tell names apart), judgments of
        two makes, or more than 64 tasks.
    """
    named: dict[str, tuple[str, Task]] = {}
    for where, tasks in sources.items():
        for task in tasks:
            if task.name.lower() in named:
                first_where, first = named[task.name.lower()]
                places = where if first_where == where else f"{first_where} and {where}"
                called = task.name if task.name == first.name else f"{first.name} ({task.name})"
                raise InputError(f"task {called} appears twice in {places}; give one of them another name")
            named[task.name.lower()] = where, task
    tasks = tuple(task for _, task in named.values())
    if len(tasks) > MOST:
        raise InputError(f"there are {len(tasks)} tasks in {' and '.join(sources)}, and a run has at most {MOST}")
    _check_judgments([(where, task) for where, task in named.values() if task.judged])
    return tasks


def _check_judgments(judged: Sequence[tuple[str, Task]]) -> None:
    """Raise InputError where tasks take the one set of judgments in two ways."""
    for where, task in judged[1:]:
        first_where, first = judged[0]
        for name in ("by", "max_positives"):
            if task[name] != first[name]:
                raise InputError(
                    f"tasks {first.name} ({first_where}) and {task.name} ({where}) disagree on {name}, {first[name]} "
                    f"and {task[name]}, but there is only one set of judgments"
                )
