"""Connections to a store: how SQLite is set up, and how a transaction that writes begins."""

import time
from typing import Any

import sqlalchemy as sa

from benchbench.errors import InputError
from benchbench.history.place import Place

WRITES = "benchbench_writes"  # an option of a connection: its transaction will write

_LOCKED = {"SQLITE_BUSY", "SQLITE_BUSY_RECOVERY", "SQLITE_LOCKED"}
_PAUSE = 0.01  # seconds


def make_engine(place: Place, write: bool, patience: float, alone: bool = False) -> sa.Engine:
    """Return an engine; nothing is opened yet.

    Parameters
    ----------
    place
        Where the store is.
    write
        Whether a file may be changed; one that is only read is not even made.
    patience
        Seconds to wait for another process that writes, and for a server that does not answer.
    alone
        Whether nobody can write the file of SQLite, as on a medium that is read-only: then it is read without the files
        beside it by which processes know of one another, and which cannot be made there.

    Raises
    ------
    InputError
        When PostgreSQL is asked for, and its client is not installed.
    """
    if place.file is None:
        return _of_postgresql(place, write, patience)
    mode = {} if write else {"mode": "ro", "immutable": "1"} if alone else {"mode": "ro"}
    url = place.url.set(database=f"file:{_quoted(place)}", query={"uri": "true", **mode})
    engine = sa.create_engine(url, connect_args={"timeout": patience}, hide_parameters=True)

    @sa.event.listens_for(engine, "connect")
    def set_up(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions begin below, and include changes of tables
        connection.execute("PRAGMA foreign_keys = ON")
        if write:
            _log_ahead(connection, patience)
            connection.execute("PRAGMA synchronous = FULL")  # what is committed outlasts a power cut too

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        writes = connection.get_execution_options().get(WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _log_ahead(connection: Any, patience: float) -> None:
    """Let readers go on while one process writes; SQLite does not wait by itself for another that changes this too."""
    end = time.monotonic() + patience
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except Exception as error:
            if getattr(error, "sqlite_errorname", "") not in _LOCKED or time.monotonic() > end:
                raise
            time.sleep(_PAUSE)
        else:
            return  # a network's file system may have no log ahead; then readers wait


def _quoted(place: Place) -> str:
    """Return the path of a file as an address of SQLite has it."""
    return str(place.file).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _of_postgresql(place: Place, write: bool, patience: float) -> sa.Engine:
    waits = f"-c lock_timeout={int(patience * 1e3)} -c default_transaction_read_only={'off' if write else 'on'}"
    options = f"{place.url.query.get('options', '')} {waits}".strip()
    url = place.url.update_query_dict({"options": options})
    if "connect_timeout" not in url.query:
        url = url.update_query_dict({"connect_timeout": str(max(int(patience), 2))})
    try:
        return sa.create_engine(url, hide_parameters=True)
    except ModuleNotFoundError:
        raise InputError(
            "a history in PostgreSQL needs its client for Python: pip install '.[postgres]' in benchbench's checkout"
        ) from None
