"""What runs that resemble their neighbours tell of a mean, beside the covariance matrix of an AR(1) and statsmodels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from significance.drawn import covariance

from benchbench.significance.autocorrelation import (
    FEWEST,
    autocorrelation,
    effective_runs,
    inflation,
    inflations,
    runs_needed,
)

coefficients = st.floats(0.0, 0.98)


def alike(runs: int, coefficient: float, rng: np.random.Generator, series: int) -> np.ndarray:
    """Draw series (series, runs) of an AR(1)."""
    return rng.normal(size=(series, runs)) @ np.linalg.cholesky(covariance(runs, coefficient)).T


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
