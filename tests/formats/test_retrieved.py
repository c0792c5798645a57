"""Passages from the results folder of a run: the hits that were kept, with the texts of the collection."""

import gzip
import json
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest

from benchbench.errors import InputError
from benchbench.formats.legalbench_rag import read_gold, read_predictions
from benchbench.tables.hashing import content_digest
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
    with pytest.raises(InputError, match="is not a results folder of one service: it has no config"):
        read_predictions(tmp_path)
    for content in ("1", "[]", '{"options": {}}'):
        (results / "config.json").write_text(content)
        with pytest.raises(InputError, match=r"config\.json is not the config\.json of a run"):
            read_predictions(results)


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        (lambda folder: configured(folder, collection=None), "the run had no collection"),
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
    with pytest.raises(InputError, match=r"the query '2' is none of .*tiered.jsonl; has the file changed since\?"):
        read_predictions(results)


# Predictions and gold passages from JSON: what is read, and the sentence about what is not

SNIPPET = {"file_path": "a/b.txt", "span": [3, 5], "answer": "de"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "file.json"


def predicted(file: Path, *passages: Any) -> list[Passage]:
    file.write_bytes(orjson.dumps([{"query": "q", "retrieved_passages": passages}]))
    return read_predictions(file).by_query["q"]


def test_a_passage_is_a_text_or_says_where_it_stands(file: Path):
    assert predicted(file, "one", "") == [Passage("one"), Passage("")]
    assert predicted(file, {"text": "de", "file_path": "x", "span": [3, 5], "score": 1}) == [
        Passage("de", Place("x", 3, 5))
    ]
    assert predicted(file, {"text": "de"}, "f") == [Passage("de"), Passage("f")]
    assert predicted(file) == []


def test_of_repeated_predictions_the_first_counts(file: Path):
    entries = [{"query": "q", "retrieved_passages": [text]} for text in ("one", "two", "three")]
    file.write_bytes(orjson.dumps(entries))
    found = read_predictions(file)
    assert (found.by_query, found.repeated) == ({"q": [Passage("one")]}, 2)


def test_gold_is_a_list_of_tests_in_order(file: Path):
    tests = [{"query": "r", "snippets": [SNIPPET], "tags": []}, {"query": "q", "snippets": [{"answer": "x"}]}]
    file.write_bytes(orjson.dumps({"tests": tests}))
    gold = read_gold(file)
    assert list(gold.by_query.items()) == [("r", [Passage("de", Place("a/b.txt", 3, 5))]), ("q", [Passage("x")])]
    assert (gold.repeated, gold.are_placed) == (0, False)
    assert gold.digest == content_digest(file.read_bytes()).hexdigest()


def test_repeated_tests_are_one_query_with_the_snippets_of_all(file: Path):
    tests = [{"query": "q", "snippets": snippets} for snippets in ([SNIPPET], [SNIPPET, {"answer": "x"}])]
    file.write_bytes(orjson.dumps({"tests": tests}))
    gold = read_gold(file)
    assert gold.by_query == {"q": [Passage("de", Place("a/b.txt", 3, 5)), Passage("x")]}
    assert gold.repeated == 1


def test_equal_snippets_of_one_test_stay_as_they_are(file: Path):
    file.write_bytes(orjson.dumps({"tests": [{"query": "q", "snippets": [{"answer": "x"}, {"answer": "x"}]}]}))
    assert read_gold(file).by_query == {"q": [Passage("x"), Passage("x")]}


def test_a_packed_file_is_unpacked(tmp_path: Path):
    path = tmp_path / "p.json.gz"
    path.write_bytes(gzip.compress(b'[{"query": "q", "retrieved_passages": ["x"]}]'))
    assert read_predictions(path).by_query == {"q": [Passage("x")]}


def test_a_query_belongs_to_the_first_value_of_its_tests_and_else_to_nothing(file: Path):
    users = [("a", None), ("a", "x"), ("b", "x"), ("c", ""), ("d", 1), ("e", 1.0)]
    tests = [{"query": query, "snippets": [{"answer": "s"}], "user": user} for query, user in users]
    file.write_bytes(orjson.dumps({"tests": tests}))
    found = read_gold(file, "user").clusters
    assert found["a"] == found["b"] == "x"
    assert found["d"] == found["e"]
    assert len(set(found.values())) == 3
    file.write_bytes(orjson.dumps({"tests": [{**one, "user": ""} for one in tests]}))
    with pytest.raises(InputError, match="has no user to group queries by"):
        read_gold(file, "user")
