"""The schema of a store: which one it has, and the way to that of this version."""

import re
from pathlib import Path

from benchbench.errors import InputError, visible
from benchbench.history.database import Connection
from benchbench.history.place import Place

VERSION_TABLE = "history_version"  # a name that nobody else has, in a database that others use too
REVISIONS = ("0001", "0002")  # the oldest first; 0002 added what gates and alerts keep
_SCHEMA = Path(__file__).with_name("schema.sql")
_SINCE = "-- The tables below came with schema 0002."  # a line of that file
_TABLES = {
    False: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'",
    True: "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()",
}
_LOCK = 0x62656E6368  # of PostgreSQL's advisory locks


def found_revision(place: Place, connection: Connection) -> str | None:
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
    found: str | None = connection.value(f"SELECT version_num FROM {VERSION_TABLE}")
    if found is not None and found not in REVISIONS:
        raise InputError(
            f"the history {place.shown} was made by a newer benchbench (schema {visible(found, 20)}, and this one "
            f"knows up to {REVISIONS[-1]}); update it"
        )
    return found


def upgrade(place: Place, connection: Connection) -> None:
    """Bring a store to the schema of this version, within the transaction that is open; others wait for its end.

    A table that has the name of one of ours in a new store is somebody else's, and an error.
    """
    if connection.is_postgresql:
        connection.rows("SELECT pg_advisory_xact_lock(?)", [_LOCK])
    found = found_revision(place, connection)
    if found == REVISIONS[-1]:
        return  # another process has done it meanwhile
    for statement in statements(connection.is_postgresql, since=found):
        connection.run(statement)
    if found is None:
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
