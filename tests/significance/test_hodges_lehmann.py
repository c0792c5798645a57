"""The interval of the signed-rank test, beside going through all means of two."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from profiles import costly
from scipy import stats

from benchbench.significance.hodges_lehmann import rank_interval

seeds = st.integers(0, 2**32)


def walsh(values: np.ndarray) -> np.ndarray:
    """Return all means of two values, of a value with itself too, ascending."""
    first, second = np.triu_indices(len(values))
    return np.sort((values[first] + values[second]) / 2)


@given(seeds, st.integers(6, 50), st.sampled_from([0.05, 0.1, 0.3]))
def test_the_interval_is_what_scipys_exact_test_does_not_reject(seed: int, queries: int, alpha: float) -> None:
    differences = np.random.default_rng(seed).normal(0.3, 1, queries)
    means = walsh(differences)
    low, high = rank_interval(differences, 1e-15, alpha)
    for end, outwards in ((low, -1e-9), (high, 1e-9)):
        assert abs(means - end).min() < 1e-12
        inside, outside = (
            stats.wilcoxon(differences - end - step, method="exact").pvalue for step in (-outwards, outwards)
        )
        assert inside > alpha >= outside


@given(seeds, st.integers(51, 300), st.integers(0, 3))
@examples(max_examples=costly(20))
def test_of_many_differences_it_ends_in_the_walsh_average_of_the_normal_distribution(seed, queries, digits) -> None:
    differences = np.round(np.random.default_rng(seed).normal(0.3, 1, queries), digits)
    kept = differences[differences != 0.0]
    whole = len(kept) * (len(kept) + 1) / 2
    most = int(np.floor(whole / 2 - stats.norm.ppf(0.975) * np.sqrt(whole * (2 * len(kept) + 1) / 12)))
    if len(kept) > 50:
        means = walsh(kept)
        assert rank_interval(differences, 1e-12, 0.05) == pytest.approx((means[most], means[-1 - most]), abs=1e-9)


def test_differences_of_0_are_left_out_as_the_test_leaves_them_out() -> None:
    differences = np.random.default_rng(2).normal(0.4, 1, 30)
    assert rank_interval(np.append(differences, np.zeros(500)), 1e-12, 0.05) == rank_interval(differences, 1e-12, 0.05)
    assert rank_interval(np.zeros(20), 1e-12, 0.05) == (0.0, 0.0)


def test_an_interval_of_equal_differences_has_its_ends_in_order() -> None:
    before = np.random.default_rng(0).random((200, 30))
    for values in before:
        low, high = rank_interval(values - (values - 0.04), 1e-15, 0.05)
        assert low <= high
        assert (low, high) == pytest.approx((0.04, 0.04))


def test_five_differences_have_no_interval() -> None:
    assert rank_interval(np.arange(1.0, 6.0), 1e-12, 0.05) == (-np.inf, np.inf)
    assert rank_interval(np.arange(1.0, 7.0), 1e-12, 0.05) == (1.0, 6.0)
