"""Values of several systems over the same queries."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.tables.paired import Paired

VALUES = np.array([[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]])


@pytest.mark.parametrize(
    ("systems", "queries", "values", "match"),
    [
        (("A",), 3, VALUES[:, :1], "two systems or more"),
        (("A", "A"), 3, VALUES, "two systems are named A"),
        (("A", "B"), 1, VALUES[:, :, :1], "two queries or more"),
        (("A", "B"), 3, VALUES * np.nan, "not a finite number"),
    ],
)
def test_what_cannot_be_compared_is_refused(systems, queries, values, match) -> None:
    with pytest.raises(InputError, match=match):
        Paired(systems, ("M",), ["q"] * queries, values)


def test_values_must_fit_the_names() -> None:
    with pytest.raises(ValueError, match="do not fit the names"):
        Paired(("A", "B"), ("M", "N"), ["q"] * 3, VALUES)


def test_columns_must_have_a_row_a_query() -> None:
    with pytest.raises(ValueError, match="2 rows of columns for 3 queries"):
        Paired(("A", "B"), ("M",), ["q"] * 3, VALUES, pl.DataFrame({"length": [1, 2]}))


@given(st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=2, max_size=30))
def test_a_difference_is_0_where_values_are_equal_but_for_rounding(pairs: list[tuple[int, int]]) -> None:
    values = np.array([[[a * 0.1 for a, _ in pairs], [b / 10 for _, b in pairs]]])
    found = Paired(("A", "B"), ("M",), ["q"] * len(pairs), values).difference(0, 0, 1)
    exact = [b - a for a, b in pairs]
    assert (found == 0.0).tolist() == [one == 0 for one in exact]
    assert (np.ptp(found) == 0.0) == (len(set(exact)) == 1)
    assert found == pytest.approx(np.array(exact) / 10, abs=1e-15)


def test_a_part_has_the_values_of_its_queries() -> None:
    part = Paired(("A", "B"), ("M",), ["x", "y", "z"], VALUES).part(np.array([2, 0]))
    assert part.queries == ["z", "x"]
    assert part.of("M", "B").tolist() == [0.6, 0.4]
