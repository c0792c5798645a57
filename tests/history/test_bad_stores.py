"""A store that cannot be opened, read or written: one sentence each, and never a password."""

import os
import resource
import sqlite3
import tempfile
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import postgresql
import pytest
from stored_runs import kept

from benchbench.errors import InputError
from benchbench.history.opening import VERSION_TABLE
from benchbench.history.store import open_history

NOBODY = 65534


def refusal(address: str | Path, **how) -> str:
    with pytest.raises(InputError) as refused, open_history(address, **how):
        pass
    assert refused.value.__cause__ is None
    return str(refused.value)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Return a store with one run."""
    path = tmp_path / "history.db"
    with open_history(path, create=True) as history:
        history.add(kept(1, [0.5]))
    return path


@contextmanager
def unprivileged() -> Iterator[None]:
    """Have no more rights than files give: tests may run as root."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(before)


@contextmanager
def full_disk(left: int, path: Path) -> Iterator[None]:
    """Let no file become larger than one is, and a little."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + left, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("write", [True, False])
def test_one_that_is_not_there_is_not_made_unless_that_is_asked_for(tmp_path: Path, write: bool):
    path = tmp_path / "no" / "history.db"
    assert refusal(path, write=write) == (
        f"there is no history at {path} yet; `benchbench history add FOLDER`, or --record with a command that "
        "measures, makes one"
    )
    assert not path.parent.exists()


def test_a_file_that_a_killed_process_left_empty_is_none_yet(tmp_path: Path):
    path = tmp_path / "history.db"
    path.touch()
    assert refusal(path).startswith(f"there is no history at {path} yet")
    with open_history(path, create=True) as history:
        assert history.add(kept(1))[1]


def test_a_folder_is_named(tmp_path: Path):
    assert refusal(tmp_path) == f"--store {tmp_path} is a folder; name a file in it, such as {tmp_path}/history.db"


def test_a_file_where_a_folder_should_be_is_named(store: Path):
    assert refusal(store / "history.db", create=True).startswith(f"--store {store}/history.db cannot be used: ")


def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path: Path):
    path = tmp_path / "notes.txt"
    path.write_text("Bought milk.\n" * 100)
    for write in (True, False):
        said = refusal(path, write=write, create=True)
        assert (
            said
            == f"the history {path} is not a history, or is damaged (file is not a database); name another with --store"
        )
    assert path.read_text() == "Bought milk.\n" * 100


def test_a_database_of_something_else_is_left_as_it_is(tmp_path: Path):
    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE milk (litres)")
    other.close()
    before = path.read_bytes()
    assert refusal(path, write=False) == f"{path} is a database, and no history; name another with --store"
    assert path.read_bytes() == before
    assert refusal(path, create=True) == f"{path} is a database, and no history; name another with --store"


def test_a_damaged_one_is_said_to_be(store: Path):
    with store.open("r+b") as file:
        file.seek(100)
        file.write(b"\xff" * (store.stat().st_size - 100))
    assert "is not a history, or is damaged (database disk image is malformed)" in refusal(store)
    store.write_bytes(store.read_bytes()[:5000])
    assert "is not a history, or is damaged" in refusal(store, write=False)


def test_one_of_a_newer_schema_is_refused(address: str):
    with open_history(address, create=True) as history, history.transaction() as connection:
        connection.run(f"UPDATE {VERSION_TABLE} SET version_num = '0099'")
        shown = history.place.shown
    for write in (True, False):
        assert refusal(address, write=write) == (
            f"the history {shown} was made by a newer benchbench (schema 0099, and this one knows up to 0002); "
            "update it"
        )


def test_one_that_is_read_only_is_listed_and_not_written(store: Path):
    place = Path(tempfile.mkdtemp())  # others may enter it
    try:
        place.chmod(0o755)
        path = place / "history.db"
        path.write_bytes(store.read_bytes())
        path.chmod(0o444)
        place.chmod(0o555)
        with unprivileged():
            with open_history(path, write=False) as history:
                assert [one.name for one in history.entries()] == ["bm25"]
                with pytest.raises(InputError, match="is read-only; make it writable, or name another with --store"):
                    history.delete(history.entries())
            said = refusal(path)
        assert said == f"the history {path} is read-only; make it writable, or name another with --store"
        assert sorted(one.name for one in place.iterdir()) == ["history.db"]
    finally:
        place.chmod(0o755)
        path.unlink()
        place.rmdir()


def test_one_that_another_process_writes_is_waited_for_and_then_said_to_be_locked(store: Path):
    other = sqlite3.connect(store, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with open_history(store, patience=0.05) as history:
        assert len(history.entries()) == 1  # who reads goes on
        with pytest.raises(InputError) as refused:
            history.add(kept(2))
        assert str(refused.value) == (
            f"the history {store} is locked by another process; try again when that has ended"
        )
        other.execute("COMMIT")
        other.close()
        assert history.add(kept(2))[1]


def test_one_that_another_process_is_making_is_waited_for_and_then_said_to_be_locked(tmp_path: Path):
    path = tmp_path / "history.db"
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    assert "is locked by another process" in refusal(path, create=True, patience=0.05)
    other.execute("ROLLBACK")
    other.close()


@pytest.mark.slow  # a server, and a wait for a lock
def test_one_of_postgresql_that_is_locked_is_said_to_be(postgresql_address: str, tmp_path: Path):
    with (
        open_history(postgresql_address, create=True, tables=tmp_path, patience=0.05) as history,
        open_history(postgresql_address, tables=tmp_path) as other,
    ):
        with other.transaction() as connection:
            connection.run("LOCK TABLE run")
            with pytest.raises(
                InputError, match="is locked by another process: canceling statement due to lock timeout"
            ):
                history.add(kept(1))
        assert history.add(kept(1))[1]


@pytest.mark.parametrize("values", [None, [0.5] * 100])
def test_a_disk_that_is_full_is_said_and_nothing_is_half_there(store: Path, values: list | None):
    note = "x" * 100_000
    with open_history(store) as history:
        large = kept(2, values, tags={str(place): note[place:] for place in range(20)})
        with full_disk(1000 if values is None else -store.stat().st_size, store), pytest.raises(InputError) as refused:
            history.add(large)
        said = str(refused.value)
        if values is None:
            assert said.startswith(f"the history {store} cannot be written: ")
            assert said.endswith("; free some space")
        else:
            assert said == (
                f"cannot write values per query to {history.place.tables}: File too large; free some space, or name "
                "another folder in BENCHBENCH_HISTORY_TABLES"
            )
        assert [one.number for one in history.entries()] == [1]
        assert len(list(history.place.tables.iterdir())) == 1
        entry, new = history.add(large)
        assert new
        assert entry.number == 2


@pytest.mark.parametrize("password", [postgresql.PASSWORD, "wrong-pässword/@:%"])
def test_a_password_is_in_no_message(database: postgresql.Server, tmp_path: Path, password: str):
    written = urllib.parse.quote(password, safe="")
    user = f"{postgresql.GUARDED}:{written}"
    addresses = [
        database.url(user),
        database.url(user, "no_such_database"),
        database.url(user) + "&connect_timeout=2&application_name=x&sslmode=bad",
        f"postgresql://{user}@127.0.0.1:1/history",
        f"postgresql://{user}@no-such-host.invalid/history",
        f"postgresql://{postgresql.GUARDED}@/history?host=/nowhere&password={written}",
        f"mysql://{user}@localhost/history",
        f"postgresql://{postgresql.GUARDED}:{password}@localhost:port/history",  # not encoded
    ]
    for address in addresses:
        said = refusal(address, tables=tmp_path, patience=2.0)
        assert "\n" not in said
        for form in (password, written, "pässword", "w:ört"):
            assert form not in said
    assert "password authentication failed" in refusal(addresses[0]) or password == postgresql.PASSWORD


def test_a_right_password_is_in_nothing_that_is_shown(database: postgresql.Server, tmp_path: Path):
    database.run(f"CREATE SCHEMA IF NOT EXISTS {postgresql.GUARDED} AUTHORIZATION {postgresql.GUARDED}")
    address = database.url(f"{postgresql.GUARDED}:{urllib.parse.quote(postgresql.PASSWORD, safe='')}")
    with open_history(address, create=True, tables=tmp_path) as history:
        history.add(kept(1))
        shown = f"{history.place!r} {history.place.shown}"
        with pytest.raises(InputError) as refused, history.transaction() as connection:
            connection.run("SELECT * FROM no_such_table")
    for form in (postgresql.PASSWORD, urllib.parse.quote(postgresql.PASSWORD, safe="")):
        assert form not in f"{shown} {refused.value}"


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("mysql://me:secret@host/db", "--store is a file, sqlite:///FILE or postgresql://"),
        ("sqlite://history.db", "--store sqlite:///FILE has three slashes and a file, four before an absolute path"),
        ("sqlite:///", "--store sqlite:///FILE has three slashes"),
        ("postgresql://me:p@ss@host/db", "--store is not a database address; write postgresql://USER:PASSWORD@HOST"),
        ("postgresql://me:secret@host:port/db", "--store is not a database address"),
        ("a\0b", "is not a file name"),
        ("postgresql:user:secret@server/database", "has :// where it is an address"),
        ("PostgreSQL+psycopg:/user:secret@server/database", "has :// where it is an address"),
        ("sqlite:secret", "has :// where it is an address"),
        ("file:secret?mode=memory", "has :// where it is an address"),
        (":memory:", "would be gone when the command ends"),
        ("sqlite:///:memory:", "would be gone when the command ends"),
        ("/dev/null", "is a device, and not a file"),
    ],
)
def test_an_address_that_is_none_is_refused_without_being_quoted(address: str, said: str):
    refused = refusal(address)
    assert said in refused
    assert "secret" not in refused
    assert "ss@" not in refused


def test_the_address_comes_from_the_environment_and_paths_may_have_any_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BENCHBENCH_HISTORY", "sqlite:///mine?mode=memory#%41 ü.db")
    with open_history(create=True) as history:
        history.add(kept(1, [0.5]))
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "mine?mode=memory#%41 ü.db",
        "mine?mode=memory#%41 ü.db.tables",
    ]
    monkeypatch.delenv("BENCHBENCH_HISTORY")
    monkeypatch.setenv("BENCHBENCH_HISTORY_TABLES", "elsewhere")
    with open_history(create=True) as history:
        entry, _ = history.add(kept(1, [0.5]))
    assert (tmp_path / "results" / "history.db").is_file()
    assert (tmp_path / "elsewhere" / entry.values).is_file()


def test_a_store_behind_a_link_has_its_tables_beside_what_the_link_names(tmp_path: Path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "link.db"
    link.symlink_to(tmp_path / "real" / "h.db")
    with open_history(link, create=True) as history:
        history.add(kept(1, [0.5]))
    assert sorted(one.name for one in tmp_path.iterdir()) == ["link.db", "real"]
    with open_history(tmp_path / "real" / "h.db") as history:
        assert history.values(history.one("1")).values.height == 1
    link.unlink()
    link.symlink_to(link)
    assert "cannot be resolved" in refusal(link) or "cannot be used" in refusal(link)


def test_bits_that_flip_in_a_store_are_one_sentence(store: Path):
    """Bytes at fixed places all over the file; whatever becomes of it, it is read or refused."""
    whole = store.read_bytes()
    refused = []
    for place in range(0, len(whole), len(whole) // 60):
        damaged = bytearray(whole)
        damaged[place : place + 16] = bytes(one ^ 0xFF for one in damaged[place : place + 16])
        store.write_bytes(damaged)
        try:
            with open_history(store) as history:
                for entry in history.entries():
                    history.result(entry).table("per_query")
                history.numbers(history.entries())
        except InputError as problem:
            refused.append(str(problem))
    assert refused
    assert not any("\n" in one for one in refused)
