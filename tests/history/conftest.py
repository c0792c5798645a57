"""Stores of both databases."""

import importlib.util
import urllib.parse
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import histories
import postgresql
import pytest
from cases import first_of

from benchbench.history.store import Store, open_history


@pytest.fixture
def history(tmp_path: Path) -> Iterator[Store]:
    """Return an empty store in a file."""
    with open_history(histories.empty(tmp_path / "history.db")) as opened:
        yield opened


@pytest.fixture(scope="session")
def database() -> Iterator[postgresql.Server]:
    """Run PostgreSQL once per process of tests."""
    if importlib.util.find_spec("psycopg") is None:
        pytest.skip("needs psycopg, the database's client for Python")
    with postgresql.server() as server:
        server.run(f"CREATE ROLE {postgresql.GUARDED} LOGIN PASSWORD '{postgresql.PASSWORD}'")
        yield server


@pytest.fixture
def postgresql_address(database: postgresql.Server) -> str:
    """Return the address of a part of the database that nobody else uses."""
    schema = f"of_{uuid.uuid4().hex}"
    database.run(f"CREATE SCHEMA {schema}")
    return f"{database.url()}&options={urllib.parse.quote(f'-c search_path={schema}')}"


@pytest.fixture
def new_store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Return a function that gives the address, in a database, of a store that is not there yet."""
    monkeypatch.setenv("BENCHBENCH_HISTORY_TABLES", str(tmp_path / "tables"))

    def address(database: str) -> str:
        if database == "sqlite":
            return str(tmp_path / "history.db")
        found: str = request.getfixturevalue("postgresql_address")
        return found

    return address


@pytest.fixture(params=first_of("sqlite", "postgresql"))
def address(request: pytest.FixtureRequest, new_store: Callable[[str], str]) -> str:
    """Return the address of a store that is not there yet; `test_store.py` has both databases in the first tier."""
    return new_store(request.param)
