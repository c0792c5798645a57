"""Members of objects as columns: whatever is fast says what is slow and obvious."""

from typing import Any

import naive_labels
from hypothesis import given
from hypothesis import strategies as st

from benchbench.client.record_columns import RecordColumns, is_nothing, is_whole
from benchbench.tables.fields import first

NAMES = ("a", "b")
VALUES = st.sampled_from([None, 0, "x", ["x"], {}])
OBJECTS = st.dictionaries(st.sampled_from(NAMES), VALUES | st.dictionaries(st.sampled_from(NAMES), VALUES))
RECORD = st.dictionaries(st.sampled_from(["a", "b", "c", "meta"]), VALUES | OBJECTS)
RECORDS = st.lists(RECORD, min_size=1, max_size=5) | RECORD.map(lambda record: [record] * 3)
PATHS = st.lists(
    st.lists(st.sampled_from(["a", "b", "meta"]), min_size=1, max_size=3).map(tuple), max_size=4, unique=True
).map(tuple)


@given(RECORDS)
def test_columns_hold_what_each_record_has(records: list[dict[str, Any]]):
    members = RecordColumns(records)
    column = members.column(NAMES)
    assert list(column) == [first(record, NAMES) for record in records]
    assert is_whole(column) == all(value is not None for value in column)
    assert is_nothing(column) == all(value is None for value in column)
    alone = all("meta" in record and not set(record) & set(NAMES) for record in records)
    assert alone or not members.only_in_meta(NAMES)


@given(RECORDS, st.lists(PATHS, max_size=3))
def test_values_at_paths_are_those_of_the_naive_twin(
    records: list[dict[str, Any]], several: list[tuple[tuple[str, ...], ...]]
):
    members = RecordColumns(records)
    for paths in several:
        assert list(members.at(paths)) == [naive_labels.value_of(record, paths) for record in records]


def test_what_stands_for_a_meta_is_restored():
    members = RecordColumns([{"meta": "one"}, {"meta": "two"}], {"one": {"a": 1}, "two": None}.get)
    assert list(members.at((("a",), ("meta", "a")))) == [1, None]
    assert list(members.at((("meta",),))) == [{"a": 1}, None]
