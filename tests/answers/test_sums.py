"""Intervals of means over answers and passages, with and without groups."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchbench.answers.sums import GroupSums, Sums, interval

shares = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=2, max_size=30)


def of_groups(scores: list[float], groups: list[str]) -> GroupSums:
    found = GroupSums()
    found.add(zip(groups, scores, strict=True))
    return found


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_scores_that_are_all_0_or_all_1_have_an_interval(score: float):
    found = interval(Sums.of([score] * 12), is_share=True)
    expected = stats.binomtest(int(12 * score), 12).proportion_ci(method="wilson")
    assert (found.low, found.high) == (pytest.approx(expected.low), pytest.approx(expected.high))
    assert found.method == "Wilson"


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=400))
def test_scores_of_0_and_1_have_wilsons_interval(scores: list[float]):
    sums = Sums.of(scores[:7])
    sums.merge(Sums.of(scores[7:]))
    found = interval(sums, is_share=True)
    expected = stats.binomtest(int(sum(scores)), len(scores)).proportion_ci(method="wilson")
    assert (found.low, found.high) == (pytest.approx(expected.low, abs=1e-9), pytest.approx(expected.high))


@given(shares)
def test_one_score_between_0_and_1_makes_the_normal_approximation(scores: list[float]):
    scores[0] = 0.5
    found = interval(Sums.of(scores), is_share=True)
    half = 1.959963984540054 * np.std(scores, ddof=1) / math.sqrt(len(scores))
    assert found.method == "normal approximation"
    assert found.low == pytest.approx(max(0.0, np.mean(scores) - half), abs=1e-9)
    assert found.high == pytest.approx(min(1.0, np.mean(scores) + half), abs=1e-9)


def test_one_number_has_no_interval_unless_it_is_a_share_of_1():
    assert interval(Sums.of([82.0]), is_share=False).low is None
    assert interval(Sums.of([0.5]), is_share=True).high is None
    assert interval(Sums.of([1.0]), is_share=True).low == pytest.approx(0.2065, abs=1e-4)


def naive(scores: list[float], groups: list[str]) -> tuple[float, float]:
    """Return the lowest and highest mean, of a fine grid, that sign flips of the groups do not reject at 0.05."""
    names, found = np.unique(groups, return_inverse=True)
    signs = np.array(list(itertools.product((1, -1), repeat=len(names))))
    kept = []
    for mean in np.linspace(-0.05, 1.05, 2201):
        sums = np.bincount(found, np.array(scores) - mean)
        flips = signs @ sums
        if np.mean(np.abs(flips) >= abs(sums.sum()) - 1e-12) > 0.05:
            kept.append(mean)
    return max(kept[0], 0.0), min(kept[-1], 1.0)


@pytest.mark.parametrize("seed", range(4))
def test_the_interval_of_groups_has_the_means_that_sign_flips_do_not_reject(seed: int):
    rng = np.random.default_rng(seed)
    groups = [f"d{n}" for n in rng.integers(0, 9, 60)]
    level = {name: rng.uniform(0.2, 0.8) for name in set(groups)}
    scores = [float(np.clip(rng.normal(level[name], 0.1), 0, 1)) for name in groups]
    found = interval(Sums.of(scores), True, of_groups(scores, groups), "document")
    assert (found.low, found.high) == (pytest.approx(naive(scores, groups), abs=6e-4))
    assert found.method == f"sign flips of {len(set(groups))} groups of document"


def test_the_design_effect_is_the_variance_of_groups_over_that_of_questions():
    scores, groups = [0.0, 0.0, 1.0, 1.0, 0.5, 0.5], list("aabbcc")
    found = interval(Sums.of(scores), True, of_groups(scores, groups), "d")
    between = np.var([0.0, 1.0, 0.5], ddof=1) / 3
    assert found.design_effect == pytest.approx(between / (np.var(scores, ddof=1) / 6))
    assert (found.low, found.high) == (None, None)  # three groups tell nothing at 0.05


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_groups_of_equal_scores_have_an_interval_as_so_many_questions_have(score: float):
    scores, groups = [score] * 40, [f"d{n % 8}" for n in range(40)]
    found, alone = interval(Sums.of(scores), True, of_groups(scores, groups), "d"), interval(Sums.of(scores[:8]), True)
    assert (found.low, found.high, found.method) == (alone.low, alone.high, "Wilson over 8 groups of d")


@pytest.mark.parametrize("number", [1, 5])
def test_so_few_groups_of_equal_scores_have_no_interval_either(number: int):
    scores, groups = [1.0] * 20, [f"d{n % number}" for n in range(20)]
    found = interval(Sums.of(scores), True, of_groups(scores, groups), "d")
    assert (found.low, found.high, found.design_effect) == (None, None, None)


def test_the_order_of_answers_is_no_matter():
    rng = np.random.default_rng(7)
    scores = rng.choice([0.0, 0.5, 1.0], 80).tolist()
    groups = [f"d{n}" for n in rng.integers(0, 30, 80)]
    turned = of_groups(scores[::-1], groups[::-1])
    parts = of_groups(scores[:33], groups[:33])
    parts.merge(of_groups(scores[33:], groups[33:]))
    sums = Sums.of(scores)
    assert interval(sums, True, turned, "d") == interval(sums, True, parts, "d")
