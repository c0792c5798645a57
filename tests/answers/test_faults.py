"""What is at fault in an answer, and marks that do not overlap."""

import itertools

from answer_values import made
from hypothesis import given
from hypothesis import strategies as st

from benchbench.answering.scoring import chosen
from benchbench.answers.faults import BEYOND, LOW, Fault, excerpt, faults, kinds, overlaid
from benchbench.answers.metrics import Mark, Metric, MetricWords, Value

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
