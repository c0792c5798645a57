"""Intervals of means: by shares, by Wilson's form, by Student's t; of queries, and of groups of them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from benchbench.significance.mean_intervals import (
    GroupSpread,
    few_groups,
    mean_interval,
    said_of_groups,
    standard_error,
)
from benchbench.significance.shares import MeanInterval
from benchbench.significance.student import student_quantile
from benchbench.tables.groups import Groups

values_of_a_measure = st.lists(st.sampled_from([0.0, 0.0, 0.25, 0.5, 0.63, 1.0, 1.0]), min_size=2, max_size=40)


def interval_of(values: np.ndarray, scale=(0.0, 1.0), codes: np.ndarray | None = None, **named) -> MeanInterval:
    """Return the interval of the mean of values, in groups by their codes."""
    apart = values - values.mean()
    spread = None
    if codes is not None:
        sums = np.bincount(codes, apart)
        spread = GroupSpread("document", len(sums), float(sums @ sums))
    return mean_interval(len(values), float(values.mean()), float(apart @ apart), scale, spread, **named)


@given(st.integers(1, 2000), st.floats(1e-4, 0.9))
def test_quantiles_of_t_are_those_of_scipy(freedom: int, beyond: float) -> None:
    assert student_quantile(beyond, freedom) == pytest.approx(special.stdtrit(freedom, 1.0 - beyond / 2.0), rel=1e-9)


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=2, max_size=60), st.sampled_from([0.05, 0.1]))
def test_values_of_0_and_1_have_wilsons_interval(values: list[float], alpha: float) -> None:
    found = interval_of(np.array(values), alpha=alpha)
    theirs = stats.binomtest(int(sum(values)), len(values)).proportion_ci(1 - alpha, "wilson")
    assert (found.low, found.high) == (pytest.approx(theirs.low, abs=1e-12), pytest.approx(theirs.high))
    assert found.method == "Wilson"


@given(values_of_a_measure, st.sampled_from([0.05, 0.1]))
def test_the_ends_of_wilsons_form_are_as_far_from_the_mean_as_t_says(values: list[float], alpha: float) -> None:
    """The variance at an end is that of a share there, as much larger as the values' is than that of a share."""
    its, n = np.array(values), len(values)
    found = interval_of(its, alpha=alpha)
    if found.method == "Wilson":
        return
    mean = its.mean()
    added = 0.05 * (mean**2 + (1.0 - mean) ** 2) / n**2
    smoothed = (n * mean + 0.05) / (n + 0.1)
    ratio = (its.var(ddof=1) / n + added) / (smoothed * (1.0 - smoothed))
    for end in (found.low, found.high):
        if 0.0 < end < 1.0:
            reach = stats.t.ppf(1 - alpha / 2, n - 1) * math.sqrt(end * (1.0 - end) * ratio)
            assert abs(end - mean) == pytest.approx(reach, rel=1e-6)


@given(values_of_a_measure)
def test_an_interval_has_width_holds_its_mean_and_stays_on_the_scale(values: list[float]) -> None:
    its = np.array(values)
    found, grades = interval_of(its), interval_of(1.0 + 4.0 * its, (1.0, 5.0))
    assert 0.0 <= found.low <= its.mean() <= found.high <= 1.0
    assert found.low < found.high
    assert (grades.low, grades.high) == pytest.approx((1.0 + 4.0 * found.low, 1.0 + 4.0 * found.high))


def test_numbers_without_ends_have_students_interval():
    values = np.array([2.0, 4.5, 3.1, 8.0])
    found = interval_of(values, None)
    theirs = stats.t.interval(0.95, 3, values.mean(), values.std(ddof=1) / 2)
    assert (found.low, found.high, found.method) == (*map(pytest.approx, theirs), "Student's t")


@pytest.mark.parametrize("scale", [(0.0, 1.0), None])
def test_one_value_and_one_group_have_no_interval(scale):
    assert interval_of(np.array([0.5]), scale) == MeanInterval(None, None, "none of one value")
    one = interval_of(np.array([0.5, 0.7]), scale, np.array([0, 0]))
    assert one == MeanInterval(None, None, "none of one group")
    assert standard_error(1, 0.0) is None
    assert standard_error(2, 0.02, GroupSpread("document", 1, 0.0)) is None


def test_groups_of_copies_are_worth_as_many_queries_as_there_are_groups():
    own = np.random.default_rng(1).random(12)
    alone = interval_of(own)
    found = interval_of(np.repeat(own, 5), codes=np.repeat(np.arange(12), 5))
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high))
    assert found.method == "Wilson's form with Student's t, 12 groups of document"
    assert found.design_effect == pytest.approx(5 * 12 / 11 * 59 / 60)
    error = own.std(ddof=1) / math.sqrt(12)
    apart = np.repeat(own, 5) - own.mean()
    sums = Groups("document", np.repeat(np.arange(12), 5), 12).sums(apart)
    spread = GroupSpread("document", 12, float(sums @ sums))
    assert standard_error(60, float(apart @ apart), spread) == pytest.approx(error)


def test_groups_whose_values_are_all_1_have_an_interval_with_a_width():
    found = interval_of(np.ones(40), codes=np.arange(40) // 5)
    assert found.high == 1.0
    assert 0.5 < found.low < 0.8
    assert found.design_effect is None


@pytest.mark.parametrize("groups", range(2, 40))
def test_rounding_leaves_no_mean_outside_its_interval(groups: int):
    codes = np.arange(2 * groups) // 2
    assert interval_of(np.ones(2 * groups), codes=codes).high == 1.0
    assert interval_of(np.zeros(2 * groups), codes=codes).low == 0.0


@pytest.mark.parametrize(
    ("number", "says"),
    [(1, "one group of x: it has no interval"), (2, "2 groups of x, fewer"), (19, "19 groups of x"), (20, None)],
)
def test_few_groups_are_said(number: int, says: str | None) -> None:
    sentence = few_groups("x", number)
    assert sentence is None if says is None else says in sentence


def test_one_design_effect_is_said_once() -> None:
    assert said_of_groups("x", 30, [1.5, 1.5]) == "intervals are of 30 groups of x; design effect 1.5"
    assert said_of_groups("x", 30, [1.5, 2.0]) == "intervals are of 30 groups of x; design effect 1.5 to 2"
    assert said_of_groups("x", 30, []) == "intervals are of 30 groups of x"


# How often intervals hold the mean of what the queries were drawn from

DRAWN = {
    "nDCG": lambda rng, n: np.where(rng.random(n) < 0.2, 0.0, rng.beta(2.0, 1.5, n)),
    "RR": lambda rng, n: rng.choice(
        [0.0, 0.1, 0.2, 0.25, 1 / 3, 0.5, 1.0], n, p=[0.1, 0.05, 0.05, 0.05, 0.1, 0.15, 0.5]
    ),
    "P@5": lambda rng, n: rng.binomial(5, rng.beta(0.6, 0.9, n)) / 5,
    "hits": lambda rng, n: (rng.random(n) < 0.6).astype(float),
    "grades": lambda rng, n: rng.choice([0.0, 0.25, 0.5, 0.75, 1.0], n, p=[0.04, 0.06, 0.15, 0.35, 0.4]),
}
SAMPLES, SIZES = 2_000, (10, 20, 50, 200, 1_000)


@pytest.mark.slow
@pytest.mark.parametrize("kind", DRAWN)
def test_intervals_of_few_and_of_many_queries_miss_in_one_sample_of_twenty(kind: str) -> None:
    """The misses are at most the 99 % point of as many draws at 5 %, with seeds fixed beforehand."""
    true = DRAWN[kind](np.random.default_rng(0), 4_000_000).mean()
    most = stats.binom.ppf(0.99, SAMPLES, 0.05)
    for size in SIZES:
        rng = np.random.default_rng(size)
        found = [interval_of(DRAWN[kind](rng, size)) for _ in range(SAMPLES)]
        assert sum(not one.low <= true <= one.high for one in found) <= most, size


@pytest.mark.slow
@pytest.mark.parametrize("groups", [6, 12, 40])
def test_intervals_of_groups_of_like_queries_miss_in_one_sample_of_twenty(groups: int) -> None:
    """Groups of five, whose values have a correlation of about a half; an interval over queries misses in a third."""
    codes, true = np.repeat(np.arange(groups), 5), 0.5
    rng, missed, alone = np.random.default_rng(groups), 0, 0
    for _ in range(SAMPLES):
        level = rng.beta(1.5, 1.5, groups)[codes]
        values = np.round(np.clip(level + rng.normal(0.0, 0.25, len(codes)), 0.0, 1.0) * 4.0) / 4.0
        found, as_queries = interval_of(values, codes=codes), interval_of(values)
        missed += not found.low <= true <= found.high
        alone += not as_queries.low <= true <= as_queries.high
    assert missed <= stats.binom.ppf(0.99, SAMPLES, 0.05)
    assert alone > 0.15 * SAMPLES
