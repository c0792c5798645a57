"""The schema of a store: which one it has, and the way to that of this version."""

import sqlalchemy as sa

from benchbench.errors import InputError, visible
from benchbench.history import schema
from benchbench.history.place import Place

VERSION_TABLE = "history_version"  # a name that nobody else has, in a database that others use too
REVISIONS = ("0001", "0002")  # the oldest first; 0002 added what gates and alerts keep
_OF_FIRST = {"run", "number", "tag"}  # the tables that 0001 has
_LOCK = 0x62656E6368  # of PostgreSQL's advisory locks


def found_revision(place: Place, connection: sa.Connection) -> str | None:
    """Return the schema of a store; None where there is none yet.

    Raises
    ------
    InputError
        When it is newer than this version of benchbench, or a file is a database and no history.
    """
    tables = sa.inspect(connection).get_table_names()
    if VERSION_TABLE not in tables:
        if tables and place.file is not None:
            raise InputError(f"{place.shown} is a database, and no history; name another with --store")
        return None
    found = connection.execute(sa.text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()
    if found is not None and found not in REVISIONS:
        raise InputError(
            f"the history {place.shown} was made by a newer benchbench (schema {visible(str(found), 20)}, and this one "
            f"knows up to {REVISIONS[-1]}); update it"
        )
    return found


def upgrade(place: Place, connection: sa.Connection) -> None:
    """Bring a store to the schema of this version, within the transaction that is open; others wait for its end.

    A table that has the name of one of ours in a new store is somebody else's, and an error.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
    found = found_revision(place, connection)
    if found == REVISIONS[-1]:
        return  # another process has done it meanwhile
    there = set() if found is None else _OF_FIRST
    missing = [table for name, table in schema.METADATA.tables.items() if name not in there]
    schema.METADATA.create_all(connection, missing, checkfirst=False)
    version = sa.Table(VERSION_TABLE, sa.MetaData(), sa.Column("version_num", sa.String(32), primary_key=True))
    version.create(connection, checkfirst=True)
    connection.execute(sa.delete(version))
    connection.execute(sa.insert(version).values(version_num=REVISIONS[-1]))
