"""Where a series changed level, whatever its noise; one bad run is no change."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from significance.drawn import alike, covariance

from benchbench.significance.autocorrelation import (
    FEWEST,
    autocorrelation,
    effective_runs,
    inflation,
    inflations,
    runs_needed,
)
from benchbench.significance.change_points import change_points, likeliest_step, normal_scores
from benchbench.significance.cycles import cycles
from benchbench.significance.drift import drift, shape
from benchbench.significance.exponents import common_exponent

seeds = st.integers(0, 2**32)


def with_steps(noise: np.ndarray, *steps: tuple[int, float]) -> np.ndarray:
    values = noise.copy()
    for at, by in steps:
        values[at:] += by
    return values


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40))
def test_scores_are_normal_quantiles_of_ranks_and_equal_values_share_theirs(values: list[int]) -> None:
    number = len(values)
    each = stats.norm.ppf((np.arange(1, number + 1) - 0.375) / (number + 0.25))
    ordered = sorted(values)
    naive = [np.mean([each[k] for k in range(number) if ordered[k] == value]) for value in values]
    assert normal_scores(np.array(values, float)) == pytest.approx(naive, abs=1e-12)


def test_one_step_is_found_where_it_is() -> None:
    noise = np.random.default_rng(0).normal(size=60)
    (found,) = change_points(with_steps(noise, (40, -4.0)))
    assert (found.first, found.p) == (40, 0.001)
    assert found.earliest <= 40 <= found.latest
    assert found.before == np.median(noise[:40])
    assert found.after == pytest.approx(np.median(noise[40:]) - 4.0)


def test_a_bad_commit_and_its_fix_are_two_changes() -> None:
    noise = np.random.default_rng(1).normal(size=60)
    assert [one.first for one in change_points(with_steps(noise, (30, -5.0), (38, 5.0)))] == [30, 38]


def test_steps_up_and_down_are_all_found_in_order() -> None:
    noise = np.random.default_rng(2).normal(size=200)
    values = with_steps(noise, (50, 4.0), (90, -6.0), (150, 3.0))
    assert [one.first for one in change_points(values)] == pytest.approx([50, 90, 150], abs=1)


@pytest.mark.parametrize("at", [0, 1, 30, 58, 59])
def test_one_bad_run_is_no_change_however_bad(at: int) -> None:
    values = np.random.default_rng(3).normal(size=60)
    values[at] -= 1e6
    assert change_points(values) == []


@pytest.mark.parametrize("values", [[], [0.4], [0.4, 0.1], [0.4] * 50, [np.nan] * 9, [0.0] * 20])
def test_nothing_and_equal_runs_have_no_change(values: list[float]) -> None:
    assert change_points(np.array(values)) == []


def test_without_noise_a_change_is_known_to_the_run() -> None:
    (found,) = change_points(np.repeat([0.5, 0.4], [20, 10]))
    assert (found.first, found.earliest, found.latest, found.before, found.after) == (20, 20, 20, 0.5, 0.4)


def test_runs_without_a_value_are_left_out_and_their_places_count() -> None:
    values = np.repeat([0.5, 0.4], [20, 10])
    values[[0, 5, 19, 21]] = np.nan, np.inf, np.nan, -np.inf
    (found,) = change_points(values)
    assert (found.first, found.earliest, found.latest) == (20, 20, 20)


@given(seeds, st.floats(0.001, 1000.0), st.floats(-10.0, 10.0))
def test_scale_shift_and_sign_change_no_place(seed: int, scale: float, moved: float) -> None:
    values = with_steps(np.random.default_rng(seed).normal(size=40), (25, 2.5))
    one, other = change_points(values), change_points(-scale * values + moved)
    assert [point.first for point in other] == [point.first for point in one]
    assert [point.before for point in other] == pytest.approx([-scale * point.before + moved for point in one])


def places(values: np.ndarray) -> set[int]:
    return {one.first for one in change_points(values)}


def test_backwards_the_same_change_is_found() -> None:
    """In a few of a thousand series the noise resembles its neighbours so much that a change may be part of it."""
    ways = []
    for seed in range(60):
        values = with_steps(np.random.default_rng(seed).normal(size=40), (22, 9.0))
        ways.append((22 in places(values), 18 in places(values[::-1])))
    assert sum(forth and back for forth, back in ways) >= 58
    assert sum(forth != back for forth, back in ways) <= 1


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True, width=64), max_size=40), st.integers(0, 5))
def test_any_values_have_changes_in_order_within_their_intervals(values: list[float], seed: int) -> None:
    found = change_points(np.array(values), 0.2, seed)
    places = [one.first for one in found]
    assert places == sorted(set(places))
    assert all(0 < one.first < len(values) and one.p <= 0.2 for one in found)
    assert all(one.earliest <= one.first <= one.latest for one in found)


@pytest.mark.parametrize("scale", [1e306, 1e-300])
def test_huge_and_tiny_values_change_as_others_do(scale: float) -> None:
    values = with_steps(np.random.default_rng(4).normal(size=50), (30, 3.0))
    assert [one.first for one in change_points(values * scale)] == [one.first for one in change_points(values)]


def test_a_seed_gives_the_same_bits_and_a_small_alpha_draws_more_orders() -> None:
    values = with_steps(np.random.default_rng(6).normal(size=50), (25, 1.2))
    assert change_points(values, seed=3) == change_points(values, seed=3)
    (found,) = change_points(with_steps(values, (25, 5.0)), alpha=0.001)
    assert found.p == pytest.approx(1e-4)


@pytest.mark.slow  # a simulated rate
@pytest.mark.parametrize("draw", ["normal", "heavy", "tied"])
def test_quiet_series_seldom_have_a_change(draw: str) -> None:
    rng = np.random.default_rng(7)
    series = {
        "normal": lambda: rng.normal(size=30),
        "heavy": lambda: rng.standard_cauchy(30),
        "tied": lambda: np.round(rng.normal(size=30) / 2),
    }[draw]
    assert sum(bool(change_points(series(), 0.05)) for _ in range(300)) <= 27  # 15 expected


@pytest.mark.slow  # a simulated rate
def test_the_interval_holds_the_place_of_a_small_step() -> None:
    rng = np.random.default_rng(8)
    held = [
        one.earliest <= 30 <= one.latest
        for _ in range(150)
        for one in change_points(with_steps(rng.normal(size=60), (30, 1.5)))
    ]
    assert len(held) > 120
    assert np.mean(held) > 0.9


def test_runs_that_resemble_the_one_before_are_no_chain_of_changes():
    """14 and 90 % of them had changes when runs were taken for independent; 6 of 100 is the 99 % point at 2 %."""
    rng = np.random.default_rng(12)
    for coefficient in (0.3, 0.8):
        assert sum(bool(change_points(values)) for values in alike(60, coefficient, rng, 100)) <= 6


def test_a_step_between_runs_that_resemble_one_another_is_found():
    rng = np.random.default_rng(13)
    found = [change_points(values + 5.0 * (np.arange(60) >= 30)) for values in alike(60, 0.4, rng, 30)]
    assert sum(any(abs(one.first - 30) <= 3 for one in steps) for steps in found) >= 24


# A slow drift, beside scipy and by all orders of few runs; and what tells it from steps


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


def test_runs_without_a_value_are_left_out_and_their_places_count_of_drift() -> None:
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


# What runs that resemble their neighbours tell of a mean, beside the covariance matrix of an AR(1) and statsmodels

coefficients = st.floats(0.0, 0.98)


@given(st.integers(0, 2**32), st.integers(3, 40))
def test_the_estimate_is_the_usual_one_and_its_bias(seed: int, runs: int) -> None:
    from statsmodels.tsa.stattools import acf

    values = np.random.default_rng(seed).normal(size=runs)
    expected = acf(values, nlags=1, adjusted=False, fft=False)[1] + 1.0 / runs
    assert autocorrelation(values) == pytest.approx(min(max(expected, 0.0), 0.98), abs=1e-12)


@given(st.integers(0, 2**32), st.integers(2, 20), st.integers(2, 20), st.floats(-9.0, 9.0))
def test_a_change_between_two_parts_is_none_of_the_noise(seed: int, first: int, second: int, moved: float) -> None:
    rng = np.random.default_rng(seed)
    one, other = rng.normal(size=first), rng.normal(size=second)
    found = autocorrelation(one, other + moved, correction=2.0)
    assert found == pytest.approx(autocorrelation(one, other, correction=2.0), abs=1e-9)
    about = [part - part.mean() for part in (one, other)]
    raw = sum(part[1:] @ part[:-1] for part in about) / sum(part @ part for part in about)
    bias = ((first - 1) / first + (second - 1) / second) / (first + second - 2)
    assert found == pytest.approx(min(max(raw + bias * (1.0 + 2.0 * max(raw, 0.0)), 0.0), 0.98), abs=1e-9)


def test_equal_runs_resemble_nothing() -> None:
    assert autocorrelation(np.full(10, 0.5)) == 0.0


@given(st.integers(1, 60), coefficients)
def test_the_inflation_is_that_of_the_covariance_matrix(runs: int, coefficient: float) -> None:
    assert inflation(runs, coefficient) == pytest.approx(covariance(runs, coefficient).sum() / runs, rel=1e-9)
    assert effective_runs(runs, coefficient) == pytest.approx(runs**2 / covariance(runs, coefficient).sum(), rel=1e-9)


@given(coefficients)
def test_the_runs_that_are_needed_are_the_fewest_that_are_enough(coefficient: float) -> None:
    needed = runs_needed(coefficient)
    assert effective_runs(needed, coefficient) >= FEWEST > effective_runs(needed - 1, coefficient)


def test_independent_runs_are_needed_five() -> None:
    assert runs_needed(0.0) == 5


def test_at_most_a_tenth_of_plain_series_of_ten_runs_are_too_few() -> None:
    """123 of 1,000 is the 99 % point of the binomial at 10 %."""
    plain = np.random.default_rng(20).normal(size=(1_000, 10))
    refused = sum(effective_runs(10, autocorrelation(values)) < FEWEST for values in plain)
    assert refused <= 123
    of_alike = alike(10, 0.8, np.random.default_rng(21), 200)
    assert sum(effective_runs(10, autocorrelation(values)) < FEWEST for values in of_alike) > 120


@given(st.integers(0, 300), coefficients)
def test_those_of_all_numbers_of_runs_are_those_of_each(most: int, coefficient: float) -> None:
    expected = [inflation(runs, coefficient) for runs in range(1, most + 1)]
    np.testing.assert_allclose(inflations(most, coefficient), expected, rtol=1e-12)


# Cycles of runs: known after two periods, and not found in series that only resemble their neighbours


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


# Numbers whose squares do not fit


@pytest.mark.parametrize("large", [1e300, -1.7e308, 1e-200])
def test_divided_by_the_common_exponent_the_largest_is_about_1(large: float) -> None:
    exponent = common_exponent(np.array([0.0, large / 4]), np.array([large, np.nan, np.inf]))
    assert 0.5 <= abs(np.ldexp(large, -exponent)) < 1.0


@given(seeds, st.integers(4, 40), st.data())
def test_the_likeliest_step_of_a_series_is_where_its_two_levels_meet(seed: int, number: int, data: st.DataObject):
    at = data.draw(st.integers(2, number - 2))
    values = with_steps(0.01 * np.random.default_rng(seed).standard_normal(number), (at, 1.0))
    (step,) = likeliest_step(values, 0.004)
    assert (step.first, step.p) == (at, 0.004)
    assert (step.before, step.after) == (np.median(values[:at]), np.median(values[at:]))
    assert likeliest_step(values[:3], 0.004) == []
