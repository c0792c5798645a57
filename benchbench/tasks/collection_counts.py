"""How many documents of a collection are relevant for each query, by tasks that compare labels.

The collection is read once, line by line; of a document only the labels are kept, in 4 or 8 bytes each. Documents with
equal labels are compared once with queries with equal ones.
"""

from array import array
from collections.abc import Sequence
from pathlib import Path as File
from typing import Any, NamedTuple

import numpy as np

from benchbench.formats.collection import FoundDocument, each_document, labels_of
from benchbench.formats.records import Part
from benchbench.kernels.arrays import F64, I32, I64
from benchbench.kernels.rules import HitColumns, LabelComparison, QueryColumns, RankedChunk, Relevant
from benchbench.tables.fields import META
from benchbench.tables.hashing import NO_HASH, id_hash, text_hash
from benchbench.tables.labels import Kind, LabelSchema, Path, value_at, without_malformed
from benchbench.tables.queries import Queries
from benchbench.tasks.compiled import CompiledTasks

_BATCH = 4_096  # documents whose labels are encoded at once


class CollectionCounts(NamedTuple):
    """What `relevant_in_collection` returns."""

    counts: I64  # (queries, tasks); 0 for tasks by judgments
    documents: int
    skipped_lines: int


def relevant_in_collection(
    part: Part | File,
    queries: Queries,
    compiled: CompiledTasks,
    self_by: str,
    encoding: str | None = None,
    skip_bad_lines: bool = False,
) -> CollectionCounts:
    """Count the documents that are relevant for each query, without those that are the query itself.

    Parameters
    ----------
    part
        A collection as `serve` takes it, with labels where hits have them, or where `serve` finds what it sends in
        `meta`.
    queries
        Read by the schema of the tasks. Their vocabulary gets the labels of the documents too.
    compiled
        The tasks.
    self_by
        Whether a document is a query by its `text` (by id where one of them has none), or by its `id` too.
    encoding
        A Python codec name; None detects the UTF encodings.
    skip_bad_lines
        Count a line that cannot be read and go on, instead of raising.

    Raises
    ------
    InputError
        With file, line number and reason.
    """
    documents = _Documents(compiled.schema, queries, self_by)
    skipped = 0
    for document in each_document(part, encoding, skip_bad_lines, _members(compiled.schema)):
        if document.record is None:
            skipped += 1
        else:
            documents.add(document, document.record)
    hits, own = documents.columns()
    asked = queries.columns(0, len(queries))
    counts = np.zeros((len(queries), len(compiled.tasks)), np.int64)
    for t, compares in enumerate(compiled.comparisons):
        if compares is not None:
            counts[:, t] = _relevant(compares, hits, asked, queries) - _found(compares, own, asked, queries)
    return CollectionCounts(counts, len(documents), skipped)


def _relevant(compares: LabelComparison, hits: HitColumns, asked: QueryColumns, queries: Queries) -> I64:
    """Return how many documents are relevant for each query, each pair of different rows compared once."""
    if compares.is_equality:
        return _equal(hits.codes[compares.label], asked.codes[compares.label])
    documents, _, weights = _distinct(compares.compared(hits), hits.codes.shape[1])
    first, row, _ = _distinct(compares.compared(asked), len(queries))
    some = _taken(hits, documents, np.array([0, len(documents)], np.int64))
    counts = [_found(compares, some, queries.columns(q, q + 1), queries, weights)[0] for q in first.tolist()]
    return np.array(counts, np.int64)[row]


def _equal(codes: I32, wanted: I32) -> I64:
    """Return how often each code that is wanted is there."""
    there = np.bincount(codes[codes >= 0], minlength=max(1, int(wanted.max(initial=0)) + 1))
    return np.where(wanted >= 0, there[np.maximum(wanted, 0)], 0)


def _found(
    compares: LabelComparison, hits: HitColumns, asked: QueryColumns, queries: Queries, weights: I64 | None = None
) -> I64:
    """Return the number, or the weight, of the hits of each query that are relevant for it."""
    count, last = hits.codes.shape[1], len(hits.offsets) - 1
    relevant = Relevant(np.empty(count + 1, np.int64), np.zeros(last, np.int64))
    compares.find(RankedChunk(0, last, hits, asked, queries.labels.members(), np.ones(count, np.int32)), relevant)
    if weights is None:
        return np.diff(relevant.ends, prepend=0)
    return np.add.reduce(weights[relevant.places[: relevant.ends[-1]]], keepdims=True)  # of the only query


def _taken(hits: HitColumns, places: I64, offsets: I64) -> HitColumns:
    """Return some documents as the hits of queries."""
    none = np.zeros(len(places), np.uint64)
    codes, numbers = np.ascontiguousarray(hits.codes[:, places]), np.ascontiguousarray(hits.numbers[:, places])
    return HitColumns(offsets, none, none, codes, numbers)


def _distinct(columns: Sequence[I32 | F64] | None, rows: int) -> tuple[I64, I64, I64]:
    """Return where each different row stands first, which of these each row is, and how many rows are each.

    Without columns all are different.
    """
    number = np.zeros(rows, np.int64) if columns is not None else np.arange(rows)
    for column in columns or ():
        values, places = np.unique(column, return_inverse=True)
        _, number = np.unique(number * len(values) + places, return_inverse=True)
    _, first, number, counts = np.unique(number, return_index=True, return_inverse=True, return_counts=True)
    return first, number, counts


class _Documents:
    """The labels of all documents, and which of these are a query itself."""

    def __init__(self, schema: LabelSchema, queries: Queries, self_by: str) -> None:
        self._schema, self._vocabulary = schema, queries.labels
        self._columns: list[array[Any]] = [array("d" if label.kind is Kind.NUMBER else "i") for label in schema.labels]
        self._batch: list[dict[str, Any]] = []
        self._count = 0
        self._own = _Own(queries, self_by)

    def __len__(self) -> int:
        return self._count

    def add(self, document: FoundDocument, record: dict[str, Any]) -> None:
        self._own.add(self._count, document)
        self._count += 1
        self._batch.append(record)
        if len(self._batch) == _BATCH:
            self._encode()

    def columns(self) -> tuple[HitColumns, HitColumns]:
        """Return all documents, and for each query those that are the query itself as its hits."""
        self._encode()
        coded, numeric = (self._rows(kind) for kind in (False, True))
        codes: I32 = np.array(coded, np.int32).reshape(len(coded), self._count)
        numbers: F64 = np.array(numeric, np.float64).reshape(len(numeric), self._count)
        none = np.zeros(self._count, np.uint64)
        hits = HitColumns(np.array([0, self._count], np.int64), none, none, codes, numbers)
        return hits, _taken(hits, *self._own.places())

    def _rows(self, numeric: bool) -> list[Any]:
        pairs = zip(self._schema.labels, self._columns, strict=True)
        return [
            np.frombuffer(column, column.typecode) for label, column in pairs if (label.kind is Kind.NUMBER) == numeric
        ]

    def _encode(self) -> None:
        for label, column in zip(self._schema.labels, self._columns, strict=True):
            values = [hit_value(record, label.hit) for record in self._batch]
            column.extend(without_malformed(label.kind, self._vocabulary.column(label, values))[0].tolist())
        self._batch.clear()


def _members(schema: LabelSchema) -> set[str]:
    """Return what is needed of a document: id, text, and where labels may stand."""
    steps = {step for label in schema.labels for path in label.hit for step in path}
    return {"id", "text", META, "metadata", *steps}


def hit_value(record: dict[str, Any], paths: tuple[Path, ...]) -> Any:
    """Return what a hit has that is the document: as the file says it, else in the `meta` that `serve` sends."""
    value = value_at(record, paths)
    if value is None and any(path[0] == META for path in paths):
        return value_at({META: labels_of(record)}, paths)
    return value


class _Own:
    """Which documents are which queries, as the judging of hits decides it."""

    def __init__(self, queries: Queries, self_by: str) -> None:
        self._document, self._query, self._queries = array("q"), array("q"), len(queries)
        self._by_text = self_by == "text"
        self._texts, self._ids = _numbered(queries.text), _numbered(queries.id)

    def add(self, place: int, document: FoundDocument) -> None:
        has_text = document.text is not None and bool(document.text.strip())
        own = set(self._texts.get(text_hash(document.text or ""), ()) if has_text else ())
        if document.id is not None and not (has_text and self._by_text):  # a query always has a text
            own.update(self._ids.get(id_hash(document.id), ()))
        self._document.extend([place] * len(own))
        self._query.extend(own)

    def places(self) -> tuple[I64, I64]:
        """Return the documents, query by query, and where those of each query begin and the last ones end."""
        document, query = (np.array(column, np.int64) for column in (self._document, self._query))
        ends = np.cumsum(np.bincount(query, minlength=self._queries))
        return document[np.argsort(query, kind="stable")], np.concatenate([np.zeros(1, np.int64), ends])


def _numbered(hashes: Any) -> dict[int, list[int]]:
    """Return the queries that have each hash."""
    numbers: dict[int, list[int]] = {}
    for q, digest in enumerate(hashes.tolist()):
        if digest != NO_HASH:
            numbers.setdefault(digest, []).append(q)
    return numbers
