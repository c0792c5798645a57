"""Labels of hits by the JSON in which they come: each different value is read once, and looked up after that."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
import orjson

from benchbench.client.hit_values import usable_values
from benchbench.kernels.arrays import F64, I32, U64, Bytes
from benchbench.kernels.json_columns import join_values, number_values
from benchbench.tables.hits import Hits
from benchbench.tables.labels import LabelSchema, Vocabulary

_VALUES, _BYTES = 1 << 10, 1 << 16  # of each label, and of all, that are known at first …
_MOST_VALUES, _MOST_BYTES = 1 << 16, 1 << 24  # … and are kept from one answer to the next
_AROUND = 5  # bytes of a comma or bracket, and of null where there is no value


def join(text: Bytes, spans: U64, space: Bytes) -> Bytes:
    """Return values as one JSON list, which stands in `space`."""
    return space[: int(join_values(text, spans, space))]


def space_for(size: int, values: int) -> Bytes:
    """Return space in which values of some bytes can be joined."""
    return np.empty(size + _AROUND * values + 1, np.uint8)


class KnownLabels:
    """What values of labels mean. JSON that is written alike means the same."""

    def __init__(self, labels: Vocabulary, schema: LabelSchema) -> None:
        """Know nothing; `labels` grows by what is read."""
        self._labels, self._schema = labels, schema
        self._begin(_VALUES, _BYTES)

    def columns(self, text: Bytes, fields: Sequence[U64 | None], size: int, hits: Hits) -> list[I32 | F64]:
        """Return the columns of labels, and count what is malformed in `hits`.

        Parameters
        ----------
        text, fields
            JSON, and where each label of each hit stands there (`kernels.json_columns`); None where no hit has it.
        size
            The number of hits.

        Raises
        ------
        orjson.JSONDecodeError
            A number out of range.
        """
        used = [f for f, spans in enumerate(fields) if spans is not None]
        numbered = iter(self._numbers(text, [spans for spans in fields if spans is not None], used) if used else ())
        columns: list[I32 | F64] = []
        for f, (label, spans) in enumerate(zip(self._schema.labels, fields, strict=True)):
            if spans is None:
                columns.append(np.full(size, label.kind.missing, label.kind.type))
                continue
            column = self._meanings[f][next(numbered)]
            columns.append(usable_values(label, column, hits) if self._has_malformed[f] else column)
        if self._places.shape[1] > _MOST_VALUES or self._pool.size > _MOST_BYTES:
            self._begin(_VALUES, _BYTES)
        return columns

    def _begin(self, values: int, size: int) -> None:
        """Forget what is known, and make room."""
        labels = self._schema.labels
        self._pool, self._used = np.empty(size, np.uint8), np.zeros(1, np.int64)
        self._places = np.empty((len(labels), values), np.uint64)
        self._slots = np.full((len(labels), 1 << (2 * values).bit_length()), -1, np.int32)
        self._counts = np.zeros(len(labels), np.int64)
        self._learned = [0] * len(labels)
        self._meanings: list[Any] = [np.full(values + 1, label.kind.missing, label.kind.type) for label in labels]
        self._has_malformed = [False] * len(labels)

    def _numbers(self, text: Bytes, fields: Sequence[U64], rows: Sequence[int]) -> I32:
        """Return the number of each hit's value of some labels, and read the values that are new."""
        spans, which = np.stack(fields), np.array(rows, np.int64)
        numbers = np.empty(spans.shape, np.int32)
        if not self._number(text, spans, which, numbers):
            grown = min(2 * self._places.shape[1], _MOST_VALUES), min(2 * self._pool.size, _MOST_BYTES)
            self._begin(max(grown[0], spans.shape[1]), max(grown[1], len(rows) * text.size))
            self._number(text, spans, which, numbers)
        self._learn()
        return numbers

    def _number(self, text: Bytes, spans: U64, which: Any, numbers: I32) -> bool:
        return number_values(
            text, spans, which, self._slots, self._pool, self._used, self._places, self._counts, numbers
        )

    def _learn(self) -> None:
        """Read the values that are new."""
        counts = self._counts.tolist()
        if counts == self._learned:
            return
        new = [its[a:b] for its, a, b in zip(self._places, self._learned, counts, strict=True)]
        spans = np.concatenate(new)
        space = space_for(int(self._used[0]), spans.size)
        pool = self._pool.view()
        pool.flags.writeable = False  # as an answer is: kernels compile for one kind
        try:
            values = iter(orjson.loads(join(pool, spans, space).data))
        except orjson.JSONDecodeError:
            self._begin(_VALUES, _BYTES)
            raise
        for f, (label, its) in enumerate(zip(self._schema.labels, new, strict=True)):
            column = self._labels.column(label, list(islice(values, its.size)))
            self._meanings[f][self._learned[f] : counts[f]] = column
            self._has_malformed[f] = self._has_malformed[f] or label.kind.malformed in column
        self._learned = counts
