"""Folders that are no results, or not whole: one sentence each, that names the file."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from any_result import Counted, counted_layout, scores

from benchbench.errors import InputError
from benchbench.report.draw import LAYOUTS, draw
from benchbench.results.reading import table
from benchbench.stored import load

pytestmark = pytest.mark.damages_records


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return scores().save(tmp_path / "out")


def refused(folder: Path) -> str:
    """Return the one sentence with which a folder is refused."""
    with pytest.raises(InputError) as error:
        draw(load(folder), "text")
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 400 + len(str(folder))
    return str(error.value)


def changed(path: Path, **members: Any) -> None:
    path.write_bytes(orjson.dumps({**orjson.loads(path.read_bytes()), **members}))


def test_a_folder_of_a_newer_schema_says_so_whatever_else_is_in_it(folder: Path):
    changed(folder / "record.json", schema=3, of_tomorrow=[])
    assert refused(folder) == (
        f"{folder}/record.json was written by a newer benchbench (schema 3, and this one reads up to 2); update it"
    )


def test_a_record_of_schema_1_is_read_and_drawn(folder: Path):
    told = draw(load(folder), "text")
    changed(folder / "record.json", schema=1)
    assert load(folder).record.schema == 1
    assert draw(load(folder), "text") == told


@pytest.mark.parametrize("schema", [0, -1, "1", True, None, 1.5, [1]])
def test_a_schema_that_never_was_is_damage(folder: Path, schema: object):
    changed(folder / "record.json", schema=schema)
    assert refused(folder).startswith(f"{folder}/record.json is damaged: ")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (lambda whole: whole[: len(whole) // 2], ": not JSON ("),
        (lambda whole: b"", " is empty"),
        (lambda whole: b" \n", "not JSON (there is only white space)"),
        (lambda whole: b"kind: score", "not JSON ("),
        (lambda whole: b"\xff\xfe\x00\xd8", "record.json"),
        (lambda whole: b"\x00" * 1000, "record.json"),
        (lambda whole: b"[]", " is not a JSON object"),
        (lambda whole: b"{}", " is damaged: Object missing required field `kind`"),
        (lambda whole: b"[" * 1_000_000, ": not JSON ("),
        (lambda whole: b'{"kind": ' * 100_000, ": not JSON ("),
        (lambda whole: b'{"numbers": [' + b"1," * 1_000_000 + b"1]}", " is damaged: "),
        (lambda whole: whole.replace(b'"value": 0.', b'"value": 1e999,"x": 0.', 1), "record.json"),
        (lambda whole: whole.replace(b'"counts": [', b'"counts": [1, '), " is damaged: Expected `object`, got `int`"),
        (
            lambda whole: whole.replace(b'"kind"', b'"kind\\u001b"', 1),
            " is damaged: Object contains unknown field `kind\\x1b`",
        ),
        (lambda whole: whole.replace(b'"tags"', b'"odd": 1, "tags"', 1), " is damaged: Object contains unknown field"),
    ],
)
def test_a_damaged_record_is_one_sentence(folder: Path, content: Callable[[bytes], bytes], reason: str):
    path = folder / "record.json"
    path.write_bytes(content(path.read_bytes()))
    said = refused(folder)
    assert said.startswith(str(path))
    assert reason in said


def test_damage_beside_the_record_names_its_own_file(folder: Path):
    (folder / "summary.json").write_bytes(b'{"signature": 3}')
    assert refused(folder).startswith(f"{folder}/summary.json is damaged: ")
    (folder / "summary.json").write_bytes(b"{")
    assert refused(folder).startswith(f"{folder}/summary.json, line 1, column 2: not JSON")


def test_a_table_that_is_missing_beside_the_record_is_named(folder: Path):
    (folder / "per_query.parquet").unlink()
    assert refused(folder) == f"{folder} is incomplete: per_query.parquet, which its record names, is missing"


@pytest.mark.parametrize("content", [b"", b"PAR1", b"no table", b"PAR1" + bytes(64) + b"PAR1"])
def test_a_damaged_table_is_one_sentence_when_it_is_asked_for(folder: Path, content: bytes):
    (folder / "per_query.parquet").write_bytes(content)
    result = load(folder)
    assert draw(result, "text").startswith("● ")
    with pytest.raises(InputError, match="cannot be read") as error:
        draw(result, "csv", per_query=True)
    assert str(error.value).startswith(f"{folder}/per_query.parquet")
    assert str(error.value).isprintable()


def test_a_table_that_went_after_the_record_was_read_does_not_exist(folder: Path):
    result = load(folder)
    (folder / "per_query.parquet").unlink()
    with pytest.raises(InputError, match=r"per_query\.parquet does not exist"):
        result.table("per_query")


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("../other", "../other.parquet"),
        ("per_query", "../other.parquet"),
        ("/etc/other", "/etc/other.parquet"),
        ("a\x1b[31m", "b.parquet"),
        ("per_query", "per_query.csv"),
    ],
)
def test_a_table_lies_beside_its_record_and_is_called_as_it(folder: Path, name: str, file: str):
    (folder.parent / "other.parquet").write_bytes((folder / "per_query.parquet").read_bytes())
    changed(folder / "record.json", tables=[{"name": name, "file": file}])
    assert refused(folder).startswith(f"{folder}/record.json is damaged: a table cannot be in the file '")


def test_a_table_that_no_record_has_lists_those_that_it_has(folder: Path):
    with pytest.raises(InputError, match=r"has no table hits; it has per_query$"):
        load(folder).table("hits")


def test_columns_of_a_table_are_read_alone(folder: Path):
    assert table(folder, "per_query", ["query_id"]).columns == ["query_id"]


def test_what_is_no_finished_results_folder_is_one_sentence(tmp_path: Path, folder: Path):
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "empty").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "nowhere").symlink_to("nothing")
    os.mkfifo(tmp_path / "pipe")
    said = {path.name: refused(path).removeprefix(f"{path} ") for path in tmp_path.iterdir() if path != folder}
    assert said == {
        "file": "is not a folder",
        "pipe": "is not a folder",
        "empty": "is no results folder: it has no record.json and no summary.json",
        "loop": "does not exist",
        "nowhere": "does not exist",
    }
    assert refused(tmp_path / "nothing") == f"{tmp_path}/nothing does not exist"
    assert "cannot be read: " in refused(tmp_path / ("long" * 1000))


def test_an_unfinished_folder_says_how_to_finish_it(tmp_path: Path, folder: Path):
    partial = folder.rename(tmp_path / "out.partial")
    (partial / "record.json").unlink()
    (tmp_path / "link").symlink_to(partial)
    for place in (partial, tmp_path / "link"):
        assert refused(place) == (
            f"{place} is not complete: its command did not finish; run it again (`benchbench run` with --resume)"
        )


def test_a_link_to_a_folder_is_that_folder(tmp_path: Path, folder: Path):
    (tmp_path / "link").symlink_to(folder)
    assert load(tmp_path / "link").record == load(str(folder)).record


def test_a_folder_of_a_kind_that_has_no_layout_here_is_read_and_drawn_from_its_record(monkeypatch, tmp_path: Path):
    out = Counted(["word"]).save(tmp_path / "out")
    assert load(out).numbers()["value"].to_list() == [4.0, 1.0]
    assert draw(load(out), "text").startswith("● counted word: complete, 1 query.\n\nMeasure   Value  Unit  n\n")
    monkeypatch.setitem(LAYOUTS, "counted", counted_layout)
    assert draw(load(out), "text") == draw(Counted(["word"]), "text")


def test_a_summary_that_is_missing_beside_the_record_is_named(folder: Path):
    (folder / "summary.json").unlink()
    assert refused(folder) == f"{folder} is incomplete: summary.json, which lies beside every record, is missing"


def test_what_an_interrupted_command_ended_with_a_record_is_read(tmp_path: Path, folder: Path):
    partial = folder.rename(tmp_path / "out.partial")
    assert load(partial).record == load(partial.rename(folder)).record
