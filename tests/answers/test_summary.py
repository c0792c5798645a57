"""Running sums give what numpy gives over all answers at once."""

import itertools
import math
import pickle
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from answer_values import made, scored
from cases import check_rows, tables
from hypothesis import example, given
from hypothesis import strategies as st

from benchbench.answering.scoring import all_metrics, chosen, load_metrics
from benchbench.answers.faults import BEYOND, LOW, Fault, excerpt, faults, kinds, overlaid
from benchbench.answers.metrics import NULL, Mark, Metric, MetricWords, Value, metric
from benchbench.answers.summary import CHUNK, Summary, Totals
from benchbench.answers.sums import GroupSums, Sums, interval
from benchbench.answers.worst import Shown, Worst
from benchbench.errors import InputError
from benchbench.measures.aggregate import means_of
from benchbench.scores.tables import table_of
from benchbench.significance.mean_intervals import UNIT_SCALE
from benchbench.tables.groups import grouped
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


def test_a_share_has_no_interval_beyond_what_it_can_be():
    for values in ([1.0, 1.0, 0.9], [0.0, 0.0, 0.1]):
        (line,) = added(values).lines().values()
        assert 0.0 <= line.low < line.mean < line.high <= 1.0
    for its, values in ((METRIC, [1.0, 1.0, 1.1]), (Metric("t", "", lambda answer: 0.0, unit="s"), [1.0, 1.0, 0.9])):
        (line,) = added(values, its).lines().values()
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
    for reason in [*reasons, "HTTP 500", "no complete answer within 1 s"]:
        summary.add(Answer(Question("?", "t"), None, failure=reason), [Value(NULL)])
    assert summary.totals.failures == {"HTTP 500": 4, "not JSON": 2, "no complete answer within 1 s": 1}


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
    assert line.expected == len(wanted)
    if not wanted:
        assert (line.mean_expected, line.low_expected, line.band_expected) == (None, None, "")
        return
    assert line.mean == pytest.approx(np.mean([score for score, _ in values]))
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


# Intervals of means over answers and passages, with and without groups

shares = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=2, max_size=30)


def of_groups(scores: list[float], groups: list[str]) -> GroupSums:
    found = GroupSums()
    found.add(zip(groups, scores, strict=True))
    return found


@given(shares)
def test_the_interval_is_that_of_all_scores_at_once(scores: list[float]):
    sums = Sums.of(scores[:7])
    sums.merge(Sums.of(scores[7:]))
    found, (expected,) = interval(sums, UNIT_SCALE), means_of(np.array(scores)[:, None])
    assert (found.low, found.high) == pytest.approx((expected[1].low, expected[1].high))
    assert found.method == expected[1].method


def test_a_score_beyond_the_scale_leaves_students_interval():
    for scores, method in (([0.5, 1.0, 0.2], "Wilson's form with Student's t"), ([0.5, 1.1, 0.2], "Student's t")):
        assert interval(Sums.of(scores), UNIT_SCALE).method == method
    assert interval(Sums.of([82.0]), None).low is None


@given(shares, st.integers(2, 9))
def test_the_interval_of_groups_is_that_of_all_scores_at_once(scores: list[float], number: int):
    names = [f"d{n % number}" for n in range(len(scores))]
    found = interval(Sums.of(scores), UNIT_SCALE, of_groups(scores, names), "document")
    ((_, expected),) = means_of(np.array(scores)[:, None], grouped("document", names))
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert (found.method, found.design_effect) == (expected.method, pytest.approx(expected.design_effect))


def test_the_order_of_answers_is_no_matter():
    rng = np.random.default_rng(7)
    scores = rng.choice([0.0, 0.5, 1.0], 80).tolist()
    groups = [f"d{n}" for n in rng.integers(0, 30, 80)]
    turned = of_groups(scores[::-1], groups[::-1])
    parts = of_groups(scores[:33], groups[:33])
    parts.merge(of_groups(scores[33:], groups[33:]))
    sums = Sums.of(scores)
    assert interval(sums, UNIT_SCALE, turned, "d") == interval(sums, UNIT_SCALE, parts, "d")


# The answers that a page shows: those with the lowest means, whatever the order and the processes

METRICS = [
    Metric("a", "", lambda answer: 0.0, good=0.8, acceptable=0.5),
    Metric("seconds", "", lambda answer: 0.0, unit="s"),
    Metric("b", "", lambda answer: 0.0, words=MetricWords("B")),
]


rows = st.lists(
    st.tuples(
        st.sampled_from((0.0, 0.5, 1.0)), st.booleans(), st.sampled_from((0.0, 1.0)), st.booleans(), st.booleans()
    ),
    max_size=12,
)


def worst_added(worst: Worst, number: int, row: tuple[float, bool, float, bool, bool]) -> None:
    a, wants_a, b, wants_b, failed = row
    answer = Answer(Question(f"q{number}", "t"), None if failed else "x", failure="HTTP 500" if failed else None)
    worst.add(number, answer, [Value(a, wants_a), Value(9.0), Value(b, wants_b)])


def order(item: tuple[int, tuple[float, bool, float, bool, bool]]) -> tuple[bool, float, int]:
    """Return where an answer stands, in plain Python."""
    number, (a, wants_a, b, wants_b, failed) = item
    tested = [score for score, wanted in ((a, wants_a), (b, wants_b)) if wanted and not failed]
    return failed, sum(tested) / len(tested) if tested else 2.0, number


@given(rows, st.integers(1, 6), st.integers(0, 12), st.booleans())
def test_they_are_the_lowest_means_failures_last_in_any_order_and_of_any_parts(
    given_rows: list[tuple[float, bool, float, bool, bool]], most: int, cut: int, backwards: bool
):
    numbered = list(enumerate(given_rows, 1))
    whole, part = Worst(METRICS, most), Worst(METRICS, most)
    for number, row in reversed(numbered[:cut]) if backwards else numbered[:cut]:
        worst_added(whole, number, row)
    for number, row in numbered[cut:]:
        worst_added(part, number, row)
    whole.merge(part.rows())
    assert [one.number for one in whole.rows()] == [number for number, _ in sorted(numbered, key=order)[:most]]


def test_a_row_has_what_was_expected_with_its_marks_and_faults():
    worst = Worst(METRICS)
    asked = Question("May I?", "Yes, by law.", "CPR", "costs")
    marks = (Mark(0, 2, "wrong"), Mark(1, 3, "matched"), Mark(0, 3, "missed"))
    worst.add(7, Answer(asked, "No."), [Value(0.25, True, {}, marks), Value(3.0), Value(1.0, False)])
    (row,) = worst.rows()
    assert (row.number, row.source_type, row.category, row.mean) == (7, "CPR", "costs", 0.25)
    assert row.scores == [("a", 0.25, "partial")]
    assert row.answer_marks == [Mark(0, 2, "wrong"), Mark(2, 3, "matched")]
    assert row.truth_marks == [Mark(0, 3, "missed")]
    assert [one.text for one in row.faults] == ["No", "Yes"]


def test_a_table_of_them_takes_any_text():
    worst = Worst(METRICS)
    worst.add(1, Answer(Question("\ud800?", "t"), "a\x00", failure=None), [Value(0.0), Value(0.0), Value(0.0)])
    table = table_of(Shown, worst.rows())
    assert table["question"].to_list() == ["??"]
    assert table["scores"].to_list() == [
        [{"metric": "a", "score": 0.0, "state": "wrong"}, {"metric": "b", "score": 0.0, "state": "wrong"}]
    ]
    assert table_of(Shown, []).is_empty()


# What is at fault in an answer, and marks that do not overlap

WORST_FIRST = ("wrong", "missed", "unexpected", "matched")


some_marks = st.lists(
    st.builds(
        lambda start, length, found: Mark(start, start + length, found),
        st.integers(-3, 30),
        st.integers(0, 12),
        st.sampled_from((*WORST_FIRST, "of another kind")),
    ),
    max_size=8,
)


def worst_at(marks: list[Mark], place: int) -> str:
    """Return the worst state of the marks at a place, in plain Python; empty where there is none."""
    there = {one.found for one in marks if one.start <= place < one.end}
    return next((found for found in WORST_FIRST if found in there), "")


@given(some_marks)
def test_each_character_has_the_worst_of_its_marks(marks: list[Mark]):
    found = overlaid(marks, 32)
    assert [worst_at(found, place) for place in range(-5, 60)] == [
        worst_at(marks, place) if 0 <= place < 32 else "" for place in range(-5, 60)
    ]
    assert all(one.start < one.end for one in found)
    assert all(one.end <= other.start for one, other in itertools.pairwise(found))


def test_two_marks_that_touch_stay_two():
    assert overlaid([Mark(0, 3, "matched"), Mark(3, 6, "matched")], 6) == [
        Mark(0, 3, "matched"),
        Mark(3, 6, "matched"),
    ]


@given(st.text(alphabet="ab ", max_size=300), some_marks, st.integers(40, 120))
def test_an_excerpt_keeps_the_text_of_its_marks_and_counts_what_it_leaves_out(text: str, marks: list[Mark], most: int):
    known = overlaid(marks, len(text))
    part = excerpt(text, known, most, 10, 5)
    if len(text) <= most:
        assert part == (text, known, 0)
    for mark in part.marks:
        assert any(text[one.start : one.end].startswith(part.text[mark.start : mark.end]) for one in known)
    assert len(part.text.replace("…", "").replace(" ", "")) <= len(text.replace(" ", ""))
    assert part.left_out >= 0
    assert part.left_out == len(text) - (len(part.text) - part.text.count(" … ") * 3 - 2 * part.text.endswith(" …"))


def test_an_excerpt_has_the_beginning_and_what_stands_around_the_marks():
    text = "b" * 50 + "x" * 100 + "MARK" + "y" * 100
    part = excerpt(text, [Mark(150, 154, "wrong")], 80, 10, 5)
    assert part.text == "b" * 10 + " … xxxxxMARKyyyyy …"
    assert [part.text[one.start : one.end] for one in part.marks] == ["MARK"]
    assert part.left_out == len(text) - 24


def test_faults_are_named_by_what_is_written_and_what_costs_nothing_is_last():
    metrics = chosen(())
    answer = made("By Part 45 there is discovery. [1-3]", "Part 46 speaks of disclosure. [Costs]")
    values = [one.value(answer) for one in metrics]
    assert faults(answer, metrics, values) == [
        Fault("statute_citation_accuracy", "missed", "Part 46"),
        Fault("legal_terminology_accuracy", "wrong", "discovery", "for disclosure"),
        Fault("legal_terminology_accuracy", "missed", "disclosure"),
        Fault("citation_format_compliance", "wrong", "[1-3]"),
        Fault("precedent_matching", "missed", "[Costs]"),
        Fault("", "unexpected", "Part 45"),
    ]
    assert kinds(metrics, values) == {(one.metric, one.found) for one in faults(answer, metrics, values)}


def test_a_metric_that_is_no_accuracy_finds_no_fault():
    counts, shares = (
        Metric("m", "", lambda answer: Value(0.0), words=words) for words in (MetricWords(), MetricWords("Title"))
    )
    answer = made("a", "t")
    assert faults(answer, [counts], [counts.value(answer)]) == []
    assert faults(answer, [shares], [shares.value(answer)]) == [Fault("m", LOW, "")]


def test_nothing_that_was_not_expected_is_a_fault():
    metrics = chosen(["case_law_citation_accuracy"])
    values = [one.value(made("[2024] EWHC 789 (Ch)", "No case.")) for one in metrics]
    assert kinds(metrics, values) == {BEYOND}


def test_marks_that_are_all_right_are_no_fault_below_1():
    metrics = chosen(["precedent_matching"])
    answer = made("[Part 36 Offers]", "[Part 36]")
    values = [one.value(answer) for one in metrics]
    assert (values[0].score, values[0].state) == (0.95, "right")
    assert kinds(metrics, values) == set()


# Scores of answers by the metrics that compare them with the truth; the examples of the seed stand among them

TABLES = tables(__file__, "scored")


@pytest.mark.parametrize("metric", TABLES["expected"])
def test_an_answer_has_its_score(metric: str):
    def check(truth: str, response: str, score: float) -> None:
        value = scored(metric, response, truth)
        assert (value.score, value.expected) == (score, True)

    check_rows(check, TABLES["expected"][metric])


@pytest.mark.parametrize("metric", TABLES["nothing_expected"])
def test_where_nothing_is_expected_the_score_is_one_and_says_so(metric: str):
    def check(truth: str, response: str) -> None:
        value = scored(metric, response, truth)
        assert (value.score, value.expected) == (1.0, False)

    check_rows(check, TABLES["nothing_expected"][metric])


# The registry: names, null answers, metrics of one's own


def test_a_null_answer_is_minus_one_on_every_metric():
    for one in all_metrics():
        value = one.value(made(None, "See Part 36 [1]."))
        assert {value.score, *value.parts.values()} == {NULL}


def test_latency_is_that_of_the_answer_or_not_a_number():
    (latency,) = chosen(["latency"])
    assert latency.value(made("x", latency=1.5)).score == 1.5
    assert latency.value(made("x")).score != latency.value(made("x")).score


def test_an_unknown_metric_names_the_nearest():
    with pytest.raises(
        InputError, match="there is no answer metric 'precedent_match'; did you mean precedent_matching"
    ):
        chosen(["precedent_match"])


@pytest.mark.usefixtures("registry")
def test_a_metric_of_ones_own_takes_a_few_lines(tmp_path: Path):
    file = tmp_path / "mine.py"
    file.write_text(
        "from benchbench.answers.metrics import metric\n"
        "@metric('exclamations', 'Exclamation marks.')\n"
        "def exclamations(answer):\n"
        "    return float(answer.response.count('!'))\n"
    )
    load_metrics([file])
    (mine,) = chosen(["exclamations"])
    assert mine.value(made("a!b!")).score == 2.0
    assert mine.value(made(None)).score == NULL


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda answer: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda answer: None, "TypeError: float"),
        (lambda answer: "much", "ValueError: could not convert string to float: 'much'"),
        (lambda answer: Value("much"), r"\('much',\) are not all numbers"),
        (lambda answer: Value(1.0, parts={"m_part": None}), r"\(1.0, None\) are not all numbers"),
    ],
)
def test_a_metric_that_fails_is_named_with_the_question(function: Callable[[Answer], Any], reason: str):
    with pytest.raises(InputError, match=rf"the metric m fails on the question '\?': {reason}"):
        Metric("m", "", function).value(made("a"))


@pytest.mark.usefixtures("registry")
def test_a_name_that_is_taken_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="an answer metric latency exists already"):
        metric("latency", "")
    file = tmp_path / "mine.py"
    file.write_text("1 / 0")
    with pytest.raises(InputError, match=r"mine\.py: ZeroDivisionError: division by zero$"):
        load_metrics([file])
