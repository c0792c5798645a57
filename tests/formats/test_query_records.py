"""Queries of any file, one at a time."""

from hypothesis import given
from hypothesis import strategies as st

from benchbench.formats.query_records import each_query
from benchbench.formats.records import Part


@given(st.lists(st.sampled_from("abcd")), st.sets(st.sampled_from("abcde")))
def test_wanted_queries_are_those_of_all_that_have_these_ids(ids, wanted):
    records = [{"query_id": name, "text": f"text {place}"} for place, name in enumerate(ids)]
    part = Part("queries", generated=lambda: iter(records))
    every = [(name, query.text) for name, query in each_query(part, skip_bad_lines=True)]
    only = [(name, query.text) for name, query in each_query(part, skip_bad_lines=True, only=wanted)]
    assert only == [row for row in every if row[0] in wanted]
