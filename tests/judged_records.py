"""Records judged by the kernel: columns made from them without the package's hashing, readers and options."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import naive
import numpy as np

from benchbench.formats.query_labels import LabelColumns
from benchbench.kernels.formulas import ALL, CAPPED, FIXED
from benchbench.kernels.judge_hits import NO_HASH, Judged, Scoring, judge
from benchbench.kernels.rules import HitColumns, QueryColumns
from benchbench.kernels.task_values import MeasuredTasks
from benchbench.measures.notation import Measure
from benchbench.measures.plan import Plans, gains_of, plans
from benchbench.tables.labels import MISSING, Kind, value_at
from benchbench.tasks.compiled import CompiledTasks, compiled
from benchbench.tasks.task import Task

Record = dict[str, Any]
RECALL = {"full": ALL, "capped": CAPPED, "fixed": FIXED}


@dataclass
class Asked:
    """A query, its positives and hits, and of each task how many documents are relevant by labels."""

    query: Record
    hits: list[Record]
    relevant: list[int]
    positives: list[Record] = field(default_factory=list)  # with `grade`
    query_id: Any = None


class Codes:
    """Numbers for values: equal values get equal numbers."""

    def __init__(self, step: int) -> None:
        self._step = step
        self._codes: dict[Any, int] = {}

    def of(self, value: Any) -> int:
        if value is None:
            return int(NO_HASH)
        return self._codes.setdefault(value, self._step * (1 + len(self._codes)))


class Book:
    """Columns as the kernel takes them."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self.tasks = compiled(tasks)
        self.labels = LabelColumns(self.tasks.schema)
        self.texts, self.ids = Codes(1), Codes(64)  # ids equal in their low bits, so that hash tables have to probe

    def id(self, identity: Any) -> int:
        return self.ids.of(None if identity is None else str(identity))

    def document(self, record: Record) -> tuple[int, int]:
        return self.id(naive.id_of(record)), self.texts.of(naive.text_of(record))

    def hits(self, lists: Sequence[Sequence[Record]]) -> HitColumns:
        """Return the columns of several lists of hits; what is malformed in one is missing."""
        flat = [hit for one in lists for hit in one]
        coded, numeric, vocabulary = [], [], self.labels.vocabulary
        for label in self.tasks.schema.labels:
            column = vocabulary.column(label, [value_at(hit, label.hit) for hit in flat])
            (numeric if label.kind is Kind.NUMBER else coded).append(column)
        numbers = np.array(numeric, np.float64).reshape(len(numeric), len(flat))
        numbers[np.isinf(numbers)] = np.nan
        codes = np.maximum(np.array(coded, np.int32).reshape(len(coded), len(flat)), np.int32(MISSING))
        return HitColumns(offsets(lists), *hashes(map(self.document, flat)), codes, numbers)

    def queries(self, asked: Sequence[Asked]) -> QueryColumns:
        for one in asked:
            self.labels.add(self.labels.read(one.query))
        rows = [(self.id(one.query_id), self.texts.of(naive.text_of(one.query))) for one in asked]
        positives = [positive for one in asked for positive in one.positives]
        spans = self.labels.spans()
        return QueryColumns(
            *hashes(rows),
            self.labels.codes(),
            self.labels.numbers(),
            offsets([one.positives for one in asked]),
            *hashes(map(self.document, positives)),
            np.array([float(positive.get("grade", 1)) for positive in positives], np.float64),
            spans.offsets,
            spans.file,
            spans.start,
            spans.end,
        )


def hashes(rows: Iterable[tuple[int, int]]) -> list[np.ndarray]:
    return list(np.array(list(rows), np.uint64).reshape(-1, 2).T.copy())


def offsets(lists: Sequence[Sequence[Any]]) -> np.ndarray:
    return np.cumsum([0, *map(len, lists)], dtype=np.int64)


def scoring(
    tasks: CompiledTasks, of: Plans, grade: np.ndarray, relevant: Sequence[Sequence[int]], recall: tuple[str, float]
) -> Scoring:
    """Return what is measured: gains, a row per task and kind, the lowest relevant grades, and what recall divides by.

    By labels that is the number of relevant documents.
    """
    kinds = of.gains or ("linear",)
    gains = [gains_of(grade, its if kind == "linear" else kind) for its in tasks.gains for kind in kinds]
    rels = np.array(tasks.rel)
    count = len(tasks.names)
    plain, condensed = (np.where(plan.rels == 1, rels[:, None], plan.rels) for plan in (of.plain, of.condensed))
    measured = MeasuredTasks(
        np.array([task.judged for task in tasks.tasks], np.bool_),
        rels,
        plain,
        np.array([RECALL[recall[0]] if task.judged else ALL for task in tasks.tasks], np.int64),
        np.full(count, float(recall[1])),
        np.arange(count * len(kinds)).reshape(count, len(kinds))[:, : len(of.gains)],
    )
    numbers = np.array(relevant, np.int64).reshape(len(relevant), count)
    return Scoring(
        of.plain, of.condensed, measured, condensed, np.array(gains).reshape(len(gains), grade.size), numbers
    )


def judged(
    asked: Sequence[Asked],
    tasks: Iterable[Task],
    measures: Sequence[Measure],
    self_by: str = "text",
    gold_by: str = "text",
    recall: tuple[str, float] = ("full", 0),
) -> Judged:
    book = Book(tasks)
    queries, hits = book.queries(asked), book.hits([one.hits for one in asked])
    wanted = scoring(book.tasks, plans(measures), queries.positive_grade, [one.relevant for one in asked], recall)
    members = book.labels.vocabulary.members()
    return judge(hits, queries, book.tasks.comparisons, members, wanted, self_by == "text", gold_by == "text")
