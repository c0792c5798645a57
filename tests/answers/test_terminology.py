"""UK terms expected, US terms penalised: where they stand, and the texts of the rules."""

from pathlib import Path

import orjson
import pytest
from answer_values import scored

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
