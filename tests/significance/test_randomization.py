"""The randomisation test: all patterns of few queries exactly, random ones of many, rounding never in between."""

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from significance.drawn import exactly, in_floats, like_measures, tenths

from benchbench.significance.randomization import patterns, randomization, smallest_p
from benchbench.tables import threads

seeds = st.integers(0, 2**32)


@given(tenths)
def test_few_queries_are_enumerated_exactly_whatever_arithmetic_rounds(pairs: list[tuple[int, int]]) -> None:
    p = randomization(in_floats(pairs), 10_000, 0)
    assert p[0, 0, 1] == naive.randomization(exactly(pairs))


@given(seeds, st.integers(2, 8))
def test_an_enumerated_p_value_is_that_of_scipy(seed: int, queries: int) -> None:
    values = np.random.default_rng(seed).normal(size=(1, 2, queries))
    theirs = stats.permutation_test((values[0, 1] - values[0, 0],), np.sum, permutation_type="samples").pvalue
    assert randomization(values, 10_000, 0)[0, 0, 1] == pytest.approx(theirs, rel=1e-12)


@given(seeds)
def test_random_patterns_agree_with_all_of_them_up_to_chance(seed: int) -> None:
    values = like_measures(seed, 2, 3, 12)
    exact, drawn = randomization(values, 4096, 0), randomization(values, 4000, seed)
    error = np.sqrt(exact * (1 - exact) / 4000) + 1e-3
    assert (abs(exact - drawn) < 5.5 * error).all()


def test_random_patterns_of_many_queries_agree_with_scipy_up_to_chance() -> None:
    values = like_measures(3, 1, 2, 300)
    theirs = stats.permutation_test(
        (values[0, 1] - values[0, 0],),
        lambda x, axis: x.sum(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=20_000,
        rng=np.random.default_rng(1),
    ).pvalue
    assert randomization(values, 20_000, 0)[0, 0, 1] == pytest.approx(theirs, abs=0.02)


@given(seeds, st.integers(2, 6), st.integers(14, 80))
def test_a_pair_has_the_same_p_value_by_itself_as_among_others(seed: int, systems: int, queries: int) -> None:
    values = like_measures(seed, 2, systems, queries)
    together = randomization(values, 200, seed)
    for m in range(2):
        for a in range(systems):
            for b in range(a + 1, systems):
                alone = randomization(values[m : m + 1, [a, b]], 200, seed)[0, 0, 1]
                assert together[m, a, b] == together[m, b, a] == alone


def test_the_number_of_threads_changes_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    values = like_measures(4, 2, 4, 90)
    found = []
    for number in (1, 2, 5):
        monkeypatch.setattr(threads, "THREADS", number)
        found.append(randomization(values, 5000, 9).tobytes())
    assert found[0] == found[1] == found[2]


def test_equal_systems_are_never_told_apart() -> None:
    values = np.repeat(like_measures(1, 1, 1, 70), 2, axis=1)
    assert randomization(values, 500, 0).tolist() == [[[1.0, 1.0], [1.0, 1.0]]]


def test_a_difference_of_the_same_sign_everywhere_has_the_smallest_p_value() -> None:
    few = np.array([[np.zeros(6), np.arange(1.0, 7.0)]])
    assert randomization(few, 100, 0)[0, 0, 1] == smallest_p(6, 100) == 2 / 64
    many = np.array([[np.zeros(60), np.arange(1.0, 61.0)]])
    assert randomization(many, 100, 0)[0, 0, 1] == smallest_p(60, 100) == 1 / 101


def test_sums_that_are_equal_in_another_order_count_as_reaching_the_observed_one() -> None:
    """All patterns of tenths with as many plus signs reach the same sum, by 40 different roundings."""
    values = np.array([[np.tile([0.1, 0.2, 0.3, 0.7], 10), np.tile([0.4, 0.5, 0.6, 0.4], 10)]])
    whole = np.round(values * 10)
    assert randomization(values, 3000, 2).tolist() == randomization(whole, 3000, 2).tolist()


@pytest.mark.parametrize(
    ("queries", "resamples", "number"), [(13, 8192, 8192), (14, 8192, None), (2, 100, 4), (10**6, 10**7, None)]
)
def test_all_patterns_are_gone_through_when_they_are_not_more(queries: int, resamples: int, number: int | None) -> None:
    assert patterns(queries, resamples) == number
