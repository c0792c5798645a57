"""The t-test and the signed-rank test, beside naive twins, scipy and exact enumeration."""

import warnings

import naive
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from significance.drawn import exactly, in_floats, like_measures, paired_of, tenths

from benchbench.significance.findings import Observed
from benchbench.significance.paired_tests import deviation, rank_direction, t_test, wilcoxon

seeds = st.integers(0, 2**32)


@given(seeds, st.integers(2, 300))
def test_t_is_that_of_scipy(seed: int, queries: int) -> None:
    for one, other in like_measures(seed, 2, 2, queries):
        assume(np.ptp(other - one) > 1e-9)
        observed = Observed(other - one, 0.0, None)
        found = t_test(observed.mean, *observed.error, 0.1)
        theirs = stats.ttest_rel(other, one)
        assert found.p == pytest.approx(theirs.pvalue, rel=1e-9)
        ends = theirs.confidence_interval(0.9)
        assert (found.low, found.high) == pytest.approx((ends.low, ends.high), rel=1e-9, abs=1e-12)
        assert (found.p <= 0.1) == (found.low > 0.0 or found.high < 0.0)


@pytest.mark.parametrize(("value", "p"), [(0.0, 1.0), (0.1, 0.0), (-0.1, 0.0)])
def test_t_of_equal_differences_is_decided(value: float, p: float) -> None:
    observed = Observed(np.full(7, value), 0.0, None)
    assert t_test(observed.mean, *observed.error, 0.05) == (p, observed.mean, observed.mean)
    assert deviation(np.full(7, value)) == 0.0


@given(tenths)
def test_ranks_agree_with_exact_enumeration_of_a_few_tied_differences(pairs: list[tuple[int, int]]) -> None:
    paired = paired_of(in_floats(pairs))
    found = wilcoxon(paired.difference(0, 0, 1), paired.rounding[0])
    assert found == pytest.approx(naive.wilcoxon(exactly(pairs)), rel=1e-12)


@given(seeds, st.integers(2, 50))
def test_ranks_of_up_to_50_different_sizes_agree_with_scipys_exact_test(seed: int, queries: int) -> None:
    differences = np.random.default_rng(seed).normal(0.2, 1, queries)
    theirs = stats.wilcoxon(differences, method="exact").pvalue
    assert wilcoxon(differences, 1e-15) == pytest.approx(theirs, rel=1e-9)


@given(seeds, st.integers(51, 400), st.booleans())
def test_ranks_of_many_agree_with_scipys_normal_approximation(seed: int, queries: int, tied: bool) -> None:
    rng = np.random.default_rng(seed)
    differences = rng.integers(-9, 11, queries) * 1.0 if tied else rng.normal(0.1, 1, queries)
    assume(np.count_nonzero(differences) > 50)
    theirs = stats.wilcoxon(differences, correction=False, method="approx").pvalue
    assert wilcoxon(differences, 1e-15) == pytest.approx(theirs, rel=1e-9)


def test_exact_and_normal_distribution_meet_at_the_border() -> None:
    differences = np.random.default_rng(5).normal(0.2, 1, 50)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = stats.wilcoxon(differences, correction=False, method="approx").pvalue
    assert wilcoxon(differences, 0.0) == pytest.approx(theirs, rel=0.05)
    assert wilcoxon(differences, 0.0) != theirs


def test_differences_of_zero_say_nothing() -> None:
    few = np.array([0.3, -0.1, 0.2])
    assert wilcoxon(np.concatenate([few, np.zeros(90)]), 0.0) == wilcoxon(few, 0.0)
    assert wilcoxon(np.zeros(9), 0.0) == 1.0


def test_sizes_that_only_rounding_tells_apart_share_a_rank() -> None:
    differences = np.array([0.6 - 0.4, -(0.2 - 0.0), 0.5])
    assert abs(differences[0]) != abs(differences[1])
    assert wilcoxon(differences, 1e-15) == wilcoxon(np.array([2.0, -2.0, 5.0]), 0.0)


@given(tenths)
def test_the_direction_of_ranks_is_that_of_scipys_two_rank_sums(pairs: list[tuple[int, int]]) -> None:
    differences = np.array([b - a for a, b in pairs], float)
    ranks = stats.rankdata(abs(differences[differences != 0]))
    up = differences[differences != 0] > 0
    paired = paired_of(in_floats(pairs))
    found = rank_direction(paired.difference(0, 0, 1), paired.rounding[0])
    assert found == np.sign(ranks[up].sum() - ranks[~up].sum())


def test_a_few_large_gains_and_many_small_losses_go_down_by_ranks() -> None:
    differences = np.concatenate([np.full(6, 0.39), np.linspace(-0.05, -0.001, 54)])
    assert differences.mean() > 0
    assert wilcoxon(differences, 1e-15) < 0.01
    assert rank_direction(differences, 1e-15) == -1
    assert rank_direction(np.zeros(9), 1e-15) == 0
