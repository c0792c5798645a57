"""The hits of consecutive queries as columns."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from benchbench.kernels.arrays import F64, I32, I64, U64
from benchbench.kernels.rules import HitColumns
from benchbench.tables.labels import MISSING, Kind, LabelSchema


@dataclass(slots=True, eq=False)
class Hits:
    """A block of hits.

    `counts` is the number of hits per query, in query order; hits are in response order. `ids` may hold
    None where a service gives none. `id` and `text` are hashes (`tables.hashing`).
    """

    counts: I64 = field(default_factory=lambda: np.empty(0, np.int64))
    ids: Sequence[str | None] = field(default_factory=list)
    id: U64 = field(default_factory=lambda: np.empty(0, np.uint64))
    text: U64 = field(default_factory=lambda: np.empty(0, np.uint64))
    score: F64 = field(default_factory=lambda: np.empty(0, np.float64))
    labels: list[I32 | F64] = field(default_factory=list)  # one column per label of the schema, or none
    faults: dict[str, int] = field(default_factory=dict)  # what was wrong with single hits, counted

    def fault(self, name: str, times: int = 1) -> None:
        """Count a fault of single hits."""
        if times:
            self.faults[name] = self.faults.get(name, 0) + times

    @property
    def offsets(self) -> I64:
        """Where the hits of each query begin, and the last ones end."""
        offsets = np.zeros(self.counts.size + 1, np.int64)
        np.cumsum(self.counts, out=offsets[1:])
        return offsets

    @staticmethod
    def none(queries: int) -> "Hits":
        """Return the hits of so many queries that got none."""
        return Hits(counts=np.zeros(queries, np.int64))

    @staticmethod
    def joined(parts: Sequence["Hits"]) -> "Hits":
        """Return the hits of several blocks of queries, in their order.

        Raises
        ------
        ValueError
            Where some have labels and others have hits without any.
        """
        whole = Hits()
        if parts:
            for name in ("counts", "id", "text", "score"):
                setattr(whole, name, np.concatenate([getattr(part, name) for part in parts]))
        whole.ids = list(chain.from_iterable(part.ids for part in parts))
        columns = [part.labels for part in parts if part.ids]
        if any(columns):
            whole.labels = list(map(np.concatenate, zip(*columns, strict=True)))
        for part in parts:
            for fault, times in part.faults.items():
                whole.fault(fault, times)
        return whole

    def columns(self, schema: LabelSchema) -> HitColumns:
        """Return the hits as the judging kernel takes them; hits without columns of labels have none of these."""
        codes = np.full((len(schema.coded), len(self.ids)), MISSING, np.int32)
        numbers = np.full((len(schema.numeric), len(self.ids)), np.nan)
        if self.labels:
            for label, column in zip(schema.labels, self.labels, strict=True):
                (numbers if label.kind is Kind.NUMBER else codes)[schema.row(label.name)] = column
        return HitColumns(self.offsets, self.id, self.text, codes, numbers)
