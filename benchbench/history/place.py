"""Where a store is: a file of SQLite, or a database of PostgreSQL; and the folder of Parquet files beside it."""

import os
import re
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchbench.errors import InputError, said_by, visible

ADDRESS, TABLES = "BENCHBENCH_HISTORY", "BENCHBENCH_HISTORY_TABLES"  # variables of the environment
DEFAULT = Path("results/history.db")
_DEFAULT_TABLES = Path("results/history.tables")
_POSTGRESQL = {"postgresql", "postgres", "postgresql+psycopg"}
_NEARLY = re.compile(r"(sqlite|postgres(ql)?|file)(\+\w+)?:", re.IGNORECASE)  # an address that lacks its slashes
_SERVER = re.compile(
    r"(?:(?P<user>[^:/]*)(?::(?P<password>[^@]*))?@)?(?P<host>\[[^/?]+\]|[^/:?]+)?(?::(?P<port>[^/?]*))?"
    r"(?:/(?P<dbname>[^?]*))?(?:\?(?P<query>.*))?"
)
_EXAMPLE = "postgresql://USER:PASSWORD@HOST:PORT/DATABASE"


@dataclass(frozen=True, repr=False)
class StorePlace:
    """Where a store is.

    Attributes
    ----------
    server
        What PostgreSQL's client takes, as `host` and `user`; it may have a password. Empty for SQLite.
    file
        The file of SQLite; None for PostgreSQL.
    tables
        The folder of Parquet files.
    shown
        The same for people: without a password.
    """

    server: Mapping[str, str]
    file: Path | None
    tables: Path
    shown: str

    def said(self, error: Exception) -> str:
        """Return the first line of what another package says of it, without a secret."""
        import yarl

        from benchbench.client.secrets import Secrets, telling

        values = [(name, value) for name, value in self.server.items() if name == "password" or telling(name)]
        return Secrets(yarl.URL(), {}, values).hide(said_by(error))

    def __repr__(self) -> str:
        """Show where it is, without a password."""
        return f"Place({self.shown!r})"


def place_of(address: str | Path | None = None, tables: Path | None = None) -> StorePlace:
    """Return the place that an address names.

    Parameters
    ----------
    address
        A path, `sqlite:///…` or `postgresql://…`; without it, the variable BENCHBENCH_HISTORY, else
        `results/history.db`.
    tables
        The folder of Parquet files; without it, the variable BENCHBENCH_HISTORY_TABLES, else `<file>.tables`, and for
        PostgreSQL `results/history.tables`.

    Raises
    ------
    InputError
        For an address that is none of these; it does not quote it, for it may have a password.
    """
    given = address if address is not None else os.environ.get(ADDRESS) or DEFAULT
    folder = tables or (Path(os.environ[TABLES]) if os.environ.get(TABLES) else None)
    scheme, separator, rest = str(given).partition("://")
    if isinstance(given, Path):
        return _of_file(given, folder)
    if not separator:
        if _NEARLY.match(given):
            raise InputError(f"--store is a file, sqlite:///FILE or {_EXAMPLE}, and has :// where it is an address")
        return _of_file(Path(given), folder)
    if scheme == "sqlite":
        if not rest.startswith("/") or not rest[1:]:
            raise InputError("--store sqlite:///FILE has three slashes and a file, four before an absolute path")
        return _of_file(Path(rest[1:]), folder)
    if scheme not in _POSTGRESQL:
        raise InputError(f"--store is a file, sqlite:///FILE or {_EXAMPLE}, and not {visible(scheme, 20)}://…")
    return _of_postgresql(rest, folder)


def _of_file(path: Path, tables: Path | None) -> StorePlace:
    if not path.name:
        raise InputError(f"--store {visible(str(path))} is not the name of a file")
    if path.name == ":memory:":
        raise InputError("--store :memory: would be gone when the command ends; name a file")
    if not visible(str(path)).isprintable() or "\0" in str(path):
        raise InputError(f"--store {visible(str(path), 200)} is not a file name")
    try:
        whole = path.resolve()  # a link's tables lie beside what it names, so that both names have them
    except (OSError, RuntimeError) as error:  # links in a circle
        raise InputError(f"--store {visible(str(path), 200)} cannot be resolved: {said_by(error)}") from None
    return StorePlace({}, whole, tables or whole.with_name(f"{whole.name}.tables"), visible(str(path)))


def _of_postgresql(rest: str, tables: Path | None) -> StorePlace:
    match = _SERVER.fullmatch(rest)
    port = "" if match is None else match["port"] or ""
    if match is None or "@" in f"{match['host'] or ''}{match['dbname'] or ''}" or not re.fullmatch("[0-9]*", port):
        raise InputError(
            f"--store is not a database address; write {_EXAMPLE}, in a password %40 for @, %2F for / and %3A for :"
        )
    query = match["query"] or ""
    host, database = (match["host"] or "").strip("[]"), urllib.parse.unquote(match["dbname"] or "")
    user = urllib.parse.unquote(match["user"] or "")
    named = {"host": host, "port": port, "user": user, "dbname": database}
    named |= {"password": urllib.parse.unquote(match["password"] or ""), **dict(urllib.parse.parse_qsl(query))}
    shown = visible(f"postgresql://{f'{user}@' if user else ''}{host}{f':{port}' if port else ''}/{database}")
    return StorePlace({name: value for name, value in named.items() if value}, None, tables or _DEFAULT_TABLES, shown)
