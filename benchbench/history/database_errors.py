"""What goes wrong with a store, in one sentence each."""

from collections.abc import Iterator
from contextlib import contextmanager

from benchbench.errors import InputError
from benchbench.history.database import is_error
from benchbench.history.place import Place

_FULL = {"SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_TRUNCATE", "SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_FSYNC"}
_NO_HISTORY = "is no history, or is damaged"
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


@contextmanager
def explained(place: Place) -> Iterator[None]:
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


def said(place: Place, error: Exception) -> str:
    """Return what is wrong with a store, in a sentence."""
    code = str(getattr(error, "sqlite_errorname", None) or getattr(error, "sqlstate", None) or "")
    why = place.said(error)
    if place.file is not None:
        return f"the history {place.shown} {_of_sqlite(place, code, why)}"
    known = next((words for state, words in _OF_POSTGRESQL.items() if code.startswith(state)), "cannot be used")
    said_last = why.rpartition("FATAL:")[2].strip()  # before that stands how the server was reached
    return f"the history {place.shown} {known if code else 'cannot be opened'}: {said_last}"


def _of_sqlite(place: Place, code: str, why: str) -> str:
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
