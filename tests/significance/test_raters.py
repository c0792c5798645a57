"""How far raters agree, beside naive twins, scikit-learn and krippendorff."""

import warnings

import krippendorff
import naive_raters
import numpy as np
import pytest
from cases import first_of
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from benchbench.kernels.arrays import F64, I64
from benchbench.significance import raters
from benchbench.significance.judge_bias import (
    BY_GRADE,
    PERMUTED,
    THINNED,
    Probe,
    corrected,
    paired_probe,
    probe,
    untested,
)

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


# Probes for what a judge's grades go by: planted biases are found, and an unbiased judge is seldom accused


def drawn(
    seed: int, queries: int, per_query: int, length: float = 0.0, own: float = 0.0
) -> tuple[F64, F64, F64, F64, I64]:
    """Return grades by people and by a judge, logarithms of lengths, whose answers they are, and queries.

    People grade longer texts higher, and the judge goes by people's grades with noise; it is kinder to some queries.
    `length` and `own` are planted.
    """
    rng = np.random.default_rng(seed)
    query = np.repeat(np.arange(queries), per_query)
    logs = rng.normal(7, 1.2, query.size) + rng.normal(0, 0.5, queries)[query]
    mine = (rng.random(query.size) < 0.4).astype(float)
    hidden = 0.5 * (logs - 7) + rng.normal(0, 1, query.size) + 0.3 * mine
    human = np.digitize(hidden, [-0.4, 0.6, 1.5]).astype(float)
    noise = (rng.random(query.size) < 0.35) * rng.integers(-1, 2, query.size) + rng.normal(0, 0.4, queries)[query]
    judge = np.clip(np.rint(human + noise + length * (logs - 7) + own * mine), 0, 3)
    return human, judge, logs, mine, query


def rejected(tries: int, queries: int, per_query: int, planted: str = "", by: float = 0.0) -> int:
    """Return how often any of two probes accuses a judge at 5 %, or the one of a bias that was planted."""
    count = 0
    for seed in range(tries):
        human, judge, logs, mine, query = drawn(seed, queries, per_query, **({planted: by} if planted else {}))
        found = corrected(
            [probe("length", human, judge, logs, query, seed=seed), probe("own", human, judge, mine, query, seed=seed)]
        )
        count += any(one.adjusted <= 0.05 for one in found if planted in ("", one.name))
    return count


@pytest.mark.slow  # a simulated rate
@pytest.mark.parametrize(("queries", "per_query"), first_of((20, 8), (120, 1), (60, 2)))
def test_an_unbiased_judge_is_seldom_accused(queries: int, per_query: int) -> None:
    """Of 100 tries at 5 %, 10 are within chance."""
    assert rejected(100, queries, per_query) <= 10


@pytest.mark.parametrize("planted", first_of("length", "own"))
def test_planted_biases_are_found(planted: str) -> None:
    assert rejected(20, 25, 12, planted, 0.4) >= 18


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 2), st.integers(0, 3)), max_size=7))
def test_p_is_that_of_all_orders_within_cells(pairs: list[tuple[int, int, int, int]]) -> None:
    """Of one pair per query the cells are people's grades; drawn permutations are within 4 standard errors."""
    if not pairs:
        return
    _, human, judge, value = np.array(pairs, np.float64).T
    found = probe("length", human, judge, value, np.arange(len(pairs)))
    if found.skipped:
        return
    exact = naive_raters.permutation_p(human.tolist(), judge.tolist(), value.tolist())
    assert abs(found.p - exact) <= 4 * (exact * (1 - exact) / 2_000) ** 0.5 + 0.001
    assert found.null == BY_GRADE


def test_the_effect_is_the_slope_within_queries_and_grades() -> None:
    human = np.repeat([0.0, 1.0], 40)
    value = np.tile([0.0, 1.0, 2.0, 3.0], 20)
    found = probe("length", human, human + 0.25 * value, value, np.repeat(np.arange(10), 8))
    assert found.effect == pytest.approx(0.25)
    assert found.null == PERMUTED
    assert found.p == pytest.approx(1 / 2_000)


def test_what_differs_between_queries_alone_accuses_nobody() -> None:
    """A judge that is kinder to queries with longer texts may have its reasons."""
    query = np.repeat(np.arange(30), 6)
    value = query + np.tile([0.0, 0.0, 0.0, 0.1, 0.1, 0.1], 30)
    judge = np.clip(query // 10, 0, 2).astype(float)
    found = probe("length", np.ones(180), judge, value, query)
    assert (found.p, found.effect) == (1.0, pytest.approx(0.0))


@pytest.mark.slow  # a large sample
def test_thousands_of_pairs_have_the_normal_limit_of_the_permutations() -> None:
    human, judge, logs, _, query = drawn(5, 900, 10, length=0.01)
    found = probe("length", human, judge, logs, query)
    assert found.n > 5_000
    cell = np.unique(query * 4 + human, return_inverse=True)[1]
    off = logs - (np.bincount(cell, logs) / np.bincount(cell))[cell]
    by_cell = np.argsort(cell, kind="stable")
    rng = np.random.default_rng(0)
    there = abs(judge @ off)
    beyond = 0
    for _ in range(1_000):
        order = np.lexsort((rng.random(cell.size), cell))
        beyond += abs(judge[order] @ off[by_cell]) >= there
    assert found.p == pytest.approx(beyond / 1_000, abs=0.06)


def test_where_pairs_of_a_query_have_different_grades_one_of_each_query_is_taken() -> None:
    query = np.repeat(np.arange(40), 2)
    human = np.tile([0.0, 1.0], 40)
    rng = np.random.default_rng(1)
    value = rng.normal(size=80)
    found = probe("length", human, human + rng.integers(0, 2, 80), value, query)
    assert (found.null, found.queries, found.n) == (THINNED, 40, 40)
    biased = probe("length", human, human + (value > 0), value, query)
    assert biased.p < 0.001 < found.p


@pytest.mark.slow  # a simulated rate
def test_an_unbiased_judge_of_such_queries_is_seldom_accused() -> None:
    """Its grades of a query are alike, which would accuse it if both were permuted; of 200 tries, 17 are by chance."""
    count = 0
    for seed in range(200):
        human, judge, logs, _, query = drawn(seed, 24, 2)
        count += probe("length", 2 * human + np.tile([0.0, 1.0], 24), judge, logs, query, seed=seed).p <= 0.05
    assert count <= 17


@pytest.mark.parametrize(
    ("human", "value", "query", "why"),
    [
        ([0, 1, 0], [np.nan] * 3, [0, 1, 2], "no pair has a value of it"),
        ([0, 1, 0], [2, 2, 2], [0, 1, 2], "it is the same for all pairs"),
        ([0, 1, 2], [1, 2, 3], [0, 1, 2], "no two pairs with the same grade by people differ in it"),
        ([0, 1, 2, 3], [1, 2, 3, 4], [0, 0, 1, 1], "no two pairs with the same grade by people differ in it"),
    ],
)
def test_what_cannot_be_tested_is_said(human: list[int], value: list[float], query: list[int], why: str) -> None:
    found = probe("length", np.array(human, float), np.zeros(len(human)), np.array(value, float), np.array(query))
    assert why in found.skipped
    assert np.isnan(found.p)


def test_a_judge_with_one_grade_is_not_accused() -> None:
    found = probe("length", np.zeros(40), np.ones(40), np.arange(40.0), np.repeat(np.arange(10), 4))
    assert (found.p, found.effect) == (1.0, 0.0)


def test_tiny_samples_have_valid_p_values() -> None:
    found = probe("length", np.zeros(2), np.array([0.0, 3.0]), np.array([1.0, 2.0]), np.array([0, 1]))
    assert found.p == 1.0


@pytest.mark.parametrize(("bias", "accused"), [(0.0, False), (0.5, True)])
def test_the_same_pairs_in_another_order_show_a_position_bias(bias: float, accused: bool) -> None:
    rng = np.random.default_rng(2)
    query, first_place = np.repeat(np.arange(40), 5), np.tile(np.arange(1.0, 6.0), 40)
    second_place = np.tile(np.arange(5.0, 0.0, -1.0), 40)
    grade = rng.integers(0, 4, 200)

    def asked(place: F64) -> F64:
        return np.clip(np.rint(grade + rng.normal(0, 0.4, 200) - bias * np.log2(place)), 0, 3)

    step = np.log2(second_place / first_place)
    found = paired_probe("position", asked(first_place), asked(second_place), step, query)
    assert (found.p <= 0.05) == accused
    assert found.n == 160  # those in the middle stay
    if accused:
        assert found.effect < 0.0


def test_pairs_that_stay_where_they_are_say_nothing_of_position() -> None:
    found = paired_probe("position", np.zeros(3), np.ones(3), np.zeros(3), np.arange(3))
    assert found.skipped == "no pair was judged in two positions"


def test_p_values_are_corrected_over_the_probes_that_were_made() -> None:
    made = [_with(0.01), untested("position", "no order"), _with(0.04)]
    assert [one.adjusted for one in corrected(made)] == [0.02, pytest.approx(np.nan, nan_ok=True), 0.04]


def _with(p: float) -> Probe:
    return Probe(name="length", effect=0.1, low=0.0, high=0.2, p=p, adjusted=p, n=100, queries=10, null=PERMUTED)
