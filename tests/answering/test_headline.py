"""What an evaluation of answers comes to."""

from benchbench.answering.answers_details import AnswersDetails, headline
from benchbench.answers.summary import Line
from benchbench.scores.names import UNTESTED

METRICS = {
    "statute_citation_accuracy": Line(0.6, answers=3, band="acceptable"),
    "legal_terminology_accuracy": Line(0.1, answers=3, band="poor"),
    "citation_format_compliance": Line(0.2, answers=3, band="poor"),
    "precedent_matching": Line(1.0, answers=3, band="good"),
    "case_law_citation_accuracy": Line(None, answers=3, band=UNTESTED),
    "answer_length": Line(45.0, answers=3),
}


def test_bands_are_said_worst_first_and_what_was_not_tested():
    found = headline(AnswersDetails(answers=4, unanswered=1, failures={"HTTP 500": 1}, metrics=METRICS), "mine")
    said = "mine: 4 answers, poor in legal terminology and citation format compliance, acceptable in statute citation"
    assert list(found.sentences) == [("▼", f"{said}, good in precedent matching.")]
    assert found.advice == [
        "Not tested: case law citation; no reference has anything to match.",
        "2 of 5 questions have no answer and are left out of the means.",
    ]


def test_the_mark_is_that_of_the_worst_band():
    def mark(*names: str) -> str:
        ((one, _),) = headline(
            AnswersDetails(answers=1, metrics={name: METRICS[name] for name in names}), "x"
        ).sentences
        return one

    assert mark("precedent_matching") == "●"
    assert mark("precedent_matching", "statute_citation_accuracy") == "◐"
    assert mark("answer_length") == "○"


def test_a_band_is_that_of_the_answers_where_something_was_expected():
    """Answers that cannot fail a metric must not lift it."""
    lifted = Line(0.9, answers=10, band="good", expected=1, mean_expected=0.0, band_expected="poor")
    ((mark, said),) = headline(AnswersDetails(answers=10, metrics={"precedent_matching": lifted}), "x").sentences
    assert (mark, said) == ("▼", "x: 10 answers, poor in precedent matching.")
