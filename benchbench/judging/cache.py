"""A cache of what judges answered, by what they were asked, so that nobody pays for the same verdict twice.

A file of SQLite. A row has the digest of everything that an answer depends on (model, sampling, rubric, prompt,
attempt) and what the model said. Prompts and secrets are not in it. Several processes may use it at once.

An answer that a model gave is stored: it was paid for. A refusal, or an answer that was cut off, comes again where the
same is asked, and counts in later runs; one in the wrong format only in the run that asked. What never came, by a
failure of the network or of the service, is not stored.
"""

import asyncio
import contextlib
import hashlib
import os
import sqlite3
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from benchbench.errors import InputError, said_by

_SCHEMA = 1
_MARK = 0x6A756467  # the file is one of this kind
_BYTES = 20  # of a key
_PAGES = 4_000  # of the log, before it is written back: that waits for the disk
_PATIENCE = 30.0  # seconds that another process may hold the file
_PAUSE = 0.005  # seconds
_ADVICE = "name another file with --cache, or use none with --no-cache"
_KEPT = "said, failure, tokens_in, tokens_out, seconds"
_KINDS = (str, str | None, int | None, int | None, float)
_TABLE = f"""
CREATE TABLE IF NOT EXISTS answers (
    key BLOB PRIMARY KEY,
    said TEXT NOT NULL,
    failure TEXT,
    tokens_in INTEGER,
    tokens_out INTEGER,
    seconds REAL NOT NULL
);
PRAGMA application_id = {_MARK};
PRAGMA user_version = {_SCHEMA};
"""


@dataclass(frozen=True, slots=True)
class StoredReply:
    """What a model said."""

    said: str
    failure: str | None  # why it said no verdict, of what it did not say itself: a refusal, an answer cut off
    tokens_in: int | None
    tokens_out: int | None
    seconds: float


def default_place() -> Path:
    """Return where the cache is when none is named."""
    home = os.environ.get("XDG_CACHE_HOME") or ""
    folder = Path(home) if Path(home).is_absolute() else Path.home() / ".cache"
    return folder / "benchbench" / "judge.sqlite"


def why_unusable(place: Path) -> str | None:
    """Return why nothing can be written at a place, such as a read-only home; None where a cache may be there.

    A file that is there and is no cache is another matter: it is refused when it is opened.
    """
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        checked = place if place.exists() else place.parent
    except OSError as error:
        return f"{place.parent} cannot be made ({error.strerror})"
    return None if os.access(checked, os.W_OK) else f"{checked} cannot be written"


def digest(parts: Iterable[str], after: "hashlib.blake2b | None" = None) -> bytes:
    """Return the key of a sequence of texts; it depends on where each text ends.

    With `after`, the texts that `begun` was given come first.
    """
    hasher = hashlib.blake2b(digest_size=_BYTES) if after is None else after.copy()
    hasher.update(_framed(parts))
    return hasher.digest()


def begun(parts: Iterable[str]) -> "hashlib.blake2b":
    """Return the hash of the parts that many keys begin with, to go on from."""
    return hashlib.blake2b(_framed(parts), digest_size=_BYTES)


def _framed(parts: Iterable[str]) -> bytes:
    return "".join([f"{len(part)}:{part}" for part in parts]).encode(errors="surrogatepass")


class VerdictCache:
    """The file, open within the context.

    When it can no longer be read or written, it finds and stores nothing; `problem` says why.
    """

    def __init__(self, place: Path) -> None:
        """Name the file; `__enter__` opens it, and makes it where it does not exist."""
        self.place = place
        self.problem: str | None = None

    def __enter__(self) -> Self:
        """Open the file; InputError where that is not possible."""
        self._file: sqlite3.Connection | None = None
        self._kept: list[asyncio.Future[None]] = []  # tasks that wait for the end of this turn
        try:
            self.place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._file = sqlite3.connect(self.place, timeout=_PATIENCE, isolation_level=None)
            self._begin_patiently(self._file)
        except (OSError, sqlite3.Error) as error:
            self._close()
            damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)
            what = "is not a cache of verdicts, or is damaged" if damaged else "cannot be used as the cache of verdicts"
            raise InputError(f"{self.place} {what} ({said_by(error)}); {_ADVICE}") from error
        except InputError:
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file; what is kept in this turn is stored."""
        self._end_turn()
        self._close()

    def find(self, key: bytes) -> StoredReply | None:
        """Return what is stored under a key."""
        if self._file is None:
            return None
        try:
            row = self._file.execute(f"SELECT {_KEPT} FROM answers WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            self._give_up(error)
            return None
        if row is None:
            return None
        if not all(isinstance(value, kinds) for value, kinds in zip(row, _KINDS, strict=True)):
            raise InputError(f"{self.place} is damaged (a stored answer has values of the wrong type); {_ADVICE}")
        return StoredReply(*row)

    def store(self, key: bytes, stored: StoredReply) -> None:
        """Store what a model said; it is there when this returns, whatever becomes of this process."""
        if self._file is None:
            return
        row = (key, stored.said, stored.failure, stored.tokens_in, stored.tokens_out, stored.seconds)
        try:
            self._file.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?)", row)
        except sqlite3.Error as error:
            self._give_up(error)

    async def keep(self, key: bytes, reply: StoredReply) -> None:
        """Store as `store` does, together with what others keep in the same turn of the event loop.

        To end a transaction costs several times what a row in it costs.
        """
        if self._file is None:
            return
        loop = asyncio.get_running_loop()
        if not self._kept:
            loop.call_soon(self._end_turn)
            self._execute("BEGIN IMMEDIATE")
        self.store(key, reply)
        stored: asyncio.Future[None] = loop.create_future()  # one per task: cancelling a task cancels what it awaits
        self._kept.append(stored)
        await stored

    def _end_turn(self) -> None:
        kept, self._kept = self._kept, []
        if kept:
            self._execute("COMMIT")
        for stored in kept:
            if not stored.done():
                stored.set_result(None)

    def _execute(self, statement: str) -> None:
        if self._file is not None:
            try:
                self._file.execute(statement)
            except sqlite3.Error as error:
                self._give_up(error)

    def _begin_patiently(self, file: sqlite3.Connection) -> None:
        """Begin, again while others do: SQLite waits for a lock, and not where one turns the log of the file to WAL."""
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                return self._begin(file)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
                if file.in_transaction:
                    file.execute("ROLLBACK")
                time.sleep(_PAUSE)

    def _begin(self, file: sqlite3.Connection) -> None:
        file.execute("BEGIN")  # another process may be making the file
        (tables,) = file.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (mark,), (version,) = (file.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version"))
        file.execute("COMMIT")
        if mark == _MARK and version > _SCHEMA:
            raise InputError(f"{self.place} is a cache of a newer version of benchbench; {_ADVICE}")
        if mark != _MARK and tables:
            raise InputError(f"{self.place} is a database, but not a cache of verdicts; name another file with --cache")
        file.execute("PRAGMA journal_mode = WAL")
        file.execute("PRAGMA synchronous = NORMAL")
        file.execute(f"PRAGMA wal_autocheckpoint = {_PAGES}")
        if mark != _MARK:
            file.executescript(f"BEGIN IMMEDIATE; {_TABLE} COMMIT;")
        file.execute("BEGIN IMMEDIATE")  # a file that cannot be written says so before anything is asked
        file.execute("ROLLBACK")

    def _give_up(self, error: sqlite3.Error) -> None:
        self.problem = f"the cache {self.place} failed during the run ({said_by(error)})"
        self._close()

    def _close(self) -> None:
        if self._file is not None:
            with contextlib.suppress(sqlite3.Error):
                self._file.close()
            self._file = None
