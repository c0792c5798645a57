"""Opening a store: made where it is wanted, brought to the schema of this version, or refused in a sentence."""

import re
import sqlite3
from pathlib import Path

from benchbench.errors import InputError, visible
from benchbench.history.database import Database, StoreConnection, database_of, explained
from benchbench.history.place import StorePlace

VERSION_TABLE = "history_version"  # a name that nobody else has, in a database that others use too
REVISIONS = ("0001", "0002")  # the oldest first; 0002 added what gates and alerts keep
_SCHEMA = Path(__file__).with_name("schema.sql")
_SINCE = "-- The tables below came with schema 0002."  # a line of that file
_TABLES = {
    False: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'",
    True: "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()",
}
_LOCK = 0x62656E6368  # of PostgreSQL's advisory locks


def opened(place: StorePlace, write: bool, create: bool, patience: float) -> Database:
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


def _is_alone(place: StorePlace, error: sqlite3.OperationalError) -> bool:
    """Say that a file cannot be opened only because nothing can be made beside it, and that nobody is writing it."""
    code = getattr(error, "sqlite_errorname", "")
    return code.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY")) and not Path(f"{place.file}-wal").exists()


def _revision(place: StorePlace, database: Database) -> str | None:
    with database.transaction() as connection:
        return found_revision(place, connection)


def _migrate(place: StorePlace, patience: float) -> None:
    database = database_of(place, True, patience)
    try:
        with database.transaction(writes=True) as connection:
            upgrade(place, connection)
    finally:
        database.close()


def _check_file(place: StorePlace, path: Path, create: bool) -> None:
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


def _nothing(place: StorePlace) -> str:
    return (
        f"there is no history at {place.shown} yet; `benchbench history add FOLDER`, or --record with a command that "
        "measures, makes one"
    )


def found_revision(place: StorePlace, connection: StoreConnection) -> str | None:
    """Return the schema of a store; None where there is none yet.

    Raises
    ------
    InputError
        When it is newer than this version of benchbench, or a file is a database and no history.
    """
    tables = {name for (name,) in connection.rows(_TABLES[connection.is_postgresql])}
    if VERSION_TABLE not in tables:
        if tables and place.file is not None:
            raise InputError(f"{place.shown} is a database, and no history; name another with --store")
        return None
    revision: str | None = connection.value(f"SELECT version_num FROM {VERSION_TABLE}")
    if revision is not None and revision not in REVISIONS:
        raise InputError(
            f"the history {place.shown} was made by a newer benchbench (schema {visible(revision, 20)}, and this one "
            f"knows up to {REVISIONS[-1]}); update it"
        )
    return revision


def upgrade(place: StorePlace, connection: StoreConnection) -> None:
    """Bring a store to the schema of this version, within the transaction that is open; others wait for its end.

    A table that has the name of one of ours in a new store is somebody else's, and an error.
    """
    if connection.is_postgresql:
        connection.rows("SELECT pg_advisory_xact_lock(?)", [_LOCK])
    revision = found_revision(place, connection)
    if revision == REVISIONS[-1]:
        return  # another process has done it meanwhile
    for statement in statements(connection.is_postgresql, since=revision):
        connection.run(statement)
    if revision is None:
        connection.run(f"CREATE TABLE {VERSION_TABLE} (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
    connection.run(f"DELETE FROM {VERSION_TABLE}")
    connection.insert(VERSION_TABLE, [{"version_num": REVISIONS[-1]}])


def statements(is_postgresql: bool, since: str | None = None) -> list[str]:
    """Return the statements that make the tables which a store of the schema `since` lacks; of None all."""
    text = _SCHEMA.read_text(encoding="utf-8")
    if since is not None:
        text = text.partition(_SINCE)[2]
    text = re.sub(" *--.*", "", text)
    if is_postgresql:
        text = text.replace("INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT", "SERIAL PRIMARY KEY")
        text = text.replace(" BLOB ", " BYTEA ").replace(" WITHOUT ROWID", "")
    return [statement.strip() for statement in text.split(";") if statement.strip()]
