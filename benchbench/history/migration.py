"""The schema of a store: which one it has, and the way to that of this version."""

import threading
from pathlib import Path

import sqlalchemy as sa

from benchbench.errors import InputError, visible
from benchbench.history.place import Place

VERSION_TABLE = "history_version"  # alembic's usual name may be taken in a database that others use
REVISIONS = ("0001", "0002")  # of the files in `migrations/versions`, the oldest first
_ALONE = threading.Lock()  # alembic has one context per process
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


def upgrade(place: Place, connection: sa.Connection, revision: str = REVISIONS[-1]) -> None:
    """Bring a store to a schema, within the transaction that is open; another process waits for its end."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
    if found_revision(place, connection) in REVISIONS[REVISIONS.index(revision) :]:
        return  # another process has done it meanwhile
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    with _ALONE:
        command.upgrade(config, revision)
