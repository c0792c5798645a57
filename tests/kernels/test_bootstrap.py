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
