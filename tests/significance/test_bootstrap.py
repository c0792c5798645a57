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
from benchbench.significance.bootstrap import interval, resampled_means, resampled_measures
from benchbench.significance.design_effects import design_effect
from benchbench.significance.drawing import THINNED, cutoffs, ecdf, front
from benchbench.significance.prediction_powered import prediction_powered_mean
from benchbench.significance.shares import share_interval
from benchbench.tables import threads
from benchbench.tables.groups import Groups, grouped

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
    ends = interval(values[0, 0], resampled_means(values, 300, seed)[0, 0], alpha, 1e-15)
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
    assert ends == pytest.approx((theirs.low, theirs.high), rel=1e-9)


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
    low, high = interval(values[0, 0], resampled_means(values, 200, 0)[0, 0], 0.05, 1e-15)
    assert low == high == values.mean()


def test_a_mean_below_which_no_resample_is_has_a_bounded_interval() -> None:
    """With one large value in three, and resamples that all happen to have it."""
    low, high = interval(np.array([0.0, 0.0, 3.0]), np.linspace(2.0, 3.0, 100), 0.05, 1e-15)
    assert 2.0 <= low <= high <= 3.0
    low, high = interval(np.array([0.0, 0.0, 3.0]), np.linspace(0.0, 0.9, 100), 0.05, 1e-15)
    assert 0.0 <= low <= high <= 0.9


def test_resampled_means_that_equal_the_mean_count_half_whatever_rounds() -> None:
    """Tenths, and the same as whole numbers: what is equal in one is equal in the other."""
    tenths = np.array([[[0.1, 0.2, 0.3, 0.7, 0.1, 0.6, 0.4, 0.8]]])
    of_tenths, of_wholes = (
        interval(values[0, 0], resampled_means(values, 500, 1)[0, 0], 0.05, 1e-15)
        for values in (tenths, np.round(tenths * 10))
    )
    assert np.multiply(of_tenths, 10) == pytest.approx(of_wholes, rel=1e-12)


# What grouping costs


@given(st.integers(2, 30), st.integers(2, 5), seeds)
def test_the_design_effect_of_copies_is_their_number(number: int, copies: int, seed: int) -> None:
    own = np.random.default_rng(seed).normal(size=number)
    groups = grouped("document", np.repeat(np.arange(number), copies).tolist())
    queries = number * copies
    expected = copies * number / (number - 1) * (queries - 1) / queries
    assert design_effect(np.repeat(own, copies), groups) == pytest.approx(expected)


def test_the_design_effect_is_about_one_where_queries_of_a_group_are_not_alike() -> None:
    codes = np.repeat(np.arange(500), 4)
    found = design_effect(np.random.default_rng(2).normal(size=2000), Groups("document", codes, 500))
    assert found == pytest.approx(1.0, abs=0.15)
    assert design_effect(np.ones(2000), Groups("document", codes, 500)) == 1.0
    assert design_effect(np.arange(4.0), grouped("document", ["a"] * 4)) == 1.0


# Prediction-powered means, beside ppi-python


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


# Wilson's interval of a share


@given(st.integers(1, 10_000), st.floats(0, 1), st.floats(0.001, 0.5))
def test_the_interval_is_that_of_statsmodels(n: int, share: float, alpha: float) -> None:
    from statsmodels.stats.proportion import proportion_confint

    successes = round(share * n)
    theirs = proportion_confint(successes, n, alpha, method="wilson")
    assert share_interval(successes, n, alpha) == pytest.approx(theirs, abs=1e-12)


@given(st.integers(1, 1_000_000))
def test_nothing_but_successes_is_no_certainty(n: int) -> None:
    low, high = share_interval(n, n)
    assert (low < 1.0, high) == (True, 1.0)
    low, high = share_interval(0, n)
    assert (low, high > 0.0) == (0.0, True)


# Drawing

VALUES = st.lists(st.integers(0, 20), min_size=1, max_size=30)


POINTS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12)


@given(VALUES)
def test_a_short_curve_has_every_value_with_its_share(values: list[int]):
    ascending = np.sort(np.array(values, dtype=np.float64))
    shown = ecdf(ascending)
    assert [x for x, _ in shown] == ascending.tolist()
    assert [y for _, y in shown] == pytest.approx([(i + 1) / len(values) for i in range(len(values))])


def test_a_long_curve_is_thinned_and_keeps_both_ends_and_the_tail():
    ascending = np.arange(100_000, dtype=np.float64)
    shown = ecdf(ascending)
    assert len(shown) <= THINNED
    assert shown == sorted(shown)
    assert (shown[0][0], shown[-1]) == (0.0, (99_999.0, 1.0))
    assert all(y == (x + 1) / 100_000 for x, y in shown)
    assert sum(y > 0.999 for _, y in shown) > 10


def test_no_latencies_make_no_curve():
    assert ecdf(np.empty(0)) == []


@given(POINTS)
def test_the_front_holds_the_points_that_none_beats(points: list[tuple[float, float]]):
    def beaten(a: tuple[float, float]) -> bool:
        return any(b[0] >= a[0] and b[1] >= a[1] and b != a for b in points)

    kept = front(points)
    assert sorted(kept) == [i for i, point in enumerate(points) if not beaten(point)]
    assert [points[i][0] for i in kept] == sorted(points[i][0] for i in kept)


def test_measures_that_differ_in_the_cutoff_alone_are_a_family():
    named = ["nDCG@10", "nDCG@5", "nDCG(gains='exp')@5", "RR", "gold.P@3", "gold.P@10", "IPrec@0.1", "IPrec@0.2"]
    assert cutoffs(named) == {
        "nDCG": [(5, "nDCG@5"), (10, "nDCG@10")],
        "gold.P": [(3, "gold.P@3"), (10, "gold.P@10")],
    }
