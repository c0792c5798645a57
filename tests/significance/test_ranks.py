"""Ranks, and the ranks that the tests leave open."""

import itertools

import naive
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchbench.significance.ranks import rank_intervals, ranks


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
