"""An evaluation of answers, drawn; the command's tests see the rest."""

import csv
import io

import orjson
from any_result import UNBROKEN

from benchbench.answering.analysis import analysis
from benchbench.answering.answers_result import AnswersOutcome
from benchbench.answering.stored import score_answers
from benchbench.report.draw import draw, rendered
from benchbench.report.layouts.answers import analysed
from benchbench.tables.questions import Question

ROWS = [
    {"question": "one?", "truth": "[Part 36]", "answer": "So. [Part 36]", "source_type": "CPR", "category": "a|b"},
    {"question": "two?", "truth": "CPR 1.1", "answer": None, "error": "HTTP 500 <b>", "source_type": "PD"},
]


def outcome(*names: str, **options: object) -> AnswersOutcome:
    return score_answers(ROWS, names, **options)  # type: ignore[arg-type]


def test_groups_stand_below_all_answers_and_a_group_of_null_answers_has_no_mean():
    text = draw(outcome("any_citation"), "text", UNBROKEN)
    table = text.partition("Source type")[2].splitlines()
    assert table[2].split()[:3] == ["CPR", "1", "1.000"]
    assert table[3].split() == ["PD", "1", "–"]
    assert table[4].split()[:3] == ["all", "2", "1.000"]


def test_gates_stand_among_the_facts_of_a_terminal_and_with_their_verdict_on_a_page():
    found = outcome("any_citation", fail_if=["any_citation<2", "errors>90%"])
    said = "failed: any_citation is 1, required at least 2"
    text = draw(found, "text", UNBROKEN)
    assert f"Gate        ▼ {said}\nGate        ● errors>90% passed with 0.5\n" in text
    assert text.startswith("▼ 1 of 2 gates failed: any_citation<2.\n")
    assert "\nFailed      1 question: HTTP 500 <b>\n" in text
    page = draw(found, "html")
    assert "any_citation&lt;2" in page
    assert "any_citation is 1, required at least 2" in page
    assert "HTTP 500 &lt;b&gt;" in page


def test_csv_has_a_row_per_group_and_number_all_answers_first():
    rows = list(csv.DictReader(io.StringIO(draw(outcome("precedent_matching"), "csv"))))
    groups = list(dict.fromkeys((row["column"], row["group"]) for row in rows))
    assert groups == [("", ""), ("category", "a|b"), ("source_type", "CPR"), ("source_type", "PD")]
    assert [row["metric"] for row in rows][:2] == ["precedent_matching", "precedent_exact"]
    assert [orjson.loads(line)["metric"] for line in draw(outcome("latency"), "jsonl").splitlines()] == ["latency"] * 4


def test_papers_have_one_table_and_what_its_means_leave_out():
    markdown, latex = (draw(outcome("any_citation"), form, UNBROKEN) for form in ("markdown", "latex"))
    assert markdown.endswith("\n- Failed: 1 question: HTTP 500 \\<b>\n- 1 answer is null, and in no mean.\n")
    assert latex.startswith("% Failed: 1 question: HTTP 500 <b>\n% 1 answer is null, and in no mean.\n")
    assert r"any\_citation & 1.000" in latex


def test_an_analysis_names_ten_documents_and_says_how_many_more():
    truths = [Question(f"{n}?", f"So it says. [Document {n}]", "CPR") for n in range(12)]
    text = rendered(None, analysed(analysis(truths)), "text")
    assert text.endswith("… and 2 more (--format json has all)\n")
    assert len(orjson.loads(rendered(None, analysed(analysis(truths)), "json"))["documents"]) == 12
