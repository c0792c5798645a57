"""Tasks as the kernels take them, and the labels that are read for them."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Any

import numpy as np

from benchbench.kernels import rules
from benchbench.kernels.rules import Rule
from benchbench.tables.fields import META
from benchbench.tables.labels import Kind, Label, LabelSchema, Path, Spans
from benchbench.tasks.label_paths import LabelPaths
from benchbench.tasks.rules import RULES, Gains
from benchbench.tasks.task import Task
from benchbench.tasks.toml_text import printed


@dataclass(frozen=True)
class CompiledTasks:
    """Tasks of one run; each sequence has one entry per task, in their order.

    Attributes
    ----------
    schema
        The labels that they compare. What two tasks compare in the same way is one label.
    kernel
        What `kernels.rules.find_relevant` takes.
    names, judged
        As `Task` has them.
    rel, gains
        Of judgments; 1 and linear for a task by labels, whose relevant hits have grade 1.
    """

    tasks: tuple[Task, ...]
    schema: LabelSchema
    kernel: rules.Tasks
    names: tuple[str, ...]
    judged: tuple[bool, ...]
    rel: tuple[float, ...]
    gains: tuple[Gains, ...]

    @property
    def by_labels(self) -> tuple[str, ...]:
        """Names of the tasks that compare labels; judgments say what is relevant for the others."""
        return tuple(task.name for task in self.tasks if not task.judged)

    def only(self, names: Collection[str]) -> "CompiledTasks":
        """Return some of the tasks, with the labels of all."""
        kept = [t for t, name in enumerate(self.names) if name in names]
        kernel = self.kernel._replace(each=self.kernel.each[kept])
        of_tasks: dict[str, Any] = {name: tuple(getattr(self, name)[t] for t in kept) for name in _OF_TASKS}
        return replace(self, kernel=kernel, **of_tasks)


_LISTS = ("same", "unless")  # in the order in which `rules.TASK` has them
_OF_TASKS = ("tasks", "names", "judged", "rel", "gains")


def compiled(tasks: Iterable[Task]) -> CompiledTasks:
    """Return tasks as the kernels take them.

    Parameters
    ----------
    tasks
        As `names.together` returns them: names stand once, and all judgments agree.
    """
    tasks = tuple(tasks)
    columns = _Columns()
    rows = [_row(task, columns) for task in tasks]
    return CompiledTasks(
        tasks,
        columns.schema(),
        _kernel(rows),
        tuple(task.name for task in tasks),
        tuple(task.judged for task in tasks),
        tuple(float(_number(task, "rel", 1)) for task in tasks),
        tuple(task.gains for task in tasks),
    )


def _row(task: Task, columns: "_Columns") -> dict[str, Any]:
    """Return the entries of a task in `kernels.rules.Tasks`, without those that are 0."""
    row: dict[str, Any] = {"rule": task.rule}
    for parameter in RULES[task.rule].parameters:
        value: Any = task[parameter.name]
        if parameter.type == "label":
            row[parameter.name] = columns.row(value, parameter.kind)
        elif parameter.type == "labels":
            row[parameter.name] = [columns.row(one, parameter.kind) for one in value]
    if task.rule is Rule.SPAN and task.label is not None:
        file: Any = task["file"]
        row["label"] = columns.spans_row(task.label, columns.name(file, Kind.SET))
    elif task.label is not None:
        row["label"] = columns.row(task.label, RULES[task.rule].kind)
    return row | {
        "least": _number(task, "least", np.inf if task.rule is Rule.OVERLAP else 0),
        "jaccard": _number(task, "jaccard", np.inf),
        "inside": bool(_number(task, "within", False)),
        "absolute": _number(task, "absolute", 0),
        "relative": _number(task, "relative", 0),
    }


def _number(task: Task, name: str, otherwise: float) -> Any:
    """Return a parameter, or another value where the rule has none of this name, or the task no value."""
    found = task[name] if name in RULES[task.rule].by_name else None
    return otherwise if found is None else found


def _kernel(rows: Sequence[dict[str, Any]]) -> rules.Tasks:
    each, labels = np.zeros(len(rows), rules.TASK), list[int]()
    for one, row in zip(each, rows, strict=True):
        for name in _LISTS:
            one[name] = len(labels)
            labels += row.pop(name, [])
        one["last"] = len(labels)
        for name, value in row.items():
            one[name] = value
    return rules.Tasks(each, np.array(labels, np.int64))


class _Columns:
    """The labels of a schema while it grows, each once, under names of which each stands once."""

    def __init__(self) -> None:
        self._labels: dict[tuple[Kind, LabelPaths], Label] = {}
        self._spans: dict[tuple[LabelPaths, str], Spans] = {}
        self._names: set[str] = set()

    def row(self, paths: LabelPaths, kind: Kind) -> int:
        """Return the row of a label among those of its kind, which is added where it is not there."""
        label = self._label(paths, kind)
        return self.schema().row(label.name)

    def name(self, paths: LabelPaths, kind: Kind) -> str:
        return self._label(paths, kind).name

    def spans_row(self, paths: LabelPaths, file: str) -> int:
        if (paths, file) not in self._spans:
            self._spans[paths, file] = Spans(self._free(paths, "spans"), paths.query, file)
        return list(self._spans).index((paths, file))

    def schema(self) -> LabelSchema:
        return LabelSchema(tuple(self._labels.values()), tuple(self._spans.values()))

    def _label(self, paths: LabelPaths, kind: Kind) -> Label:
        if (kind, paths) not in self._labels:
            name = self._free(paths, kind.value)
            self._labels[kind, paths] = Label(name, kind, paths.query, _as_served(paths.hit), paths.ignore)
        return self._labels[kind, paths]

    def _free(self, paths: LabelPaths, kind: str) -> str:
        """Return the first name that no other label has: as it is called, its paths, and how it is compared."""
        text = paths.value if isinstance(paths.value, str) else printed(paths.value)
        sides = "" if paths.query and paths.hit else " of queries" if paths.query else " of hits"
        names = (paths.called, text, f"{text} as {kind}", f"{text} as {kind}{sides}")
        numbered = (f"{text} {number}" for number in count(2))
        name = next(name for name in chain(names, numbered) if name not in self._names)
        self._names.add(name)
        return name


def _as_served(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return the paths of hits with those in `meta` behind them, where services have what documents have at the top."""
    return tuple(dict.fromkeys((*paths, *((META, *path) for path in paths if path[0] != META))))
