"""BCa intervals, beside scipy's."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from significance.drawn import like_measures

from benchbench.kernels.bootstrap import resampled_sums
from benchbench.kernels.bootstrap_counts import draw
from benchbench.significance import bootstrap
from benchbench.significance.bootstrap import intervals, resampled_means, resampled_measures
from benchbench.tables import threads

seeds = st.integers(0, 2**32)


class Picks(np.random.Generator):
    """Hands scipy the queries that our own resamples have drawn, in its own order."""

    def __init__(self, rows: np.ndarray) -> None:
        super().__init__(np.random.PCG64(0))
        self._rows = rows

    def integers(self, low, high=None, size=None, *arguments, **named):
        assert size == self._rows.shape
        return self._rows


def picked(queries: int, resamples: int, seed: int) -> np.ndarray:
    """Return the rows that each resample has drawn (resamples, queries)."""
    times = (draw(queries, number, 1, seed)[:, 0] for number in range(resamples))
    return np.array([np.repeat(np.arange(queries), one) for one in times])


@given(seeds, st.integers(3, 80), st.sampled_from([0.05, 0.1, 0.01]))
def test_an_interval_is_scipys_given_the_same_resamples(seed: int, queries: int, alpha: float) -> None:
    values = np.random.default_rng(seed).gamma(0.5, 1, (1, 1, queries))
    low, high = intervals(values[0], resampled_means(values, 300, seed)[0], alpha, 1e-15)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        theirs = stats.bootstrap(
            (values[0, 0],),
            np.mean,
            n_resamples=300,
            confidence_level=1 - alpha,
            method="BCa",
            rng=Picks(picked(queries, 300, seed)),
        ).confidence_interval
    assert (low[0], high[0]) == pytest.approx((theirs.low, theirs.high), rel=1e-9)


@given(seeds, st.integers(2, 60), st.integers(100, 150), st.sampled_from([1, 5_000, 2**21]))
def test_resampled_means_are_those_of_the_kernel_for_any_number_of_threads_and_turns(
    seed: int, queries: int, resamples: int, work: int
) -> None:
    values = like_measures(seed, 2, 2, queries)
    twin = resampled_sums(np.ascontiguousarray(values.reshape(4, queries).T), 0, resamples, seed) / queries
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bootstrap, "_WORK", work)
        for number in (1, 3):
            patch.setattr(threads, "THREADS", number)
            assert resampled_means(values, resamples, seed).tolist() == twin.reshape(2, 2, resamples).tolist()


@given(seeds, st.integers(1, 5), st.integers(1, 4 * 8 * 2 * 50))
def test_measures_have_the_same_means_whatever_memory_holds(seed: int, measures: int, held: int) -> None:
    values = like_measures(seed, measures, 2, 20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bootstrap, "_HELD", held)
        found = [one.tolist() for one in resampled_measures(values, 50, seed)]
    assert found == resampled_means(values, 50, seed).tolist()


def test_the_interval_of_equal_values_is_their_mean() -> None:
    values = np.full((1, 1, 30), 0.1)
    low, high = intervals(values[0], resampled_means(values, 200, 0)[0], 0.05, 1e-15)
    assert low[0] == high[0] == values[0].mean()


def test_a_mean_below_which_no_resample_is_has_a_bounded_interval() -> None:
    """With one large value in three, and resamples that all happen to have it."""
    low, high = intervals(np.array([[0.0, 0.0, 3.0]]), np.linspace(2.0, 3.0, 100)[None], 0.05, 1e-15)
    assert 2.0 <= low[0] <= high[0] <= 3.0
    low, high = intervals(np.array([[0.0, 0.0, 3.0]]), np.linspace(0.0, 0.9, 100)[None], 0.05, 1e-15)
    assert 0.0 <= low[0] <= high[0] <= 0.9


def test_resampled_means_that_equal_the_mean_count_half_whatever_rounds() -> None:
    """Tenths, and the same as whole numbers: what is equal in one is equal in the other."""
    tenths = np.array([[[0.1, 0.2, 0.3, 0.7, 0.1, 0.6, 0.4, 0.8]]])
    low, high = intervals(tenths[0], resampled_means(tenths, 500, 1)[0], 0.05, 1e-15)
    wholes = np.round(tenths * 10)
    low_of_wholes, high_of_wholes = intervals(wholes[0], resampled_means(wholes, 500, 1)[0], 0.05, 1e-15)
    assert (10 * low[0], 10 * high[0]) == pytest.approx((low_of_wholes[0], high_of_wholes[0]), rel=1e-12)
