"""A data set as columns: queries, their labels, and their judgments."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from msgspec import Struct

from benchbench.kernels.arrays import F64, I32, I64, U64
from benchbench.kernels.rules import QueryColumns
from benchbench.tables.labels import LabelSchema, Vocabulary
from benchbench.tables.text_prefixes import PrefixColumn, TextPrefixes


class Positives(Struct, frozen=True):
    """The judgments of all queries; those of query `q` are `offsets[q]:offsets[q + 1]`, in file order.

    Documents that were judged and found not to be relevant are among them, with a grade of 0 or less.
    """

    offsets: I64
    ids: Sequence[str]
    id: U64
    text: U64
    text_prefixes: Sequence[str]  # how the normalised texts begin; empty where judgments have no texts
    grade: F64  # 6 - tier; 1 when the data have no tiers

    def of(self, q: int) -> slice:
        """Return where those of a query are."""
        return slice(int(self.offsets[q]), int(self.offsets[q + 1]))

    def at(self, numbers: I64) -> "Positives":
        """Return those of some queries, in their order."""
        offsets, p = _parts(self.offsets, numbers)
        prefixes = [self.text_prefixes[number] for number in p] if self.text_prefixes else self.text_prefixes
        return Positives(offsets, [self.ids[number] for number in p], self.id[p], self.text[p], prefixes, self.grade[p])


class SpanColumns(Struct, frozen=True):
    """Gold spans of all queries; those of query `q` for row `s` of spans are `offsets[s, q]:offsets[s, q + 1]`."""

    offsets: I64
    file: I32  # codes of the vocabulary
    start: F64
    end: F64  # behind the last character


@dataclass(frozen=True, kw_only=True)
class Queries:
    """Queries in file order. Hashes and codes are those of `tables.hashing` and `tables.labels`."""

    ids: Sequence[str]
    texts: Sequence[str]
    id: U64
    text: U64
    text_prefixes: Sequence[str]  # how the normalised texts begin
    codes: I32  # (coded labels, queries), rows as `schema` has them
    numbers: F64  # (numeric labels, queries)
    spans: SpanColumns
    positives: Positives
    labels: Vocabulary
    schema: LabelSchema
    digest: str  # of the file's bytes
    skipped_lines: int
    dropped_positives: int  # the query's own text, or a text that an earlier positive has
    left_out: Positives | None = None  # beyond the most that count per query; None where there are none
    assumed_tiers: int = 0  # positives without a tier, which counts as 1, in data that have tiers
    notes: tuple[str, ...] = ()  # sentences on what of the files is not asked, or not there

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.ids)

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
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.positives.grade > 0)])
        offsets = self.positives.offsets
        return {
            "queries": len(self),
            "positives": int(before[-1]),
            "without_positives": int((before[offsets[1:]] == before[offsets[:-1]]).sum()),
        }

    def compared_prefixes(self, numbers: Sequence[int]) -> TextPrefixes:
        """Return how the texts begin that hits of some queries are compared with; a range of them is faster."""
        judged = [its for its in (self.positives, self.left_out) if its is not None and its.text_prefixes]
        sources = [PrefixColumn(self.text_prefixes), *(PrefixColumn(its.text_prefixes, its.offsets) for its in judged)]
        return TextPrefixes(sources, numbers)

    def columns(self, first: int, last: int) -> QueryColumns:
        """Return queries `first:last` as the judging kernel takes them."""
        offsets = self.positives.offsets[first : last + 1]
        p = slice(offsets[0], offsets[-1])
        q = slice(first, last)
        return QueryColumns(
            self.id[q],
            self.text[q],
            np.ascontiguousarray(self.codes[:, q]),
            np.ascontiguousarray(self.numbers[:, q]),
            offsets - offsets[0],
            self.positives.id[p],
            self.positives.text[p],
            self.positives.grade[p],
            np.ascontiguousarray(self.spans.offsets[:, first : last + 1]),  # of all spans, which are few
            self.spans.file,
            self.spans.start,
            self.spans.end,
        )

    def columns_at(self, numbers: I64) -> QueryColumns:
        """Return some queries, in their order, as the judging kernel takes them."""
        offsets, p = _parts(self.positives.offsets, numbers)
        return QueryColumns(
            self.id[numbers],
            self.text[numbers],
            self.codes.take(numbers, axis=1),
            self.numbers.take(numbers, axis=1),
            offsets,
            self.positives.id[p],
            self.positives.text[p],
            self.positives.grade[p],
            *self._spans_at(numbers),
        )

    def at(self, numbers: I64) -> "Queries":
        """Return some queries, in their order; what is counted of the file stays that of the whole file."""
        return replace(
            self,
            ids=[self.ids[q] for q in numbers],
            texts=[self.texts[q] for q in numbers],
            id=self.id[numbers],
            text=self.text[numbers],
            text_prefixes=[self.text_prefixes[q] for q in numbers],
            codes=self.codes.take(numbers, axis=1),
            numbers=self.numbers.take(numbers, axis=1),
            spans=SpanColumns(*self._spans_at(numbers)),
            positives=self.positives.at(numbers),
            left_out=None if self.left_out is None else self.left_out.at(numbers),
        )

    def grades_at(self, numbers: I64) -> F64:
        """Return the grades of the judgments of some queries, in their order."""
        return self.positives.grade[_parts(self.positives.offsets, numbers)[1]]

    def _spans_at(self, numbers: I64) -> tuple[I64, I32, F64, F64]:
        """Return the gold spans of some queries, in their order: offsets, files, starts and ends."""
        spans = self.spans
        offsets = np.zeros((len(spans.offsets), len(numbers) + 1), np.int64)
        if not len(offsets):
            return offsets, spans.file, spans.start, spans.end
        places: list[I64] = []
        for row, whole in enumerate(spans.offsets):
            its, found = _parts(whole, numbers)
            offsets[row] = its + sum(map(len, places))
            places.append(found)
        s = np.concatenate(places)
        return offsets, spans.file[s], spans.start[s], spans.end[s]


def _parts(offsets: I64, numbers: I64) -> tuple[I64, I64]:
    """Return the offsets of the rows of some queries, once these follow each other, and where the rows are."""
    begin = offsets[numbers]
    counts = offsets[numbers + 1] - begin
    own = np.zeros(len(numbers) + 1, np.int64)
    np.cumsum(counts, out=own[1:])
    return own, np.repeat(begin - own[:-1], counts) + np.arange(own[-1])
