"""The page and the text of an evaluation in three pillars, with hostile texts and where little is known."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chat_server
import orjson
import pytest
from cases import first_of
from unfolded import unfold

from benchbench.client.chat import ChatModel
from benchbench.evaluation.evaluation_result import EvaluationOutcome
from benchbench.evaluation.pillars import evaluate_pillars
from benchbench.report.card_blocks import AnswerList, HeatTable, MetricRows
from benchbench.report.draw import draw
from benchbench.report.layouts.evaluate_page import blocks
from benchbench.report.page_blocks import Band, Masthead
from benchbench.report.render.screen import Screen

if TYPE_CHECKING:
    from playwright.sync_api import Page

EVIL = "\"><script>window.broken = 1</script><img src=x onerror='window.broken=1'><b>'"
RELATIONS = [{"from": "民法", "to": "借地借家法", "type": "一般法-特別法"}]


def judged(call: int, request: dict[str, Any]) -> str:
    """Say what the answer's beginning deserves; the answer to question 3 gets no verdict."""
    text = request["messages"][-1]["content"]
    if "nonsense" in text:
        return f"Sure! {EVIL}"
    schema = chat_server.schema_of(request)
    assert schema is not None
    value = chat_server.valid(schema, 0.5, f"reason {EVIL}")
    if "statements" in schema["properties"]:
        value["statements"].append({"statement": f"said {EVIL}", "reason": "none", "is_supported": False})
    if "identified" in schema["properties"]:
        value |= {"identified": [1], "missed": [], "incorrect": [EVIL]}
    return orjson.dumps(value).decode()


def row(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": f"q{number}",
        "question": f"民法第709条の要件は何か。{number}",
        "answer": "民法第709条によります。商法第1条も参照。",
        "truth": "民法第709条",
        "contexts": [{"id": "709", "text": "民法第七百九条　故意又は過失"}, {"id": "x", "text": "商法総則"}],
        "relevant": {"709": 2, "415": 1},
        "relationships": RELATIONS,
        "category": "不法行為" if number % 2 else "契約",
        **more,
    }


def rows() -> list[dict[str, Any]]:
    return [
        row(1),
        row(2, question=EVIL, answer=f"{EVIL} 民法第415条", category=EVIL, contexts=[{"id": EVIL, "text": EVIL}]),
        row(3, answer="nonsense 民法第709条"),
        {**row(4), "answer": None, "error": f"HTTP 500 {EVIL}"},
        row(5, contexts=[]),
        *(row(number) for number in range(6, 10)),
    ]


@pytest.fixture(scope="module")
def found() -> Iterator[EvaluationOutcome]:
    with chat_server.ChatServer(judged) as server:
        judge = ChatModel("judge-1", base_url=server.url, headers={"Authorization": "Bearer none"}, retries=0)
        yield evaluate_pillars({"name": "law"}, judge, rows=rows(), max_error_rate=1.0, fail_if=["overall<0.9"])


def of(found: EvaluationOutcome, kind: type) -> list[Any]:
    return [one for one in blocks(found) if isinstance(one, kind)]


def test_the_page_begins_with_the_overall_score_its_interval_and_the_gates_that_failed(found):
    (verdict,) = of(found, Masthead)
    value = found.details().overall
    assert verdict.title.startswith(f"Overall {value.value:.2f}, ")
    assert verdict.pieces[0].startswith(f"95 % interval {value.low:.2f} to {value.high:.2f}")
    assert any(note.startswith("Nothing says how far to trust the judged scores: ") for note in verdict.notes)
    assert of(found, Band)[0].title.startswith("The gate failed, and ")


def test_pillars_stand_with_weights_and_sub_scores_with_what_they_are_over(found):
    pillars, scores = of(found, MetricRows)
    assert [(one.title, one.said) for one in pillars.rows] == [
        ("Overall", "9 questions"),
        ("Retrieval", "weight 0.2, 9 questions"),
        ("Generation", "weight 0.4, 7 questions"),
        ("Domain", "weight 0.4, 8 questions"),
    ]
    said = {one.title: one.said for one in scores.rows}
    assert said["Answer relevance"].endswith("generation, of 7 questions, 2 failed")
    assert "at most 0.40 by any ranking" in said["Precision@5"]
    assert [len(one.boxes) for one in pillars.rows] == [7, 9, 7, 8]


def test_each_question_has_its_faults_verdicts_and_contexts_worst_first(found):
    (questions,) = of(found, AnswerList)
    cards = {one.number: one for one in questions.cards}
    assert questions.cards[0].number == 4
    assert cards[4].failure == f"HTTP 500 {EVIL}"
    texts = [fault.text for fault in cards[1].faults]
    assert texts[0] == "商法第1条: not in its documents"
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


# In a browser.


@pytest.fixture(scope="module")
def page(found, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "evaluate.html"
    path.write_text(draw(found, "html"), encoding="utf-8")
    return path


@pytest.mark.parametrize(("width", "scheme"), first_of((390, "dark"), (1280, "light")))
def test_axe_finds_nothing_and_no_text_runs_a_script(
    opened_page: Callable[..., "Page"], violations, page: Path, width: int, scheme: str
):
    shown = opened_page(page, width=width, scheme=scheme)
    unfold(shown, "summary:visible")
    assert violations(shown) == []
    assert shown.evaluate("window.broken") is None
    assert shown.evaluate("document.documentElement.scrollWidth") <= width


def test_a_button_shows_the_questions_of_a_kind(opened_page: Callable[..., "Page"], page: Path):
    shown = opened_page(page)
    shown.locator('[data-f="failed"]').click()
    assert shown.locator(".card:visible").count() == 1
    assert "question" in shown.locator("#count").inner_text()
