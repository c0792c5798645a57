"""Labels of hits by the JSON in which they come: each different value is read once, and looked up after that."""

from itertools import islice
from typing import Any

import numpy as np
import orjson

from benchbench.client.hit_values import usable_values
from benchbench.kernels.arrays import F64, I32, I64, U64, Bools, Bytes
from benchbench.kernels.json_columns import join_values, number_values
from benchbench.tables.hits import Hits
from benchbench.tables.labels import LabelSchema, Vocabulary

_VALUES, _MOST_VALUES = 1 << 10, 1 << 16  # of each label that are known at first, and from one answer to the next
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_USED = b"\1"  # a true value of numpy
_AROUND = 5  # bytes of a comma or bracket, and of null where there is no value


def join(text: Bytes, spans: U64, space: Bytes) -> Bytes:
    """Return values as one JSON list, which stands in `space`."""
    return space[: int(join_values(text, spans, space))]


def space_for(size: int, values: int) -> Bytes:
    """Return space in which values of some bytes can be joined."""
    return np.empty(size + _AROUND * values + 1, np.uint8)


class KnownLabels:
    """What values of labels mean. JSON that is written alike means the same, and is known by a hash of 64 bits."""

    def __init__(self, labels: Vocabulary, schema: LabelSchema) -> None:
        """Know nothing; `labels` grows by what is read."""
        self._labels, self._schema = labels, schema
        self._absent: list[I32 | F64] | None = None
        self._begin(_VALUES)

    def columns(self, text: Bytes, spans: U64, is_used: Bools, ways: I64, hits: Hits) -> list[I32 | F64]:
        """Return the columns of labels, and count what is malformed in `hits`.

        Parameters
        ----------
        text, spans, is_used, ways
            JSON, and where each label of each hit stands there (`kernels.json_columns.number_values`).

        Raises
        ------
        orjson.JSONDecodeError
            A number out of range.
        """
        if not len(ways):
            return []  # and no kernel is compiled for it
        if _USED not in is_used.take(ways).tobytes():  # no hit has a label; -1 is the last row, of a label too
            return self._no_labels(spans.shape[1])
        numbers = np.empty((len(ways), spans.shape[1]), np.int32)
        if not self._number(text, spans, is_used, ways, numbers):
            self._begin(max(min(2 * self._new.shape[1], _MOST_VALUES), spans.shape[1]))
            self._number(text, spans, is_used, ways, numbers)
        self._learn(text)
        columns: list[I32 | F64] = []
        for f, label in enumerate(self._schema.labels):
            column = self._meanings[f].take(numbers[f])
            columns.append(usable_values(label, column, hits) if self._has_malformed[f] else column)
        if self._new.shape[1] > _MOST_VALUES:
            self._begin(_VALUES)
        return columns

    def _no_labels(self, hits: int) -> list[I32 | F64]:
        """Return the columns of labels where no hit has any: the same for every answer with as many hits."""
        if self._absent is None or self._absent[0].size != hits:
            kinds = [label.kind for label in self._schema.labels]
            self._absent = [np.full(hits, kind.missing, kind.type) for kind in kinds]
            for column in self._absent:
                column.setflags(write=False)
        return list(self._absent)

    def _begin(self, values: int) -> None:
        """Forget what is known, and make room."""
        labels = self._schema.labels
        slots = len(labels), 1 << (2 * values).bit_length()
        self._slots, self._known = np.zeros(slots, np.uint64), np.empty(slots, np.int32)
        self._new, self._counts = np.empty((len(labels), values), np.uint64), np.zeros(len(labels), np.int64)
        self._learned = [0] * len(labels)
        self._meanings: list[Any] = [np.full(values + 1, label.kind.missing, label.kind.type) for label in labels]
        self._has_malformed = [False] * len(labels)

    def _number(self, text: Bytes, spans: U64, is_used: Bools, ways: I64, numbers: I32) -> bool:
        return number_values(text, spans, is_used, ways, self._slots, self._known, self._counts, self._new, numbers)

    def _learn(self, text: Bytes) -> None:
        """Read the values that are new."""
        counts = self._counts.tolist()
        if counts == self._learned:
            return
        new = [its[a:b] for its, a, b in zip(self._new, self._learned, counts, strict=True)]
        spans = np.concatenate(new)
        size = int((spans >> _HALF).sum() - (spans & _LOW).sum())  # labels may have the same place
        try:
            values = iter(orjson.loads(join(text, spans, space_for(size, spans.size)).data))
        except orjson.JSONDecodeError:
            self._begin(_VALUES)
            raise
        for f, (label, its) in enumerate(zip(self._schema.labels, new, strict=True)):
            column = self._labels.column(label, list(islice(values, its.size)))
            self._meanings[f][self._learned[f] : counts[f]] = column
            self._has_malformed[f] = self._has_malformed[f] or label.kind.malformed in column
        self._learned = counts
