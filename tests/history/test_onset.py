"""Since which run a measure has changed."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.history.check.run_values import onset


def naive(differences: list[float]) -> int:
    """Of every step down the one that leaves the smallest sum of squares."""
    known = [place for place, one in enumerate(differences) if math.isfinite(one)]
    best, least = known[-1], sum(differences[place] ** 2 for place in known)
    for first in range(len(known)):
        after = [differences[place] for place in known[first:]]
        level = sum(after) / len(after)
        rest = sum(differences[place] ** 2 for place in known[:first]) + sum((one - level) ** 2 for one in after)
        if level < 0 and rest < least - 1e-9:
            best, least = known[first], rest
    return best


@given(st.lists(st.one_of(st.just(math.nan), st.integers(-20, 20).map(float)), min_size=1, max_size=12))
def test_it_is_the_step_that_explains_most(differences: list[float]) -> None:
    if any(map(math.isfinite, differences)):
        found, expected = onset(np.array(differences)), naive(differences)
        if found != expected:  # two steps explain as much
            known = [one for one in differences if math.isfinite(one)]
            at = [sum(math.isfinite(one) for one in differences[:place]) for place in (found, expected)]
            explained = [sum(known[first:]) ** 2 / len(known[first:]) for first in at]
            assert explained[0] == pytest.approx(explained[1])


@pytest.mark.parametrize("first", [0, 3, 9])
def test_a_planted_step_is_found_where_it_is(first: int) -> None:
    noise = np.random.default_rng(3).normal(0.0, 0.1, 10)
    assert onset(noise - (np.arange(10) >= first)) == first


def test_where_nothing_fell_it_is_the_latest_run():
    assert onset(np.array([0.1, 0.2, 0.3])) == 2


def test_a_run_without_a_value_is_none():
    assert onset(np.array([0.0, math.nan, -1.0, -1.0])) == 2
    assert onset(np.array([math.nan])) == 0
    assert onset(np.array([])) == 0
