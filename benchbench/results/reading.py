"""Results folders, read back: the record is checked, the tables wait until they are asked for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchbench.errors import InputError, said_by, visible
from benchbench.results.folder import PARTIAL, RECORD, SUMMARY
from benchbench.results.record import SCHEMA, Record, converted
from benchbench.results.result import Result
from benchbench.tables.text_files import json_value

if TYPE_CHECKING:
    import polars as pl


class Loaded(Result):
    """A result that was read from its folder; tables are read when they are asked for."""

    def __init__(self, folder: Path, record: "Record", details: Any, tables: Sequence[str]) -> None:
        """Keep what was read; `tables` are names of Parquet files in the folder, without their ending."""
        self.folder = self.read_from = folder
        self.__dict__["record"] = record
        self._details = details
        self._tables = tuple(tables)

    def to_record(self) -> "Record":
        """Return the record as it was read."""
        return self.record

    def details(self) -> Any:
        """Return what `summary.json` has, as JSON values."""
        return self._details

    def tables(self) -> "Mapping[str, Callable[[], pl.DataFrame]]":
        """Return what reads each table."""
        return {name: lambda name=name: table(self.folder, name) for name in self._tables}  # type: ignore[misc]

    def table(self, name: str, columns: list[str] | None = None) -> "pl.DataFrame":
        """Return a table; no other columns are read than those that are named."""
        return table(self.folder, name, columns) if name in self._tables else super().table(name)

    def _place(self, file: str = "") -> str:
        return str(self.folder / file)


def check_folder(folder: Path) -> None:
    """Raise InputError for anything but a results folder that is finished, or that an interrupted command ended."""
    with explained_reading(folder):
        if not folder.is_dir():
            raise InputError(f"{folder} is not a folder" if folder.exists() else f"{folder} does not exist")
    if folder.resolve().name.endswith(PARTIAL) and not (folder / RECORD).is_file():
        raise InputError(
            f"{folder} is not complete: its command did not finish; run it again (`benchbench run` with --resume)"
        )
    if not any((folder / name).is_file() for name in (RECORD, SUMMARY)):
        raise InputError(f"{folder} is no results folder: it has no {RECORD} and no {SUMMARY}")


def read_result(folder: Path) -> Loaded:
    """Read a folder that has a record; `check_folder` has accepted it.

    Raises
    ------
    InputError
        When it was written by a newer benchbench, is incomplete, or is damaged.
    """
    record = read_record(folder / RECORD)
    if not (folder / SUMMARY).is_file():
        raise InputError(f"{folder} is incomplete: {SUMMARY}, which lies beside every record, is missing")
    details = json_object(folder / SUMMARY)
    for table in record.tables:
        place = Path(table.file)
        if table.file != f"{table.name}.parquet" or place.is_absolute() or ".." in place.parts:
            raise InputError(f"{folder / RECORD} is damaged: a table cannot be in the file {visible(table.file, 60)!r}")
    missing = [visible(table.file, 60) for table in record.tables if not (folder / table.file).is_file()]
    if missing:
        raise InputError(f"{folder} is incomplete: {', '.join(missing)}, which its record names, is missing")
    return Loaded(folder, record, details, [table.name for table in record.tables])


def read_record(path: Path) -> Record:
    """Read `record.json`; InputError when it is damaged, or of a newer schema."""
    value = json_object(path)
    version = value.get("schema")
    if isinstance(version, int) and version > SCHEMA:
        raise InputError(
            f"{path} was written by a newer benchbench (schema {version}, and this one reads up to {SCHEMA}); update it"
        )
    return converted(value, Record, path)


def json_object(path: Path) -> dict[str, Any]:
    """Return the JSON object of a file; InputError for any other."""
    with explained_reading(path):
        value = json_value(path.read_bytes(), str(path))
    if not isinstance(value, dict):
        raise InputError(f"{path} is not a JSON object")
    return value


def table(folder: Path, name: str, columns: list[str] | None = None) -> "pl.DataFrame":
    """Return a table that lies beside a record."""
    import polars as pl

    path = folder / f"{name}.parquet"
    with explained_reading(path, (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException)):
        return pl.read_parquet(path, columns=columns, glob=False)


@contextmanager
def explained_reading(path: Path, errors: tuple[type[Exception], ...] = (OSError,)) -> Iterator[None]:
    """Turn an error in reading a file into one sentence."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except errors as error:
        raise InputError(f"{path} cannot be read: {said_by(error)}") from None
