"""What changed most."""

import math

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from benchbench.history.check.run_values import FEWEST, QUERIES, moved_queries, moved_slices

values = st.lists(st.one_of(st.just(math.nan), st.integers(-5, 5).map(float)), min_size=24, max_size=24)


@given(values, values, st.sampled_from((1.0, -1.0)))
def test_queries_are_those_with_the_greatest_change_in_that_direction(
    before: list[float], after: list[float], sign: float
) -> None:
    found = moved_queries(pl.Series([f"q{n}" for n in range(24)]), np.array(before), np.array(after), sign)
    changes = [(sign * (b - a), -n) for n, (a, b) in enumerate(zip(before, after, strict=True)) if sign * (b - a) > 0]
    expected = [f"q{-n}" for _, n in sorted(changes, reverse=True)[:QUERIES]]
    assert [one.id for one in found] == expected
    assert all(sign * (one.after - one.before) > 0 for one in found)


def test_slices_of_enough_queries_are_ordered_by_their_change():
    columns = pl.DataFrame({"topic": ["law"] * 8 + ["tax"] * 8 + ["rare"] * 2, "id": [f"{n}x" for n in range(18)]})
    before = np.full(18, 0.5)
    after = before - np.array([0.1] * 8 + [0.3] * 8 + [0.5] * 2)
    found = moved_slices(columns, before, after, -1.0)
    assert [(one.slice, one.n) for one in found] == [("topic=tax", 8), ("topic=law", 8)]
    assert [round(one.after, 6) for one in found] == [0.2, 0.4]
    assert moved_slices(columns, before, after, 1.0) == []


def test_texts_that_are_numbers_are_cut_into_bins():
    columns = pl.DataFrame({"length": [str(100 + n) for n in range(40)]})
    found = moved_slices(columns, np.full(40, 0.5), np.full(40, 0.4), -1.0)
    assert [one.slice for one in found] == ["length=100–109", "length=110–119", "length=120–129", "length=130–139"]


def test_slices_with_the_same_queries_are_said_once_and_queries_without_a_value_do_not_count():
    columns = pl.DataFrame({"a": ["x"] * 7 + ["y"] * 7, "b": ["u"] * 7 + ["v"] * 7})
    after = np.array([0.4] * 7 + [0.4] * 5 + [math.nan] * 2)
    found = moved_slices(columns, np.full(14, 0.5), after, -1.0)
    assert [(one.slice, one.n) for one in found] == [("a=x", 7)]
    assert FEWEST == 6


def test_without_columns_there_are_no_slices():
    assert moved_slices(pl.DataFrame(), np.full(3, 0.5), np.full(3, 0.4), -1.0) == []
