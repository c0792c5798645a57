"""The randomisation test: all patterns of few queries exactly, random ones of many, and the interval beside it."""

import itertools
import math
import warnings
from fractions import Fraction
from itertools import combinations
from typing import get_args

import naive
import numpy as np
import pytest
from cases import first_of
from hypothesis import assume, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from profiles import costly
from scipy import special, stats
from significance.drawn import exactly, flipped, in_floats, like_measures, paired_of, randomized, tenths

from benchbench.significance.comparing import compare
from benchbench.significance.comparison_settings import CompareSettings, Correction
from benchbench.significance.corrections import benjamini_hochberg, bonferroni, corrected, holm, resamples_needed
from benchbench.significance.findings import PairDifferences
from benchbench.significance.hodges_lehmann import rank_interval
from benchbench.significance.max_t import (
    FlippedMaxima,
    flipped_maxima,
    maxima_of_units_that_differ,
    simultaneous_intervals,
    step_down,
)
from benchbench.significance.paired_tests import deviation, rank_direction, t_test, wilcoxon
from benchbench.significance.power import detectable_effect, queries_needed
from benchbench.significance.randomization import smallest_p
from benchbench.significance.ranks import rank_intervals, ranks
from benchbench.significance.subset_means import patterns
from benchbench.significance.two_samples import shift
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
    sums, sizes = PairDifferences(values, 1e-12, groups).units
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


# The t-test and the signed-rank test, beside naive twins, scipy and exact enumeration


@given(seeds, st.integers(2, 300))
def test_t_is_that_of_scipy(seed: int, queries: int) -> None:
    for one, other in like_measures(seed, 2, 2, queries):
        assume(np.ptp(other - one) > 1e-9)
        observed = PairDifferences(other - one, 0.0, None)
        found = t_test(observed.mean, *observed.error, 0.1)
        theirs = stats.ttest_rel(other, one)
        assert found.p == pytest.approx(theirs.pvalue, rel=1e-9)
        ends = theirs.confidence_interval(0.9)
        assert (found.low, found.high) == pytest.approx((ends.low, ends.high), rel=1e-9, abs=1e-12)
        assert (found.p <= 0.1) == (found.low > 0.0 or found.high < 0.0)


@pytest.mark.parametrize(("value", "p"), [(0.0, 1.0), (0.1, 0.0), (-0.1, 0.0)])
def test_t_of_equal_differences_is_decided(value: float, p: float) -> None:
    observed = PairDifferences(np.full(7, value), 0.0, None)
    assert t_test(observed.mean, *observed.error, 0.05) == (p, observed.mean, observed.mean)
    assert deviation(np.full(7, value)) == 0.0


@given(tenths)
def test_ranks_agree_with_exact_enumeration_of_a_few_tied_differences(pairs: list[tuple[int, int]]) -> None:
    paired = paired_of(in_floats(pairs))
    found = wilcoxon(paired.difference(0, 0, 1), paired.rounding[0])
    assert found == pytest.approx(naive.wilcoxon(exactly(pairs)), rel=1e-12)


@given(seeds, st.integers(2, 50))
def test_ranks_of_up_to_50_different_sizes_agree_with_scipys_exact_test(seed: int, queries: int) -> None:
    differences = np.random.default_rng(seed).normal(0.2, 1, queries)
    theirs = stats.wilcoxon(differences, method="exact").pvalue
    assert wilcoxon(differences, 1e-15) == pytest.approx(theirs, rel=1e-9)


@given(seeds, st.integers(51, 400), st.booleans())
def test_ranks_of_many_agree_with_scipys_normal_approximation(seed: int, queries: int, tied: bool) -> None:
    rng = np.random.default_rng(seed)
    differences = rng.integers(-9, 11, queries) * 1.0 if tied else rng.normal(0.1, 1, queries)
    assume(np.count_nonzero(differences) > 50)
    theirs = stats.wilcoxon(differences, correction=False, method="approx").pvalue
    assert wilcoxon(differences, 1e-15) == pytest.approx(theirs, rel=1e-9)


def test_exact_and_normal_distribution_meet_at_the_border() -> None:
    differences = np.random.default_rng(5).normal(0.2, 1, 50)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = stats.wilcoxon(differences, correction=False, method="approx").pvalue
    assert wilcoxon(differences, 0.0) == pytest.approx(theirs, rel=0.05)
    assert wilcoxon(differences, 0.0) != theirs


def test_differences_of_zero_say_nothing() -> None:
    few = np.array([0.3, -0.1, 0.2])
    assert wilcoxon(np.concatenate([few, np.zeros(90)]), 0.0) == wilcoxon(few, 0.0)
    assert wilcoxon(np.zeros(9), 0.0) == 1.0


def test_sizes_that_only_rounding_tells_apart_share_a_rank() -> None:
    differences = np.array([0.6 - 0.4, -(0.2 - 0.0), 0.5])
    assert abs(differences[0]) != abs(differences[1])
    assert wilcoxon(differences, 1e-15) == wilcoxon(np.array([2.0, -2.0, 5.0]), 0.0)


@given(tenths)
def test_the_direction_of_ranks_is_that_of_scipys_two_rank_sums(pairs: list[tuple[int, int]]) -> None:
    differences = np.array([b - a for a, b in pairs], float)
    ranks = stats.rankdata(abs(differences[differences != 0]))
    up = differences[differences != 0] > 0
    paired = paired_of(in_floats(pairs))
    found = rank_direction(paired.difference(0, 0, 1), paired.rounding[0])
    assert found == np.sign(ranks[up].sum() - ranks[~up].sum())


def test_a_few_large_gains_and_many_small_losses_go_down_by_ranks() -> None:
    differences = np.concatenate([np.full(6, 0.39), np.linspace(-0.05, -0.001, 54)])
    assert differences.mean() > 0
    assert wilcoxon(differences, 1e-15) < 0.01
    assert rank_direction(differences, 1e-15) == -1
    assert rank_direction(np.zeros(9), 1e-15) == 0


# The interval of the signed-rank test, beside going through all means of two


def walsh(values: np.ndarray) -> np.ndarray:
    """Return all means of two values, of a value with itself too, ascending."""
    first, second = np.triu_indices(len(values))
    return np.sort((values[first] + values[second]) / 2)


@given(seeds, st.integers(6, 50), st.sampled_from([0.05, 0.1, 0.3]))
def test_the_interval_is_what_scipys_exact_test_does_not_reject(seed: int, queries: int, alpha: float) -> None:
    differences = np.random.default_rng(seed).normal(0.3, 1, queries)
    means = walsh(differences)
    low, high = rank_interval(differences, 1e-15, alpha)
    for end, outwards in ((low, -1e-9), (high, 1e-9)):
        assert abs(means - end).min() < 1e-12
        inside, outside = (
            stats.wilcoxon(differences - end - step, method="exact").pvalue for step in (-outwards, outwards)
        )
        assert inside > alpha >= outside


@given(seeds, st.integers(51, 300), st.integers(0, 3))
@examples(max_examples=costly(20))
def test_of_many_differences_it_ends_in_the_walsh_average_of_the_normal_distribution(seed, queries, digits) -> None:
    differences = np.round(np.random.default_rng(seed).normal(0.3, 1, queries), digits)
    kept = differences[differences != 0.0]
    whole = len(kept) * (len(kept) + 1) / 2
    most = int(np.floor(whole / 2 - stats.norm.ppf(0.975) * np.sqrt(whole * (2 * len(kept) + 1) / 12)))
    if len(kept) > 50:
        means = walsh(kept)
        assert rank_interval(differences, 1e-12, 0.05) == pytest.approx((means[most], means[-1 - most]), abs=1e-9)


def test_differences_of_0_are_left_out_as_the_test_leaves_them_out() -> None:
    differences = np.random.default_rng(2).normal(0.4, 1, 30)
    assert rank_interval(np.append(differences, np.zeros(500)), 1e-12, 0.05) == rank_interval(differences, 1e-12, 0.05)
    assert rank_interval(np.zeros(20), 1e-12, 0.05) == (0.0, 0.0)


def test_an_interval_of_equal_differences_has_its_ends_in_order() -> None:
    before = np.random.default_rng(0).random((200, 30))
    for values in before:
        low, high = rank_interval(values - (values - 0.04), 1e-15, 0.05)
        assert low <= high
        assert (low, high) == pytest.approx((0.04, 0.04))


def test_five_differences_have_no_interval() -> None:
    assert rank_interval(np.arange(1.0, 6.0), 1e-12, 0.05) == (-np.inf, np.inf)
    assert rank_interval(np.arange(1.0, 7.0), 1e-12, 0.05) == (1.0, 6.0)


# Two samples


def welch(a: np.ndarray, b: np.ndarray) -> float:
    return float(stats.ttest_ind(b, a, equal_var=False).statistic)


def two_samples_naive(first: np.ndarray, second: np.ndarray) -> list[float]:
    """Go through all ways of dealing the blocks out; count those whose largest t reaches that of each number."""
    values, of_first = np.concatenate([first, second], axis=1), first.shape[1]
    blocks = range(values.shape[1])
    largest = []
    for chosen in combinations(blocks, values.shape[1] - of_first):
        others = [block for block in blocks if block not in chosen]
        largest.append(max(abs(welch(row[others], row[list(chosen)])) for row in values))
    observed = [abs(welch(a, b)) for a, b in zip(first, second, strict=True)]
    return [sum(one >= t - 1e-9 for one in largest) / len(largest) for t in observed]


@pytest.mark.parametrize(("of_first", "of_second"), first_of((4, 4), (3, 5), (2, 4)))
def test_p_is_the_share_of_all_ways_whose_largest_t_reaches_it(of_first, of_second):
    random = np.random.default_rng(1)
    first, second = random.normal(size=(3, of_first)), random.normal(0.8, size=(3, of_second))
    found = shift(first, second)
    assert found.p == pytest.approx(two_samples_naive(first, second))
    assert found.difference == pytest.approx(second.mean(axis=1) - first.mean(axis=1))


def test_one_number_alone_is_as_scipy_has_it():
    random = np.random.default_rng(2)
    first, second = random.exponential(size=(1, 5)), random.exponential(2.0, size=(1, 5))
    expected = stats.permutation_test(
        (first[0], second[0]), welch, permutation_type="independent", n_resamples=math.inf, vectorized=False
    )
    assert shift(first, second).p[0] == pytest.approx(expected.pvalue)


@pytest.mark.parametrize("blocks", first_of(6, 12))
def test_an_interval_lacks_0_where_and_only_where_p_is_at_most_alpha(blocks):
    random = np.random.default_rng(3)
    both = {True: 0, False: 0}
    for _ in range(60):
        found = shift(random.normal(size=(2, blocks)), random.normal([[0.0], [1.3]], 1.0, size=(2, blocks)), seed=1)
        for low, high, p in zip(found.low, found.high, found.p, strict=True):
            assert bool(low <= 0.0 <= high) is bool(p > 0.05)
            both[bool(p > 0.05)] += 1
    assert min(both.values()) > 10


@pytest.mark.slow  # a simulated rate
def test_equal_systems_are_called_different_in_no_more_than_5_percent_over_all_numbers():
    random = np.random.default_rng(4)
    false = sum(
        (shift(random.exponential(size=(5, 6)), random.exponential(size=(5, 6))).p <= 0.05).any() for _ in range(400)
    )
    assert false <= 0.05 * 400 + 2.3 * math.sqrt(400 * 0.05 * 0.95)


def test_what_never_differs_has_no_difference_and_what_always_does_has_one():
    same = shift(np.full((1, 6), 0.3), np.full((1, 6), 0.3))
    assert (same.p[0], same.low[0], same.high[0]) == (1.0, 0.0, 0.0)
    apart = shift(np.full((1, 6), 0.3), np.full((1, 6), 0.4))
    assert apart.p[0] == pytest.approx(2 / 924)
    assert apart.low[0] == apart.high[0] == pytest.approx(0.1)


def test_many_blocks_are_dealt_out_at_random_and_the_same_by_the_same_seed():
    random = np.random.default_rng(5)
    first, second = random.normal(size=(1, 20)), random.normal(3.0, size=(1, 20))
    one, same = shift(first, second, seed=1), shift(first, second, seed=1)
    assert one.p[0] == same.p[0] == pytest.approx(1 / 10_001)


def test_three_blocks_each_cannot_reach_5_percent():
    found = shift(np.array([[0.0, 0.1, 0.2]]), np.array([[9.0, 9.1, 9.2]]))
    assert found.p[0] == pytest.approx(2 / 20)
    assert found.low[0] <= 0.0


# Ranks, and the ranks that the tests leave open


@given(st.lists(st.integers(0, 5), min_size=2, max_size=7), st.data())
def test_an_interval_counts_who_is_better_and_who_is_worse(wholes: list[int], data: st.DataObject) -> None:
    means = np.array(wholes) / 10
    pairs = list(itertools.combinations(range(len(means)), 2))
    p = data.draw(st.lists(st.floats(0, 0.1), min_size=len(pairs), max_size=len(pairs)))
    found = [pair for pair, rejected in zip(pairs, naive.holm(p, 0.0503), strict=True) if rejected]
    ways = np.array([np.sign(means[b] - means[a]) for a, b in pairs], np.int64)
    low, high = rank_intervals(len(means), np.array(p), ways, 0.0503)
    for system in range(len(means)):
        assert (low[system], high[system]) == naive.rank_interval(system, wholes, found)
        assert low[system] <= ranks(means, 1e-15)[system] <= high[system]


def test_equal_means_share_the_better_rank_also_where_rounding_tells_them_apart() -> None:
    assert ranks(np.array([0.1 + 0.2, 0.9, 0.3, 0.1]), 1e-15).tolist() == [2, 1, 2, 4]


def test_means_that_differ_by_just_what_rounds_are_equal() -> None:
    assert ranks(np.array([0.5, 0.25, 0.0]), 0.25).tolist() == [1, 1, 2]
    assert ranks(np.array([0.5, 0.5]), 0.0).tolist() == [1, 1]


def test_a_corrected_p_value_of_just_alpha_is_a_finding() -> None:
    low, high = rank_intervals(2, np.array([0.05]), np.array([1]), 0.05)
    assert (low.tolist(), high.tolist()) == ([2, 1], [2, 1])


def test_without_a_finding_every_rank_is_open() -> None:
    low, high = rank_intervals(3, np.ones(3), np.ones(3, np.int64), 0.05)
    assert (low.tolist(), high.tolist()) == ([1, 1, 1], [3, 3, 3])


# The smallest difference that so many queries could have shown


@given(st.integers(5, 10_000), st.sampled_from([0.01, 0.05, 0.1]), st.sampled_from([0.5, 0.8, 0.9]))
def test_the_test_finds_the_effect_with_the_power_asked_for(queries: int, alpha: float, power: float) -> None:
    effect = detectable_effect(queries, alpha, power)
    edge, shift = stats.t.ppf(1 - alpha / 2, queries - 1), effect * math.sqrt(queries)
    chance = 1 - special.nctdtr(queries - 1, shift, edge) + special.nctdtr(queries - 1, shift, -edge)
    assert math.isnan(chance) or chance == pytest.approx(power, abs=1e-8)  # scipy has gaps


def test_two_queries_show_only_what_is_very_large() -> None:
    """Where scipy's noncentral t has no digits: simulated, since nothing else has them."""
    effect = detectable_effect(2, 0.05, 0.8)
    drawn = np.random.default_rng(1).normal(effect, 1, (200_000, 2))
    t = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / math.sqrt(2))
    assert (abs(t) > stats.t.ppf(0.975, 1)).mean() == pytest.approx(0.8, abs=0.005)


def test_more_queries_show_less() -> None:
    effects = [detectable_effect(queries, 0.05, 0.8) for queries in (2, 3, 10, 100, 10**4, 10**6)]
    assert effects == sorted(effects, reverse=True)
    assert effects[-1] == pytest.approx((1.959964 + 0.841621) / 1000, rel=1e-4)  # the normal limit


@given(st.floats(0.01, 5.0), st.sampled_from([0.01, 0.05, 0.1]), st.sampled_from([0.2, 0.5, 0.8, 0.9]))
def test_so_many_queries_show_the_effect_and_one_fewer_does_not(effect: float, alpha: float, power: float) -> None:
    queries = queries_needed(effect, alpha, power)
    assert detectable_effect(queries, alpha, power) <= effect * (1 + 1e-9)
    assert queries == 2 or detectable_effect(queries - 1, alpha, power) > effect * (1 - 1e-9)


def test_a_tiny_effect_needs_as_many_queries_as_the_normal_distribution_says() -> None:
    assert queries_needed(1e-6, 0.05, 0.8) == pytest.approx(((1.959964 + 0.841621) * 1e6) ** 2, rel=1e-6)


# Holm, Bonferroni and Benjamini-Hochberg, beside their definitions and statsmodels

p_values = st.lists(st.floats(0, 1) | st.sampled_from([0.01, 0.02, 0.04, 1.0]), min_size=1, max_size=30)


@given(p_values, st.sampled_from([0.0503, 0.0307, 0.2011]))
def test_what_is_significant_is_what_the_definitions_reject(p: list[float], alpha: float) -> None:
    assert (holm(np.array(p)) <= alpha).tolist() == naive.holm(p, alpha)
    assert (benjamini_hochberg(np.array(p)) <= alpha).tolist() == naive.benjamini_hochberg(p, alpha)
    assert (bonferroni(np.array(p)) <= alpha).tolist() == naive.bonferroni(p, alpha)


def test_a_family_of_one_and_of_none_is_not_corrected() -> None:
    for method in get_args(Correction):
        assert corrected(np.array([0.03]), method).tolist() == [0.03]
        assert corrected(np.array([]), method).tolist() == []
    assert corrected(np.array([0.03, 0.04]), "none").tolist() == [0.03, 0.04]
    assert corrected(np.array([0.03, 0.04]), "holm").tolist() == [0.06, 0.06]
    assert corrected(np.array([0.6, 0.04]), "bonferroni").tolist() == [1.0, 0.08]
    assert corrected(np.array([0.03, 0.04]), "bh").tolist() == [0.04, 0.04]


@pytest.mark.parametrize("correction", get_args(Correction))
def test_one_p_value_of_as_many_resamples_as_are_needed_can_be_significant(correction: Correction) -> None:
    for tests in (1, 3, 300, 19_999):
        needed = resamples_needed(tests, correction, 0.05)
        p = np.ones(tests)
        for resamples, can in ((needed, True), (needed - 2, False)):
            p[0] = 1 / (resamples + 1)
            least = p if correction == "maxt" else corrected(p, correction)
            assert bool(least[0] <= 0.05) == can


# Step-down maxT beside its definition in whole numbers, and intervals that hold together

few_units = st.integers(2, 4).flatmap(
    lambda systems: st.lists(st.lists(st.integers(0, 5), min_size=systems, max_size=systems), min_size=2, max_size=6)
)


def flips_of(sums: np.ndarray, sizes: np.ndarray | None = None, resamples: int = 500, seed: int = 0) -> FlippedMaxima:
    """Flip the signs of columns (columns, units)."""
    return flipped_maxima(sums, np.ones(sums.shape[1]) if sizes is None else sizes, resamples, seed)


def all_pairs(sums: np.ndarray) -> np.ndarray:
    return np.array(list(combinations(range(len(sums)), 2)))


def stepped(drawn: FlippedMaxima) -> np.ndarray:
    pairs = all_pairs(drawn.sums)
    return step_down(drawn, pairs, np.full(len(pairs), 1e-15))


def intervals(drawn: FlippedMaxima) -> tuple[np.ndarray, np.ndarray]:
    pairs = all_pairs(drawn.sums)
    return simultaneous_intervals(drawn, drawn, pairs, np.full(len(pairs), 1e-15), 0.05)


def t_values(drawn: FlippedMaxima) -> np.ndarray:
    """Return Student's t of each pair over all patterns (tests, patterns), the long way."""
    units = drawn.sums.shape[1]
    totals = 2 * drawn.kept_sums - drawn.sums.sum(axis=1, keepdims=True)
    found = []
    for a, b in all_pairs(drawn.sums):
        square, total = ((drawn.sums[b] - drawn.sums[a]) ** 2).sum(), totals[b] - totals[a]
        found.append(total / units / np.sqrt((square - total**2 / units) / (units - 1) / units))
    return np.array(found)


@given(few_units)
def test_few_units_are_corrected_as_the_definition_says(rows: list[list[int]]) -> None:
    sums = np.array(rows).T / 10
    exact = [[Fraction(row[b] - row[a]) for row in rows] for a, b in all_pairs(sums)]
    assert stepped(flips_of(sums)).tolist() == pytest.approx([float(p) for p in naive.max_t(exact)])


@given(seeds, st.integers(2, 5), st.integers(14, 60))
def test_the_statistic_is_students_t(seed: int, systems: int, queries: int) -> None:
    values = np.random.default_rng(seed).normal(size=(systems, queries))
    drawn, pairs = flips_of(values, resamples=300), all_pairs(values)
    differences = values[pairs[:, 1]] - values[pairs[:, 0]]
    own = np.abs(differences.mean(axis=1)) / (differences.std(axis=1, ddof=1) / np.sqrt(queries))
    order, t = np.argsort(-own), np.abs(t_values(drawn))
    steps = [(np.sum(t[order[place:]].max(axis=0) >= own[order[place]]) + 1) / 301 for place in range(len(pairs))]
    assert stepped(drawn)[order] == pytest.approx(np.maximum.accumulate(steps))


@given(seeds, st.integers(14, 80))
def test_a_family_of_one_is_not_corrected(seed: int, queries: int) -> None:
    values = like_measures(seed, 1, 2, queries)
    alone = compare(paired_of(values), CompareSettings(resamples=500, seed=seed)).differences[0]
    together = compare(paired_of(values), CompareSettings(resamples=500, seed=seed, correction="maxt")).differences[0]
    assert together.corrected["randomization"] == alone.p["randomization"]


@given(seeds, st.integers(3, 6), st.integers(7, 60))
def test_corrected_p_values_are_between_the_plain_and_the_single_step_ones_in_the_order_of_t(
    seed: int, systems: int, units: int
) -> None:
    values = like_measures(seed, 1, systems, units)[0]
    drawn, pairs = flips_of(values, seed=seed), all_pairs(values)
    p = stepped(drawn)
    alone = [step_down(drawn, pair[None], np.array([1e-15]))[0] for pair in pairs]
    roots = np.sqrt([((values[b] - values[a]) ** 2).sum() for a, b in pairs])
    sums = np.array([abs((values[b] - values[a]).sum()) for a, b in pairs])
    telling = np.divide(sums, roots, out=np.zeros(len(pairs)), where=roots > 0)
    flipped = 2 * drawn.kept_sums - values.sum(axis=1, keepdims=True)
    far = np.abs(flipped[pairs[:, 1]] - flipped[pairs[:, 0]])
    largest = np.divide(far, roots[:, None], out=np.zeros_like(far), where=roots[:, None] > 0).max(axis=0)
    more = 0 if drawn.exact else 1
    single = [(np.sum(largest >= one - 1e-9) + more) / (len(largest) + more) for one in telling]
    assert (p >= np.array(alone) - 1e-12).all()
    assert (p <= np.array(single) + 1e-12).all()
    assert (np.diff(p[np.argsort(-telling, kind="stable")]) >= 0).all()
    assert p[telling.argmax()] == pytest.approx(single[telling.argmax()])


def test_systems_that_are_alike_cost_less_than_holm() -> None:
    """Twelve copies of one system beside another are one question, not twelve."""
    rng = np.random.default_rng(1)
    first, second = rng.normal(0, 1, 40), rng.normal(0.5, 1, 40)
    sums = np.concatenate([first[None], np.repeat(second[None], 12, axis=0)])
    pairs = np.array([[0, other] for other in range(1, 13)])
    drawn = flips_of(sums, resamples=2000)
    found = step_down(drawn, pairs, np.full(12, 1e-15))
    assert found == pytest.approx(np.repeat(step_down(drawn, pairs[:1], np.array([1e-15])), 12))


def test_all_patterns_of_the_units_that_differ_are_gone_through_when_they_are_not_more() -> None:
    """The other units are nothing to flip: the p-values are those of six units, whatever the seed."""
    few = np.random.default_rng(2).normal(size=(3, 6))
    many = np.concatenate([few, np.full((3, 70), 0.25)], axis=1)
    whole, pairs, rounding = flips_of(many), np.array([[0, 1], [0, 2], [1, 2]]), np.full(3, 1e-15)
    found = maxima_of_units_that_differ(whole, pairs, rounding, 500, 0)
    assert found.exact
    assert step_down(found, pairs, rounding).tolist() == stepped(flips_of(few)).tolist()
    everywhere = flips_of(np.random.default_rng(2).normal(size=(3, 70)))
    assert maxima_of_units_that_differ(everywhere, pairs, rounding, 500, 0) is everywhere


def test_equal_systems_are_never_told_apart_and_have_the_interval_0() -> None:
    values = np.repeat(like_measures(1, 1, 1, 70)[0], 3, axis=0)
    drawn = flips_of(values)
    assert stepped(drawn).tolist() == [1.0, 1.0, 1.0]
    assert [end.tolist() for end in intervals(drawn)] == [[0.0] * 3] * 2


def test_where_too_few_units_differ_for_any_test_every_interval_holds_0() -> None:
    """Three of seventy queries differ, all up: no sign-flip test finds that, though Student's interval would."""
    values = np.zeros((3, 70))
    values[1, :3] = values[2, :3] = 0.5
    pairs, rounding, whole = np.array([[0, 1], [0, 2], [1, 2]]), np.full(3, 1e-15), flips_of(values)
    few = maxima_of_units_that_differ(whole, pairs, rounding, 500, 0)
    low, high = simultaneous_intervals(few, whole, pairs, rounding, 0.05)
    assert step_down(few, pairs, rounding).tolist() == [0.25, 0.25, 1.0]
    assert low.tolist()[:2] == [0.0, 0.0] or (low[:2] < 0).all()
    assert (high[:2] > values[1].mean()).all()
    assert np.isfinite([low, high]).all()


@given(seeds, st.integers(2, 5), st.integers(14, 60), st.booleans())
def test_an_interval_without_0_always_has_a_corrected_p_value_of_at_most_alpha(
    seed: int, systems: int, units: int, grouped: bool
) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, units).astype(float) if grouped else np.ones(units)
    sums = rng.normal(np.linspace(0, 0.6, systems)[:, None] * sizes, sizes**0.5, (systems, units))
    drawn = flips_of(sums, sizes, seed=seed)
    low, high = intervals(drawn)
    means = sums.sum(axis=1) / sizes.sum()
    pairs = all_pairs(sums)
    mean = means[pairs[:, 1]] - means[pairs[:, 0]]
    assert ((low <= mean) & (mean <= high)).all()
    assert (stepped(drawn)[(low > 0) | (high < 0)] <= 0.05).all()


def test_units_of_one_size_have_students_intervals_with_a_bound_for_all() -> None:
    values = np.random.default_rng(5).normal(0, 1, (4, 30))
    drawn = flips_of(values, resamples=2000)
    low, high = intervals(drawn)
    pairs = all_pairs(values)
    differences = values[pairs[:, 1]] - values[pairs[:, 0]]
    errors = differences.std(axis=1, ddof=1) / np.sqrt(30)
    assert (low + high) / 2 == pytest.approx(differences.mean(axis=1))
    bounds = (high - low) / 2 / errors
    assert np.ptp(bounds) < 1e-9
    t = np.sort(np.abs(t_values(drawn)).max(axis=0))
    assert t[int(0.93 * 2000)] < bounds[0] < t[int(0.97 * 2000)]


def test_fewer_units_than_can_show_anything_bound_nothing() -> None:
    low, high = intervals(flips_of(np.random.default_rng(0).normal(size=(3, 5))))
    assert np.isneginf(low).all()
    assert np.isposinf(high).all()
