"""Running sums give what numpy gives over all answers at once."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.answers.metrics import NULL, Metric, Value
from benchbench.answers.summary import Summary, Sums
from benchbench.tables.answers import Answer, Question

scores = st.lists(st.floats(0, 1) | st.just(NULL), min_size=1, max_size=50)
METRIC = Metric("m", "", lambda answer: 0.0, good=0.8, acceptable=0.5)
SHARE = Metric("s", "", lambda answer: 0.0, binary=True)


def added(values: list[float], metric: Metric = METRIC, **group: str) -> Summary:
    summary = Summary([metric])
    for value in values:
        response = None if value == NULL else "x"
        failure = "none" if response is None else None
        summary.add(Answer(Question("?", "t", **group), response, failure=failure), [Value(value)])
    return summary


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50))
def test_sums_are_those_of_numpy(numbers: list[float]):
    sums = Sums()
    for number in numbers:
        sums.add(number)
    assert sums.mean == pytest.approx(np.mean(numbers), rel=1e-9, abs=1e-6)
    assert sums.deviation == pytest.approx(np.std(numbers, ddof=1) if len(numbers) > 1 else 0.0, rel=1e-6, abs=1e-6)
    assert (sums.low, sums.high) == (min(numbers), max(numbers))


@given(scores)
def test_null_answers_are_counted_and_in_no_mean(values: list[float]):
    summary = added(values)
    (line,) = summary.lines()
    kept = [value for value in values if value != NULL]
    assert (line.answers, line.nulls) == (len(kept), len(values) - len(kept))
    assert summary.total == len(values)
    assert sum(summary.failures.values()) == line.nulls
    if kept:
        assert line.mean == pytest.approx(np.mean(kept), abs=1e-12)
    else:
        assert line.mean is None


def test_the_interval_of_a_share_is_wilsons():
    (line,) = added([1.0] * 9 + [0.0], SHARE).lines()
    assert (line.low, line.high) == (pytest.approx(0.5958499732047615), pytest.approx(0.9821237869049271))
    (line,) = added([1.0] * 10, SHARE).lines()
    assert line.low == pytest.approx(0.7224672001371107)


def test_the_mean_where_something_was_expected_is_apart():
    summary = Summary([METRIC])
    for value in (Value(1.0, expected=False), Value(0.5), Value(0.0)):
        summary.add(Answer(Question("?", "t"), "x"), [value])
    (line,) = summary.lines()
    assert (line.mean, line.expected, line.mean_expected) == (0.5, 2, 0.25)


@pytest.mark.parametrize(
    ("mean", "band"), [(1.0, "good"), (0.81, "good"), (0.8, "acceptable"), (0.5, "acceptable"), (0.4, "poor")]
)
def test_bands_are_those_of_the_seed(mean: float, band: str):
    (line,) = added([mean]).lines()
    assert line.band == band


def test_groups_are_by_source_type_and_by_category():
    summary = added([1.0, 0.0], source_type="CPR", category="Costs")
    assert list(summary.groups()) == [("", ""), ("category", "Costs"), ("source_type", "CPR")]
    assert summary.lines(("category", "Costs")) == summary.lines()


def test_what_is_not_a_number_is_in_no_mean():
    (line,) = added([math.nan, 1.0]).lines()
    assert (line.answers, line.mean) == (1, 1.0)
