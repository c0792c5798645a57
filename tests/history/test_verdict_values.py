"""Verdicts as values per item: one column per rubric, named as its mean is."""

from typing import Any

import polars as pl
import pytest
from stored_runs import kept

from benchbench.history.per_query import per_query, verdict_table
from benchbench.results.record import Number

LABELS = ("faithfulness.en@1", "grade.ja@2")
NUMBERS = [
    Number(name="faithfulness", value=0.5, scope={"judge": "m", "rubric": LABELS[0]}),
    Number(name="flip_rate", value=0.1, scope={"judge": "m", "rubric": LABELS[0]}),
    Number(name="grade", value=2.0, scope={"judge": "m", "rubric": LABELS[1], "slice": "category=a"}),
    Number(name="grade", value=1.0, scope={"judge": "m", "rubric": LABELS[1]}),
    Number(name="errors", value=0.0),
]


def verdicts(*rows: tuple[str, str, int, float | None, str | None], **more: Any) -> pl.DataFrame:
    frame = pl.DataFrame(
        rows,
        schema={
            "item": pl.String,
            "rubric": pl.String,
            "attempt": pl.Int64,
            "score": pl.Float64,
            "question": pl.String,
        },
        orient="row",
    )
    return frame.with_columns(raw=pl.lit("same"), failure=pl.lit(None, pl.String), **more)


def made(table: pl.DataFrame) -> pl.DataFrame:
    found = verdict_table({"verdicts": lambda: table}, NUMBERS)
    assert found is not None
    return found


TWO = verdicts(
    ("1", LABELS[0], 1, 1.0, "a?"),
    ("2", LABELS[0], 1, None, "b?"),
    ("2", LABELS[1], 1, 3.0, "b?"),
    ("1", LABELS[1], 1, 2.0, "a?"),
    ("1", LABELS[1], 2, 0.0, "a?"),
    category=pl.Series(["x", "y", "y", "x", "x"]),
)


def test_an_item_has_the_score_of_the_first_attempt_by_each_rubric():
    assert made(TWO).to_dict(as_series=False) == {
        "id": ["a?", "b?"],
        "category": ["x", "y"],
        f"m.{LABELS[0]}.faithfulness": [1.0, None],
        f"m.{LABELS[1]}.grade": [2.0, 3.0],
    }


@pytest.mark.parametrize("other", ["a?", None])
def test_items_with_the_same_question_or_none_are_known_by_their_keys(other: str | None):
    found = made(verdicts(("7", LABELS[0], 1, 1.0, "a?"), ("9", LABELS[0], 1, 0.0, other)))
    assert found["id"].to_list() == ["7", "9"]


def test_only_what_an_item_belongs_to_becomes_a_column():
    found = per_query(kept(1, tables={"verdicts": TWO}, numbers=NUMBERS))
    assert found is not None
    assert [name for name in found.frame.columns if name.startswith("column/")] == []  # two items, two categories
    assert found.table == ""
    assert found.frame["query"].to_list() == ["a?", "b?"]


@pytest.mark.parametrize(
    "table",
    [
        TWO.drop("item"),
        TWO.with_columns(rubric=pl.lit("of another record")),
        verdicts(("1", LABELS[0], 1, 1.0, "a?"), ("1", LABELS[0], 1, 0.0, "a?")),
        TWO.clear(),
    ],
)
def test_what_has_no_row_per_item_and_rubric_of_a_mean_has_no_values(table: pl.DataFrame):
    assert verdict_table({"verdicts": lambda: table}, NUMBERS) is None
    assert per_query(kept(1, tables={"verdicts": table}, numbers=NUMBERS)) is None


def test_values_of_a_table_go_before_those_of_verdicts():
    table = pl.DataFrame({"query_id": ["q"], "P": [1.0]})
    found = per_query(kept(1, tables={"verdicts": TWO, "per_query": table}, numbers=NUMBERS))
    assert found is not None
    assert found.frame.columns[:2] == ["query", "value/P"]
