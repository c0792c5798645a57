"""Running sums give what numpy gives over all answers at once."""

import math
import pickle
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchbench.answers.metrics import NULL, Mark, Metric, Value
from benchbench.answers.summary import CHUNK, Summary, Sums, Totals
from benchbench.tables.questions import Answer, Question

scores = st.lists(st.floats(0, 1) | st.just(NULL), min_size=1, max_size=50)
METRIC = Metric("m", "", lambda answer: 0.0, good=0.8, acceptable=0.5)
SHARE = Metric("s", "", lambda answer: 0.0, binary=True)


def answered(value: float, **group: str) -> tuple[Answer, list[Value]]:
    response, failure = (None, "none") if value == NULL else ("x", None)
    return Answer(Question("?", "t", **group), response, failure=failure), [Value(value)]


def added(values: list[float], metric: Metric = METRIC, **group: str) -> Summary:
    summary = Summary([metric])
    for value in values:
        summary.add(*answered(value, **group))
    return summary


numbers = st.lists(st.floats(-1e6, 1e6), max_size=50)


def as_numpy(sums: Sums, values: list[float]) -> None:
    """Compare running sums with numpy's of all numbers at once."""
    assert sums.count == len(values)
    if values:
        assert sums.mean == pytest.approx(np.mean(values), rel=1e-9, abs=1e-6)
        deviation = np.std(values, ddof=1) if len(values) > 1 else 0.0
        assert sums.deviation == pytest.approx(deviation, rel=1e-6, abs=1e-6)
        assert (sums.low, sums.high) == (min(values), max(values))


@given(numbers)
def test_sums_are_those_of_numpy(values: list[float]):
    as_numpy(Sums.of(values), values)


@given(st.lists(numbers, max_size=6))
def test_merged_sums_are_those_of_all_numbers(parts: list[list[float]]):
    sums = Sums()
    for part in parts:
        sums.merge(Sums.of(part))
    as_numpy(sums, [value for part in parts for value in part])


@given(numbers, st.randoms())
def test_the_order_of_numbers_is_no_matter(values: list[float], chance: random.Random):
    shuffled = list(values)
    chance.shuffle(shuffled)
    assert Sums.of(shuffled) == Sums.of(values)


def test_numbers_beyond_the_largest_are_infinite_or_none():
    assert Sums.of([1e308, 1e308]).mean == math.inf
    assert math.isnan(Sums.of([math.inf, -math.inf]).mean)


@given(st.lists(scores, max_size=5))
def test_totals_of_another_process_come_to_the_same_bits(parts: list[list[float]]):
    totals = [Totals.of([METRIC], [answered(value) for value in part]) for part in parts]
    one, other = Summary([METRIC]), Summary([METRIC])
    for part in totals:
        one.merge(part)
    for part in pickle.loads(pickle.dumps(totals)):
        other.merge(part)
    assert one.lines() == other.lines()
    assert one.total == sum(map(len, parts))


def test_answers_added_one_by_one_are_those_of_chunks():
    values = [random.Random(n).random() for n in range(2 * CHUNK + 7)]
    chunks = Summary([METRIC])
    for start in range(0, len(values), CHUNK):
        chunks.merge(Totals.of([METRIC], [answered(value) for value in values[start : start + CHUNK]]))
    assert added(values).lines() == chunks.lines()


def test_a_further_number_that_is_not_always_given_is_over_those_that_are():
    metric = Metric("m", "", lambda answer: 0.0, parts=("m_part", "m_never"))
    summary = Summary([metric])
    summary.add(answered(1.0)[0], [Value(1.0, parts={"m_part": 0.5})])
    summary.add(answered(0.0)[0], [Value(0.0)])
    lines = summary.lines().items()
    assert [(name, line.mean, line.answers) for name, line in lines] == [("m", 0.5, 2), ("m_part", 0.5, 1)]


@given(scores)
def test_null_answers_are_counted_and_in_no_mean(values: list[float]):
    summary = added(values)
    (line,) = summary.lines().values()
    kept = [value for value in values if value != NULL]
    assert (line.answers, line.nulls) == (len(kept), len(values) - len(kept))
    assert summary.total == len(values)
    assert sum(summary.totals.failures.values()) == line.nulls
    if kept:
        assert line.mean == pytest.approx(np.mean(kept), abs=1e-12)
    else:
        assert line.mean is None


def test_the_interval_of_a_share_is_wilsons():
    (line,) = added([1.0] * 9 + [0.0], SHARE).lines().values()
    assert (line.low, line.high) == (pytest.approx(0.5958499732047615), pytest.approx(0.9821237869049271))
    (line,) = added([1.0] * 10, SHARE).lines().values()
    assert line.low == pytest.approx(0.7224672001371107)


def test_a_share_has_no_interval_beyond_what_it_can_be():
    (line,) = added([1.0, 1.0, 0.9]).lines().values()
    assert (line.low > 0.8, line.high) == (True, 1.0)
    (line,) = added([0.0, 0.0, 0.1]).lines().values()
    assert line.low == 0.0
    for metric, values in ((METRIC, [1.0, 1.0, 1.1]), (Metric("t", "", lambda answer: 0.0, unit="s"), [1.0, 1.0, 0.9])):
        (line,) = added(values, metric).lines().values()
        assert line.high > 1.0


def test_a_score_of_minus_one_is_a_score_where_there_is_an_answer():
    summary = Summary([METRIC])
    summary.add(Answer(Question("?", "t"), "x"), [Value(-1.0)])
    summary.add(Answer(Question("?", "t"), "x"), [Value(0.0)])
    (line,) = summary.lines().values()
    assert (line.mean, line.answers, line.nulls) == (-0.5, 2, 0)


def test_failures_are_counted_without_what_differs_between_them():
    summary = Summary([METRIC])
    reasons = [f"HTTP 500: request {n}" for n in range(3)] + [f"not JSON: '{n}'" for n in range(2)]
    for reason in [*reasons, "HTTP 500", "no whole answer within 1 s"]:
        summary.add(Answer(Question("?", "t"), None, failure=reason), [Value(NULL)])
    assert summary.totals.failures == {"HTTP 500": 4, "not JSON": 2, "no whole answer within 1 s": 1}


def test_the_mean_where_something_was_expected_is_apart():
    summary = Summary([METRIC])
    for value in (Value(1.0, expected=False), Value(0.5), Value(0.0)):
        summary.add(Answer(Question("?", "t"), "x"), [value])
    (line,) = summary.lines().values()
    assert (line.mean, line.expected, line.mean_expected) == (0.5, 2, 0.25)


def test_a_metric_that_expected_nothing_is_not_tested():
    summary = Summary([METRIC])
    for _ in range(12):
        summary.add(Answer(Question("?", "t"), "x"), [Value(1.0, expected=False)])
    line = summary.lines()["m"]
    assert (line.mean, line.low, line.high, line.answers, line.expected, line.band) == (None,) * 3 + (
        12,
        0,
        "not tested",
    )
    summary.add(Answer(Question("?", "t"), "x"), [Value(0.0)])
    line = summary.lines()["m"]
    assert (line.mean, line.mean_expected, line.band) == (12 / 13, 0.0, "good")


@pytest.mark.parametrize(
    ("bounds", "bands"),
    [
        ((0.8, 0.5), {1.0: "good", 0.81: "good", 0.8: "acceptable", 0.5: "acceptable", 0.4: "poor"}),  # of the seed
        ((1.0, 0.9), {1.0: "good", 0.99: "acceptable", 0.9: "acceptable", 0.89: "poor"}),  # nothing less is good
        ((None, 0.5), {1.0: ""}),
        ((0.8, None), {1.0: ""}),
    ],
)
def test_bands_go_by_both_bounds(bounds: tuple[float | None, float | None], bands: dict[float, str]):
    metric = replace(METRIC, good=bounds[0], acceptable=bounds[1])
    assert {mean: metric.band(mean) for mean in bands} == bands
    assert {mean: added([mean], metric).lines()["m"].band for mean in bands} == bands


def test_groups_are_by_source_type_and_by_category():
    summary = added([1.0, 0.0], source_type="CPR", category="Costs")
    assert list(summary.groups()) == [("", ""), ("category", "Costs"), ("source_type", "CPR")]
    assert summary.lines(("category", "Costs")) == summary.lines()


def test_what_is_not_a_number_is_in_no_mean():
    (line,) = added([math.nan, 1.0]).lines().values()
    assert (line.answers, line.mean) == (1, 1.0)


@example([(0.0, False)] * 3 + [(0.25, True), (0.0, True), (0.0, True), (0.25, True)] + [(1.0, True)] * 3, 4)
@given(
    st.lists(st.tuples(st.sampled_from((0.0, 0.25, 1.0)), st.booleans()), min_size=1, max_size=40), st.integers(0, 40)
)
def test_the_interval_where_something_was_expected_is_that_of_those_answers_alone(
    values: list[tuple[float, bool]], cut: int
):
    metrics = [METRIC]
    answer = Answer(Question("?", "t"), "x")
    summary = Summary(metrics)
    for part in (values[:cut], values[cut:]):
        summary.merge(Totals.of(metrics, [(answer, [Value(score, expected)]) for score, expected in part]))
    wanted = [score for score, expected in values if expected]
    line = summary.lines()["m"]
    if not wanted:
        assert (line.mean_expected, line.low_expected, line.band_expected) == (None, None, "")
        return
    alone = added(wanted).lines()["m"]
    assert line.mean_expected == pytest.approx(alone.mean)
    assert (line.low_expected is None) == (alone.low is None)
    assert (line.low_expected or 0.0, line.high_expected or 0.0) == pytest.approx((alone.low or 0.0, alone.high or 0.0))
    assert (line.interval_expected, line.band_expected) == (alone.interval, METRIC.band(alone.mean or 0.0))
    assert (line.wrong, line.partial, line.right) == tuple(map(wanted.count, (0.0, 0.25, 1.0)))


def test_answers_with_a_fault_and_kinds_of_faults_are_counted():
    metrics = [METRIC, SHARE]
    marks = (Mark(0, 1, "wrong"), Mark(0, 1, "unexpected"))
    scored = [Value(0.5, True, {}, marks), Value(1.0, False, {}, marks[1:]), Value(1.0), Value(0.0)]
    answer = Answer(Question("?", "t"), "x")
    one, other = (Totals.of(metrics, [(answer, [value, Value(0.0)]) for value in some]) for some in (scored, scored))
    one.merge(other)
    assert one.faulty == 4
    assert one.faults == {("m", "wrong"): 2, ("m", "low"): 2, ("", "unexpected"): 4}
