"""Passages from the results folder of a run: the hits that were kept, with the texts of the collection."""

import json
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest

from benchbench.errors import InputError
from benchbench.formats.legalbench_rag import read_predictions
from benchbench.tables.passages import Passage, Place

HITS = [("2", 2, "a#0-3"), ("2", None, "a#0-3"), ("2", 1, "b#3-9"), ("1", 1, "a#0-3"), ("3", 1, "b#3-9")]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A folder as a run leaves it, and the data set it was over; query 3 asks what query 1 asks."""
    documents = [{"_id": "a#0-3", "text": "one"}, {"_id": "b#3-9", "text": "twenty"}]
    queries = [{"query_id": n, "query": {"fact": text}} for n, text in ((1, "Who?"), (2, "What?"), (3, "Who?"))]
    for name, lines in (("collection.jsonl", documents), ("tiered.jsonl", queries)):
        (tmp_path / name).write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    folder = tmp_path / "results"
    folder.mkdir()
    configured(folder)
    hits(folder, HITS)
    return folder


def configured(folder: Path, **members: Any) -> None:
    there = folder.parent
    options = {"dataset": str(there / "tiered.jsonl"), "collection": str(there / "collection.jsonl"), "encoding": None}
    (folder / "config.json").write_text(json.dumps({"options": options | {"skip_bad_lines": False} | members}))


def hits(folder: Path, rows: list[tuple[str, int | None, str]]) -> None:
    pl.DataFrame(rows, ["query_id", "rank", "id"], orient="row").write_parquet(folder / "hits.parquet")


def test_kept_hits_in_rank_order_are_the_passages_with_their_places(results: Path):
    found = read_predictions(results)
    one, twenty = Passage("one", Place("a", 0, 3)), Passage("twenty", Place("b", 3, 9))
    assert list(found.by_query.items()) == [("Who?", [one]), ("What?", [twenty, one])]
    assert (found.name, found.repeated, len(found.digest)) == (str(results), 1, 32)


def test_a_query_without_hits_has_no_passages(results: Path):
    hits(results, HITS[:3])
    assert read_predictions(results).by_query["Who?"] == []


def test_a_folder_of_something_else_is_refused(results: Path, tmp_path: Path):
    with pytest.raises(InputError, match="is no results folder of one service: it has no config"):
        read_predictions(tmp_path)
    for content in ("1", "[]", '{"options": {}}'):
        (results / "config.json").write_text(content)
        with pytest.raises(InputError, match=r"config\.json is not the config\.json of a run"):
            read_predictions(results)


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        (lambda folder: configured(folder, collection=None), "the run knew no collection"),
        (lambda folder: hits(folder, [("1", 1, "c#0-3")]), r"the hit 'c#0-3' is no document of .*collection\.jsonl"),
        (lambda folder: (folder.parent / "collection.jsonl").unlink(), r"collection\.jsonl does not exist"),
        (
            lambda folder: (folder / "hits.parquet").write_bytes(b"PAR1"),
            r"hits\.parquet is not the file of hits",
        ),
    ],
)
def test_a_folder_from_which_no_passages_can_be_made_is_refused(results: Path, harm: Any, reason: str):
    harm(results)
    with pytest.raises(InputError, match=reason):
        read_predictions(results)


def test_skipped_lines_of_the_data_set_are_counted_and_a_query_that_is_gone_is_named(results: Path):
    data = results.parent / "tiered.jsonl"
    with data.open("ab") as file:
        file.write(b"{\n")
    configured(results, skip_bad_lines=True)
    assert read_predictions(results).skipped_lines == 1
    data.write_bytes(data.read_bytes().splitlines(keepends=True)[0])
    with pytest.raises(InputError, match=r"the query '2' is none of .*tiered.jsonl; has that changed since\?"):
        read_predictions(results)
