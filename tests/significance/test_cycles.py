"""Cycles of runs: known after two periods, and not found in series that only resemble their neighbours."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from significance.test_autocorrelation import alike

from benchbench.significance.cycles import cycles


def turning(runs: int, period: float, noise: float, seed: int = 1) -> np.ndarray:
    """Return runs that go up and down by 1."""
    rng = np.random.default_rng(seed)
    return 5.0 + np.sin(2.0 * np.pi * (np.arange(runs) / period + 0.3)) + noise * rng.normal(size=runs)


@pytest.mark.parametrize(("runs", "period"), [(60, 17.0), (24, 7.0), (60, 12.5)])
def test_a_cycle_is_known_after_two_of_its_periods(runs: int, period: float) -> None:
    (found,), sums = cycles(turning(runs, period, 0.25))
    assert found.period == pytest.approx(period, rel=0.06)
    assert found.amplitude == pytest.approx(1.0, abs=0.2)
    assert np.std(turning(runs, period, 0.25) - sums) < 0.35
    assert not cycles(turning(int(1.5 * period), period, 0.05)).found


def test_it_says_how_the_cycle_goes_on() -> None:
    whole = turning(60, 10.0, 0.1)
    sums = cycles(whole[:50], ahead=10).sums
    assert len(sums) == 60
    np.testing.assert_allclose(sums[50:], turning(60, 10.0, 0.0)[50:] - 5.0, atol=0.2)


def test_a_cycle_that_is_no_sine_takes_several() -> None:
    days = np.arange(70) % 7
    (first, *more), sums = cycles(np.where(days == 0, 3.0, 0.0) + 0.2 * np.random.default_rng(2).normal(size=70))
    assert more
    assert 7.0 / first.period == pytest.approx(round(7.0 / first.period), abs=0.1)
    assert np.ptp(sums) > 2.0


@pytest.mark.slow  # a simulated rate
def test_series_without_a_cycle_are_said_to_have_one_seldom() -> None:
    """2 of 100 is the 99 % point of the binomial at 0.1 %, and more."""
    rng = np.random.default_rng(3)
    for coefficient in (0.0, 0.5, 0.8):
        assert sum(bool(cycles(values).found) for values in alike(40, coefficient, rng, 100)) <= 2
    assert not cycles(np.repeat([0.0, 3.0], 30) + 0.5 * rng.normal(size=60)).found


@pytest.mark.slow  # many long series
@given(st.integers(0, 2**32), st.sampled_from([2.0**600, 2.0**-600, -1.0]))
def test_scale_carries_over(seed: int, scale: float) -> None:
    values = turning(30, 6.0, 0.2, seed)
    one, other = cycles(values), cycles(values * scale)
    assert [each.period for each in other.found] == [each.period for each in one.found]
    np.testing.assert_allclose(other.sums / scale, one.sums, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("values", [[], [0.5], [0.5] * 30, list(range(11))])
def test_few_or_equal_runs_have_none(values: list[float]) -> None:
    found, sums = cycles(np.array(values, float), ahead=2)
    assert (found, sums.tolist()) == ([], [0.0] * (len(values) + 2))
