"""Judgments or hits as they came: ids as spans of a text and as hashes, values as numbers.

A hash is `kernels.spans.hash_span` of an id; judgments and hits are matched within a query.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from benchbench.errors import InputError, said_of
from benchbench.kernels.arrays import F64, I64, U64, Bytes
from benchbench.kernels.lookup import are_different
from benchbench.kernels.spans import hash_spans

EXAMPLE = "as in {'q1': {'d1': 1.0}}"  # of what `Rows.from_dict` takes


class Rows(Struct, frozen=True):
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
    subtopic: U64  # hash of the subtopic that each row judges; empty where there is none

    def query_id(self, row: int) -> str:
        """Return the query id of a row."""
        group = int(np.searchsorted(self.groups, row, side="right")) - 1
        return bytes(self.text[self.query_start[group] : self.query_stop[group]]).decode(errors="replace")

    def document_id(self, row: int) -> str:
        """Return the document id of a row."""
        return bytes(self.text[self.start[row] : self.stop[row]]).decode(errors="replace")

    @classmethod
    def of(cls, queries: Sequence[str], sizes: Sequence[int], documents: Sequence[str], values: F64) -> "Rows":
        """Return the rows of groups: a query each, and as many of the documents and values as its size says."""
        encoded = [identity.encode() for identity in (*queries, *documents)]
        text = np.frombuffer(b"".join(encoded) or b"\0", np.uint8)
        ends = np.cumsum([0, *map(len, encoded)]).astype(np.uint64)
        return cls.of_spans(text, ends[:-1], ends[1:], np.cumsum([0, *sizes]), values)

    @classmethod
    def of_spans(cls, text: Bytes, start: U64, stop: U64, groups: I64, values: F64) -> "Rows":
        """Return the rows whose ids are spans: of the queries, a group each, of the documents, and of any subtopics."""
        hashes, n, end = hash_spans(text, start, stop), groups.size - 1, groups.size - 1 + values.size
        queries, rows = slice(n), slice(n, end)
        columns = (hashes[queries], start[queries], stop[queries], hashes[rows], start[rows], stop[rows])
        return cls(text, groups, *columns, values, hashes[end:])

    @classmethod
    def from_dict(cls, records: Mapping[str, Mapping[str, float]], name: str) -> "Rows":
        """Return the rows of `{query id: {document id: value}}`; InputError for anything else.

        Ids are texts, or whole numbers and bytes that are taken as texts (`id_text`).
        """
        try:
            queries, documents = list(records), [document for hits in records.values() for document in hits]
            sizes = [len(hits) for hits in records.values()]
            values = _numbers([value for hits in records.values() for value in hits.values()])
        except (TypeError, ValueError, AttributeError, OverflowError):
            raise InputError(f"{name}: {_not_nested(records)}, {EXAMPLE}") from None
        try:
            rows = cls.of(queries, sizes, documents, values)
        except (AttributeError, ValueError):  # ids that are no text, or none that UTF-8 can hold
            with said_of(name):
                queries = [id_text(query, "query") for query in queries]
                documents = [id_text(document, "document") for document in documents]
            rows = cls.of(queries, sizes, documents, values)
        for what, ids in (("query", queries), ("document", documents)):
            if "" in ids:
                raise InputError(f"{name} has an empty {what} id; each {what} needs one")
        bad = np.isnan(values)
        if bad.any():
            row = int(bad.argmax())
            where = f"document {rows.document_id(row)} of query {rows.query_id(row)}"
            raise InputError(f"{name} has a value that is not a number, of {where}")
        return rows

    @classmethod
    def concatenated(cls, parts: Sequence["Rows"]) -> "Rows":
        """Return the rows of several tables as one, in order."""
        if len(parts) == 1:
            return parts[0]
        first = parts[0]
        shared = all(part.text is first.text for part in parts)
        shifts = [0] * len(parts) if shared else np.cumsum([0, *(part.text.size for part in parts)]).tolist()
        starts = np.cumsum([0, *(part.value.size for part in parts)])

        def shifted(column: str) -> U64:
            return np.concatenate([getattr(p, column) + np.uint64(by) for p, by in zip(parts, shifts, strict=False)])

        def joined(column: str) -> U64:
            return np.concatenate([getattr(part, column) for part in parts])

        text = first.text if shared else np.concatenate([part.text for part in parts])
        text.flags.writeable = False
        groups = [part.groups[:-1] + at for part, at in zip(parts, starts, strict=False)]
        return cls(
            text,
            np.concatenate([*groups, starts[-1:]]),
            joined("query"),
            shifted("query_start"),
            shifted("query_stop"),
            joined("document"),
            shifted("start"),
            shifted("stop"),
            np.concatenate([part.value for part in parts]),
            joined("subtopic"),
        )

    def copied(self) -> "Rows":
        """Return the rows in columns of their own; the text is shared."""
        columns = (getattr(self, name) for name in self.__struct_fields__[1:])
        return Rows(self.text, *(column.copy() for column in columns))

    def gathered(self) -> "Rows":
        """Return the rows with one group per query, in order of first appearance; rows keep their order."""
        if are_different(self.query):
            return self
        _, first, member = np.unique(self.query, return_index=True, return_inverse=True)
        by_appearance = np.argsort(first)
        number = np.empty_like(by_appearance)
        number[by_appearance] = np.arange(by_appearance.size)
        owner = np.repeat(number[member], np.diff(self.groups))
        order = np.argsort(owner, kind="stable")
        kept = first[by_appearance]
        return Rows(
            self.text,
            np.append(0, np.cumsum(np.bincount(owner, minlength=kept.size))),
            self.query[kept],
            self.query_start[kept],
            self.query_stop[kept],
            self.document[order],
            self.start[order],
            self.stop[order],
            self.value[order],
            self.subtopic[order] if self.subtopic.size else self.subtopic,
        )


def id_text(value: Any, what: str) -> str:
    """Return the id of a query or document as text: a whole number by its digits, bytes as UTF-8.

    Raises
    ------
    InputError
        For anything else, e.g. a fraction: whether 1.0 is `1` or `1.0` nobody can know.
    """
    try:
        if isinstance(value, str | bytes):
            text = value.decode() if isinstance(value, bytes) else str(value)
            text.encode()
            return text
    except UnicodeError:
        raise InputError(f"the {what} id {_shown(value)} is not UTF-8; ids are text") from None
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return str(int(value))
    kind = type(value).__name__
    raise InputError(
        f"the {what} id {_shown(value)} is of type {kind}; ids are text or whole numbers: write it as text"
    )


def _not_nested(records: Any) -> str:
    """Return where records are not what `Rows.from_dict` takes."""
    if not isinstance(records, Mapping):
        return f"something of type {type(records).__name__} instead of a mapping of query ids"
    for query, hits in records.items():
        if not isinstance(hits, Mapping):
            return f"query {_shown(query)} has {_shown(hits)} instead of a mapping of document ids to numbers"
        for document, value in hits.items():
            try:
                _numbers([value])
            except (TypeError, ValueError, OverflowError):
                return f"document {_shown(document)} of query {_shown(query)} has {_shown(value)} instead of a number"
    return "not a mapping of query ids to mappings of document ids to numbers"


def _shown(value: Any) -> str:
    return repr(value)[:40]


def _numbers(values: list[Any]) -> F64:
    """Return numbers as floats, what is missing as NaN; TypeError or ValueError for anything else."""
    array = np.asarray([np.nan if value is None else value for value in values])
    if array.ndim != 1 or not (array.dtype.kind in "biuf" or all(isinstance(value, int | float) for value in values)):
        raise TypeError
    return array.astype(np.float64)
