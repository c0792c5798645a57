"""The hits of consecutive queries as columns."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchbench.kernels.rules import HitColumns
from benchbench.tables.labels import MISSING, Kind, LabelSchema


@dataclass(slots=True)
class Hits:
    """A growing block of hits; one list per column, so that a batch is added without a loop over hits.

    `counts` is the number of hits per query, in query order; hits are in response order. `ids` may hold
    None where a service gives none.
    """

    counts: list[int] = field(default_factory=list)
    ids: list[str | None] = field(default_factory=list)
    id: list[int] = field(default_factory=list)
    text: list[int] = field(default_factory=list)
    score: list[float] = field(default_factory=list)
    labels: list[list[int] | list[float]] = field(default_factory=list)  # one column per label of the schema, or none
    faults: dict[str, int] = field(default_factory=dict)  # what was wrong with single hits, counted

    def fault(self, name: str, times: int = 1) -> None:
        """Count a fault of single hits."""
        if times:
            self.faults[name] = self.faults.get(name, 0) + times

    @staticmethod
    def none(queries: int) -> "Hits":
        """Return the hits of so many queries that got none."""
        return Hits(counts=[0] * queries)

    @staticmethod
    def joined(parts: Sequence["Hits"]) -> "Hits":
        """Return the hits of several blocks of queries, in their order.

        Raises
        ------
        ValueError
            Where some have labels and others have hits without any.
        """
        whole = Hits()
        labels = next((len(part.labels) for part in parts if part.labels), 0)
        columns: list[list[Any]] = [[] for _ in range(labels)]
        for part in parts:
            for name in ("counts", "ids", "id", "text", "score"):
                getattr(whole, name).extend(getattr(part, name))
            if part.ids:
                for column, its in zip(columns, part.labels, strict=True):
                    column.extend(its)
            for fault, times in part.faults.items():
                whole.fault(fault, times)
        whole.labels = [*columns]
        return whole

    def columns(self, schema: LabelSchema) -> HitColumns:
        """Return the hits as the judging kernel takes them; hits without columns of labels have none of these."""
        offsets = np.zeros(len(self.counts) + 1, np.int64)
        np.cumsum(self.counts, out=offsets[1:])
        codes = np.full((len(schema.coded), len(self.ids)), MISSING, np.int32)
        numbers = np.full((len(schema.numeric), len(self.ids)), np.nan)
        if self.labels:
            for label, column in zip(schema.labels, self.labels, strict=True):
                (numbers if label.kind is Kind.NUMBER else codes)[schema.row(label.name)] = column
        return HitColumns(offsets, np.array(self.id, np.uint64), np.array(self.text, np.uint64), codes, numbers)
