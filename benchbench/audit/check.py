"""A check: a function that yields findings, named as the gate on its count; one of nothing counts as none.

All look at a data set with its judgments, its documents, and what was kept of the pass over them.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from benchbench.audit.audit_settings import AuditSettings
from benchbench.audit.documents import DocumentTable
from benchbench.audit.finding import Check, Finding
from benchbench.audit.source import Audited
from benchbench.kernels.arrays import I64
from benchbench.tables.hashing import NO_HASH

NO_COLLECTION = "there is no collection"
_Visitor = TypeVar("_Visitor")


class NotDoneError(Exception):
    """Why a check cannot be done."""


@dataclass(frozen=True)
class Judged:
    """The judgments of a data set, each with its query and its document.

    Attributes
    ----------
    data
        The data set.
    table
        Its documents; None where there is no collection.
    settings
        What to look at, and how closely.
    kept
        What has seen each document, and what a service answered, by its class.
    """

    data: Audited
    table: DocumentTable | None
    settings: AuditSettings = field(default_factory=AuditSettings)
    kept: Mapping[type, Any] = field(default_factory=dict)

    @property
    def collection(self) -> DocumentTable:
        """The documents; `NotDoneError` where there is no collection."""
        if self.table is None:
            raise NotDoneError(NO_COLLECTION)
        return self.table

    @property
    def sides(self) -> dict[str, Sequence[str]]:
        """The ids of the queries, and of the documents where there is a collection, by what one of them is called."""
        documents = {} if self.table is None else {"document": self.table.ids}
        return {"query": self.data.queries.ids, **documents}

    def seen_by(self, kind: type[_Visitor]) -> _Visitor:
        """Return what has seen each document; `NotDoneError` where there is no collection."""
        if self.table is None:
            raise NotDoneError(NO_COLLECTION)
        visitor: _Visitor = self.kept[kind]
        return visitor

    @property
    def cutoff(self) -> int:
        """The k of what scores can be."""
        return self.settings.cutoff

    @cached_property
    def query(self) -> I64:
        """The query of each judgment."""
        offsets = self.data.queries.positives.offsets
        return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))

    @cached_property
    def place(self) -> I64:
        """The document of each judgment, or -1: by text where texts decide and it has one, else by id."""
        positives, table = self.data.queries.positives, self.collection
        by_id = table.by_id.first(positives.id)
        if self.data.gold_by == "id":
            return by_id
        return np.where(positives.text == NO_HASH, by_id, table.of_text(positives.text))

    @cached_property
    def relevant(self) -> I64:
        """How many documents are judged relevant for each query."""
        grades = self.data.queries.positives.grade > 0
        return np.bincount(self.query[grades], minlength=len(self.data.queries))

    @cached_property
    def place_of_query(self) -> dict[str, int]:
        """The number of each query, by its id."""
        return {name: q for q, name in enumerate(self.data.queries.ids)}

    @property
    def answerable(self) -> int:
        """How many queries have a relevant document."""
        return int(np.count_nonzero(self.relevant))

    def mean(self, values: Mapping[int, float]) -> float:
        """Return the mean of what some queries have; the others have 0. The order of queries changes no bit of it."""
        return math.fsum(values.values()) / self.answerable

    def ids(self, queries: I64 | Sequence[int]) -> list[str]:
        """Return the ids of some queries, each once, in order."""
        return sorted({self.data.queries.ids[q] for q in np.asarray(queries, np.int64).tolist()})

    def names_of(self, rows: I64) -> list[str]:
        """Return the document ids of some judgments."""
        names = self.data.queries.positives.ids
        return [names[row] for row in rows.tolist()]


@dataclass(frozen=True, slots=True)
class Measured:
    """What a check says besides its findings."""

    effects: Sequence[float | None] = ()  # in the order of their names
    remark: str = ""
    count: int | None = None  # None: the findings' counts together


Look = Callable[[Judged], Iterator[Finding | Measured]]


class Described:
    """A check before it is done."""

    def __init__(self, title: str, look: Look, effects: Sequence[str]) -> None:
        """Take what people call it, a function with its name, and the names of its effects at the cut-off k."""
        self.name, self.title, self._look, self._effects = look.__name__, title, look, effects

    def __call__(self, judged: Judged) -> tuple[Check, list[Finding]]:
        """Do it."""
        findings, measured = [], Measured()
        try:
            for result in self._look(judged):
                if isinstance(result, Measured):
                    measured = result
                elif result.count:
                    findings.append(replace(result, check=self.name))
        except NotDoneError as reason:
            return self.skipped(judged, str(reason)), []
        effects = dict(zip(self.effects(judged.cutoff), measured.effects, strict=True))
        count = sum(finding.count for finding in findings) if measured.count is None else measured.count
        return Check(check=self.name, title=self.title, count=count, remark=measured.remark, effects=effects), findings

    def effects(self, k: int) -> list[str]:
        """Return the names of what it says of scores."""
        return [name.format(k=k) for name in self._effects]

    def skipped(self, judged: Judged, why: str) -> Check:
        """Return that it was not done."""
        effects: dict[str, float | None] = dict.fromkeys(self.effects(judged.cutoff))
        return Check(check=self.name, title=self.title, count=None, skipped=why, effects=effects)


def check(title: str, *effects: str) -> Callable[[Look], Described]:
    """Make a check of a function.

    `title` is what people call what it finds, in some 25 letters; `effects` are the names of the numbers that it says
    of scores, with `{k}` in them.
    """
    return lambda look: Described(title, look, effects)
