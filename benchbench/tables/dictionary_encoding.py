"""Float columns of many rows in one or two bytes per value, without losing a bit.

Measures of one query take few values: P@10 has eleven. A million queries with four tasks are 0.7 GB as
float64, and a sixth of that here.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchbench.kernels.arrays import F64

ROWS = 4096  # of a block as it is read back


class DictionaryEncoded:
    """A (rows, columns) table, filled with blocks of consecutive rows and read back in blocks."""

    def __init__(self, rows: int, columns: int) -> None:
        """Start with zeros everywhere."""
        self.shape = (rows, columns)
        self._columns = [_Column(rows) for _ in range(columns)]

    def put(self, first: int, block: F64) -> None:
        """Set the rows from `first` on."""
        for column, values in zip(self._columns, np.ascontiguousarray(block.T), strict=True):
            column.put(first, values)

    def rows(self, first: int, last: int) -> F64:
        """Return rows as they were put."""
        block: F64 = np.empty((last - first, self.shape[1]))
        for c, column in enumerate(self._columns):
            block[:, c] = column.values(first, last)
        return block

    def blocks(self) -> Iterator[tuple[int, F64]]:
        """Yield all rows in order, as `(first, rows)`."""
        for first in range(0, self.shape[0], ROWS):
            yield first, self.rows(first, min(first + ROWS, self.shape[0]))


class _Column:
    """Codes of the values; as wide as the number of distinct ones asks for, and the values themselves at last."""

    def __init__(self, rows: int, widths: tuple[type, ...] = (np.uint8, np.uint16)) -> None:
        self._widths = list(widths)
        self._codes: np.ndarray[Any, Any] = np.zeros(rows, self._widths.pop(0))
        self._known = {0: 0}  # bits -> code
        self._table: F64 | None = np.zeros(1)

    def put(self, first: int, values: F64) -> None:
        last = first + len(values)
        if self._table is None:
            self._codes[first:last] = values
            return
        bits, places = np.unique(values.view(np.int64), return_inverse=True)
        codes = [self._known.setdefault(value, len(self._known)) for value in bits.tolist()]
        if len(self._known) > len(self._table):
            if len(self._known) > np.iinfo(self._codes.dtype).max + 1 and not self._widened():
                self._codes[first:last] = values
                return
            self._table = np.array(list(self._known), np.int64).view(np.float64)
        self._codes[first:last] = np.array(codes, self._codes.dtype)[places]

    def _widened(self) -> bool:
        """Allocate memory for more values; False when there are too many to be coded."""
        while self._widths:
            self._codes = self._codes.astype(self._widths.pop(0))
            if len(self._known) <= np.iinfo(self._codes.dtype).max + 1:
                return True
        assert self._table is not None
        self._codes = self._table[self._codes]
        self._known, self._table = {}, None
        return False

    def values(self, first: int, last: int) -> F64:
        codes = self._codes[first:last]
        return codes if self._table is None else self._table[codes]
