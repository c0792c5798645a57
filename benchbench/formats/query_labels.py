"""Labels and gold spans of queries as columns, while a file is read."""

import json
from array import array
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchbench.errors import BadLineError, visible
from benchbench.kernels.arrays import F64, I32
from benchbench.tables.fields import first, identity
from benchbench.tables.labels import (
    MALFORMED_NUMBER,
    Kind,
    Label,
    LabelSchema,
    Spans,
    Vocabulary,
    found_at,
    is_malformed,
    number,
)
from benchbench.tables.queries import SpanColumns

_SHOWN = 60  # characters of a wrong value


class _Span(NamedTuple):
    file: str
    start: float
    end: float


class QueryLabels(NamedTuple):
    """What one query has: per label of the schema its number, or what has a code, and a list per label of spans."""

    values: list[Any]
    spans: list[list[_Span]]


class LabelColumns:
    """The columns of labels in `Queries`."""

    def __init__(self, schema: LabelSchema) -> None:
        """Begin without a query."""
        self.vocabulary = Vocabulary()
        self._schema = schema
        self._queries = 0
        self._codes, self._numbers = array("i"), array("d")  # query after query
        self._spans = [_Spans() for _ in schema.spans]
        self._encoders = [self._encoder(label) for label in schema.labels]

    def read(self, query: dict[str, Any]) -> QueryLabels:
        """Return the labels of a query, and add nothing to any column.

        Raises
        ------
        BadLineError
            A value of a wrong type.
        """
        return QueryLabels(
            [_value(label, query) for label in self._schema.labels],
            [_gold(spans, query) for spans in self._schema.spans],
        )

    def add(self, labels: QueryLabels) -> None:
        """Add those of the next query."""
        self._queries += 1
        for encode, value in zip(self._encoders, labels.values, strict=True):
            if encode is None:
                self._numbers.append(value)
            else:
                self._codes.append(encode(value))
        for columns, its, rows in zip(self._spans, self._schema.spans, labels.spans, strict=True):
            ignore = self._schema.coded[self._schema.row(its.file)].ignore
            for file, start, end in rows:
                columns.files.append(self.vocabulary.code(file, ignore))
                columns.ends.extend((start, end))
            columns.offsets.append(len(columns.files))

    def _encoder(self, label: Label) -> Callable[[Any], int] | None:
        if label.kind is Kind.NUMBER:
            return None
        return self.vocabulary.flag if label.kind is Kind.FLAG else partial(self.vocabulary.code, ignore=label.ignore)

    def codes(self) -> I32:
        """Return the codes, one row per coded label."""
        codes = np.asarray(self._codes).reshape(self._queries, len(self._schema.coded))
        return np.ascontiguousarray(codes.T)

    def numbers(self) -> F64:
        """Return the numbers, one row per numeric label."""
        numbers = np.asarray(self._numbers).reshape(self._queries, len(self._schema.numeric))
        return np.ascontiguousarray(numbers.T)

    def spans(self) -> SpanColumns:
        """Return the spans, those of one label behind those of another."""
        offsets = np.array([columns.offsets for columns in self._spans], np.int64).reshape(
            len(self._spans), self._queries + 1
        )
        counts = offsets[:, -1:]
        ends = np.concatenate([np.empty(0), *(columns.ends for columns in self._spans)]).reshape(-1, 2)
        return SpanColumns(
            offsets=offsets + np.cumsum(counts, axis=0) - counts,
            file=np.concatenate([np.empty(0, np.int32), *(columns.files for columns in self._spans)]),
            start=ends[:, 0].copy(),
            end=ends[:, 1].copy(),
        )


class _Spans:
    """The columns of the spans of one label."""

    def __init__(self) -> None:
        self.offsets = array("q", [0])
        self.files = array("i")
        self.ends = array("d")  # where each begins and ends


def _value(label: Label, query: dict[str, Any]) -> Any:
    path, value = found_at(query, label.query)
    if label.kind is Kind.NUMBER:
        read = number(value)
        if read != MALFORMED_NUMBER:
            return read
    elif not is_malformed(value):
        return value
    wanted = "a number" if label.kind is Kind.NUMBER else "a text, a number, true or false, or a list of these"
    raise BadLineError(f"{_named(label.name, path)} is {_shown(value)}, not {wanted}")


def _gold(spans: Spans, query: dict[str, Any]) -> list[_Span]:
    path, value = found_at(query, spans.query)
    name = _named(spans.name, path)
    if value is None:
        return []
    if not isinstance(value, list):
        raise BadLineError(f"{name} is {_shown(value)}, not a list of spans")
    return [_span(f"{name}, span {place}:", span) for place, span in enumerate(value, 1)]


def _span(name: str, value: Any) -> _Span:
    if not isinstance(value, dict):
        raise BadLineError(f"{name} {_shown(value)} is not a JSON object")
    file = identity(first(value, ("file", "file_path")))
    if file is None:
        raise BadLineError(f'{name} it has no file (a member "file" or "file_path" with a text)')
    given = value.get("span", [value.get("start"), value.get("end")])
    ends = list(map(number, given)) if isinstance(given, list) else []
    if len(ends) != 2 or None in given or MALFORMED_NUMBER in ends:
        raise BadLineError(f'{name} it has no "start" and "end" that are numbers, and no "span" with two')
    if not 0 <= ends[0] <= ends[1]:
        raise BadLineError(f"{name} it reaches from {ends[0]:g} to {ends[1]:g}, which is not 0 <= start <= end")
    return _Span(file, *ends)


def _named(name: str, path: tuple[str, ...]) -> str:
    return f"the query's label {visible(name)} ({visible('.'.join(path))})"


def _shown(value: Any) -> str:
    return visible(json.dumps(value, ensure_ascii=False), _SHOWN)
