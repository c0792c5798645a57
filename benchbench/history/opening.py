"""Opening a store: made where it is wanted, brought to the schema of this version, or refused in a sentence."""

import sqlite3
from pathlib import Path

from benchbench.errors import InputError
from benchbench.history.database import Database, database_of
from benchbench.history.database_errors import explained
from benchbench.history.migration import REVISIONS, found_revision, upgrade
from benchbench.history.place import Place


def opened(place: Place, write: bool, create: bool, patience: float) -> Database:
    """Return the database of a store that is there and has the schema of this version.

    Parameters and errors are those of `history.store.open_history`.
    """
    if place.file is not None:
        _check_file(place, place.file, create and write)
    database = database_of(place, write, patience)
    try:
        with explained(place):
            try:
                revision = _revision(place, database)
            except sqlite3.OperationalError as error:
                if write or not _is_alone(place, error):
                    raise
                database.close()
                database = database_of(place, write, patience, alone=True)
                revision = _revision(place, database)
            if revision is None and not (create and write):
                raise InputError(_nothing(place))
            if revision != REVISIONS[-1]:
                _migrate(place, patience)
    except BaseException:
        database.close()
        raise
    return database


def _is_alone(place: Place, error: sqlite3.OperationalError) -> bool:
    """Say that a file cannot be opened only because nothing can be made beside it, and that nobody is writing it."""
    code = getattr(error, "sqlite_errorname", "")
    return code.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY")) and not Path(f"{place.file}-wal").exists()


def _revision(place: Place, database: Database) -> str | None:
    with database.transaction() as connection:
        return found_revision(place, connection)


def _migrate(place: Place, patience: float) -> None:
    database = database_of(place, True, patience)
    try:
        with database.transaction(writes=True) as connection:
            upgrade(place, connection)
    finally:
        database.close()


def _check_file(place: Place, path: Path, create: bool) -> None:
    try:
        if path.is_dir():
            raise InputError(f"--store {place.shown} is a folder; name a file in it, such as {place.shown}/history.db")
        if path.exists() and not path.is_file():
            raise InputError(f"--store {place.shown} is a device, and not a file; name a file")
        if create:
            path.parent.mkdir(parents=True, exist_ok=True)
        elif not path.exists():
            raise InputError(_nothing(place))
    except OSError as error:
        raise InputError(f"--store {place.shown} cannot be used: {error.strerror}") from None


def _nothing(place: Place) -> str:
    return (
        f"there is no history at {place.shown} yet; `benchbench history add FOLDER`, or --record with a command that "
        "measures, makes one"
    )
