"""Members of objects as columns: whatever is fast says what is slow and obvious."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from benchbench.client.record_columns import RecordColumns, is_nothing, is_whole
from benchbench.tables.fields import first, label

NAMES = ("a", "b")
VALUES = st.sampled_from([None, 0, "x", ["x"], {}])
RECORDS = st.lists(
    st.dictionaries(st.sampled_from(["a", "b", "c", "meta"]), VALUES | st.dictionaries(st.sampled_from(NAMES), VALUES)),
    min_size=1,
    max_size=5,
)


@given(RECORDS | RECORDS.map(lambda records: records[:1] * 3))
def test_columns_hold_what_each_record_has(records: list[dict[str, Any]]):
    members = RecordColumns(records)
    column = members.column(NAMES)
    assert list(column) == [first(record, NAMES) for record in records]
    assert is_whole(column) == all(value is not None for value in column)
    assert is_nothing(column) == all(value is None for value in column)
    assert list(members.label(NAMES)) == [label(record, NAMES) for record in records]
    alone = all("meta" in record and not set(record) & set(NAMES) for record in records)
    assert alone or not members.only_in_meta(*NAMES)


def test_what_stands_for_a_meta_is_restored():
    members = RecordColumns([{"meta": "one"}, {"meta": "two"}], {"one": {"a": 1}, "two": None}.get)
    assert list(members.label(NAMES)) == [1, None]
