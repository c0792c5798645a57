"""The store of results: records, their numbers and tags in a database, values per query in Parquet files beside it."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from benchbench.errors import InputError, visible
from benchbench.history import find
from benchbench.history.adding import insert, rows_of, storable, stored_json
from benchbench.history.database import Database, StoreConnection, among, explained
from benchbench.history.entry import NO_TAGS, Entry, MissingValuesError, Series, StoredNumber
from benchbench.history.find import frame_of, lines_of, number_rows
from benchbench.history.opening import opened
from benchbench.history.place import StorePlace, place_of
from benchbench.history.wanted import ALL, Wanted
from benchbench.results.record import Record, converted
from benchbench.results.result import Result

if TYPE_CHECKING:
    import polars as pl

    from benchbench.history.values import RunValues


PATIENCE = 30.0  # seconds
_AT_ONCE = 500  # runs per statement that deletes


def open_history(
    address: str | Path | None = None,
    *,
    write: bool = True,
    create: bool = False,
    tables: Path | None = None,
    patience: float = PATIENCE,
) -> "Store":
    """Open a store.

    Parameters
    ----------
    address
        A path, `sqlite:///…` or `postgresql://…`; without it, the variable BENCHBENCH_HISTORY of the environment, else
        `results/history.db`.
    write
        Whether it may be changed. A store of an older schema is migrated in either case.
    create
        Whether one that is not there is made.
    tables
        The folder of Parquet files; without it, BENCHBENCH_HISTORY_TABLES, else `<file>.tables`, and for PostgreSQL
        `results/history.tables`.
    patience
        Seconds to wait for another process that writes, or for a server.

    Raises
    ------
    InputError
        When there is none, it is none, was made by a newer benchbench, is read-only, locked or damaged, or a server
        cannot be reached.
    """
    place = place_of(address, tables)
    return Store(place, opened(place, write, create, patience))


class Store:
    """An open store, used as a context; `open_history` opens it.

    Attributes
    ----------
    place
        Where it is; `place.shown` is for people, `place.tables` the folder of Parquet files.
    """

    def __init__(self, place: StorePlace, database: Database) -> None:
        """Keep a store that is open and has the schema of this version."""
        self.place = place
        self._database = database

    def __enter__(self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close every connection."""
        self._database.close()

    def add(self, result: Result, *, tags: Mapping[str, str] = NO_TAGS, source: str = "") -> tuple[Entry, bool]:
        """Store a result, and return what the store says of it, and whether it is new.

        Parameters
        ----------
        result
            Of any kind, from memory or from a folder.
        tags
            Beside those of its record.
        source
            The folder that it was read from.

        Returns
        -------
        tuple
            The entry; False where a record with this id was there, which stays as it is.

        Raises
        ------
        InputError
            When the store cannot be written, or a table of the result not be read.
        """
        from benchbench.history.per_query import per_query, with_query_columns
        from benchbench.history.values import file_name, write_values

        known = self._known(result.record.id)
        if known is not None:
            return known, False
        rows = rows_of(result, tags, source)
        values = per_query(result)
        if values is not None:
            file = file_name(result.record.id)
            size = write_values(with_query_columns(values, result.record), self.place.tables / file)
            rows = rows.with_values(file, size)
        with self.transaction() as connection:
            if connection.is_postgresql:  # numbers are given in the order in which runs become visible
                connection.run("LOCK TABLE run IN SHARE ROW EXCLUSIVE MODE")
            there = find.by(connection, "id = ?", [rows.run["id"]])
            if there:
                return there[0], False
            number = insert(connection, rows)
            return find.by(connection, "number = ?", [number])[0], True

    def entries(self, wanted: Wanted = ALL, whole: bool = True) -> list[Entry]:
        """Return the runs that are wanted, in the order of recording; unless they are `whole` in brief, and faster."""
        with self.reading() as connection:
            return find.entries(connection, wanted, whole)

    def in_whole(self, entries: Sequence[Entry]) -> list[Entry]:
        """Return runs, which may have been read in brief, with all that is known of them."""
        with self.reading() as connection:
            return find.in_whole(connection, entries)

    def series(self, wanted: Wanted = ALL) -> list[Series]:
        """Return the runs that are wanted by what they may be compared with, the series of the newest run first."""
        return find.series_of(self.entries(wanted))

    def one(self, selector: str) -> Entry:
        """Return one run.

        Parameters
        ----------
        selector
            Its number, as `12` or `#12`; its id, or the first 8 or more characters of that; `latest`; or a name, whose
            latest run is meant.

        Raises
        ------
        InputError
            When it is none of these, with what there is, or the beginning of several ids.
        """
        wanted = storable(selector.strip())
        with self.reading() as connection:
            if wanted.removeprefix("#").isdecimal() and wanted.isascii():
                number = int(wanted.removeprefix("#"))
                entries = find.by(connection, "number = ?", [number]) if number < 1 << 31 else []
                if entries:
                    return entries[0]
            if wanted == "latest" and (entries := find.by(connection, limit=1)):
                return entries[0]
            if len(wanted) >= find.LEAST_ID:
                entries = find.by(connection, f"substr(id, 1, {len(wanted)}) = ?", [wanted], 4)
                if len(entries) > 1:
                    ids = ", ".join(entry.id for entry in entries[-3:])
                    raise InputError(f"several ids begin with {visible(selector, 60)}, such as {ids}")
                if entries:
                    return entries[0]
            if entries := find.by(connection, "name = ?", [wanted], 1):
                return entries[0]
            raise InputError(
                f"no run {visible(selector, 60)!r} in the history {self.place.shown}; {self._has(connection)}"
            )

    def record(self, entry: Entry) -> Record:
        """Return the record of a run, as it was added."""
        with self.reading() as connection:
            value = stored_json(find.column_of(connection, entry, "record"))
        return converted(value, Record, f"the record of run {entry.number} in {self.place.shown}")

    def result(self, entry: Entry) -> Result:
        """Return a run as a result, which layouts draw as they draw one of a folder.

        It has its record, its details and the table of its values per query. The other tables are there as long as the
        folder that it was added from is.
        """
        from benchbench.history.values import table_of

        record = self.record(entry)
        with self.reading() as connection:
            details = stored_json(find.column_of(connection, entry, "details"))
        tables = source_tables(entry)
        with suppress(InputError):  # a file that is gone; `values` says so
            table = table_of(self._file(entry))
            tables = tables if table is None else {**tables, table[0]: table[1]}
        return StoredResult(entry, record, details, tables)

    def numbers(self, entries: Sequence[Entry], measures: Collection[str] | None = None) -> "pl.DataFrame":
        """Return the numbers of runs, one row each, by one query for all runs, as `history.numbers.frame_of` does."""
        return frame_of(self.rows(entries, measures))

    def rows(
        self, entries: Sequence[Entry], measures: Collection[str] | None = None, slices: bool = True, whole: bool = True
    ) -> list[StoredNumber]:
        """Return the same in a list; without `slices` those over all, unless they are `whole` with the value alone."""
        columns = StoredNumber._fields if whole else ("run", "measure", "value")
        with self.reading() as connection:
            rows = number_rows(connection, [entry.number for entry in entries], measures, slices, columns)
        return [StoredNumber(*row) for row in rows]

    def lines(
        self, entries: Sequence[Entry], measures: Collection[str] | None = None
    ) -> dict[str, dict[int, StoredNumber]]:
        """Return numbers over all by their measures, and then by run."""
        return {measure: line for (measure, _), line in lines_of(self.rows(entries, measures, slices=False)).items()}

    def measures(self, entries: Sequence[Entry]) -> list[str]:
        """Return the measures that runs have, over all, in the order in which they come first."""
        with self.reading() as connection:
            numbers = [entry.number for entry in entries]
            rows = number_rows(connection, numbers, slices=False, columns=("run", "measure"))
        return list(dict.fromkeys(measure for _, measure in rows))

    def values(self, entry: Entry) -> "RunValues":
        """Return the values per query of a run; MissingValuesError where it has none, or their file is gone."""
        from benchbench.history.values import read_values

        return read_values(self._file(entry))

    def delete(self, entries: Sequence[Entry]) -> int:
        """Delete runs and the files of their values, and return how many there were."""
        numbers, deleted = [entry.number for entry in entries], 0
        with self.transaction() as connection:
            for first in range(0, len(numbers), _AT_ONCE):
                some = numbers[first : first + _AT_ONCE]
                deleted += connection.run(f"DELETE FROM run WHERE number IN {among(some)}", some)
        for entry in entries:
            if entry.values:
                with suppress(OSError):
                    (self.place.tables / entry.values).unlink(missing_ok=True)
        return deleted

    @contextmanager
    def transaction(self) -> Iterator[StoreConnection]:
        """Yield a connection whose changes appear together at the end, or not at all after an error.

        Another process that writes is waited for at the beginning, for a bounded time.

        Raises
        ------
        InputError
            When the store is locked for too long, read-only, damaged, or out of space.
        """
        with explained(self.place), self._database.transaction(writes=True) as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[StoreConnection]:
        """Yield a connection that sees the store as it is now, whoever writes meanwhile; InputError as above."""
        with explained(self.place), self._database.transaction() as connection:
            yield connection

    def _known(self, identity: str) -> Entry | None:
        with self.reading() as connection:
            entries = find.by(connection, "id = ?", [storable(identity)])
        return entries[0] if entries else None

    def _file(self, entry: Entry) -> Path:
        if not entry.values:
            raise MissingValuesError(
                f"run {entry.number} ({entry.kind} {visible(entry.name, 60)}) has no values per query"
            )
        path = self.place.tables / entry.values
        if not path.is_file():
            raise MissingValuesError(
                f"the values per query of run {entry.number} are gone: {path} does not exist"
                + (f"; they were added from {entry.source}" if entry.source else "")
            )
        return path

    def _has(self, connection: StoreConnection) -> str:
        """Return in words what there is."""
        ((count, last),) = connection.rows("SELECT count(*), max(number) FROM run")
        if not count:
            return "it is empty"
        names = connection.rows("SELECT name FROM run GROUP BY name ORDER BY max(number) DESC LIMIT 6")
        return f"it has {count:,} runs, the last is {last}, of the names " + ", ".join(
            visible(name, 60) for (name,) in names
        )


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
        origin = f", which was added from {self.entry.source}," if self.entry.source else ""
        return f"run {self.entry.number} of the history{origin}"


def source_tables(entry: Entry) -> "dict[str, Callable[[], pl.DataFrame]]":
    """Return the tables of the folder that a run was added from; none where it is gone, or has another result now."""
    from benchbench.stored import load

    with suppress(InputError):
        result = load(entry.source) if entry.source else None
        if result is not None and result.record.id == entry.id:
            return dict(result.tables())
    return {}
