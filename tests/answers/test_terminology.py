"""UK terms expected, US terms penalised; every example of the seed stands here."""

from pathlib import Path

import orjson
import pytest
from answer_values import scored
from cases import check_rows

SEED = "The claimant must serve disclosure..."


def test_the_score_of_an_answer():
    def check(truth: str, response: str, expected: float) -> None:
        assert scored("legal_terminology_accuracy", response, truth).score == expected

    check_rows(
        check,
        [
            (SEED, "The claimant should provide disclosure under Part 31...", 1.0),
            (SEED, "The plaintiff must provide discovery...", 0.0),
            (SEED, "The claimant must provide discovery.", 0.5),
            (SEED, "The claimants (in US terms plaintiffs) give disclosure.", 0.75),
            (SEED, "The claimant must act.", 0.5),
            ("Costs follow the event.", "Ask your attorney.", 0.0),
            ("Costs follow the event.", "Costs follow the event.", 1.0),
            ("Ask a solicitor.", "Ask a barrister.", 1.0),
            ("Ask a solicitor.", "Ask a lawyer.", 0.0),
            ("Ask a solicitor.", "A solicitor may hold a power of attorney, says the Attorney General.", 1.0),
            ("Ask a solicitor.", "A solicitor holds powers  of\r\nattorney, says the Attorney-\nGeneral.", 1.0),
            ("Ask a solicitor.", "A solicitor and an attorney general themselves.", 1.0),
            ("The claimant (once plaintiff) wins.", "The claimant (once plaintiff) wins.", 1.0),
            ("The claimant (once plaintiff) wins.", "The plaintiff wins.", 0.0),
            ("A lawyer may act.", "An attorney may act.", 1.0),
            ("A witness statement or deposition.", "A witness statement, or a deposition.", 1.0),
            ("A Part 36 offer was made.", "The Part  36\noffers were made.", 1.0),
            ("A Part 36 offer was made.", "A settlement offer was made.", 0.0),
            ("QOCS applies.", "Qualified one-way costs shifting applies.", 1.0),
            ("The judgment is final.", "The judgement is final.", 0.0),
            ("The CLAIMANT wins.", "claimant", 1.0),
            ("The claimant wins.", "The counterclaimant wins; disclosures were discovered.", 0.0),
        ],
    )


def test_where_no_term_is_expected_the_answer_is_not_among_the_expected_ones():
    assert not scored("legal_terminology_accuracy", "Yes.", "Yes.").expected
    assert scored("legal_terminology_accuracy", "An attorney.", "Yes.").expected


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
