"""The tasks of a data set: those that its `dataset.toml` has, else those that the package carries for its make.

These are those of legal cases for tiered data, and judgments by id for any other. Judgments in files of their own are
measured beside the tasks of a `dataset.toml`, unless one of these takes them.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

from benchbench.formats.datasets.data_set import TIERED, DataSet
from benchbench.tables.text_files import toml_beside
from benchbench.tasks.label_paths import LabelPaths
from benchbench.tasks.names import together
from benchbench.tasks.reading import OPTION, parse_tasks, read_labels, read_tasks
from benchbench.tasks.task import Task

_LEGAL, _JUDGED = "legal-cases.toml", "judgments.toml"


@cache
def legal_cases() -> tuple[Task, ...]:
    """Return the tasks of legal cases, in the order of their file."""
    return read_tasks(_carried(_LEGAL), _LEGAL)


def tasks_of(data_set: DataSet, texts: Iterable[str] = ()) -> tuple[Task, ...]:
    """Return the tasks of a data set, and further ones.

    Parameters
    ----------
    data_set
        What `locate` found; its description may have tasks and labels.
    texts
        Of `--task`; they may call labels of the description by name, or those of legal cases where it has no tasks.

    Raises
    ------
    InputError
        Naming task and file or option.
    """
    described, where = data_set.described, str(data_set.description)
    labels = read_labels(described, where)
    if described.get("tasks") or data_set.make != TIERED:
        own = {where: read_tasks(described, where)}
        if data_set.qrels and not any(task.judged for task in own[where]):
            own = {f"the task of {_JUDGED}": read_tasks(_carried(_JUDGED), _JUDGED), **own}
    else:
        own = {f"the tasks of {_LEGAL}": legal_cases()}
        labels = {**_legal_labels(), **labels}
    return together({**own, OPTION: parse_tasks(texts, labels)})


def said_tasks(tasks: Iterable[Task]) -> str:
    """Return how a signature says tasks: by name where they are those of legal cases, else as `str` does.

    Commas stand between tasks where no parenthesis is open, and quoted texts have neither parentheses nor `|`.
    """
    known = {task.name: task for task in legal_cases()}
    return ",".join(task.name if known.get(task.name) == task else str(task) for task in tasks)


@cache
def _carried(name: str) -> dict[str, Any]:
    return toml_beside(__file__, name)


@cache
def _legal_labels() -> dict[str, LabelPaths]:
    return read_labels(_carried(_LEGAL), _LEGAL)
