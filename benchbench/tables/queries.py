"""A tiered data set as columns: queries, their labels, and their positives."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np

from benchbench.kernels.arrays import F64, I32, I64, U8, U64
from benchbench.kernels.judge import TASKS, QueryColumns
from benchbench.tables.labels import Labels

RECALL_LIMIT = 10  # `fixed` and `capped` denominators, and the default cut of the positives


@dataclass(frozen=True, slots=True)
class Positives:
    """All positives of all queries; those of query `q` are `offsets[q]:offsets[q + 1]`, in file order."""

    offsets: I64
    ids: Sequence[str]
    id: U64
    text: U64
    text_prefixes: Sequence[str]  # how the normalised texts begin
    gain: F64  # 6 - tier; 1 when the data have no tiers

    def of(self, q: int) -> slice:
        """Return where those of a query are."""
        return slice(int(self.offsets[q]), int(self.offsets[q + 1]))


@dataclass(frozen=True)
class Queries:
    """Queries in file order. Hashes, codes and months are those of `tables.hashing` and `tables.labels`."""

    ids: Sequence[str]
    texts: Sequence[str]
    id: U64
    text: U64
    text_prefixes: Sequence[str]  # how the normalised texts begin
    accusation: I32
    article: I32
    months: I32
    penalty: U8
    positives: Positives
    labels: Labels
    digest: str  # of the file's bytes
    skipped_lines: int
    dropped_positives: int  # the query's own text, or a text that an earlier positive has
    left_out: Positives | None = None  # beyond the most that count per query; None where there are none
    assumed_tiers: int = 0  # positives without a tier, which counts as 1, in data that have tiers

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.ids)

    @cached_property
    def tasks(self) -> tuple[str, ...]:
        """The tasks for which at least one query has what it takes."""
        present = (
            len(self.positives.ids) > 0,
            bool((self.accusation >= 0).any()),
            bool((self.article >= 0).any()),
            bool((self.months >= 0).any()),
        )
        return tuple(task for task, there in zip(TASKS, present, strict=True) if there)

    @property
    def read(self) -> dict[str, int]:
        """Return what of the file does not count, or counts as something that it does not say, by name."""
        left_out = np.zeros(1, np.int64) if self.left_out is None else np.diff(self.left_out.offsets)
        return {
            "skipped_lines": self.skipped_lines,
            "dropped_positives": self.dropped_positives,
            "left_out_positives": int(left_out.sum()),
            "queries_with_left_out_positives": int((left_out > 0).sum()),
            "assumed_tiers": self.assumed_tiers,
        }

    @property
    def judged(self) -> dict[str, int]:
        """Return how many queries and positives there are, and how many queries have none."""
        return {
            "queries": len(self),
            "positives": len(self.positives.ids),
            "without_positives": int((np.diff(self.positives.offsets) == 0).sum()),
        }

    def without_label(self) -> dict[str, int]:
        """Count the queries that no hit can be relevant for, a task."""
        columns = (np.diff(self.positives.offsets) - 1, self.accusation, self.article, self.months)
        return {task: int((column < 0).sum()) for task, column in zip(TASKS, columns, strict=True)}

    def compared_prefixes_of(self, q: int) -> tuple[str, ...]:
        """Return the prefixes of the texts that a hit of query `q` is compared with."""
        own = (self.text_prefixes[q], *self.positives.text_prefixes[self.positives.of(q)])
        return own if self.left_out is None else (*own, *self.left_out.text_prefixes[self.left_out.of(q)])

    def compared_prefixes(self, first: int, count: int) -> Sequence[tuple[str, ...]]:
        """Return the same of so many queries from `first` on, each found when it is asked for."""
        return _ComparedPrefixes(self, range(first, first + count))

    def compared_prefixes_at(self, numbers: Sequence[int]) -> Sequence[tuple[str, ...]]:
        """Return the same of some queries."""
        return _ComparedPrefixes(self, numbers)

    def columns(self, first: int, last: int, denominator: I64) -> QueryColumns:
        """Return queries `first:last` as the judging kernel takes them."""
        offsets = self.positives.offsets[first : last + 1]
        p = slice(offsets[0], offsets[-1])
        q = slice(first, last)
        return QueryColumns(
            self.id[q],
            self.text[q],
            self.accusation[q],
            self.article[q],
            self.months[q],
            self.penalty[q],
            offsets - offsets[0],
            self.positives.id[p],
            self.positives.text[p],
            self.positives.gain[p],
            np.ascontiguousarray(denominator[q]),
        )

    def columns_at(self, numbers: I64, denominator: I64) -> QueryColumns:
        """Return some queries, in their order, as the judging kernel takes them."""
        begin, counts = self.positives.offsets[numbers], np.diff(self.positives.offsets)[numbers]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        p = np.repeat(begin - offsets[:-1], counts) + np.arange(offsets[-1])
        return QueryColumns(
            self.id[numbers],
            self.text[numbers],
            self.accusation[numbers],
            self.article[numbers],
            self.months[numbers],
            self.penalty[numbers],
            offsets,
            self.positives.id[p],
            self.positives.text[p],
            self.positives.gain[p],
            np.ascontiguousarray(denominator[numbers]),
        )


@dataclass(frozen=True, slots=True)
class _ComparedPrefixes(Sequence[tuple[str, ...]]):
    """Answers without texts are compared with nothing: their queries' prefixes are never looked up."""

    queries: Queries
    rows: Sequence[int]

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> tuple[str, ...]: ...
    @overload
    def __getitem__(self, place: slice) -> list[tuple[str, ...]]: ...
    def __getitem__(self, place: int | slice) -> tuple[str, ...] | list[tuple[str, ...]]:
        find = self.queries.compared_prefixes_of
        return [find(q) for q in self.rows[place]] if isinstance(place, slice) else find(self.rows[place])
