"""Citations of law, answer against truth: the seed's examples, and the 20 questions on the UK rules."""

import re
from pathlib import Path

import pytest
from answer_values import made, scored
from cases import tables

from benchbench.answering.scoring import DEFAULT, chosen
from benchbench.formats.ground_truth import read_ground_truth
from benchbench.tables.questions import Question

TABLES = tables(__file__)

JUDGED = [name for name in DEFAULT if name not in ("answer_length", "latency")]


STATUTES, CASES = "statute_citation_accuracy", "case_law_citation_accuracy"


def test_where_nothing_is_expected_nothing_is_missed():
    value = scored("statute_citation_accuracy", "Part 36.", "Nothing is cited.")
    assert (value.score, value.expected) == (1.0, False)
    assert [mark.found for mark in value.marks] == ["unexpected"]


def test_marks_are_in_the_answer_where_found_and_in_the_truth_where_missed():
    truth, response = "Part 36 and rule 3.4.", "See CPR 36.2 and Part 7."
    found = {
        mark.found: (truth if mark.found == "missed" else response)[mark.start : mark.end]
        for mark in scored("statute_citation_accuracy", response, truth).marks
    }
    assert found == {"matched": "CPR 36.2", "unexpected": "Part 7", "missed": "rule 3.4"}


def test_support_is_measured_against_the_documents_that_were_given():
    context = "## 民法\n### 第709条\n#### 第1項\n故意又は過失によって…"
    assert scored("japanese_citation_support", "民法第709条第1項による。", "", context).score == 1.0
    assert scored("japanese_citation_support", "民法第710条と民法第七百九条による。", "", context).score == 0.5
    assert scored("uk_citation_support", "Rule 3.4 applies.", "", "3.4 of these rules; see rule 3.4(2)").score == 1.0
    assert not scored("chinese_citation_support", "没有引用。", "").expected


@pytest.fixture(scope="module")
def questions(shared_data: Path) -> list[Question]:
    return read_ground_truth(shared_data / "uk-cpr" / "ground_truth.jsonl")


def scores(question: Question, response: str) -> dict[str, float]:
    answer = made(response, question.truth)
    return {metric.name: metric.value(answer).score for metric in chosen(JUDGED)}


def test_an_answer_that_is_the_truth_scores_one_on_every_metric(questions: list[Question]):
    assert len(questions) == 20
    for question in questions:
        assert scores(question, question.truth) == dict.fromkeys(JUDGED, 1.0)


def swapped(pattern: str, replacement: str, text: str) -> str:
    changed = re.sub(pattern, replacement, text)
    assert changed != text
    return changed


@pytest.mark.parametrize(("truth", "pattern", "replacement", "falls"), TABLES["swaps"])
def test_a_swap_lowers_exactly_the_metrics_that_should_fall(
    truth: str, pattern: str, replacement: str, falls: list[str]
):
    found = scores(Question("?", truth), swapped(pattern, replacement, truth))
    assert {name for name, score in found.items() if score < 1.0} == set(falls)
