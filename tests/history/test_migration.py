"""A store of an older schema is migrated with its data; a new one has the tables that the code has."""

import contextlib
import json
import sqlite3
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from stored_runs import kept

from benchbench.errors import InputError
from benchbench.history.database import StoreConnection, database_of
from benchbench.history.opening import _TABLES, REVISIONS, VERSION_TABLE, found_revision, statements
from benchbench.history.place import place_of
from benchbench.history.store import open_history
from benchbench.results.record import plain

TABLES = {VERSION_TABLE, "run", "number", "tag", "accepted", "reference", "alert", "delivery"}


def tables(connection: StoreConnection) -> set[str]:
    return {name for (name,) in connection.rows(_TABLES[connection.is_postgresql])}


def made_of_first_schema(address: str) -> None:
    """Make a store of the first schema, and fill it without help of today's code."""
    place = place_of(address)
    database = database_of(place, True, 5.0)
    record = kept(7, id="0000aaaa-7").record
    with database.transaction(writes=True) as connection:
        later = statements(connection.is_postgresql, since="0001")
        for statement in statements(connection.is_postgresql):
            if statement not in later:
                connection.run(statement)
        connection.run(f"CREATE TABLE {VERSION_TABLE} (version_num VARCHAR(32) NOT NULL)")
        connection.run(f"INSERT INTO {VERSION_TABLE} VALUES ('0001')")
        blob, details = (zlib.compress(json.dumps(one).encode()) for one in (plain(record), {"words": {"a": 1}}))
        row = {
            "number": 41, "id": record.id, "kind": "run", "name": "bm25", "status": "complete",
            "started": record.started, "finished": record.finished, "added": "2026-01-01T00:00:00.000Z",
            "series": "s", "signature": record.signature, "data": "cases", "data_digest": "d1", "commit": "c0ffee",
            "branch": "main", "source": "results/one", "values_file": "", "record": blob, "details": details,
            "bytes": 3,
        }  # fmt: skip
        connection.insert("run", [row])
        number = "41, 0, 'gold.nDCG@10', '{}', NULL, 0.5, 0.1, 0.9, NULL, 1, '', 'higher'"
        connection.run(f"INSERT INTO number VALUES ({number})")
        connection.run("INSERT INTO tag VALUES (41, 0, 'commit', 'c0ffee')")
        assert tables(connection) == {VERSION_TABLE, "run", "number", "tag"}
    database.close()


@pytest.mark.parametrize("write", [True, False])
def test_a_store_of_the_first_schema_migrates_with_its_data(address: str, write: bool):
    made_of_first_schema(address)
    with open_history(address, write=write) as history:
        (entry,) = history.entries()
        assert (entry.number, entry.name, entry.commit, entry.tags) == (41, "bm25", "c0ffee", {"commit": "c0ffee"})
        assert history.record(entry).id == entry.id
        assert history.result(entry).details() == {"words": {"a": 1}}
        assert history.numbers([entry])["value"].to_list() == [0.5]
        with history.reading() as connection:
            assert found_revision(history.place, connection) == REVISIONS[-1]
            assert tables(connection) == TABLES
    if history.place.file is None:  # its sequence has not seen the number that was written by hand
        return
    with open_history(address) as history:
        assert history.add(kept(8))[0].number == 42


def test_a_store_made_before_migrations_were_one_opens_and_a_new_one_has_its_tables(tmp_path: Path):
    """`tests/stored/history.sql` is the dump of one that was made with Alembic, by the commit d0485441."""
    old, new = tmp_path / "old.db", tmp_path / "new.db"
    with contextlib.closing(sqlite3.connect(old)) as made:
        made.executescript((Path(__file__).parents[1] / "stored" / "history.sql").read_text(encoding="utf-8"))
    with open_history(old) as history:
        (entry,) = history.entries()
        assert history.record(entry).numbers[0].name == "nDCG@10"
        assert history.numbers([entry])["value"].to_list()[1:3] == [0.75, 0.75]
        assert history.add(kept(8))[0].number == 2
    open_history(new, create=True).close()
    assert tables_of(new) == tables_of(old)


def tables_of(path: Path) -> dict[str, str]:
    with contextlib.closing(sqlite3.connect(path)) as store:
        rows = store.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name != ?", [VERSION_TABLE])
        return {name: " ".join(sql.split()) for name, sql in rows}


def test_two_that_open_an_old_store_at_once_migrate_it_once(address: str):
    made_of_first_schema(address)
    gate = threading.Barrier(2)

    def opened(_: int) -> int:
        gate.wait()
        with open_history(address) as history:
            return len(history.entries())

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(opened, range(2))) == [1, 1]


def test_a_migration_that_fails_leaves_the_store_as_it_was(address: str):
    made_of_first_schema(address)
    place = place_of(address)
    database = database_of(place, True, 5.0)
    with database.transaction(writes=True) as connection:
        connection.run("CREATE TABLE alert (mine TEXT)")  # in the way of ours
    with pytest.raises(InputError, match="already exists"):
        open_history(address)
    with database.transaction(writes=True) as connection:
        assert tables(connection) == {VERSION_TABLE, "run", "number", "tag", "alert"}
        connection.run("DROP TABLE alert")
    database.close()
    with open_history(address) as history:
        assert len(history.entries()) == 1
