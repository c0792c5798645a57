"""Where citations stand in an answer, and what a long one takes."""

import subprocess
import sys

import pytest
from answer_values import scored


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
