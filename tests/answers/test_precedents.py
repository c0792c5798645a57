"""Documents cited: four levels, each reported apart."""

import re
import subprocess
import sys
from pathlib import Path

import orjson
import pytest
from answer_values import made, scored
from cases import tables

from benchbench.answering.scoring import DEFAULT, chosen
from benchbench.answers.precedents import compare, normalised
from benchbench.formats.ground_truth import read_ground_truth
from benchbench.tables.questions import Question

TABLES = tables(__file__)


@pytest.mark.parametrize(("expected", "cited", "level", "score"), TABLES["levels"])
def test_levels(expected: str, cited: str, level: str, score: float):
    assert compare(normalised(expected), normalised(cited)) == (pytest.approx(score), level)


def test_the_example_of_the_seed():
    truth = "...as stated in [Part 36#page=Offers to Settle]"
    response = "Under Part 36 [Part 36#page=Offers to Settle], a party may..."
    value = scored("precedent_matching", response, truth)
    assert (value.score, value.parts["precedent_exact"]) == (1.0, 1.0)


def test_each_level_is_reported_apart():
    value = scored("precedent_matching", "[a b] [Hearings in private]", "[a b] [a b c#page=x] [Open justice] [zzz yyy]")
    assert value.score == pytest.approx((1.0 + 0.95 + 0.75) / 4)
    assert value.parts == {
        "precedent_exact": 0.25,
        "precedent_containment": 0.25,
        "precedent_overlap": 0.0,
        "precedent_topic": 0.25,
        "precedent_page": 0.0,
    }


@pytest.mark.parametrize(
    ("response", "page"),
    [("[CPR_Part_36.pdf#page=3]", 1.0), ("[cpr part 36#page=5]", 0.0), ("[CPR_Part_36.pdf]", 0.0)],
)
def test_a_document_cited_with_another_page_is_the_same_document(response: str, page: float):
    value = scored("precedent_matching", response, "See [CPR_Part_36.pdf#page=3].")
    assert (value.score, value.parts["precedent_exact"], value.parts["precedent_page"]) == (1.0, 1.0, page)


def test_pages_are_compared_where_the_truth_has_them():
    truth = "[a.pdf#page=1] [a.pdf#page=2] [b.pdf]"
    value = scored("precedent_matching", "[a.pdf#page=2] [a.pdf#page=9] [b.pdf#page=4]", truth)
    assert (value.score, value.parts["precedent_page"]) == (1.0, 0.5)
    assert {mark.found for mark in value.marks} == {"matched"}
    assert "precedent_page" not in scored("precedent_matching", "[b.pdf#page=4]", "[b.pdf]").parts


def test_a_page_of_another_document_is_no_agreement():
    value = scored("precedent_matching", "[White Book.pdf#page=3]", "[Green Book.pdf#page=3]")
    assert (value.score, value.parts["precedent_page"]) == (0.0, 0.0)


def test_a_number_stands_for_a_document_of_the_context():
    context = ("Part 36#page=Offers to Settle: A Part 36 offer…", "Part 31: Disclosure…")
    truth = "[Part 36#page=Offers to Settle]"
    assert scored("precedent_matching", "An offer [1].", truth, *context).score == 1.0
    assert scored("precedent_matching", "An offer [2].", truth, *context).score == 0.0
    assert scored("precedent_matching", "An offer [9].", truth, *context).score == 0.0
    assert scored("precedent_matching", "An offer [2].", truth, "", *context).score == 1.0


def test_marks_name_what_was_matched_unexpected_and_missed():
    truth, response = "[Part 36] [Default Judgment]", "[Part 36] [Traffic Enforcement]"
    marks = scored("precedent_matching", response, truth).marks
    found = {mark.found: (truth if mark.found == "missed" else response)[mark.start : mark.end] for mark in marks}
    assert found == {"matched": "[Part 36]", "unexpected": "[Traffic Enforcement]", "missed": "[Default Judgment]"}


def test_where_no_document_is_expected_nothing_is_missed():
    value = scored("precedent_matching", "[Part 36]", "No document.")
    assert (value.score, value.expected) == (1.0, False)


# Citations of law, answer against truth: the seed's examples, and the 20 questions on the UK rules

LAW_CITATIONS_TABLES = tables(__file__, "law_citations")


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


@pytest.mark.parametrize(("truth", "pattern", "replacement", "falls"), LAW_CITATIONS_TABLES["swaps"])
def test_a_swap_lowers_exactly_the_metrics_that_should_fall(
    truth: str, pattern: str, replacement: str, falls: list[str]
):
    found = scores(Question("?", truth), swapped(pattern, replacement, truth))
    assert {name for name, score in found.items() if score < 1.0} == set(falls)


# Where citations stand in an answer, and what a long one takes


def test_marks_are_the_places_of_citations_in_the_answer():
    response = "One [1, 2] and two [Part 36]."
    marks = scored("citation_format_compliance", response).marks
    assert [(response[mark.start : mark.end], mark.found) for mark in marks] == [
        ("[1, 2]", "wrong"),
        ("[Part 36]", "matched"),
    ]


@pytest.mark.slow  # a process, and long texts
def test_long_adversarial_texts_take_no_more_than_linear_work():
    pieces = ["1, ", "[", "[1", "attorney ", "a 1,2 ", "(a", "Part ", "第一", "section 1(a)", "[2024] "]
    texts = [piece * (50_000 // len(piece)) for piece in pieces]
    code = (
        "import sys\n"
        "from benchbench.answering.scoring import all_metrics\n"
        "from benchbench.tables.questions import Answer, Question\n"
        "for text in eval(sys.stdin.read()):\n"
        "    for metric in all_metrics():\n"
        "        metric.value(Answer(Question('?', text[:1000]), text))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], input=repr(texts), text=True, timeout=120, check=False)
    assert done.returncode == 0


# UK terms expected, US terms penalised: where they stand, and the texts of the rules

SEED = "The claimant must serve disclosure..."


def test_marks_say_what_was_matched_wrong_and_missed():
    response = "The claimant gives discovery."
    marks = scored("legal_terminology_accuracy", response, SEED).marks
    places = {mark.found: (response if mark.found != "missed" else SEED)[mark.start : mark.end] for mark in marks}
    assert places == {"matched": "claimant", "wrong": "discovery", "missed": "disclosure"}


@pytest.mark.parametrize("before", ["", "é ", "Straße, ", "ﬁ İ ß "])
def test_places_are_those_of_the_text_whatever_stands_before(before: str):
    text = f"{before}The CLAIMANT and two\nsolicitors give disclosure, no Discovery."
    marks = scored("legal_terminology_accuracy", text, text.replace("Discovery", "trial")).marks
    assert {text[mark.start : mark.end] for mark in marks} == {"CLAIMANT", "solicitors", "disclosure", "Discovery"}


def test_a_text_of_the_rules_scores_one_against_itself(shared_data: Path):
    lines = (shared_data / "uk-cpr" / "corpus.jsonl").read_bytes().splitlines()
    texts = [orjson.loads(line)["text"] for line in lines]
    assert len(texts) == 345
    assert {scored("legal_terminology_accuracy", text, text).score for text in texts} == {1.0}
