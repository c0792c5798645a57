"""Rows as they came: made of dictionaries and of spans, joined, and gathered by query."""

import itertools
import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from cases import check_each, check_rows
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.tables.rows import Rows

ids = st.text("ab1é法\n", min_size=1, max_size=20)
groups = st.lists(st.tuples(ids, st.lists(st.tuples(ids, st.floats(allow_nan=False)), max_size=6)), max_size=8)
Groups = list[tuple[str, list[tuple[str, float]]]]


def made(given: Groups) -> Rows:
    documents = [document for _, found in given for document, _ in found]
    values = np.array([value for _, found in given for _, value in found], np.float64)
    return Rows.of([query for query, _ in given], [len(found) for _, found in given], documents, values)


def read(rows: Rows) -> Groups:
    """Return what rows hold; where hashes are not those of the ids, they are no rows."""
    queries = [bytes(rows.text[a:b]).decode() for a, b in zip(rows.query_start, rows.query_stop, strict=True)]
    found = [(rows.document_id(row), float(rows.value[row])) for row in range(rows.value.size)]
    assert rows.query.tolist() == made([(query, []) for query in queries]).query.tolist()
    assert rows.document.tolist() == made([("q", found)]).document.tolist()
    ends = rows.groups.tolist()
    assert all(rows.query_id(row) == queries[g] for g in range(len(queries)) for row in range(ends[g], ends[g + 1]))
    return [(query, found[a:b]) for query, (a, b) in zip(queries, pairwise(ends), strict=True)]


@given(groups)
def test_rows_are_what_they_were_made_of(given: Groups):
    assert read(made(given)) == given


@given(st.lists(groups, min_size=1, max_size=4))
def test_joined_rows_stand_behind_each_other(given: list[Groups]):
    assert read(Rows.concatenated([made(part) for part in given])) == [group for part in given for group in part]


@given(groups)
def test_gathered_rows_stand_by_query_in_order_of_appearance_and_else_as_they_came(given: Groups):
    wanted: dict[str, list[tuple[str, float]]] = {}
    for query, found in given:
        wanted.setdefault(query, []).extend(found)
    assert read(made(given).gathered()) == list(wanted.items())


def test_gathered_rows_keep_their_subtopics():
    text = np.frombuffer(b"abaxyz123", np.uint8)
    start = np.arange(9, dtype=np.uint64)
    rows = Rows.of_spans(text, start, start + np.uint64(1), np.array([0, 1, 2, 3]), np.array([1.0, 2.0, 3.0]))
    one, two, three = rows.subtopic.tolist()
    assert rows.gathered().subtopic.tolist() == [one, three, two]
    assert [rows.gathered().document_id(row) for row in range(3)] == ["x", "z", "y"]


def test_copied_rows_change_no_others():
    rows = made([("a", [("x", 1.0)])])
    copied = rows.copied()
    copied.value[0] = copied.document[0] = copied.groups[0] = 7
    assert read(rows) == [("a", [("x", 1.0)])]


def test_a_dictionary_gives_its_rows_also_of_numpy_numbers_and_without_any():
    given = {"a": {"x": np.float32(0.5), "y": np.int64(2), "z": True}, "b": {}, "c": {"x": -math.inf}}
    wanted = [("a", [("x", 0.5), ("y", 2.0), ("z", 1.0)]), ("b", []), ("c", [("x", -math.inf)])]
    assert read(Rows.from_dict(given, "run")) == wanted
    assert read(Rows.from_dict({}, "run")) == []


def test_what_is_no_dictionary_of_dictionaries_of_numbers_is_refused_with_an_example():
    def check(given: Any) -> None:
        with pytest.raises(InputError, match=r"^run: .* instead of a .*, as in \{'q1': \{'d1': 1\.0\}\}$"):
            Rows.from_dict(given, "run")

    check_each(
        check,
        [
            None,
            1,
            "ab",
            ["a"],
            {"a": 1},
            {"a": None},
            {"a": ["x"]},
            {"a": {"x": "1"}},
            {"a": {"x": b"1"}},
            {"a": {"x": 1, "y": "2"}},
            {"a": {"x": [1]}},
            {"a": {"x": [1, 2], "y": [3, 4]}},
            {"a": {"x": {"y": 1}}},
            {"a": {"x": 1j}},
            {"a": {"x": np.datetime64("2020-01-01")}},
        ],
    )


def test_the_first_value_that_is_no_number_is_named_with_its_document_and_query():
    with pytest.raises(InputError, match=r"^run: document 'y' of query 'b' has '0\.5' instead of a number, as in "):
        Rows.from_dict({"a": {"x": 1.0}, "b": {"y": "0.5", "z": "0.7"}}, "run")  # type: ignore[dict-item]


def test_ids_that_are_whole_numbers_or_bytes_are_their_text():
    def check(query: Any, document: Any) -> None:
        rows = Rows.from_dict({query: {document: 1.0, "x": 2.0}}, "run")
        wanted = Rows.from_dict({"7": {"-3": 1.0, "x": 2.0}}, "run")
        assert rows.query.tolist() == wanted.query.tolist()
        assert rows.document.tolist() == wanted.document.tolist()

    check_rows(check, itertools.product([7, np.int64(7), np.uint8(7), b"7", np.str_("7")], [-3, np.int32(-3), b"-3"]))


@pytest.mark.parametrize("identity", [1.0, None, True, ("a",), np.float64(2)])
def test_an_id_that_is_no_text_and_no_whole_number_is_refused_with_what_to_do(identity: Any):
    for records, what in (({identity: {"x": 1}}, "query"), ({"a": {identity: 1}}, "document")):
        with pytest.raises(
            InputError, match=rf"^run: the {what} id .* is of type \w+; ids are text or whole numbers: write "
        ):
            Rows.from_dict(records, "run")


@pytest.mark.parametrize("identity", ["\ud800", b"\xff"])
def test_an_id_that_is_not_utf_8_is_refused(identity: Any):
    with pytest.raises(InputError, match=r"^run: the document id .* is not UTF-8; ids are text$"):
        Rows.from_dict({"a": {identity: 1}}, "run")


@pytest.mark.parametrize("value", [math.nan, None, np.nan])
def test_a_value_that_is_no_number_is_named_by_its_document_and_query(value: Any):
    with pytest.raises(InputError) as caught:
        Rows.from_dict({"a": {"x": 1.0}, "b": {"y": 2, "文": value}}, "run")
    assert str(caught.value) == "run has a value that is not a number, of document 文 of query b"


@pytest.mark.parametrize(
    ("given", "what"), [({"": {"x": 1.0}}, "query"), ({"a": {"": 1.0}}, "document"), ({b"": {"x": 1.0}}, "query")]
)
def test_an_empty_id_is_refused(given: Any, what: str):
    with pytest.raises(InputError, match=rf"^run has an empty {what} id; each {what} needs one$"):
        Rows.from_dict(given, "run")
