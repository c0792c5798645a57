"""Means of how alike lists are, with intervals that say something where no query differs."""

import numpy as np
import pytest
from scipy import stats

from benchbench.measures.agreement import resolve
from benchbench.runs.likeness import likenesses, numbers_of

VALUES = np.array([[0.5, 0.75, 1.0, 0.25], [1.0, 0.0, 0.0, 1.0], [0.5, np.nan, -1.0, 1.0]])


def test_means_are_over_the_queries_that_have_a_value():
    found = likenesses(resolve(["RBO", "top_changed", "tau"]), VALUES)
    assert [(one.mean, one.queries) for one in found] == [(0.625, 4), (0.5, 4), (pytest.approx(1 / 6), 3)]
    form = "Wilson's form with Student's t, 95 %"
    assert [one.interval for one in found] == [form, "Wilson, 95 %", form]
    assert all(one.low < one.mean < one.high for one in found)


def test_queries_of_one_value_have_an_interval_that_is_no_point():
    """Tau begins at -1, the others at 0."""
    overlap, tau, middle = likenesses(
        resolve(["overlap@3", "tau", "RBO"]), np.array([[1.0] * 12, [1.0] * 12, [0.5] * 12])
    )
    share = stats.binomtest(12, 12).proportion_ci(method="wilson").low
    assert (overlap.low, overlap.high) == pytest.approx((share, 1.0))
    assert (tau.low, tau.high) == pytest.approx((2 * share - 1, 1.0))
    assert middle.low < 0.5 < middle.high


def test_one_query_and_none_have_no_interval():
    one, none = likenesses(resolve(["RBO", "tau"]), np.array([[0.5], [np.nan]]))
    assert (one.mean, one.low, one.queries, one.interval) == (0.5, None, 1, None)
    assert (none.mean, none.high, none.queries, none.interval) == (None, None, 0, None)
    assert [number.value for number in numbers_of([one, none], {})] == [0.5, None]
