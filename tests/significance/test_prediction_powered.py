"""Prediction-powered means, beside ppi-python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.significance.prediction_powered import prediction_powered_mean

seeds = st.integers(0, 2**32)


@given(seeds, st.integers(2, 150), st.integers(1, 300), st.floats(-2.0, 2.0), st.sampled_from([0.01, 0.05, 0.2]))
def test_mean_and_interval_are_those_of_ppi_python(
    seed: int, labelled: int, others: int, slope: float, level: float
) -> None:
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    rng = np.random.default_rng(seed)
    people = rng.random(labelled)
    judge, alone = slope * people + rng.random(labelled), slope * rng.random(others) + rng.random(others)
    found = prediction_powered_mean(people, judge, alone, level)
    low, high = ppi_mean_ci(people, judge, alone, alpha=level)
    assert found.mean == pytest.approx(float(ppi_mean_pointestimate(people, judge, alone)[0]), abs=1e-9)
    assert (found.low, found.high) == pytest.approx((float(low[0]), float(high[0])), abs=1e-9)
    assert 0.0 <= found.tuning <= 1.0


def test_a_judge_that_says_the_same_of_all_is_worth_nothing() -> None:
    people = np.array([0.0, 1.0, 1.0, 0.5])
    found = prediction_powered_mean(people, np.ones(4), np.ones(50))
    assert (found.mean, found.tuning, found.worth) == (people.mean(), 0.0, 0.0)
    assert (found.low, found.high) == (found.classical_low, found.classical_high)


def test_a_judge_that_grades_against_people_counts_nothing() -> None:
    people = np.linspace(0, 1, 20)
    assert prediction_powered_mean(people, 1 - people, np.linspace(0, 1, 80)).tuning == 0.0


def test_a_judge_that_is_right_is_worth_nearly_as_many_labels_as_it_has_given() -> None:
    rng = np.random.default_rng(1)
    people, alone = rng.random(200), rng.random(800)
    found = prediction_powered_mean(people, people + rng.normal(0, 1e-6, 200), alone)
    assert 600 < found.worth < 1_000
    assert found.high - found.low < found.classical_high - found.classical_low
    assert not found.is_rough


def test_fewer_than_100_labels_are_rough() -> None:
    rng = np.random.default_rng(1)
    assert prediction_powered_mean(rng.random(99), rng.random(99), rng.random(9)).is_rough


def test_the_interval_covers_the_mean_though_the_judge_is_biased() -> None:
    """95 % intervals over 100 labels; of 400, 92 to 98 % are within chance."""
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(400):
        values = rng.beta(2, 3, 600)
        judge = np.clip(0.6 * values + 0.4 + rng.normal(0, 0.1, 600), 0, 1)
        found = prediction_powered_mean(values[:100], judge[:100], judge[100:])
        covered += found.low <= 0.4 <= found.high
    assert 368 <= covered <= 392
