"""Members of objects as columns: whatever is fast says what is slow and obvious."""

from typing import Any

import naive_labels
from hypothesis import given
from hypothesis import strategies as st

from benchbench.client.record_columns import RecordColumns
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
    assert list(members.column(NAMES)) == [first(record, NAMES) for record in records]


@given(RECORDS, st.lists(PATHS, max_size=3))
def test_values_at_paths_are_those_of_the_naive_twin(
    records: list[dict[str, Any]], several: list[tuple[tuple[str, ...], ...]]
):
    members = RecordColumns(records)
    for paths in several:
        assert list(members.at(paths)) == [naive_labels.value_of(record, paths) for record in records]
