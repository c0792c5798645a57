"""SQLite and PostgreSQL behind one way to ask: the same SQL, `?` for a value, and a transaction as a context.

What goes wrong with either is said in one sentence.
"""

import contextlib
import sqlite3
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from benchbench.errors import InputError
from benchbench.history.place import StorePlace

_LOCKED = {"SQLITE_BUSY", "SQLITE_BUSY_RECOVERY", "SQLITE_LOCKED"}
_PAUSE = 0.01  # seconds

Row = tuple[Any, ...]
_FULL = {"SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_TRUNCATE", "SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_FSYNC"}
_NO_HISTORY = "is not a history, or is damaged"
_OF_POSTGRESQL = {  # SQLSTATE, or its class -> what it is
    "55P03": "is locked by another process",
    "57014": "is locked by another process",
    "40P01": "is locked by another process",
    "25006": "is read-only",
    "42501": "may not be used by this user",
    "53": "has no room left",
    "28": "refuses this user, or the password",
    "3D": "does not exist",
    "57P": "is being shut down",
    "08": "cannot be reached",
}


class StoreConnection:
    """A connection within a transaction; `?` stands for a value in its SQL, which is that of both databases."""

    def __init__(self, raw: Any, is_postgresql: bool) -> None:
        """Take a connection of `sqlite3` or `psycopg`."""
        self._raw, self.is_postgresql = raw, is_postgresql

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """Run a statement, and return the rows that it finds."""
        rows: list[Row] = self._cursor(sql, values).fetchall()
        return rows

    def row(self, sql: str, values: Sequence[Any] = ()) -> Row | None:
        """Run a statement, and return the first row that it finds, if there is one."""
        return next(iter(self.rows(sql, values)), None)

    def value(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Run a statement, and return the first column of the first row that it finds; None where there is none."""
        row = self.row(sql, values)
        return None if row is None else row[0]

    def run(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Run a statement, and return how many rows it has changed."""
        return int(self._cursor(sql, values).rowcount)

    def insert(self, table: str, rows: Sequence[Mapping[str, Any]], ending: str = "") -> int:
        """Insert rows that have the same columns, and return how many there were; `ending` ends the statement."""
        if not rows:
            return 0
        cursor = self._raw.cursor()
        cursor.executemany(self._sql(f"{_insertion(table, rows[0])} {ending}"), [tuple(row.values()) for row in rows])
        return int(cursor.rowcount)

    def inserted(self, table: str, row: Mapping[str, Any], key: str = "id") -> int:
        """Insert a row, and return the number that the database has given it in the column `key`."""
        return int(self.value(f"{_insertion(table, row)} RETURNING {key}", tuple(row.values())))

    def _cursor(self, sql: str, values: Sequence[Any]) -> Any:
        return self._raw.execute(self._sql(sql), tuple(values))

    def _sql(self, sql: str) -> str:
        return sql.replace("?", "%s") if self.is_postgresql else sql


def _insertion(table: str, row: Mapping[str, Any]) -> str:
    """Return the statement that inserts a row."""
    columns = ", ".join(f'"{name}"' for name in row)
    return f"INSERT INTO {table} ({columns}) VALUES {among(row)}"


def among(values: Collection[Any]) -> str:
    """Return a list with a `?` for each value, as IN takes it; nothing is IN that of no value."""
    return f"({', '.join('?' * len(values)) or 'NULL'})"


class Database:
    """An open database; its connections are kept for the next transaction."""

    def __init__(self, connect: Callable[[], Any], is_postgresql: bool) -> None:
        """Take what opens a connection; nothing is opened yet."""
        self._connect, self.is_postgresql = connect, is_postgresql
        self._idle: list[Any] = []

    @contextlib.contextmanager
    def transaction(self, writes: bool = False) -> Iterator[StoreConnection]:
        """Yield a connection that sees the database as it is now; changes appear together at the end, or not at all.

        A transaction that writes waits for another one that does.
        """
        try:
            raw = self._idle.pop()
        except IndexError:
            raw = self._connect()
        try:
            if not self.is_postgresql:
                raw.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
            yield StoreConnection(raw, self.is_postgresql)
            if writes:
                raw.commit()
            else:
                raw.rollback()
        except BaseException:
            with contextlib.suppress(Exception):
                raw.rollback()
            with contextlib.suppress(Exception):
                raw.close()
            raise
        self._idle.append(raw)

    def close(self) -> None:
        """Close every connection."""
        while self._idle:
            with contextlib.suppress(Exception):
                self._idle.pop().close()


def database_of(place: StorePlace, write: bool, patience: float, alone: bool = False) -> Database:
    """Return the database of a store; nothing is opened yet.

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
        return _postgresql(place, write, patience)
    mode = "" if write else "?mode=ro&immutable=1" if alone else "?mode=ro"
    address = f"file:{str(place.file).replace('%', '%25').replace('?', '%3f').replace('#', '%23')}{mode}"

    def connect() -> sqlite3.Connection:
        raw = sqlite3.connect(address, timeout=patience, isolation_level=None, check_same_thread=False, uri=True)
        try:
            raw.execute("PRAGMA foreign_keys = ON")
            if write:
                _log_ahead(raw, patience)
                raw.execute("PRAGMA synchronous = FULL")  # what is committed outlasts a power cut too
        except BaseException:
            raw.close()
            raise
        return raw

    return Database(connect, is_postgresql=False)


def is_error(error: Exception) -> bool:
    """Say whether an error is one of a database."""
    psycopg = sys.modules.get("psycopg")
    return isinstance(error, sqlite3.Error) or (psycopg is not None and isinstance(error, psycopg.Error))


def _log_ahead(raw: sqlite3.Connection, patience: float) -> None:
    """Let readers go on while one process writes; SQLite does not wait by itself for another that changes this too."""
    end = time.monotonic() + patience
    while raw.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            raw.execute("PRAGMA journal_mode = WAL")
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorname", "") not in _LOCKED or time.monotonic() > end:
                raise
            time.sleep(_PAUSE)
        else:
            return  # a network's file system may have no log ahead; then readers wait


def _postgresql(place: StorePlace, write: bool, patience: float) -> Database:
    try:
        import psycopg
    except ImportError:
        raise InputError(
            "a history in PostgreSQL needs its client for Python: pip install '.[postgres]' in benchbench's checkout"
        ) from None
    waits = f"-c lock_timeout={int(patience * 1e3)} -c default_transaction_read_only={'off' if write else 'on'}"
    options = {
        "connect_timeout": str(max(int(patience), 2)),
        **place.server,
        "options": f"{place.server.get('options', '')} {waits}".strip(),
    }
    return Database(lambda: psycopg.connect(**options), is_postgresql=True)  # type: ignore[arg-type]  # texts, all of them


@contextlib.contextmanager
def explained(place: StorePlace) -> Iterator[None]:
    """Turn what a database says into an InputError of one sentence, without a password."""
    try:
        yield
    except Exception as error:
        if isinstance(error, UnicodeDecodeError):
            why = f"is damaged ({place.said(error)}); name another with --store"
            raise InputError(f"the history {place.shown} {why}") from None
        if not is_error(error):
            raise
        raise InputError(said(place, error)) from None  # the chain would show statements and addresses


def said(place: StorePlace, error: Exception) -> str:
    """Return what is wrong with a store, in a sentence."""
    code = str(getattr(error, "sqlite_errorname", None) or getattr(error, "sqlstate", None) or "")
    why = place.said(error)
    if place.file is not None:
        return f"the history {place.shown} {_of_sqlite(place, code, why)}"
    known = next((words for state, words in _OF_POSTGRESQL.items() if code.startswith(state)), "cannot be used")
    said_last = why.rpartition("FATAL:")[2].strip()  # before that stands how the server was reached
    return f"the history {place.shown} {known if code else 'cannot be opened'}: {said_last}"


def _of_sqlite(place: StorePlace, code: str, why: str) -> str:
    if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return "is locked by another process; try again when that has ended"
    if code in _FULL:
        return f"cannot be written: {why}; free some space"
    if code.startswith("SQLITE_READONLY"):
        return "is read-only; make it writable, or name another with --store"
    if code == "SQLITE_NOTADB" or code.startswith("SQLITE_CORRUPT"):
        return f"{_NO_HISTORY} ({why}); name another with --store"
    if why.startswith("Could not decode"):  # a text that is no UTF-8; SQLite has no code for it
        return "is damaged (a text in it is not UTF-8); name another with --store"
    return f"cannot be used: {why}; name another with --store"
