"""Two systems that few units tell apart: how many of the others a random subset has, beside counting and scipy."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchbench.significance.few_differ import _kept_sizes, few_differ


@given(st.lists(st.integers(1, 5), max_size=10))
def test_the_sizes_of_random_subsets_are_counted_exactly(sizes: list[int]) -> None:
    sums = [sum(chosen) for n in range(len(sizes) + 1) for chosen in itertools.combinations(sizes, n)]
    counted = [sum(one < m for one in sums) / len(sums) for m in range(sum(sizes) + 2)]
    assert _kept_sizes(np.array(sizes, np.float64)).tolist() == counted


@pytest.mark.parametrize("units", [100, 5_000, 50_000])
def test_of_many_queries_they_are_binomial(units: int) -> None:
    theirs = stats.binom.cdf(np.arange(-1, units + 1), units, 0.5)
    assert _kept_sizes(np.ones(units)) == pytest.approx(theirs, abs=1e-10)


@given(st.integers(0, 2**32), st.integers(10, 12), st.integers(1, 4))
def test_a_unit_without_a_difference_is_as_one_with_a_difference_of_nearly_0(seed, units: int, differ: int) -> None:
    """The same by the distribution and by going through the signs of all units."""
    rng = np.random.default_rng(seed)
    sizes, sums = rng.integers(1, 4, units).astype(float), np.zeros(units)
    sums[:differ] = rng.normal(0.5, 1, differ)
    nearly = np.where(sums == 0.0, 1e-13, sums)
    for alpha in (0.03, 0.2):
        short, whole = few_differ(sums, sizes, alpha, 4096, 1e-15), few_differ(nearly, sizes, alpha, 4096, 1e-15)
        assert (short.low, short.high) == pytest.approx((whole.low, whole.high), abs=1e-9)
