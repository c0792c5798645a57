"""The rows with the lowest scores, as many as a page shows: memory does not grow with the rows."""

import heapq
from typing import Any, Generic, TypeVar

Row = TypeVar("Row")


class Lowest(Generic[Row]):
    """Keeps some rows by their places: the greater a place, the earlier its row stands. No two places are the same.

    The result depends neither on the order of the rows nor on how they are shared among processes.
    """

    def __init__(self, most: int) -> None:
        """Start with no rows; at most so many are kept."""
        self._most = most
        self._heap: list[tuple[tuple[Any, ...], Row]] = []  # the last of the kept ones first

    def takes(self, *place: Any) -> bool:
        """Say whether a row at this place would be kept."""
        return len(self._heap) < self._most or place > self._heap[0][0]

    def add(self, row: Row, *place: Any) -> None:
        """Consider a row."""
        (heapq.heappush if len(self._heap) < self._most else heapq.heappushpop)(self._heap, (place, row))

    def rows(self) -> list[Row]:
        """Return the rows, lowest first."""
        return [row for _, row in sorted(self._heap, key=lambda entry: entry[0], reverse=True)]
