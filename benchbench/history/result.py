"""A result as the store has it: record, details, and the tables that are at hand."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from benchbench.errors import InputError
from benchbench.history.entry import Entry
from benchbench.results.record import Record
from benchbench.results.result import Result

if TYPE_CHECKING:
    import polars as pl


class StoredResult(Result):
    """A result of the history."""

    def __init__(
        self, entry: Entry, record: Record, details: Any, tables: "Mapping[str, Callable[[], pl.DataFrame]]"
    ) -> None:
        """Keep what was stored; tables are read when they are asked for."""
        self.entry = entry
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
        """Return what reads each table that is at hand."""
        return self._tables

    def _place(self, file: str = "") -> str:
        of = f", which was added from {self.entry.source}," if self.entry.source else ""
        return f"run {self.entry.number} of the history{of}"


def source_tables(entry: Entry) -> "dict[str, Callable[[], pl.DataFrame]]":
    """Return the tables of the folder that a run was added from; none where it is gone, or has another result now."""
    from benchbench.stored import load

    with suppress(InputError):
        found = load(entry.source) if entry.source else None
        if found is not None and found.record.id == entry.id:
            return dict(found.tables())
    return {}
