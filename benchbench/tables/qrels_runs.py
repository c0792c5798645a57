"""Qrels and rankings as columns.

Query and document ids are hashes (`kernels.spans.hash_span`); judgments and hits are matched within a query.
"""

from collections.abc import Iterator, Mapping, Sized
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise
from typing import Protocol

import numpy as np
from msgspec import Struct

from benchbench.errors import InputError
from benchbench.kernels.arrays import F64, I64, U64, Bools, Bytes
from benchbench.kernels.lookup import are_different
from benchbench.kernels.ranking import Ranked, rank
from benchbench.kernels.spans import copy_spans
from benchbench.tables.borrowed import Borrowed
from benchbench.tables.hashing import content_digest
from benchbench.tables.judges import added, told_apart
from benchbench.tables.rows import Rows
from benchbench.tables.threads import THREADS

_NO_SPANS = np.empty(0, np.uint64)
_ODD = np.uint64(0x9E3779B97F4A7C15)
_MANY = 2000  # queries from which a second thread pays
_TELLING = 3  # hits of a query: two scores may be 1 and 2 by chance


def texts_between(text: Bytes, ends: I64) -> list[str]:
    """Return the texts that stand one behind the other, by the end of each."""
    whole, stops = text.tobytes(), ends.tolist()
    return [whole[a:b].decode(errors="replace") for a, b in zip([0, *stops[:-1]], stops, strict=True)]


def digest(query: U64, fingerprint: U64) -> str:
    """Return the digest of what all queries have, in whatever order they came."""
    order = np.argsort(query)
    content = content_digest(query[order].tobytes())
    content.update(fingerprint[order].tobytes())
    return str(content.hexdigest())


@dataclass(frozen=True, repr=False, kw_only=True)
class QrelsTable:
    """The judgments of each query, best grades first.

    `query` are hashes of the query ids, in order of first appearance; the judgments of query `q` are
    `offsets[q]:offsets[q + 1]` of `document` and `grade`. `id_text` holds the ids, `id_ends` where each ends.
    """

    id_text: Bytes
    id_ends: I64
    query: U64
    offsets: I64
    document: U64
    grade: F64
    fingerprint: U64  # of each query's documents and their grades
    duplicates: int  # judgments given twice
    subtopic: int  # hash of the one subtopic of all rows, or 0
    subtopics: Rows | None  # the rows as they came, where they judge several subtopics
    judges: Mapping[str, int] = field(default_factory=dict)  # judgments that are no person's, by the name of the judge

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {_many(self)}, {self.document.size:,} judgments>"

    def __len__(self) -> int:
        """Return the number of judged queries."""
        return int(self.query.size)

    @cached_property
    def ids(self) -> list[str]:
        """Return the query ids."""
        return texts_between(self.id_text, self.id_ends)

    @cached_property
    def digest(self) -> str:
        """Return the digest of all judgments."""
        return digest(self.query, self.fingerprint)


def judgments(rows: Borrowed[Rows], name: str, of_trec: bool = False) -> QrelsTable:
    """Return the judgments of rows whose value is the grade; they are ranked in place.

    A document judged for several subtopics has its highest grade. `of_trec`: the rows are of TREC text, whose second
    column may name judges.

    Raises
    ------
    InputError
        A document judged twice for a query and subtopic with different grades; an infinite grade.
    """
    return rows.use(partial(_judgments, name=name, of_trec=of_trec))


def _judgments(rows: Rows, name: str, of_trec: bool) -> QrelsTable:
    rows, judges = told_apart(rows) if of_trec else (rows, {})
    if np.isinf(rows.value).any():
        row = int(np.isinf(rows.value).argmax())
        raise InputError(f"{name} has an infinite grade, of document {rows.document_id(row)}")
    rows = rows.gathered()
    subtopics, by_subtopic = None, None
    if rows.subtopic.size and (rows.subtopic != rows.subtopic[0]).any():
        subtopics = rows.copied()
        by_subtopic = _graded(rows, rows.document + rows.subtopic * _ODD, rows.value.copy())
    best = _graded(rows, rows.document, rows.value)
    graded = by_subtopic or best
    if graded.first_conflict >= 0:
        row = int(graded.first_conflict)
        raise InputError(
            f"{name} judges document {rows.document_id(row)} of query {rows.query_id(row)} twice, "
            "with different grades; keep one"
        )
    end = int(best.offsets[-1])
    return QrelsTable(
        id_text=copy_spans(rows.text, rows.query_start, rows.query_stop),
        id_ends=np.cumsum(rows.query_stop - rows.query_start).astype(np.int64),
        query=rows.query.copy(),
        offsets=best.offsets,
        document=rows.document[:end].copy(),
        grade=rows.value[:end].copy(),
        fingerprint=graded.fingerprint,
        duplicates=graded.duplicates,
        subtopic=int(rows.subtopic[0]) if rows.subtopic.size else 0,
        subtopics=subtopics,
        judges=judges,
    )


def _graded(rows: Rows, document: U64, grade: F64) -> Ranked:
    """Rank documents, or what else is judged, by grade."""
    return rank(rows.text, rows.groups, document, grade, _NO_SPANS, _NO_SPANS, True, True)


def joined(parts: list[QrelsTable]) -> QrelsTable | None:
    """Return the judgments of several parts as one table; None if a query stands in two, or they judge subtopics.

    `parts` is emptied, and each column of theirs is freed when it is joined: together they are as large as the table.
    """
    query = np.concatenate([part.query for part in parts])
    several = len({part.subtopic for part in parts}) > 1 or any(part.subtopics for part in parts)
    if several or not are_different(query):
        return None
    columns = {
        name: [getattr(part, name) for part in parts]
        for name in ("document", "grade", "offsets", "fingerprint", "id_text", "id_ends")
    }
    sizes, text_sizes = [part.document.size for part in parts], [part.id_text.size for part in parts]
    subtopic, duplicates = parts[0].subtopic, sum(part.duplicates for part in parts)
    judges = added([part.judges for part in parts])
    parts.clear()
    return QrelsTable(
        document=np.concatenate(columns.pop("document")),
        grade=np.concatenate(columns.pop("grade")),
        offsets=np.append(0, joined_ends([offsets[1:] for offsets in columns.pop("offsets")], sizes)),
        fingerprint=np.concatenate(columns.pop("fingerprint")),
        id_text=np.concatenate(columns.pop("id_text")),
        id_ends=joined_ends(columns.pop("id_ends"), text_sizes),
        query=query,
        duplicates=duplicates,
        subtopic=subtopic,
        subtopics=None,
        judges=judges,
    )


def joined_ends(ends: list[I64], sizes: list[int]) -> I64:
    """Return the ends of all parts, as what lies before each part is behind them."""
    starts = np.cumsum([0, *sizes])
    return np.concatenate([part + start for part, start in zip(ends, starts, strict=False)])


class Rankings(Struct, frozen=True):
    """The hits of some queries in rank order, without repeated documents.

    Those of query `g` (`query[g]` its hash) are `offsets[g]:offsets[g + 1]` of `document`. `tied` says of each
    hit but a query's first that its score is that of the hit above; it is empty unless ties are averaged over.
    """

    query: U64
    offsets: I64
    document: U64
    tied: Bools
    fingerprint: U64  # of each query's documents and their ranks
    duplicates: int  # repeated documents that were dropped
    rising: bool = False  # the scores of each query rose by 1 from hit to hit, as ranks do
    close: int = 0  # queries that scores of 32 bits would rank otherwise

    def copied(self) -> "Rankings":
        """Return the same in columns of its own."""
        return Rankings(
            self.query.copy(),
            self.offsets.copy(),
            self.document.copy(),
            self.tied.copy(),
            self.fingerprint.copy(),
            self.duplicates,
            self.rising,
            self.close,
        )

    def between(self, first: int, last: int) -> "Rankings":
        """Return the hits of queries `first:last`, as views; with repeated documents."""
        a, b = self.offsets[first], self.offsets[last]
        return Rankings(
            self.query[first:last],
            self.offsets[first : last + 1] - a,
            self.document[a:b],
            self.tied[a:b],
            self.fingerprint[first:last],
            0,
            self.rising,
        )

    @classmethod
    def without_hits(cls, query: U64) -> "Rankings":
        """Return no hit for some queries."""
        nothing = np.empty(0, np.uint64)
        offsets = np.zeros(query.size + 1, np.int64)
        return cls(query, offsets, nothing, np.empty(0, np.bool_), np.zeros(query.size, np.uint64), 0)

    @classmethod
    def concatenated(cls, parts: list["Rankings"]) -> "Rankings":
        """Return the hits of several parts as one table."""
        offsets = joined_ends([part.offsets[1:] for part in parts], [part.document.size for part in parts])
        return cls(
            np.concatenate([part.query for part in parts]),
            np.append(0, offsets),
            np.concatenate([part.document for part in parts]),
            np.concatenate([part.tied for part in parts]),
            np.concatenate([part.fingerprint for part in parts]),
            sum(part.duplicates for part in parts),
            any(part.rising for part in parts),
            sum(part.close for part in parts),
        )


def rankings(rows: Borrowed[Rows], ties: str, strict: bool, name: str, precision: str = "double") -> Borrowed[Rankings]:
    """Return the rows in rank order; they are ranked in place.

    Raises
    ------
    InputError
        When they are used: a repeated document, when `strict`.
    """
    return rows.then(partial(_rankings, ties=ties, strict=strict, name=name, precision=precision))


def _many(queries: Sized) -> str:
    return f"{len(queries):,} {'query' if len(queries) == 1 else 'queries'}"


def at_precision(scores: F64, precision: str) -> F64:
    """Return scores as they are compared: as they are, or of `single` precision rounded to 32 bits."""
    if precision == "double":
        return scores
    with np.errstate(over="ignore"):  # beyond 3.4e38 all are infinite, as in trec_eval 9
        return scores.astype(np.float32).astype(np.float64)


def _rankings(rows: Rows, ties: str, strict: bool, name: str, precision: str) -> Rankings:
    if precision != "double":
        rows.value[:] = at_precision(rows.value, precision)
    rising = _are_ranks(rows.value, rows.groups)
    ranked = rank(rows.text, rows.groups, rows.document, rows.value, rows.start, rows.stop, ties != "input", False)
    if strict and ranked.duplicates:
        row = int(ranked.first_duplicate)
        raise InputError(
            f"{name} has document {rows.document_id(row)} twice for query {rows.query_id(row)}; "
            "without strict the first in rank order counts"
        )
    end = int(ranked.offsets[-1])
    tied = np.empty(0, np.bool_)
    if ties == "expected":
        tied = np.append(False, rows.value[1:end] == rows.value[: end - 1])[:end]
    duplicates = int(ranked.duplicates)
    return Rankings(
        rows.query, ranked.offsets, rows.document[:end], tied, ranked.fingerprint, duplicates, rising, ranked.close
    )


def _are_ranks(score: F64, groups: I64) -> bool:
    """Say whether the scores of each query count its hits, from 0 or 1, and there are enough of them to say so."""
    if not score.size or score[0] not in (0.0, 1.0):
        return False
    sizes = np.diff(groups)
    return bool(sizes.max() >= _TELLING) and np.array_equal(
        score, np.arange(score.size) - np.repeat(groups[:-1], sizes) + score[0]
    )


def are_scores(values: F64) -> bool:
    """Say whether most of some values are fractions, as those of a run are and grades are not."""
    return bool(2 * np.count_nonzero(values != np.rint(values)) > values.size)


class RunTable(Protocol):
    """A run to be scored: in memory, or read while it is scored."""

    @property
    def name(self) -> str:
        """What it is called in reports."""

    @property
    def source(self) -> str:
        """What errors name: its file as it was named, else its name."""

    @property
    def ties(self) -> str:
        """Order of equal scores: `trec`, `input` or `expected`."""

    @property
    def precision(self) -> str:
        """Of the scores that rank: `double`, or `single`, which has 32 bits."""

    def shards(self) -> Iterator[Borrowed[Rankings]]:
        """Yield the hits of some queries at a time; any thread may use them, in any order.

        They are borrowed: a function that `use` gives them to keeps copies alone. `Borrowed.of` lends hits in memory.
        """

    def gathered(self) -> "RunTable":
        """Return the same run with all hits of a query next to each other."""


@dataclass(frozen=True, repr=False)
class RankedRun:
    """A run in memory."""

    name: str
    ties: str
    rankings: Rankings
    precision: str = field(default="double", kw_only=True)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}: {_many(self)}, {self.rankings.document.size:,} hits>"

    @property
    def source(self) -> str:
        """What errors name."""
        return self.name

    def __len__(self) -> int:
        """Return the number of queries with hits."""
        return int(self.rankings.query.size)

    @cached_property
    def digest(self) -> str:
        """Return the digest of all queries' documents in rank order."""
        return digest(self.rankings.query, self.rankings.fingerprint)

    def shards(self) -> Iterator[Borrowed[Rankings]]:
        """Yield one shard of queries per thread, if there are enough of them."""
        pieces = min(THREADS, len(self) // _MANY + 1)
        cuts = np.linspace(0, len(self), pieces + 1).astype(int).tolist()
        return (Borrowed.of(partial(self.rankings.between, first, last)) for first, last in pairwise(cuts))

    def gathered(self) -> "RankedRun":
        """Return itself."""
        return self
