"""Citations of the law of England and Wales."""

import json
import random
import re

import pytest
from answers.citations.samples import british, check_agreement

from benchbench.answers.citations.uk import extract


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("see Parts 44 to 46.", ["Parts 44 to 46"] * 3),  # the members of a range have the place of the whole
        ("see rules 3.4 and 3.5.", ["rules 3.4", "3.5"]),
        # emphasis does not move the place of a citation
        (
            "See **section 33** of the *Limitation Act 1980*, `Part 36`, * and * _rule 3.4_.",
            ["section 33** of the *Limitation Act 1980", "Part 36", "rule 3.4"],
        ),
    ],
)
def test_citations_have_their_places(text, places):
    assert [text[one.start : one.end] for one in extract(text)] == places


TRUTHS = (  # read off the twenty answers by eye; names in brackets are documents, and no citations of law
    *("CPR 44, CPR 44.1, CPR 44, CPR 45, CPR 46, CPR 47", "CPR 74", "CPR 50", "CPR 12", "CPR 24", "CPR 31", "CPR 33"),
    *("CPR 46", "CPR 58", "CPR 71", "CPR 75, PD 75", "PD 3D, CPR 3", "PD 19A, CPR 19", "PD 31A, CPR 31", "PD 31C"),
    *("PD 44, CPR 44", "PD 47", "PD 52B, CPR 52", "PD 51ZG3", "PD 27B"),
)


def test_every_citation_of_the_twenty_truths_is_found(shared_data):
    lines = (shared_data / "uk-cpr" / "ground_truth.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = []
    for line, truth in zip(lines, TRUTHS, strict=True):
        expected = []
        for one in truth.split(", "):
            source, number = one.split(" ")
            expected.append(("CPR", tuple(number.split("."))) if source == "CPR" else (one, ()))
        pairs.append((extract(json.loads(line)["truth"]), expected))
    check_agreement(pairs, least=1.0)


def test_the_citations_of_sixty_lines_of_the_rules_are_found(shared_data):
    documents = (shared_data / "uk-cpr" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    words = "(?:Part|[Rr]ule|[Ss]ection|Practice Direction|Act|Regulation|EW|Guide|PD)"
    citing = re.compile(rf"\d.*{words}|{words}.*\d")
    lines = [line for document in documents for line in json.loads(document)["text"].split("\n")]
    lines = [line for line in lines if citing.search(line) and len(line) < 400]
    sample = random.Random(6).sample(lines, 60)
    check_agreement(zip(map(extract, sample), british(), strict=True))
