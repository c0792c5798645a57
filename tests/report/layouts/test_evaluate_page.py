"""The page and the text of an evaluation in three pillars, with hostile texts and where little is known."""

from typing import Any

import pytest
from invented_evaluation import EVIL, made

from benchbench.answers.metrics import band
from benchbench.evaluation.evaluation_result import EvaluationOutcome
from benchbench.evaluation.pillars import evaluate_pillars
from benchbench.report.card_blocks import AnswerList, HeatTable, MetricRows
from benchbench.report.draw import draw
from benchbench.report.layouts.evaluate_page import blocks
from benchbench.report.page_blocks import Band, Masthead
from benchbench.report.render.screen import Screen


@pytest.fixture(scope="module")
def found() -> EvaluationOutcome:
    return made()


def of(found: EvaluationOutcome, kind: type) -> list[Any]:
    return [one for one in blocks(found) if isinstance(one, kind)]


def test_the_page_begins_with_the_overall_score_its_interval_and_the_gates_that_failed(found):
    (verdict,) = of(found, Masthead)
    value = found.details().overall
    assert verdict.title.startswith(f"Overall {value.value:.3f} (poor): ")
    assert f"95 % interval, {value.low:.3f} to {value.high:.3f}, reaches into “acceptable”" in verdict.pieces[0]
    assert any(note.startswith("It is unknown how far to trust the judged scores: ") for note in verdict.notes)
    assert of(found, Band)[0].title.startswith("The gate failed, and ")


def test_pillars_stand_with_weights_and_sub_scores_with_what_they_are_over(found):
    pillars, scores = of(found, MetricRows)
    assert [(one.title, one.subtitle) for one in pillars.rows] == [
        ("Overall", "9 questions"),
        ("Retrieval", "weight 0.2, 9 questions"),
        ("Generation", "weight 0.4, 7 questions"),
        ("Domain", "weight 0.4, 8 questions"),
    ]
    said = {one.title: one.subtitle for one in scores.rows}
    assert said["Answer relevance"].startswith("generation, 7 questions, 2 without a value: ")
    assert "a perfect ranking reaches 0.400" in said["Precision@5"]
    assert [[sum(box.share is not None for box in one.boxes), len(one.boxes)] for one in pillars.rows] == [
        [7, 9], [9, 9], [7, 9], [8, 9],
    ]  # fmt: skip
    assert all(
        box.state == band(box.share, 0.8, 0.5) for one in pillars.rows for box in one.boxes if box.share is not None
    )


def test_each_question_has_its_faults_verdicts_and_contexts_and_those_without_a_score_come_last(found):
    (questions,) = of(found, AnswerList)
    cards = {one.number: one for one in questions.cards}
    assert [card.number for card in questions.cards[-2:]] == [4, 3]
    assert cards[4].failure == f"HTTP 500 {EVIL}"
    texts = [fault.text for fault in cards[1].faults]
    assert texts[0] == "商法第1条: law not in the retrieved documents"
    assert any(text.startswith(f"Faithfulness: said {EVIL}") for text in texts)
    assert f"Relations between laws: incorrect: {EVIL}" in texts
    titles = [part.title for part in cards[1].further]
    assert titles == ["5 verdicts", "2 contexts, 1 of 2 relevant documents", "1 relevant document not retrieved"]
    assert [one.mark for one in cards[1].answer if one.mark] == ["matched", "wrong"]
    assert "unjudged" in cards[3].keys
    kinds = {one.key: one.entries for one in questions.filters}
    assert (kinds["failed"], kinds["unjudged"]) == (1, 1)


def test_groups_are_a_table_of_pillars(found):
    (table,) = of(found, HeatTable)
    assert [long for long, _ in table.heads] == ["Overall", "Retrieval", "Generation", "Domain"]
    assert {one.name for one in table.kinds[0][1]} == {"不法行為", "契約", EVIL}


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_the_text_has_the_overall_score_with_its_interval_at_any_width(found, columns: int):
    text = draw(found, "text", Screen(columns))
    assert max(len(line) for line in text.splitlines() if EVIL[:9] not in line) <= columns
    value = found.details().overall
    line = next(line for line in text.splitlines() if line.startswith("overall"))
    assert f"{value.value:.3f}" in line
    assert f"{value.low:.3f} to {value.high:.3f}" in line
    assert "--trust-judge" in text


def test_where_nothing_is_known_the_page_says_so():
    nothing = evaluate_pillars({}, rows=[{"question": "Why?", "answer": "So."}])
    (verdict,) = of(nothing, Masthead)
    assert verdict.title == "No pillar has a score."
    assert "no pillar has a score" in draw(nothing, "text")
    assert "<script>window" not in draw(nothing, "html")
