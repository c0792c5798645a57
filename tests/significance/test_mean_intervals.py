"""Intervals of means over grouped queries: what sign flips of the groups leave open, and what grouping costs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from significance.drawn import flipped

from benchbench.significance.mean_intervals import design_effect, few_groups, group_interval, said_of_groups
from benchbench.tables.groups import Groups, grouped

seeds = st.integers(0, 2**32)


@given(seeds, st.integers(6, 10))
def test_the_interval_ends_where_all_sign_flips_begin_to_reject(seed: int, number: int) -> None:
    rng = np.random.default_rng(seed)
    sizes, sums = rng.integers(1, 9, number).astype(float), rng.normal(1, 2, (number, 2))
    low, high = group_interval(sums, sizes, 0.05, 10_000, 0)
    for column, ends in zip(sums.T, zip(low, high, strict=True), strict=True):
        width = ends[1] - ends[0]
        for end, outwards in zip(ends, (-1, 1), strict=True):
            assert flipped(column, sizes, end) > 0.05
            assert flipped(column, sizes, end + outwards * 1e-6 * width) <= 0.05


def test_random_subsets_give_what_all_subsets_give_up_to_chance() -> None:
    rng = np.random.default_rng(3)
    sizes, sums = rng.integers(1, 9, 13).astype(float), rng.normal(1, 2, (13, 1))
    exact, drawn = (np.ravel(group_interval(sums, sizes, 0.05, number, 0)) for number in (10_000, 8_000))
    assert drawn == pytest.approx(exact, abs=0.05 * (exact[1] - exact[0]))


def test_fewer_than_six_groups_have_no_interval() -> None:
    assert group_interval(np.arange(5.0)[:, None], np.ones(5), 0.05, 1000, 0) is None
    assert group_interval(np.arange(6.0)[:, None], np.ones(6), 0.05, 1000, 0) is not None
    assert group_interval(np.ones((1, 1)), np.ones(1), 0.05, 1000, 0) is None


def test_the_interval_covers_where_queries_of_a_group_are_alike() -> None:
    """12 groups of 10 with a correlation of 0.5; an interval over queries would cover some 60 %."""
    rng = np.random.default_rng(5)
    values = np.sqrt(0.5) * rng.normal(size=(600, 12, 1)) + np.sqrt(0.5) * rng.normal(size=(600, 12, 10))
    low, high = group_interval(values.sum(axis=2).T, np.full(12, 10.0), 0.05, 5000, 0)
    assert 0.92 <= np.mean((low <= 0) & (high >= 0)) <= 0.98


@given(st.integers(2, 30), st.integers(2, 5), seeds)
def test_the_design_effect_of_copies_is_their_number(number: int, copies: int, seed: int) -> None:
    own = np.random.default_rng(seed).normal(size=number)
    groups = grouped("document", np.repeat(np.arange(number), copies).tolist())
    queries = number * copies
    expected = copies * number / (number - 1) * (queries - 1) / queries
    assert design_effect(np.repeat(own, copies), groups) == pytest.approx(expected)


def test_the_design_effect_is_about_one_where_queries_of_a_group_are_not_alike() -> None:
    codes = np.repeat(np.arange(500), 4)
    found = design_effect(np.random.default_rng(2).normal(size=2000), Groups("document", codes, 500))
    assert found == pytest.approx(1.0, abs=0.15)
    assert design_effect(np.ones(2000), Groups("document", codes, 500)) == 1.0
    assert design_effect(np.arange(4.0), grouped("document", ["a"] * 4)) == 1.0


@pytest.mark.parametrize(
    ("number", "says"),
    [
        (1, "one group of x: so few have no interval"),
        (5, "5 groups of x: so few have no interval, and no p-value of their sign flips is 0.05 or less"),
        (6, "6 groups of x, fewer than 20"),
        (19, "19 groups of x"),
        (20, None),
    ],
)
def test_few_groups_are_said(number: int, says: str | None) -> None:
    said = few_groups("x", number, 0.05)
    assert said is None if says is None else says in said


def test_one_design_effect_is_said_once() -> None:
    assert said_of_groups("x", 30, [1.5, 1.5]) == "intervals are of 30 groups of x; design effect 1.5"
    assert said_of_groups("x", 30, [1.5, 2.0]) == "intervals are of 30 groups of x; design effect 1.5 to 2"
    assert said_of_groups("x", 30, []) == "intervals are of 30 groups of x"
