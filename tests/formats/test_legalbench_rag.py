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


def refused(file: Path, value: Any, read: Any) -> str:
    file.write_bytes(value if isinstance(value, bytes) else orjson.dumps(value))
    with pytest.raises(InputError) as error:
        read(file)
    assert "\n" not in str(error.value)
    return str(error.value).removeprefix(str(file))


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


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (b"", " is empty"),
        (b" \n", ", line 1, column 1: not JSON (there is nothing but white space)"),
        (b"[\n{]", ", line 2, column 2: not JSON ("),
        (b'["\xff"]', ", line 1: not UTF-8 text (byte 3 of the file)"),
        ({"q": ["x"]}, " is not a JSON list of entries, as "),
        ({"tests": []}, " is a gold file (it has tests); PREDICTIONS comes first"),
        ([], " has no prediction, so every score would be 0 by definition"),
        (["x"], ", entry 1 is not a JSON object"),
        ([{"retrieved_passages": []}], ', entry 1 has no query (a member "query" with a text)'),
        ([{"query": 3, "retrieved_passages": []}], ", entry 1 has no query"),
        ([{"query": " ", "retrieved_passages": []}], ", entry 1 has no query"),
        ([{"query": "q"}], ', entry 1 has no list "retrieved_passages"'),
        ([{"query": "q", "retrieved_passages": "x"}], ', entry 1 has no list "retrieved_passages"'),
    ],
)
def test_predictions_that_cannot_be_read_are_one_sentence(file: Path, value: Any, reason: str):
    assert reason in refused(file, value, read_predictions)


@pytest.mark.parametrize(
    ("passage", "reason"),
    [
        (3, " is neither a text nor a JSON object"),
        (None, " is neither a text nor a JSON object"),
        ({"file_path": "x", "span": [1, 2]}, ' has no text (a member "text")'),
        ({"text": None}, ' has no text (a member "text")'),
        ({"text": "x", "span": [1, 2]}, " has a span and no file_path"),
        ({"text": "x", "file_path": "", "span": [1, 2]}, " has a span and no file_path"),
        ({"text": "x", "file_path": "x"}, ": the span is not two whole numbers, [start, end]"),
        ({"text": "x", "file_path": "x", "span": [1]}, ": the span is not two whole numbers"),
        ({"text": "x", "file_path": "x", "span": [1, 2.5]}, ": the span is not two whole numbers"),
        ({"text": "x", "file_path": "x", "span": [False, True]}, ": the span is not two whole numbers"),
        ({"text": "x", "file_path": "x", "span": [5, 3]}, ": the span [5, 3] is not 0 <= start <= end"),
        ({"text": "x", "file_path": "x", "span": [-1, 3]}, ": the span [-1, 3] is not 0 <= start <= end"),
    ],
)
def test_a_passage_that_cannot_be_read_is_named_by_its_place(file: Path, passage: Any, reason: str):
    value = [{"query": "q", "retrieved_passages": []}, {"query": "r", "retrieved_passages": ["x", passage]}]
    assert refused(file, value, read_predictions).startswith(f", entry 2, retrieved_passages 2{reason}")


def test_places_for_some_passages_and_not_for_all_are_refused(file: Path):
    value = [{"query": "q", "retrieved_passages": [{"text": "x", "file_path": "x", "span": [1, 2]}, "y"]}]
    reason = refused(file, value, read_predictions)
    assert reason.startswith(": some passages name file_path and span and others do not, such as one of the query 'q'")


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([{"query": "q", "snippets": []}], " is a list, as predictions are"),
        ({}, ' is not a JSON object with a list "tests"'),
        ("x", ' is not a JSON object with a list "tests"'),
        ({"tests": {}}, ' is not a JSON object with a list "tests"'),
        ({"tests": []}, " has no test, so there is nothing to score by"),
        ({"tests": [[]]}, ", test 1 is not a JSON object"),
        ({"tests": [{"query": "q"}]}, ', test 1 has no list "snippets"'),
        ({"tests": [{"query": "q", "snippets": ["x", 3]}]}, ", test 1, snippets 2 is neither a text nor a JSON object"),
        ({"tests": [{"query": "q", "snippets": [{}]}]}, ', test 1, snippets 1 has no text (a member "answer")'),
        ({"tests": [{"query": "q", "snippets": [SNIPPET | {"span": "3-5"}]}]}, ", test 1, snippets 1: the span is not"),
    ],
)
def test_gold_that_cannot_be_read_is_one_sentence(file: Path, value: Any, reason: str):
    assert reason in refused(file, value, read_gold)


def test_a_file_that_is_not_there_is_one_sentence(tmp_path: Path):
    for read in (read_gold, read_predictions):
        with pytest.raises(InputError, match=r"none\.json does not exist"):
            read(tmp_path / "none.json")


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
