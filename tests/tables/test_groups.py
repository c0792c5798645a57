"""Groups of queries: by the values of a column, a query without one by itself."""

import math
from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.tables.groups import grouped, groups_of


@given(st.lists(st.sampled_from(["a", "b", "c", "", None]), min_size=1))
def test_equal_values_are_one_group_and_no_value_is_a_group_of_its_own(values: list[str | None]) -> None:
    groups = groups_of(pl.DataFrame({"document": pl.Series(values, dtype=pl.String)}), "document")
    seen: list[object] = []
    for place, (value, code) in enumerate(zip(values, groups.codes.tolist(), strict=True)):
        key = ("alone", place) if value is None else value
        if key not in seen:
            seen.append(key)
        assert code == seen.index(key)
    assert groups.number == len(seen)
    assert groups.sizes.sum() == len(values)


@pytest.mark.parametrize(
    "values",
    [[1.5, math.nan, 1.5, math.nan], [1, None, 1, None], [True, None, True, None],
     [date(2020, 1, 1), None, date(2020, 1, 1), None]],
)  # fmt: skip
def test_values_of_any_kind_make_groups(values: list[object]) -> None:
    assert grouped("any", values).codes.tolist() == [0, 1, 0, 2]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.integers(0, 2**32))
def test_sums_are_those_of_the_queries_of_each_group(codes: list[int], seed: int) -> None:
    groups = grouped("code", codes)
    values = np.random.default_rng(seed).normal(size=(2, 3, len(codes)))
    sums = groups.sums(values)
    assert sums.shape == (2, 3, groups.number)
    for group in range(groups.number):
        inside = groups.codes == group
        assert sums[:, :, group] == pytest.approx(values[:, :, inside].sum(axis=2))
        assert groups.sizes[group] == inside.sum()
    assert groups.sums(values[0, 0]).shape == (groups.number,)


def test_a_part_has_the_groups_that_are_left() -> None:
    part = grouped("document", ["a", "b", "c", "b", "a"]).part(np.array([1, 2, 3]))
    assert (part.column, part.codes.tolist(), part.number) == ("document", [0, 1, 0], 2)


def test_lists_with_the_same_members_are_one_group() -> None:
    columns = pl.DataFrame({"articles": [["1", "2"], ["2", "1"], ["1"], [], None, [None], ["2", "1", "1"]]})
    assert groups_of(columns, "articles").codes.tolist() == [0, 0, 1, 2, 3, 4, 0]


def test_what_makes_no_groups_is_refused() -> None:
    columns = pl.DataFrame({"labels": [{"a": 1}, {"a": 2}]})
    with pytest.raises(InputError, match="column labels holds Struct"):
        groups_of(columns, "labels")
    with pytest.raises(InputError, match="no column user to group by; there are: labels"):
        groups_of(columns, "user")


def test_members_that_look_like_several_are_one() -> None:
    columns = pl.DataFrame({"law": [["1,2"], ["1", "2"], ["2", "1", "2"], ["12"], [], [None, "12"]]})
    assert groups_of(columns, "law").codes.tolist() == [0, 1, 1, 2, 3, 2]
    labels = columns.select(pl.col("law").cast(pl.List(pl.Categorical)))
    assert groups_of(labels, "law").codes.tolist() == [0, 1, 1, 2, 3, 2]
