"""A result as the store has it: record, details, and the table of values per query."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from benchbench.results.record import Record
from benchbench.results.result import Result

if TYPE_CHECKING:
    import polars as pl


class StoredResult(Result):
    """A result of the history; layouts draw it as they draw one of a folder."""

    def __init__(
        self, number: int, record: Record, details: Any, tables: "Mapping[str, Callable[[], pl.DataFrame]]"
    ) -> None:
        """Keep what was stored; tables are read when they are asked for."""
        self.number = number
        self.__dict__["record"] = record
        self._details = details
        self._tables = tables

    def to_record(self) -> Record:
        """Return the record as it was stored."""
        return self.record

    def details(self) -> Any:
        """Return the members of `summary.json`, as JSON values."""
        return self._details

    def tables(self) -> "Mapping[str, Callable[[], pl.DataFrame]]":
        """Return what reads the table of values per query, where it is there."""
        return self._tables

    def _place(self, file: str = "") -> str:
        return f"run {self.number} of the history"
