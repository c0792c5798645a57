import math
from itertools import combinations

import numpy as np
import pytest
from cases import first_of
from scipy import stats

from benchbench.significance.two_samples import shift


def welch(a: np.ndarray, b: np.ndarray) -> float:
    return float(stats.ttest_ind(b, a, equal_var=False).statistic)


def naive(first: np.ndarray, second: np.ndarray) -> list[float]:
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
    assert found.p == pytest.approx(naive(first, second))
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
