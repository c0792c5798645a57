"""Which runs join the ten that a reference begins with."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from significance.test_autocorrelation import alike

from benchbench.significance.autocorrelation import autocorrelation
from benchbench.significance.run_growth import joined
from benchbench.significance.run_windows import t_test

seeds = st.integers(0, 2**32)


def told(known: np.ndarray, last: np.ndarray) -> bool:
    """Say whether the last runs differ from the reference at 5 %."""
    if autocorrelation(known) == 0.0:
        return bool(stats.ttest_ind(last, known).pvalue <= 0.05)
    parts, difference = [known, last], float(last.mean() - known.mean())
    return t_test(difference, parts, (8, len(known)), 0.05, autocorrelation(known))[0] <= 0.05


def naive(reference: np.ndarray, later: np.ndarray) -> int:
    """Return how many have joined, by asking after each run."""
    found = 0
    for run in range(9, len(later) + 1):
        known = np.concatenate([reference, later[:found]])
        if found < 20 and not told(known, later[run - 8 : run]):
            found = min(run - 8, 20)
    return found


@given(seeds, st.integers(0, 40), st.floats(-2.0, 2.0))
def test_it_is_what_asking_after_each_run_gives(seed: int, later: int, moved: float) -> None:
    rng = np.random.default_rng(seed)
    runs = rng.normal(size=10 + later) + np.where(np.arange(10 + later) > 20, moved, 0.0)
    assert joined(runs[:10], runs[10:]) == naive(runs[:10], runs[10:])


@given(seeds, st.integers(9, 60))
def test_no_run_that_has_joined_leaves_when_more_follow(seed: int, later: int) -> None:
    runs = np.random.default_rng(seed).normal(size=10 + later)
    assert joined(runs[:10], runs[10:-1]) <= joined(runs[:10], runs[10:]) <= min(later - 8, 20)


def test_equal_runs_join_as_soon_as_eight_have_followed() -> None:
    level = np.zeros(10)
    assert [joined(level, np.zeros(more)) for more in (0, 8, 9, 20, 28, 60)] == [0, 0, 1, 12, 20, 20]


@pytest.mark.slow  # many series
def test_a_loss_that_is_there_to_stay_does_not_become_part_of_the_reference() -> None:
    rng = np.random.default_rng(2)
    grown = []
    for _ in range(100):
        runs = rng.normal(size=60)
        runs[10:] -= 2.0 * np.sqrt(2.0)
        grown.append(joined(runs[:10], runs[10:]))
    assert np.mean(np.array(grown) > 0) <= 0.08


@pytest.mark.slow  # 400 series
def test_runs_of_a_plain_series_join_mostly() -> None:
    plain = np.random.default_rng(3).normal(size=(200, 70))
    assert np.mean([joined(runs[:10], runs[10:]) for runs in plain]) > 17.0
    resembling = alike(70, 0.5, np.random.default_rng(4), 200)
    assert np.mean([joined(runs[:10], runs[10:]) for runs in resembling]) > 14.0
