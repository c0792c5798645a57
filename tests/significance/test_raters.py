"""How far raters agree, beside naive twins, scikit-learn and krippendorff."""

import warnings

import krippendorff
import naive_raters
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from benchbench.kernels.arrays import F64, I64
from benchbench.significance import raters

GRADES = (-2.0, 0.0, 0.5, 1.0, 3.0)
pairs = st.lists(st.tuples(st.sampled_from(GRADES), st.sampled_from(GRADES)), min_size=1, max_size=60)
units = st.lists(st.lists(st.sampled_from([None, 0, 1, 2, 3]), min_size=3, max_size=3), min_size=1, max_size=30)


def crossed(drawn: list[tuple[float, float]]) -> tuple[F64, F64]:
    first, second = np.array(drawn).T
    grades = np.unique(drawn)
    return raters.crossed(*(np.searchsorted(grades, side) for side in (first, second)), grades.size), grades


def same(found: F64, other: object) -> bool:
    if other is None:
        return bool(np.isnan(found).all())
    return bool(np.abs(found - float(other)).max() <= 1e-12)  # type: ignore[arg-type]


@given(pairs)
def test_kappas_are_those_of_the_definition_and_of_scikit_learn(drawn: list[tuple[float, float]]) -> None:
    from sklearn.metrics import cohen_kappa_score

    counts, _ = crossed(drawn)
    first, second = ([str(GRADES.index(one)) for one in side] for side in zip(*drawn, strict=True))
    for take, weights in ((raters.kappa, None), (raters.weighted_kappa, "quadratic")):
        found = take(counts)
        assert same(found, naive_raters.kappa(*zip(*drawn, strict=True), weighted=weights is not None))
        if np.isfinite(found).all():
            assert same(found, cohen_kappa_score(first, second, weights=weights))


@given(pairs)
def test_alpha_of_two_is_that_of_the_definition_and_of_krippendorff(drawn: list[tuple[float, float]]) -> None:
    counts, grades = crossed(drawn)
    found = raters.alpha(counts)
    assert same(found, naive_raters.alpha(drawn))
    if grades.size > 1:
        theirs = krippendorff.alpha(reliability_data=np.array(drawn).T, level_of_measurement="ordinal")
        assert same(found, theirs)


@given(units)
def test_alpha_of_several_with_missing_ratings_is_that_of_krippendorff(drawn: list[list[int | None]]) -> None:
    ratings = np.array([[-1 if one is None else one for one in unit] for unit in drawn]).T
    found = raters.alpha_of_coincidences(raters.coincidences_of(ratings, 4))
    given_ratings = [[one for one in unit if one is not None] for unit in drawn]
    assert same(found, naive_raters.alpha(given_ratings))
    kept = np.where(ratings < 0, np.nan, ratings)[:, (ratings >= 0).sum(axis=0) > 1]
    assume(np.unique(kept[~np.isnan(kept)]).size > 1)
    assert same(found, krippendorff.alpha(reliability_data=kept, level_of_measurement="ordinal"))


def test_one_grade_by_both_has_no_kappa_and_no_alpha() -> None:
    counts, _ = crossed([(2.0, 2.0)] * 5)
    for take in (raters.kappa, raters.weighted_kappa, raters.alpha):
        assert np.isnan(take(counts)).all()
    assert raters.agreement(counts) == 1.0


def test_a_constant_rater_has_kappas_of_exactly_0() -> None:
    counts, _ = crossed([(0.0, 1.0), (1.0, 1.0), (3.0, 1.0)])
    assert raters.kappa(counts) == 0.0
    assert raters.weighted_kappa(counts) == 0.0


def test_a_table_without_pairs_has_no_value() -> None:
    for take in (raters.kappa, raters.alpha, raters.agreement, raters.bias(np.array([0.0, 1.0]))):
        assert np.isnan(take(np.zeros((2, 2)))).all()


@given(pairs)
def test_a_cut_is_the_table_of_what_is_at_least_a_grade(drawn: list[tuple[float, float]]) -> None:
    counts, grades = crossed(drawn)
    for place in range(1, grades.size):
        cut = [(float(a >= grades[place]), float(b >= grades[place])) for a, b in drawn]
        assert same(raters.kappa(raters.cut(counts, place)), naive_raters.kappa(*zip(*cut, strict=True)))


@given(pairs)
def test_bias_is_the_mean_grade_of_the_second_less_that_of_the_first(drawn: list[tuple[float, float]]) -> None:
    counts, grades = crossed(drawn)
    first, second = np.array(drawn).T
    assert same(raters.bias(grades)(counts), second.mean() - first.mean())


@given(pairs, st.integers(2, 8))
def test_the_interval_is_that_of_leaving_out_one_query_at_a_time(
    drawn: list[tuple[float, float]], queries: int
) -> None:
    grades = np.unique(drawn)
    first, second = (np.searchsorted(grades, side) for side in np.array(drawn).T)
    query = np.arange(len(drawn)) % queries
    found = raters.jackknifed(raters.crossed(first, second, grades.size, query, queries), {"": raters.kappa})[""]
    there = np.unique(query)
    without = [raters.kappa(raters.crossed(first[query != one], second[query != one], grades.size))[0] for one in there]
    assert same(np.array(found.value), naive_raters.kappa(*zip(*drawn, strict=True)))
    if there.size < 2 or not np.isfinite([found.value, *without]).all() or np.ptp(without) == 0.0:
        assert np.isnan(found.low)
        assert np.isnan(found.high)
        return
    reach = stats.t.ppf(0.975, there.size - 1) * naive_raters.jackknife_error(without)
    assert (found.low, found.high) == pytest.approx((found.value - reach, found.value + reach), rel=1e-9)


def test_the_jackknife_covers_the_kappa_of_all_queries() -> None:
    """95 % intervals over 30 queries of 20 pairs, alike within queries; of 300, 92 to 98 % are within chance."""
    rng = np.random.default_rng(7)
    truth = _drawn(rng, 20_000)
    kappa = float(raters.kappa(truth.sum(axis=0)))
    covered = 0
    for _ in range(300):
        found = raters.jackknifed(_drawn(rng, 30), {"": raters.kappa})[""]
        covered += found.low <= kappa <= found.high
    assert 276 <= covered <= 294


def _drawn(rng: np.random.Generator, queries: int) -> F64:
    """Return the counts of queries, each with grades of its own and a judge that is better or worse at it."""
    pairs = 20
    easy, rich = rng.beta(4, 2, (queries, 1)), rng.beta(2, 4, (queries, 1))
    first = (rng.random((queries, pairs)) < rich).astype(np.int64) * rng.integers(1, 4, (queries, pairs))
    second = np.where(rng.random((queries, pairs)) < easy, first, rng.integers(0, 4, (queries, pairs)))
    query: I64 = np.repeat(np.arange(queries), pairs)
    return raters.crossed(first.ravel(), second.ravel(), 4, query, queries)


def test_very_many_queries_are_left_out_in_blocks_of_neighbours() -> None:
    groups = np.repeat(np.arange(10_000), 2)
    block, blocks = raters.blocks_of(groups, 10_000, 4)
    assert blocks == 2_000
    assert (np.diff(block) >= 0).all()
    assert np.unique(np.bincount(block)).tolist() == [10]
    assert raters.blocks_of(groups, 10_000, 256)[1] == 61


def test_raters_who_never_disagree_are_not_certain_to_agree_on_other_queries() -> None:
    counts = raters.crossed(np.array([0, 1, 1]), np.array([0, 1, 1]), 2, np.arange(3), 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        few, many = raters.perfect(counts, 3), raters.perfect(counts, 1_000)
    assert few < 0.0 < 0.98 < many < 1.0
