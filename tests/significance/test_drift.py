"""A slow drift, beside scipy and by all orders of few runs; and what tells it from steps."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchbench.significance.change_points import change_points
from benchbench.significance.drift import drift, shape

seeds = st.integers(0, 2**32)


def score(values: np.ndarray) -> int:
    return sum(int(np.sign(b - a)) for a, b in itertools.combinations(values.tolist(), 2))


@given(seeds, st.integers(12, 60), st.floats(-0.2, 0.2), st.sampled_from([0, 1, 6]))
def test_slope_and_interval_are_those_of_scipy(seed: int, runs: int, slope: float, digits: int) -> None:
    values = np.round(np.random.default_rng(seed).normal(size=runs) + slope * np.arange(runs), digits)
    found, theirs = drift(values, 0.05), stats.theilslopes(values, alpha=0.95)
    slopes = sorted((values[b] - values[a]) / (b - a) for a, b in itertools.combinations(range(runs), 2))
    assert found.per_run == pytest.approx(theirs.slope, abs=1e-12)
    assert min(abs(one - found.low) for one in slopes) < 1e-12
    assert found.low <= theirs.low_slope + 1e-12  # scipy rounds to the nearest rank, this to the next one outwards
    assert found.high >= theirs.high_slope - 1e-12
    assert found.over == runs


@given(seeds, st.integers(10, 60))
def test_the_p_value_is_that_of_kendall_with_a_correction_for_continuity(seed: int, runs: int) -> None:
    values = np.round(np.random.default_rng(seed).normal(size=runs), 1)
    _, ties = np.unique(values, return_counts=True)
    spread = np.sqrt((runs * (runs - 1) * (2 * runs + 5) - sum(t * (t - 1) * (2 * t + 5) for t in ties)) / 18)
    expected = 2 * stats.norm.sf(max(abs(score(values)) - 1, 0) / spread) if score(values) else 1.0
    assert drift(values).p == pytest.approx(min(1.0, expected))


@pytest.mark.parametrize("values", [[1, 2, 3, 4, 5, 6, 7], [1, 2, 4, 3, 5, 7, 6], [1, 1, 2, 2, 3, 3, 4]])
def test_of_few_runs_the_p_value_is_not_below_that_of_all_orders(values: list[float]) -> None:
    every = [abs(score(np.array(order))) for order in itertools.permutations(values)]
    assert drift(np.array(values, float)).p >= np.mean(np.array(every) >= abs(score(np.array(values)))) * 0.9


@given(seeds, st.floats(0.1, 10.0), st.floats(-5.0, 5.0))
def test_scale_shift_and_sign_carry_over(seed: int, scale: float, moved: float) -> None:
    values = np.random.default_rng(seed).normal(size=25)
    one, other = drift(values), drift(-scale * values + moved)
    assert other.p == one.p
    assert (other.per_run, other.low, other.high) == pytest.approx(
        (-scale * one.per_run, -scale * one.high, -scale * one.low), abs=1e-9
    )


def test_runs_without_a_value_are_left_out_and_their_places_count() -> None:
    values = np.arange(20.0)
    values[[3, 9, 10]] = np.nan, np.inf, -np.inf
    found = drift(values)
    assert (found.per_run, found.over) == (1.0, 17)


@pytest.mark.parametrize("values", [[], [1.0], [np.nan, 2.0], [3.0] * 30])
def test_nothing_and_equal_runs_do_not_drift(values: list[float]) -> None:
    found = drift(np.array(values))
    assert (found.per_run, found.p) == (0.0, 1.0)
    assert (found.low, found.high) == (-np.inf, np.inf)


@pytest.mark.parametrize("scale", [1e306, 1e-300])
def test_huge_and_tiny_values_drift_as_others_do(scale: float) -> None:
    values = np.random.default_rng(1).normal(size=40) + 0.1 * np.arange(40)
    assert drift(values * scale).per_run == pytest.approx(drift(values).per_run * scale)
    assert drift(values * scale).p == drift(values).p


def test_quiet_series_seldom_drift() -> None:
    rng = np.random.default_rng(5)
    assert sum(drift(rng.standard_t(2, 30), 0.05).p <= 0.05 for _ in range(400)) <= 32  # 20 expected


def said(values: np.ndarray) -> str:
    return shape(values, change_points(values), drift(values))


def test_steps_are_told_from_a_drift() -> None:
    noise, runs = np.random.default_rng(2).normal(size=60), np.arange(60)
    assert said(noise) == "level"
    assert said(noise - 4.0 * (runs >= 20)) == "steps"
    assert said(noise - 0.15 * runs) == "drift"
    assert said(noise - 4.0 * ((runs >= 30) & (runs < 40))) == "steps"
    assert said(1e305 * (noise - 4.0 * (runs >= 20))) == "steps"


def test_steps_without_noise_are_steps_and_a_line_without_noise_is_a_drift() -> None:
    assert said(np.repeat([0.5, 0.4], 20)) == "steps"
    assert said(0.5 - 0.01 * np.arange(40)) == "drift"
