"""Qrels and runs as columns, from rows in any order.

Query and document ids are hashes (`kernels.spans.hash_span`); judgments and hits are matched within a query.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchbench.errors import InputError
from benchbench.kernels.arrays import F64, I64, U64, Bytes
from benchbench.kernels.ranking import Ranked, rank
from benchbench.kernels.spans import hash_spans
from benchbench.tables.hashing import content_digest


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows grouped by query as they came; a query may have several groups.

    `query_start` and `query_stop` (a group each), `start` and `stop` (a row each) are spans of ids in `text`.
    """

    text: Bytes
    groups: I64  # first row of each group, and the number of rows
    query: U64  # a group each
    query_start: U64
    query_stop: U64
    document: U64  # a row each
    start: U64
    stop: U64
    value: F64

    def query_id(self, group: int) -> str:
        """Return the query id of a group."""
        return bytes(self.text[self.query_start[group] : self.query_stop[group]]).decode(errors="replace")

    def query_ids(self) -> list[str]:
        """Return the query id of each group."""
        text = self.text.tobytes()
        spans = zip(self.query_start.tolist(), self.query_stop.tolist(), strict=True)
        return [text[start:stop].decode(errors="replace") for start, stop in spans]

    def document_id(self, row: int) -> str:
        """Return the document id of a row."""
        return bytes(self.text[self.start[row] : self.stop[row]]).decode(errors="replace")

    @classmethod
    def from_dict(cls, records: Mapping[str, Mapping[str, float]], name: str) -> "Rows":
        """Return the rows of `{query id: {document id: value}}`."""
        documents = [document for hits in records.values() for document in hits]
        values = [value for hits in records.values() for value in hits.values()]
        try:
            value = np.array(values, np.float64)
            queries, query_start, query_stop = _spans(list(records))
            text, start, stop = _spans(documents)
        except (TypeError, ValueError, AttributeError):
            raise InputError(f"{name} is not a mapping of query ids to mappings of document ids to numbers") from None
        if np.isnan(value).any():
            raise InputError(
                f"{name} has a value that is not a number, of document {documents[np.isnan(value).argmax()]}"
            )
        shift = np.uint64(queries.size)
        return cls(
            np.concatenate([queries, text]),
            np.cumsum([0, *map(len, records.values())]),
            hash_spans(queries, query_start, query_stop),
            query_start,
            query_stop,
            hash_spans(text, start, stop),
            start + shift,
            stop + shift,
            value,
        )

    def gathered(self) -> "Rows":
        """Return the rows with one group a query, in order of first appearance; rows keep their order."""
        unique, first, member = np.unique(self.query, return_index=True, return_inverse=True)
        if unique.size == self.query.size:
            return self
        by_appearance = np.argsort(first)
        number = np.empty_like(by_appearance)
        number[by_appearance] = np.arange(by_appearance.size)
        owner = np.repeat(number[member], np.diff(self.groups))
        order = np.argsort(owner, kind="stable")
        kept = first[by_appearance]
        return Rows(
            self.text,
            np.concatenate([[0], np.cumsum(np.bincount(owner))]),
            self.query[kept],
            self.query_start[kept],
            self.query_stop[kept],
            self.document[order],
            self.start[order],
            self.stop[order],
            self.value[order],
        )


def _spans(ids: Sequence[str]) -> tuple[Bytes, U64, U64]:
    encoded = [identity.encode() for identity in ids]
    ends = np.cumsum([0, *map(len, encoded)]).astype(np.uint64)
    return np.frombuffer(b"".join(encoded) or b"\0", np.uint8), ends[:-1], ends[1:]


@dataclass(frozen=True)
class Qrels:
    """The judgments of each query, best grades first.

    `ids` are the query ids in order of first appearance and `query` their hashes; the judgments of query `q`
    are `offsets[q]:offsets[q + 1]` of `document` and `grade`.
    """

    ids: list[str]
    query: U64
    offsets: I64
    document: U64
    grade: F64
    duplicates: int  # judgments given twice, with the same grade
    digest: str

    @classmethod
    def from_rows(cls, rows: Rows, name: str = "qrels") -> "Qrels":
        """Return the judgments of rows whose value is the grade.

        Raises
        ------
        InputError
            No judgment; a document judged twice for a query with different grades; an infinite grade.
        """
        if not rows.value.size:
            raise InputError(f"{name} has no judgment, so every score would be 0 by definition")
        if np.isinf(rows.value).any():
            raise InputError(
                f"{name} has an infinite grade, of document {rows.document_id(int(np.isinf(rows.value).argmax()))}"
            )
        rows = rows.gathered()
        best = ranked(rows, "trec")
        if best.duplicates:
            _refuse_conflicts(rows, name)
        digest = content_digest(rows.query.tobytes() + best.offsets.tobytes())
        digest.update(best.document.tobytes() + best.score.tobytes())
        ids = rows.query_ids()
        return cls(ids, rows.query, best.offsets, best.document, best.score, int(best.duplicates), digest.hexdigest())

    @classmethod
    def from_dict(cls, judgments: Mapping[str, Mapping[str, float]]) -> "Qrels":
        """Return the judgments of `{query id: {document id: grade}}`."""
        return cls.from_rows(Rows.from_dict(judgments, "qrels"))

    def __len__(self) -> int:
        """Return the number of judged queries."""
        return len(self.ids)


@dataclass(frozen=True)
class Run:
    """The hits of each query in rank order, without repeated documents.

    The hits of query `g` (`query[g]` its hash) are `offsets[g]:offsets[g + 1]` of `document`.
    """

    name: str
    query: U64
    offsets: I64
    document: U64
    duplicates: int  # repeated documents that were dropped
    ties: str  # "trec", or "input" for the order in which the hits came
    digest: str

    @classmethod
    def from_ranked(cls, name: str, parts: Sequence[tuple[U64, Ranked]], ties: str) -> "Run":
        """Return the run of parts that have no query in common."""
        query = np.concatenate([query for query, _ in parts])
        starts = np.cumsum([0, *(part.document.size for _, part in parts)])
        offsets = np.concatenate([[0], *(part.offsets[1:] + at for (_, part), at in zip(parts, starts, strict=False))])
        document = parts[0][1].document if len(parts) == 1 else np.concatenate([part.document for _, part in parts])
        if not document.size:
            raise InputError(f"{name} has no hit, so every score would be 0 by definition")
        digest = content_digest(query.tobytes())
        digest.update(offsets.tobytes())
        digest.update(document.tobytes())
        return cls(name, query, offsets, document, sum(p.duplicates for _, p in parts), ties, digest.hexdigest())

    @classmethod
    def from_dict(cls, hits: Mapping[str, Mapping[str, float]], name: str = "run", ties: str = "trec") -> "Run":
        """Return the run of `{query id: {document id: score}}`."""
        rows = Rows.from_dict(hits, name)
        return cls.from_ranked(name, [(rows.query, ranked(rows, ties))], ties)

    def __len__(self) -> int:
        """Return the number of queries with hits."""
        return int(self.query.size)


def ranked(rows: Rows, ties: str, strict: bool = False, name: str = "run") -> Ranked:
    """Return gathered rows in rank order; InputError for a repeated document when `strict`."""
    result = rank(rows.text, rows.groups, rows.document, rows.value, rows.start, rows.stop, ties == "trec")
    if strict and result.duplicates:
        row = int(result.first_duplicate)
        group = int(np.searchsorted(rows.groups, row, side="right")) - 1
        raise InputError(f"{name} has document {rows.document_id(row)} twice for query {rows.query_id(group)}")
    return result


def _refuse_conflicts(rows: Rows, name: str) -> None:
    """Raise InputError for a document that was judged twice for a query, with different grades."""
    owner = np.repeat(np.arange(rows.query.size), np.diff(rows.groups))
    order = np.lexsort((rows.document, owner))
    same = (np.diff(owner[order]) == 0) & (np.diff(rows.document[order]) == 0) & (np.diff(rows.value[order]) != 0)
    if same.any():
        row = int(order[same.argmax()])
        raise InputError(
            f"{name} judges document {rows.document_id(row)} of query {rows.query_id(int(owner[row]))} twice, "
            "with different grades"
        )


def as_values(records: Any, name: str) -> Mapping[str, Mapping[str, float]]:
    """Return parsed JSON as a mapping of mappings; InputError for anything else."""
    if not isinstance(records, dict) or not all(isinstance(hits, dict) for hits in records.values()):
        raise InputError(f"{name} is not a JSON object of objects: query id, document id, number")
    return records
