"""Values of several runs side by side, against loops that say the same."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.history.check.run_values import aligned, means, queries_of, row, run_means

NAN = math.nan
cells = st.one_of(st.just(NAN), st.floats(-1e3, 1e3))
matrices = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=5)
)


def naive_mean(values: list[float]) -> float:
    known = [one for one in values if math.isfinite(one)]
    return sum(known) / len(known) if known else NAN


def naive_run_mean(values: list[float], reference: list[float]) -> float:
    """The mean difference over what both have, from the mean of the reference."""
    return naive_mean([a - b for a, b in zip(values, reference, strict=True)]) + naive_mean(reference)


@given(matrices)
def test_means_leave_out_what_has_no_value(rows: list[list[float]]) -> None:
    matrix = np.array(rows)
    np.testing.assert_allclose(means(matrix, 0), [naive_mean(list(one)) for one in matrix.T], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(means(matrix, 1), [naive_mean(one) for one in rows], rtol=1e-9, atol=1e-9)


@given(matrices)
def test_a_run_has_the_mean_that_it_would_have_with_all_queries_of_the_reference(rows: list[list[float]]) -> None:
    reference, *runs = rows
    found = run_means(np.array(runs).reshape(len(runs), len(reference)), np.array(reference))
    np.testing.assert_allclose(found, [naive_run_mean(one, reference) for one in runs], rtol=1e-9, atol=1e-9)


def test_a_run_of_all_queries_has_its_own_mean():
    found = run_means(np.array([[0.2, 0.6], [0.5, 0.5]]), np.array([0.1, 0.9]))
    assert found.tolist() == pytest.approx([0.4, 0.5])


def test_a_run_that_lost_its_hard_queries_is_not_better_for_it():
    """Its values are those of the reference, so its mean is, too; the plain mean would be 0.9."""
    assert run_means(np.array([[NAN, 0.9]]), np.array([0.1, 0.9])).tolist() == [0.5]


def test_queries_of_several_runs_come_once_in_the_order_in_which_they_come_first():
    first, second = pl.Series(["b", "a"]), pl.Series(["c", "b"])
    assert queries_of([first, first]).to_list() == ["b", "a"]
    assert queries_of([first, second]).to_list() == ["b", "a", "c"]


def test_rows_stand_in_the_order_of_the_queries_that_are_wanted():
    frame = pl.DataFrame({"m": [1.0, 2.0], "label": ["x", "y"]})
    found = aligned(pl.Series(["b", "a"]), frame, pl.Series(["a", "c", "b"]))
    assert found["label"].to_list() == ["y", None, "x"]
    assert np.array_equal(row(pl.Series(["b", "a"]), frame, "m", pl.Series(["a", "c", "b"])), [2.0, NAN, 1.0], True)


def test_a_measure_that_is_not_there_and_what_is_not_finite_are_no_value():
    ids = pl.Series(["a", "b"])
    assert np.isnan(row(ids, pl.DataFrame({"m": [1.0, 2.0]}), "other", ids)).all()
    assert np.isnan(row(ids, pl.DataFrame({"m": [math.inf, None]}), "m", ids)).all()
