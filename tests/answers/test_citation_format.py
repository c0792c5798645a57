"""Every valid and invalid format of the seed, and what only looks like one."""

import subprocess
import sys

import pytest
from answer_values import scored


def compliance(response: str) -> tuple[float, bool]:
    value = scored("citation_format_compliance", response)
    return value.score, value.expected


@pytest.mark.parametrize("cited", ["[1]", "[1][2][3]", "[1] [2]", "[Part 36#page=Offers]", "[file.pdf#page=3]"])
def test_a_valid_format_is_compliant(cited: str):
    assert compliance(f"Costs follow the event {cited}.") == (1.0, True)


@pytest.mark.parametrize(
    "cited",
    ["[1, 2, 3]", "[1-3]", "[1,2,3]", "[1–3]", "[1; 2]", "[1 and 2]", "[1 to 3]", "1, 2, 3", "1,2", "powers 1, 2, 3"],
)
def test_a_malformed_citation_is_not(cited: str):
    assert compliance(f"Costs follow the event {cited}.") == (0.0, True)
    assert compliance(f"Costs follow the event {cited}. The court may order otherwise [4].") == (0.5, True)


@pytest.mark.parametrize(
    "text",
    [
        "Nothing is cited.",
        "",
        "See Parts 44, 45, 46.",
        "See rules 1, 2, 3.",
        "See CPR 44.3, 44.4, 45, 46.",
        "It cost £1, 2, 3.",
        "As held in [2024] EWCA Civ 123.",
        "It took 1, 2 or 3 days, and 10,000 pounds.",
        "£1,000,000.",
        "Costs were 1,000.",
        "[ ]",
    ],
)
def test_what_is_no_citation_is_neither(text: str):
    assert compliance(text) == (1.0, False)


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
