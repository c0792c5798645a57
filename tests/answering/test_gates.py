import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.answering.answers_result import check, parse_gates
from benchbench.answering.scoring import chosen
from benchbench.answers.summary import Summary
from benchbench.errors import InputError
from benchbench.results.gates import Gate
from benchbench.tables.questions import Answer, Question

METRICS = chosen(["precedent_matching", "latency", "any_citation"])
ASKED = Question("What is Part 36?", "Offers to settle. [Part 36]")
GOOD = Answer(ASKED, "Offers to settle. [Part 36]", latency=0.5)
POOR = Answer(ASKED, "I do not know.", latency=1.5)
FAILED = Answer(ASKED, None, failure="HTTP 500")


def failures(*texts: str, answers: tuple[Answer, ...] = (GOOD, POOR, FAILED, FAILED)) -> list[str | None]:
    return [one.failure for one in check(parse_gates(texts, METRICS), summary_of(answers))]


def summary_of(answers: tuple[Answer, ...]) -> Summary:
    summary = Summary(METRICS)
    for answer in answers:
        summary.add(answer, [metric.value(answer) for metric in METRICS])
    return summary


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("precedent_matching<0.6", "precedent_matching is 0.5, required at least 0.6"),
        (" precedent_matching <= 50% ", "precedent_matching is 0.5, required above 0.5"),
        ("precedent_exact<0.6", "precedent_exact is 0.5, required at least 0.6"),
        ("latency>900ms", "latency is 1 s, required at most 0.9 s"),
        ("latency>=1s", "latency is 1 s, required below 1 s"),
        ("errors>1", "errors is 2, required at most 1"),
        ("errors>=50%", "error_rate is 0.5, required below 0.5"),
    ],
)
def test_a_gate_that_holds_is_a_sentence_with_value_and_bound(text: str, sentence: str):
    assert failures(text) == [sentence]


def test_a_gate_that_does_not_hold_is_none_and_null_answers_are_in_no_mean():
    assert failures("precedent_matching<0.5", "any_citation<50%", "latency>1000ms", "errors>50%") == [None] * 4


def test_a_gate_may_be_on_the_answers_of_which_something_was_expected():
    nothing = Answer(Question("What?", "No document is cited."), "Nothing either.", latency=0.5)
    answers = (POOR, nothing)
    assert failures("precedent_matching<0.5", "precedent_matching_expected<0.5", answers=answers) == [
        None,
        "precedent_matching_expected is 0, required at least 0.5",
    ]
    with pytest.raises(InputError, match="latency_expected"):
        parse_gates("latency_expected>1s", METRICS)


def test_a_metric_without_a_mean_fails_whatever_the_bound():
    assert failures("precedent_exact<0", "latency>9s", answers=(FAILED,)) == [
        "precedent_exact has no value, required at least 0",
        "latency has no value, required at most 9 s",
    ]
    (unmeasured,) = failures("latency>9s", answers=(Answer(ASKED, "Yes."),))
    assert unmeasured is not None


def test_that_more_failed_than_may_comes_before_gates():
    answered = summary_of((GOOD, FAILED))
    broken, gate = check(parse_gates("errors>0", METRICS), answered, 0.4)
    assert (broken.verdict, broken.said) == ("broken", "1 of 2 questions failed, mostly: HTTP 500")
    assert gate.verdict == "failed"
    assert check((), answered, 0.5) == []


def test_gates_are_on_all_answers_whatever_the_source_types():
    parted = summary_of((GOOD, Answer(Question("Why?", "So. [Part 1]", "CPR"), "I do not know.")))
    (gate,) = check(parse_gates("precedent_matching<1", METRICS), parted)
    assert gate.value == 0.5


def test_without_any_answer_there_is_no_error_rate():
    assert failures("errors>0", "errors>1%", answers=()) == [None, "error_rate has no value, required at most 0.01"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("precedent_matching", "is not name, comparison and bound, as in 'precedent_matching<0.5' or 'errors>1%'"),
        ("nDCG@10<0.4", "nDCG@10 is not measured; measured are precedent_matching, precedent_"),
        ("choice_accuracy<0.4", "choice_accuracy is not measured; -m choice_accuracy adds it; measured are "),
        ("latency>2", "latency is a time; write latency>2ms, or s"),
        ("latency>2%", "latency is a time; "),
        ("any_citation<4ms", "any_citation is not measured in ms"),
        ("errors>1s", "errors is not measured in s"),
    ],
)
def test_a_text_that_is_no_gate_is_refused_with_what_is_right(text: str, reason: str):
    with pytest.raises(InputError, match=r"^--fail-if ") as refused:
        parse_gates([text], METRICS)
    assert reason in str(refused.value)


@given(
    st.one_of(st.text(max_size=30), st.from_regex(r"(errors|latency|any_citation)[<>]\d{1,3}(ms|s|%)?", fullmatch=True))
)
def test_any_text_is_a_gate_or_an_input_error(text: str):
    try:
        (gate,) = parse_gates([text], METRICS)
    except InputError:
        return
    assert isinstance(gate, Gate)
    assert math.isfinite(gate.conditions[0].bound)
