"""Tasks as the kernels take them, and the labels that are read for them."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Any

import numpy as np

from benchbench.kernels.rules import LabelComparison, none_counts
from benchbench.tables.fields import META
from benchbench.tables.labels import Kind, Label, LabelSchema, Path, Spans
from benchbench.tables.queries import Queries
from benchbench.tasks.label_paths import LabelPaths
from benchbench.tasks.rules import RULES, Gains, Sides
from benchbench.tasks.task import Task
from benchbench.tasks.toml_text import printed


@dataclass(frozen=True)
class CompiledTasks:
    """Tasks of one run.

    Attributes
    ----------
    schema
        The labels that they compare. What two tasks compare in the same way is one label.
    comparisons
        What each task compares; None of a task with judgments.
    """

    tasks: tuple[Task, ...]
    schema: LabelSchema
    comparisons: tuple[LabelComparison | None, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tasks."""
        return tuple(task.name for task in self.tasks)

    @property
    def by_labels(self) -> tuple[str, ...]:
        """Names of the tasks that compare labels; judgments say what is relevant for the others."""
        return tuple(task.name for task in self.tasks if not task.judged)

    @property
    def rel(self) -> tuple[float, ...]:
        """The lowest relevant grade of each task."""
        return tuple(task.rel for task in self.tasks)

    @property
    def gains(self) -> tuple[Gains, ...]:
        """What nDCG gains by a grade in each task."""
        return tuple(task.gains for task in self.tasks)

    def lacking(self, queries: Queries) -> dict[str, int]:
        """Return of each task how many queries no hit can be relevant for, since they lack what it compares."""
        columns, members = queries.columns(0, len(queries)), queries.labels.members()
        numbers = {}
        for task, comparison in zip(self.tasks, self.comparisons, strict=True):
            if comparison is None:
                lacking = none_counts(columns.positive_offsets, columns.positive_grade >= task.rel)
            else:
                lacking = comparison.lacking(columns, members)
            numbers[task.name] = int(lacking.sum())
        return numbers

    def only(self, names: Collection[str]) -> "CompiledTasks":
        """Return some of the tasks, with the labels of all."""
        kept = [t for t, name in enumerate(self.names) if name in names]
        comparisons = tuple(self.comparisons[t] for t in kept)
        return replace(self, tasks=tuple(self.tasks[t] for t in kept), comparisons=comparisons)


def compiled(tasks: Iterable[Task]) -> CompiledTasks:
    """Return tasks as the kernels take them.

    Parameters
    ----------
    tasks
        As `names.together` returns them: names stand once, and all judgments agree.
    """
    tasks = tuple(tasks)
    columns = _Columns()
    comparisons = tuple(_comparison(task, columns) for task in tasks)
    return CompiledTasks(tasks, columns.schema(), comparisons)


def _comparison(task: Task, columns: "_Columns") -> LabelComparison | None:
    """Return what a task compares, by the rows of its labels; labels of parameters come before its own."""
    rule = RULES[task.rule]
    if rule.comparison is None or task.label is None:
        return None
    fields: dict[str, Any] = {}
    for parameter in rule.parameters:
        value: Any = task[parameter.name]
        match parameter.type:
            case "label":
                fields[parameter.name] = columns.row(value, parameter.kind)
            case "labels":
                rows = [columns.row(label, parameter.kind) for label in value]
                fields[parameter.name] = np.array(rows, np.int64)
            case "number" if value is not None:
                fields[parameter.name] = float(value)
            case "flag":
                fields[parameter.name] = value
    if rule.sides is Sides.QUERY:
        file: Any = task["file"]
        fields["label"] = columns.spans_row(task.label, columns.name(file, Kind.SET))
    else:
        fields["label"] = columns.row(task.label, rule.kind)
    return rule.comparison(**fields)


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
