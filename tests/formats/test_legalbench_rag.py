"""Predictions and gold passages from JSON: what is read, and the sentence about what is not."""

import gzip
from pathlib import Path
from typing import Any

import orjson
import pytest

from benchbench.errors import InputError
from benchbench.formats.legalbench_rag import read_gold, read_predictions
from benchbench.tables.hashing import content_digest
from benchbench.tables.passages import Passage, Place

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
