"""The hits of consecutive queries as columns."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from benchbench.kernels.judge import HitColumns


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
    accusation: list[int] = field(default_factory=list)
    article: list[int] = field(default_factory=list)
    months: list[int] = field(default_factory=list)
    penalty: list[int] = field(default_factory=list)
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
        """Return the hits of several blocks of queries, in their order."""
        whole = Hits()
        for part in parts:
            for name in ("counts", "ids", "id", "text", "score", "accusation", "article", "months", "penalty"):
                getattr(whole, name).extend(getattr(part, name))
            for fault, times in part.faults.items():
                whole.fault(fault, times)
        return whole

    def columns(self) -> HitColumns:
        """Return the hits as the judging kernel takes them."""
        return HitColumns(
            np.concatenate([[0], np.cumsum(np.array(self.counts, np.int64))]).astype(np.int64),
            np.array(self.id, np.uint64),
            np.array(self.text, np.uint64),
            np.array(self.accusation, np.int32),
            np.array(self.article, np.int32),
            np.array(self.months, np.int32),
            np.array(self.penalty, np.uint8),
        )
