"""Which results may stand in one line."""

import pytest

from benchbench.comparison.comparable import comparable_parts, series_key, unlike
from benchbench.results.record import Data, Record, record

RUN = (
    "tasks:gold,accusation|measures:P,R|k:3,5|self:text|gold:text|recall:fixed|positives:10|ties:input|failed:0"
    "|queries:200 (scored 200, failed 0, without positives 0)|data:d1|run:r1|version:0.2.1"
)


def key(signature: str = RUN, **members) -> str:
    return series_key(
        record(
            **{
                "kind": "run",
                "began": 1.0,
                "name": "bm25",
                "data": Data(digest="d1"),
                **members,
                "signature": signature,
            }
        )
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("run:r1", "run:r2"),
        ("version:0.2.1", "version:0.2.9"),
        ("measures:P,R|k:3,5", "measures:AP"),
        ("scored 200, failed 0", "scored 198, failed 2"),
        ("tasks:gold,accusation", "tasks:gold"),
    ],
)
def test_what_came_out_and_what_measures_are_named_after_may_differ(old: str, new: str):
    assert old in RUN
    assert key(RUN.replace(old, new)) == key()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("data:d1", "data:d2", "other data (data:d2 and data:d1)"),
        ("version:0.2.1", "version:0.3.0", "another version (version:0.3 and version:0.2)"),
        ("gold:text", "gold:id", "another rule for positives (gold:id and gold:text)"),
        ("queries:200", "queries:100", "another number of queries (queries:100 and queries:200)"),
        ("ties:input", "ties:input|top_k:50", "another number of hits asked for (top_k:50 and top_k:-)"),
        (
            "accusation",
            "price=within(price, absolute=1)",
            "other rules of tasks (tasks:price=within(price, absolute=1) and tasks:-)",
        ),
        ("ties:input", "ties:input|unheard of:1", "another unheard of (unheard of:1 and unheard of:-)"),
    ],
)
def test_rules_and_what_was_measured_with_may_not(old: str, new: str, said: str):
    changed = RUN.replace(old, new)
    assert key(changed) != key()
    assert unlike(comparable_parts(changed), comparable_parts(RUN)) == [said]


@pytest.mark.parametrize(
    "members", [{"kind": "score"}, {"name": "dense"}, {"data": Data(digest="d2")}, {"data": Data()}]
)
def test_kind_name_and_data_are_of_the_series(members: dict):
    assert key(**members) != key()


def test_the_name_of_the_data_counts_where_they_have_no_digest():
    assert key(data=Data(name="a", digest="d1")) == key(data=Data(name="b", digest="d1"))
    assert key(data=Data(name="a")) != key(data=Data(name="b"))


def test_answers_and_verdicts_that_came_out_may_differ():
    for changing in ("answers", "predictions", "assignments"):
        parts = "judge:m|questions:{} (answered 9)|data:d|{}:{}|version:0.2.0"
        assert key(parts.format(10, changing, "a")) == key(parts.format(10, changing, "b"))
        assert key(parts.format(10, changing, "a")) != key(parts.format(11, changing, "a"))
    assert key("judge:one|data:d") != key("judge:two|data:d")


def test_a_record_without_a_signature_has_a_series():
    one = Record(kind="profile", id="1", started="", finished="")
    assert series_key(one) == series_key(Record(kind="profile", id="2", started="x", finished="y"))
