"""The means of the last runs against a reference, beside plain Python and scipy."""

import itertools
import math
import statistics

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from significance.drawn import covariance
from significance.quiet_runs import Runs, drawn

from benchbench.significance.autocorrelation import autocorrelation
from benchbench.significance.run_windows import OF_RUNS, WINDOWS, WindowTest, blocks, changes, t_test, window_tests

seeds = st.integers(0, 2**32)
LEVEL = 0.05


def by_runs(
    difference: float, parts: list[list[float]], runs: tuple[int, int], coefficient: float
) -> tuple[float, float]:
    """Return t and the degrees of freedom, from what squares about a mean are expected to be under that matrix."""
    squares = sum((x - statistics.fmean(part)) ** 2 for part in parts for x in part)
    expected = sum(
        np.trace(one) - one.sum() / len(one) for one in (covariance(len(part), coefficient) for part in parts)
    )
    variance = sum(covariance(one, coefficient).sum() / one**2 for one in runs)
    freedom = sum(len(part) - 1 for part in parts) * (1.0 - coefficient**2) / (1.0 + coefficient**2)
    return difference / math.sqrt(squares / expected * variance), freedom


def shown(
    runs: Runs, groups: np.ndarray | None = None, level: float = LEVEL, resamples: int = 4_096
) -> list[WindowTest]:
    found = changes(runs.reference, runs.means, runs.later)
    return window_tests(found, groups, WINDOWS, level, resamples, 0)


def by_all_flips(runs: Runs, window: int, groups: np.ndarray) -> tuple[float, float]:
    """Return the mean difference of a window and its p-value, by going through all signs of the groups' sums."""
    per_query = []
    for q in range(runs.later.shape[1]):
        values = [value for value in runs.later[-window:, q].tolist() if not math.isnan(value)]
        if values and not math.isnan(runs.reference[q]):
            per_query.append((groups[q], statistics.fmean(values) - runs.reference[q]))
    sums = [math.fsum(d for g, d in per_query if g == one) for one in sorted({g for g, _ in per_query})]
    total = abs(math.fsum(sums))
    reached = [
        abs(math.fsum(s * d for s, d in zip(signs, sums, strict=True))) >= total - 1e-12
        for signs in itertools.product([-1, 1], repeat=len(sums))
    ]
    return math.fsum(d for _, d in per_query) / len(per_query), sum(reached) / len(reached)


@given(seeds, st.integers(2, 8), st.integers(1, 9), st.booleans())
def test_flips_are_those_of_all_signs(seed: int, queries: int, later: int, missing: bool) -> None:
    runs = drawn(seed, later, queries)
    if missing:
        runs.later[np.random.default_rng(seed).random(runs.later.shape) < 0.2] = np.nan
        runs.later[:, 0] = 0.5
    for one in shown(runs):
        difference, p = by_all_flips(runs, one.runs, np.arange(queries))
        assert one.difference == pytest.approx(difference, abs=1e-12)
        assert one.p_queries == pytest.approx(p)


@given(seeds, st.integers(2, 7))
def test_groups_of_unequal_size_are_flipped_as_one(seed: int, number: int) -> None:
    runs = drawn(seed, 2, 30)
    groups = np.random.default_rng(seed).integers(0, number, 30) ** 2 * 10
    for one in shown(runs, groups):
        difference, p = by_all_flips(runs, one.runs, groups)
        assert one.difference == pytest.approx(difference, abs=1e-12)
        assert one.p_queries == pytest.approx(p)


@given(seeds, st.sampled_from([2, 4, 8]))
def test_with_no_run_between_the_t_test_is_that_of_two_samples(seed: int, window: int) -> None:
    runs = drawn(seed, window)
    assume(autocorrelation(runs.means, runs.later.mean(axis=1)) == 0.0)
    one = shown(runs)[-1]
    theirs = stats.ttest_ind(runs.later.mean(axis=1), runs.means)
    assert one.p_runs == pytest.approx(theirs.pvalue, rel=1e-9)
    level = LEVEL * OF_RUNS[window]
    interval = theirs.confidence_interval(1.0 - level)
    p, low, high = t_test(one.difference, [runs.means, runs.later.mean(axis=1)], (window, 10), level)
    assert (p, low, high) == pytest.approx((theirs.pvalue, interval.low, interval.high), rel=1e-9)


@given(seeds, st.integers(1, 14))
def test_of_one_run_the_t_test_is_that_of_a_prediction_with_the_runs_between(seed: int, later: int) -> None:
    runs = drawn(seed, later)
    means = runs.later.mean(axis=1)
    parts = [runs.means.tolist(), *(means[:-1][k : k + 4].tolist() for k in range(0, later - 1, 4))]
    coefficient = autocorrelation(runs.means, means[:-1], correction=16.0)
    t, freedom = by_runs(float(means[-1] - runs.means.mean()), parts, (1, 10), coefficient)
    assert shown(runs)[0].p_runs == pytest.approx(2.0 * stats.t.sf(abs(t), freedom), rel=1e-7)


@given(seeds)
def test_the_interval_lacks_0_exactly_where_both_tests_reject(seed: int) -> None:
    runs = drawn(seed, 8)
    runs.later[4:] -= np.random.default_rng(seed).uniform(0, 0.15)
    for one in shown(runs):
        assert one.low <= one.difference <= one.high
        both = one.p_queries <= LEVEL and one.p_runs <= LEVEL * (0.3 if one.runs == 8 else 0.5)
        assert one.rejects == both == (one.low > 0.0 or one.high < 0.0)


@given(seeds)
def test_the_order_of_queries_changes_nothing(seed: int) -> None:
    runs, order = drawn(seed, 4, 9), np.random.default_rng(seed).permutation(9)
    other = Runs(runs.reference_runs[:, order], runs.later[:, order])
    for one, turned in zip(shown(runs), shown(other), strict=True):
        assert (turned.p_queries, turned.rejects) == (one.p_queries, one.rejects)
        assert (turned.difference, turned.low, turned.high, turned.p_runs) == pytest.approx(
            (one.difference, one.low, one.high, one.p_runs), rel=1e-6, abs=1e-12
        )


@given(seeds, st.sampled_from([-1.0, 2.0, 2.0**-9, -(2.0**600), 2.0**-600]))
def test_scale_and_sign_carry_over(seed: int, scale: float) -> None:
    runs = drawn(seed, 4)
    for one, other in zip(shown(runs), shown(Runs(runs.reference_runs * scale, runs.later * scale)), strict=True):
        assert other.p_runs == pytest.approx(one.p_runs, rel=1e-9)
        assert other.p_queries == one.p_queries
        ends = sorted((one.low * scale, one.high * scale))
        assert (other.difference, other.low, other.high) == pytest.approx((one.difference * scale, *ends), rel=1e-9)


def test_what_the_rounding_of_a_mean_adds_is_no_difference() -> None:
    value = np.array([0.1, 0.3, 0.7])
    found = changes(np.tile(value, (10, 1)).sum(axis=0) * 0.1, np.full(10, value.mean()) * (1 + 2e-16), value[None])
    assert not found.runs.any()
    assert not found.means.any()
    assert not found.before.any()


def test_values_that_are_not_finite_are_missing_and_a_run_of_such_is_left_out() -> None:
    later = np.array([[1.0, np.nan, np.inf, 2.0], [np.nan, -np.inf, np.nan, np.nan], [2.0, 2.0, 2.0, 2.0]])
    found = changes(np.array([1.0, 1.0, 1.0, np.nan]), np.ones(10), later)
    assert found.runs[0].tolist() == pytest.approx([0.0, np.nan, np.nan, np.nan], nan_ok=True)
    assert found.runs[1].tolist() == pytest.approx([1.0, 1.0, 1.0, np.nan], nan_ok=True)
    assert found.means.tolist() == [0.0, 1.0]


def test_windows_that_are_longer_than_there_are_runs_are_left_out() -> None:
    assert [one.runs for one in shown(drawn(0, 5))] == [1, 2, 4]


def test_blocks_are_of_four_runs() -> None:
    assert [block.tolist() for block in blocks(np.arange(6.0))] == [[0, 1, 2, 3], [4, 5]]
    assert blocks(np.zeros(0)) == []
