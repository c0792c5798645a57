"""The randomisation test: all patterns of few queries exactly, random ones of many, and the interval beside it."""

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from significance.drawn import exactly, flipped, in_floats, like_measures, paired_of, randomized, tenths

from benchbench.significance.findings import Observed
from benchbench.significance.randomization import smallest_p
from benchbench.significance.subset_means import patterns
from benchbench.tables.groups import grouped

seeds = st.integers(0, 2**32)


@given(tenths)
def test_few_queries_are_enumerated_exactly_whatever_arithmetic_rounds(pairs: list[tuple[int, int]]) -> None:
    assert randomized(in_floats(pairs))[0, 0, 1].p == naive.randomization(exactly(pairs))


@given(seeds, st.integers(2, 8))
def test_an_enumerated_p_value_is_that_of_scipy(seed: int, queries: int) -> None:
    values = np.random.default_rng(seed).normal(size=(1, 2, queries))
    theirs = stats.permutation_test((values[0, 1] - values[0, 0],), np.sum, permutation_type="samples").pvalue
    assert randomized(values)[0, 0, 1].p == pytest.approx(theirs, rel=1e-12)


@pytest.mark.slow  # 4,000 patterns of each sample
@given(seeds)
def test_random_patterns_agree_with_all_of_them_up_to_chance(seed: int) -> None:
    values = like_measures(seed, 2, 3, 12)
    exact, drawn = randomized(values, 4096), randomized(values, 4000, seed)
    for place, one in exact.items():
        assert abs(one.p - drawn[place].p) < 5.5 * (np.sqrt(one.p * (1 - one.p) / 4000) + 1e-3)


@pytest.mark.slow  # 20,000 patterns
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
    assert randomized(values, 20_000)[0, 0, 1].p == pytest.approx(theirs, abs=0.02)


@given(seeds, st.integers(2, 6), st.integers(14, 80))
def test_a_pair_has_the_same_p_value_by_itself_as_among_others(seed: int, systems: int, queries: int) -> None:
    values = like_measures(seed, 2, systems, queries)
    for (m, a, b), one in randomized(values, 200, seed).items():
        assert one.p == randomized(values[m : m + 1, [a, b]], 200, seed)[0, 0, 1].p


@given(st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.5, -0.1, -0.2]), max_size=8), st.integers(20, 60), seeds)
def test_only_queries_that_differ_are_flipped(changed: list[float], queries: int, seed: int) -> None:
    """2^8 patterns decide exactly, however many queries there are, and whatever the seed is."""
    values = np.full((1, 2, queries), 0.5)
    values[0, 1, : len(changed)] += changed
    found = randomized(values, 256, seed)[0, 0, 1]
    assert found.p == pytest.approx(flipped(np.array(changed), np.ones(len(changed)), 0.0) if changed else 1.0)
    assert found == randomized(values, 256, seed + 1)[0, 0, 1]


@given(seeds, st.integers(6, 11), st.floats(0.02, 0.5), st.integers(0, 4), st.booleans())
def test_the_interval_is_where_all_sign_flips_do_not_reject(
    seed: int, queries: int, alpha: float, equal: int, grouped_unequally: bool
) -> None:
    """Beside going through all signs at both ends, and just beyond them; zeros and groups of several sizes too."""
    rng = np.random.default_rng(seed)
    sums = np.round(rng.normal(0.3, 1, queries), rng.integers(0, 3))
    sums[: min(equal, queries)] = 0.0
    sizes = rng.integers(1, 4, queries).astype(float) if grouped_unequally else np.ones(queries)
    found = randomized(np.array([[np.zeros(queries), sums]]), 2048, 0, alpha, sizes)[0, 0, 1]
    if 2.0 ** (1 - queries) > alpha:
        assert (found.low, found.high) == (-np.inf, np.inf)
        return
    mean = sums.sum() / sizes.sum()
    assert found.low <= mean + 1e-12
    assert found.high >= mean - 1e-12
    for end, outwards in ((found.low, -1), (found.high, 1)):
        assert flipped(sums, sizes, end) > alpha
        assert flipped(sums, sizes, end + outwards * 1e-7) <= alpha


@given(seeds, st.integers(6, 60), st.floats(0.01, 0.3), st.sampled_from([0, 1, 3]), st.sampled_from([0.2, 0.5, 1.0]))
def test_the_p_value_is_at_most_alpha_exactly_where_the_interval_leaves_out_0(
    seed: int, queries: int, alpha: float, digits: int, share: float
) -> None:
    rng = np.random.default_rng(seed)
    differences = np.round(rng.normal(0.25, 1, queries), digits) * (rng.random(queries) < share)
    found = randomized(np.array([[np.zeros(queries), differences]]), 300, seed, alpha)[0, 0, 1]
    assert (found.p <= alpha) == (found.low > 0.0 or found.high < 0.0)


@given(seeds, st.integers(6, 30), st.floats(0.01, 0.3), st.sampled_from([0, 1, 3]))
def test_the_same_of_groups_of_queries(seed: int, number: int, alpha: float, digits: int) -> None:
    rng = np.random.default_rng(seed)
    groups = grouped("document", rng.integers(0, number, 100).tolist())
    values = np.round(rng.normal(0.1, 1, 100), digits)
    sums, sizes = Observed(values, 1e-12, groups).units
    found = randomized(np.array([[np.zeros(len(sums)), sums]]), 300, seed, alpha, sizes)[0, 0, 1]
    assert (found.p <= alpha) == (found.low > 0.0 or found.high < 0.0)
    assert found.low <= values.mean() + 1e-12
    assert found.high >= values.mean() - 1e-12


def test_where_few_differ_the_interval_is_that_of_random_subsets_up_to_chance() -> None:
    """Eight of 40 queries differ: all 2^40 subsets, by a distribution, and 100,000 random ones, by brute force."""
    rng = np.random.default_rng(4)
    differences = np.zeros(40)
    differences[:8] = rng.normal(0.2, 0.3, 8)
    found = randomized(np.array([[np.zeros(40), differences]]), 256)[0, 0, 1]
    chosen = rng.random((100_000, 40)) < 0.5
    means = chosen @ differences / chosen.sum(axis=1)
    assert (found.low, found.high) == pytest.approx(np.quantile(means, (0.025, 0.975)), abs=0.002)


def test_the_smallest_p_value_is_reached() -> None:
    for queries, resamples in ((6, 10_000), (50, 999)):
        one = paired_of(np.array([[np.zeros(queries), np.linspace(0.5, 1.0, queries)]]))
        assert randomized(one.values, resamples)[0, 0, 1].p == smallest_p(queries, resamples)


def test_sums_that_are_equal_in_another_order_count_as_reaching_the_observed_one() -> None:
    """All patterns of tenths with as many plus signs reach the same sum, by 40 different roundings."""
    values = np.array([[np.tile([0.1, 0.2, 0.3, 0.7], 10), np.tile([0.4, 0.5, 0.6, 0.4], 10)]])
    assert randomized(values, 3000, 2)[0, 0, 1].p == randomized(np.round(values * 10), 3000, 2)[0, 0, 1].p


@pytest.mark.parametrize(
    ("queries", "resamples", "number"), [(13, 8192, 8192), (14, 8192, None), (2, 100, 4), (10**6, 10**7, None)]
)
def test_all_patterns_are_gone_through_when_they_are_not_more(queries: int, resamples: int, number: int | None) -> None:
    assert patterns(queries, resamples) == number
