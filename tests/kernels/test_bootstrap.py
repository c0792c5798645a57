"""Means are added with fixed bits, and resampled means are those of a bootstrap."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from benchbench.kernels.bootstrap import add_drawn, column_sums, resampled_sums
from benchbench.kernels.bootstrap_counts import draw
from benchbench.kernels.simd import LANES

shapes = hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=30)
shares = hnp.arrays(np.float64, shapes, elements=st.floats(0, 1))
seeds = st.integers(0, 2**31)


def resampled_means(values: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """Return the means (resamples, m) of the first resamples."""
    return resampled_sums(values, 0, resamples, seed).T / len(values)


@given(hnp.arrays(np.float64, shapes, elements=st.floats(-1e12, 1e12)))
def test_column_sums_are_exact_sums(values: np.ndarray) -> None:
    for column, total in zip(values.T, column_sums(values), strict=True):
        assert total == pytest.approx(math.fsum(column), rel=1e-13, abs=1e-13 * abs(column).max())


def test_column_sums_keep_what_a_plain_sum_loses() -> None:
    values = np.array([[1.0], [1e100], [1.0], [-1e100]])
    assert column_sums(values).tolist() == [2.0]


@given(hnp.arrays(np.float64, shapes, elements=st.floats(-1e12, 1e12)))
def test_the_sum_of_a_column_does_not_depend_on_the_other_columns(values: np.ndarray) -> None:
    alone = [column_sums(np.ascontiguousarray(values[:, [j]]))[0] for j in range(values.shape[1])]
    assert column_sums(values).tolist() == alone


@given(shares, st.integers(0, 100), st.integers(1, 70), seeds)
def test_resampled_sums_are_added_in_the_order_of_the_rows(
    values: np.ndarray, first: int, number: int, seed: int
) -> None:
    n, m = values.shape
    sums = resampled_sums(values, first, number, seed)
    for b in range(number):
        twin = np.zeros(m)
        for times, row in zip(draw(n, first + b, 1, seed)[:, 0], values, strict=True):
            twin += times * row
        assert sums[:, b].tolist() == twin.tolist()


@given(hnp.arrays(np.float64, (150, 3), elements=st.floats(-1e9, 1e9)), st.integers(0, 150), seeds)
def test_rows_in_blocks_are_added_to_the_same_bits(values: np.ndarray, cut: int, seed: int) -> None:
    drawn = draw(150, 0, LANES, seed)
    whole, parts = np.zeros((2, 3, LANES))
    add_drawn(values, drawn, 0, whole)
    add_drawn(values[:cut], drawn, 0, parts)
    add_drawn(values[cut:], drawn, cut, parts)
    assert whole.tolist() == parts.tolist()


@given(shares, st.integers(1, 20), seeds)
def test_the_same_seed_gives_the_same_bits(values: np.ndarray, resamples: int, seed: int) -> None:
    before = values.tobytes()
    assert resampled_means(values, resamples, seed).tobytes() == resampled_means(values, resamples, seed).tobytes()
    assert values.tobytes() == before


@given(shares, st.integers(1, 40), st.integers(1, 40))
def test_fewer_resamples_are_the_beginning_of_more(values: np.ndarray, few: int, more: int) -> None:
    assert resampled_means(values, few, 7).tobytes() == resampled_means(values, few + more, 7)[:few].tobytes()


@given(st.integers(1, 300), st.floats(-1e6, 1e6), st.integers(1, 20))
def test_every_mean_of_a_constant_column_is_the_constant(n: int, constant: float, resamples: int) -> None:
    means = resampled_means(np.full((n, 2), constant), resamples, 3)
    assert means.shape == (resamples, 2)
    assert means == pytest.approx(np.full((resamples, 2), constant), rel=1e-12, abs=1e-300)


@given(shares, seeds)
def test_resampled_means_lie_between_the_smallest_and_the_largest_value(values: np.ndarray, seed: int) -> None:
    means = resampled_means(values, 10, seed)
    assert (means >= values.min(axis=0) - 1e-12).all()
    assert (means <= values.max(axis=0) + 1e-12).all()


@given(st.integers(1, 200), seeds)
def test_every_resample_draws_as_many_rows_as_there_are(n: int, seed: int) -> None:
    """Row i counts 1 in column i, so a mean times n says how often the row was drawn."""
    times = resampled_means(np.eye(n), 9, seed) * n
    assert times == pytest.approx(np.round(times), abs=1e-9)
    assert times.sum(axis=1) == pytest.approx(np.full(9, n), abs=1e-6)


def test_all_columns_of_a_resample_are_means_over_the_same_rows() -> None:
    column = np.random.default_rng(1).random(50)
    means = resampled_means(np.column_stack([column, 1 - column, 2 * column]), 100, 5)
    assert means[:, 0] + means[:, 1] == pytest.approx(np.ones(100))
    assert means[:, 2] == pytest.approx(2 * means[:, 0])


def test_every_row_is_drawn_equally_often() -> None:
    times = resampled_means(np.eye(20), 5000, 11).sum(axis=0) * 20
    assert abs(times - 5000).max() < 5 * math.sqrt(5000)  # five standard deviations


def test_the_distribution_agrees_with_the_bootstrap_of_numpy() -> None:
    rng = np.random.default_rng(20)
    values = rng.beta(0.5, 2, 150)
    ours = resampled_means(values[:, None], 4000, 1)[:, 0]
    theirs = values[rng.integers(0, 150, (4000, 150))].mean(axis=1)
    error = theirs.std()
    assert ours.mean() == pytest.approx(values.mean(), abs=0.1 * error)
    assert ours.std() == pytest.approx(error, rel=0.06)
    marks = (0.025, 0.25, 0.5, 0.75, 0.975)
    assert np.quantile(ours, marks) == pytest.approx(np.quantile(theirs, marks), abs=0.15 * error)
