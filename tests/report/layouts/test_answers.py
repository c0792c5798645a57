"""An evaluation of answers in each state, on a page and in other formats; `test_cards_browser` opens the page."""

import functools
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import invented_answers as invented
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_text import Page

from benchbench.answering.analysis import analysis
from benchbench.answering.answers_result import AnswersOutcome, details
from benchbench.answering.scoring import chosen
from benchbench.answering.stored import score_answers
from benchbench.answers.metrics import METRICS, MetricWords, metric
from benchbench.answers.summary import Summary
from benchbench.answers.worst import Worst
from benchbench.report.card_blocks import AnswerList, HeatTable, MetricRows
from benchbench.report.draw import draw, rendered
from benchbench.report.layouts.answers import analysed
from benchbench.report.layouts.answers_page import blocks
from benchbench.report.page_blocks import Masthead
from benchbench.results.folder import save
from benchbench.results.result import Result
from benchbench.stored import load
from benchbench.tables.questions import Answer, Question

EVIL = "\"><script>window.broken = 1</script><img src=x onerror='window.broken=1'>&amp;{{ 7 * 7 }}</style>"


def of(result: Result, kind: type) -> Any:
    return next(one for one in blocks(result) if isinstance(one, kind))


def test_the_headline_names_the_bands_where_something_was_expected_worst_first():
    found = invented.answers()
    rows = of(found, MetricRows).rows
    assert [(one.title, one.band) for one in rows] == [
        ("UK terminology", "poor"),
        ("Citation format", "poor"),
        ("Statutes and rules", "acceptable"),
        ("Sources", "acceptable"),
        ("Case law", ""),
    ]
    lead = of(found, Masthead)
    assert lead.title == (
        "8 of 11 answers have a fault, most often “US term” (6); UK terminology is poor, the rest is uncertain."
    )
    assert "citation format (poor to " in lead.pieces[-1]


def test_a_metric_that_nothing_was_expected_of_is_not_tested_and_has_no_value():
    row = of(invented.answers(), MetricRows).rows[-1]
    assert row[:2] == ("Case law", "no reference answer cites a case")
    assert (row.value, row.band, row.mean) == ("", "", None)
    assert "Case law was not tested" in of(invented.answers(), Masthead).pieces
    assert "not tested" in draw(invented.answers(), "html")


def test_each_answer_has_a_box_until_they_are_too_many_and_then_three_lengths():
    few = of(invented.answers(), MetricRows).rows[0]
    assert sum(few.stack) == len(few.boxes) == 11
    many = of(invented.answers(invented.rows(200)), MetricRows).rows[0]
    assert (len(many.boxes), sum(many.stack)) == (0, 200)


@pytest.mark.slow  # 1,200 answers
def test_of_many_answers_the_page_holds_the_worst_and_counts_all():
    found = invented.answers(invented.rows(1200, 3))
    answers = of(found, AnswerList)
    assert len(answers.cards) == 1000
    assert answers.notes == ["The page holds the 1,000 worst of 1,200 answers; buttons count all."]
    counts = {one.key: one.entries for one in answers.filters}
    assert counts["failed"] == 3
    assert counts["precedent_matching-missed"] == 598
    assert counts["none"] == 300, "of four answers, the first has no fault"
    assert sum(len(one.boxes) for one in of(found, MetricRows).rows) == 0


def test_all_failed_begins_with_the_most_frequent_reason_and_has_no_metrics():
    metrics = chosen(())
    summary, worst = Summary(metrics), Worst(metrics)
    for number, reason in enumerate(("timeout", "HTTP 500", "HTTP 500"), 1):
        answer = Answer(Question(f"{number}?", "t"), None, failure=reason)
        summary.add(answer, [one.value(answer) for one in metrics])
        worst.add(number, answer, [one.value(answer) for one in metrics])
    url = "http://host/ask"
    found = AnswersOutcome(
        found=details(summary),
        metrics=metrics,
        subject=url,
        gates=[],
        options={"url": url, "metrics": [one.name for one in metrics]},
        began=0.0,
        worst=worst.rows(),
    )
    assert of(found, Masthead).title == "No question has an answer: HTTP 500, 2 times."
    assert not [one for one in blocks(found) if isinstance(one, MetricRows)]
    assert [one.failure for one in of(found, AnswerList).cards] == ["timeout", "HTTP 500", "HTTP 500"]
    assert "✕ No answer" in draw(found, "html")


def test_an_interrupted_run_says_how_many_were_asked():
    whole = invented.answers(invented.rows(4))
    found = replace(whole, complete=False, found=replace(whole.found, unanswered=6))
    shown = draw(found, "html")
    assert "✂ Interrupted: 4 of 10 questions were asked" in shown
    assert "6 questions of the ground truth have no answer at all." in shown


def test_a_long_question_begins_its_card_and_opens_whole():
    asked = "Why? " * 100
    row = {"question": asked, "truth": "CPR 1.1", "answer": "CPR 1.1"}
    shown = draw(invented.answers([row]), "html")
    assert f"{asked[:220]} …</span></h3>" in shown
    assert (
        f'<details class="whole"><summary>The whole question</summary><p class="text" dir="auto">{asked}</p>' in shown
    )


def test_a_choice_that_is_not_clear_is_another_fault_than_a_wrong_one():
    rows = [{"question": f"{n}?", "truth": "a", "answer": said} for n, said in enumerate(("b", "Who knows?"))]
    answers = of(invented.answers(rows, "choice_accuracy"), AnswerList)
    assert [one.text for one in answers.filters] == ["wrong choice", "no clear choice"]
    assert answers.marks == [("wrong", "wrong")]


def test_without_groups_there_is_no_table_of_them():
    found = invented.answers(invented.rows(8, source_type="", category=""))
    assert not [one for one in blocks(found) if isinstance(one, HeatTable)]
    one_group = invented.answers(invented.rows(8, source_type="CPR", category=""))
    assert not [one for one in blocks(one_group) if isinstance(one, HeatTable)]


def test_means_of_few_answers_have_no_colour():
    cells = [cell for _, rows in of(invented.answers(), HeatTable).kinds for row in rows for cell in row.cells]
    assert {cell.few for cell in cells} == {False}
    few = invented.answers(invented.rows(6))
    kinds = dict(of(few, HeatTable).kinds)
    assert {cell.few for row in kinds["Category"] for cell in row.cells} == {True}
    assert {cell.few for row in kinds["Source type"] for cell in row.cells} >= {False}


def test_several_reasons_stand_in_a_band_above():
    rows = invented.rows(9, 2)
    rows[-1] |= {"error": "timeout"}
    shown = draw(invented.answers(rows), "html")
    assert "✕ 2 questions got no answer" in shown.replace("\n", " ")
    assert all(reason in shown for reason in ("HTTP 500", "timeout"))


def test_metrics_that_are_no_accuracies_are_figures_below():
    rows = of(invented.answers(), MetricRows)
    assert [words for _, words in rows.figures] == [
        "characters per answer",
        "s response time",
        "cite a source word for word",
        "cite a source at all",
    ]
    alone = invented.answers(None, "answer_length")
    assert of(alone, Masthead).title == "12 answers: the metrics measure, and none says what is right."
    assert of(alone, MetricRows).rows == []
    assert draw(alone, "html")


def test_a_choice_is_a_row_without_bands():
    rows = [{"question": f"{n}?", "truth": "a", "answer": "ab"[n % 2]} for n in range(6)]
    found = invented.answers(rows, "choice_accuracy")
    (row,) = of(found, MetricRows).rows
    assert (row.title, row.value, row.zones, row.band) == ("Choices", "0.500", [], "")
    assert of(found, Masthead).title == "3 of 6 answers have a fault; 50 % of choices are right."


def test_japanese_and_chinese_texts_say_their_language():
    rows = [
        {"question": "民法第709条は何を定めるか。", "truth": "民法第709条", "answer": "民法第710条です。"},
        {
            "question": "《刑法》第二百六十四条规定了什么？",
            "truth": "盗窃罪，《刑法》第二百六十四条。",
            "answer": "不知道。",
        },
        {"question": "What?", "truth": "CPR 1.1", "answer": "CPR 1.1"},
    ]
    found = invented.answers(rows, "japanese_citation_accuracy", "chinese_citation_accuracy")
    langs = {one.number: one.langs for one in of(found, AnswerList).cards}
    assert langs == {1: ("ja", "ja", "ja"), 2: ("zh", "zh", "zh"), 3: ("", "", "")}
    shown = draw(found, "html")
    assert 'lang="ja" dir="auto"' in shown
    assert "民法第709条" in shown


def test_long_texts_are_shortened_around_their_marks_and_say_so():
    row = {"question": "?", "truth": "x " * 4000 + "Part 46 ends it.", "answer": "y " * 9000 + "[1-3]"}
    (card,) = of(invented.answers([row]), AnswerList).cards
    assert [one.text for one in card.truth if one.mark] == ["Part 46"]
    assert [one.text for one in card.answer if one.mark] == ["[1-3]"]
    assert all(re.fullmatch(r"[\d,]+ characters left out", one) for one in card.cut)


@pytest.mark.slow  # megabytes of texts
def test_the_page_stays_small_however_long_the_texts_are():
    row = {"truth": "x " * 1900, "answer": "第" * 3900}
    found = invented.answers([{**row, "question": f"{n}?"} for n in range(800)], "precedent_matching")
    shown = draw(found, "html")
    assert len(shown.encode()) < 5_000_000
    assert "worst of 800 answers" in shown


def test_a_folder_of_an_older_version_has_metrics_and_says_that_it_holds_no_answers():
    folder = Path(__file__).parents[2] / "stored" / "answers"
    shown = draw(load(folder), "html")
    assert "This result holds no answers" in shown
    assert "<h1" in shown


def test_a_metric_of_ones_own_keeps_its_bands_and_words_in_a_folder(tmp_path: Path):
    words = MetricWords("Kindness", "kind", "words that are kind", missed="unkind")
    metric("kindness_for_a_test", "How kind.", good=0.9, acceptable=0.5, words=words)(lambda answer: 0.75)
    try:
        found = invented.answers(invented.rows(4), "kindness_for_a_test")
        shown = draw(found, "html")
        save(found, tmp_path / "out")
    finally:
        del METRICS["kindness_for_a_test"]
    assert draw(load(tmp_path / "out"), "html") == shown
    assert "kindness is acceptable." in shown


FIELDS = ("question", "truth", "answer", "source_type", "category", "error")
hostile = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=12).map(
    lambda text: f"{text}{EVIL}{text}"
)


def with_text(field: str, text: str) -> Page:
    """Return a page of answers of which one has a text in a field."""
    rows = invented.rows(4)
    if field == "error":
        rows[1] |= {"answer": None}
    rows[1][field] = text
    return Page(draw(invented.answers(rows), "html"))


@functools.cache
def usual_page(field: str) -> Page:
    return with_text(field, "plain")


@given(st.sampled_from(FIELDS), hostile)
def test_markup_in_any_field_stays_text(field: str, text: str):
    shown, usual = with_text(field, text), usual_page(field)
    assert set(shown.tags) == set(usual.tags)
    assert shown.tags.count("script") == usual.tags.count("script") == 1
    assert not [value for name, value in shown.attributes if name.startswith("on")]
    links = [value or "" for name, value in shown.attributes if name in ("src", "href", "action")]
    assert all(one.startswith(("#", "data:,")) for one in links)


def test_markup_in_the_name_and_in_a_failure_stays_text():
    found = score_answers(invented.rows(6, 2), fail_if=["errors<1000"])
    found.describe(name=EVIL)
    shown = draw(found, "html")
    assert "<script>window.broken" not in shown
    assert "&#34;&gt;&lt;script&gt;window.broken" in shown


def test_a_citation_as_markup_stays_a_mark():
    row = {"question": "?", "truth": "So. [<b>Bold</b>]", "answer": "So. [<i>Thin</i>]"}
    shown = draw(invented.answers([row]), "html")
    assert "<b>Bold" not in shown
    assert '<mark class="k missed">[&lt;b&gt;Bold&lt;/b&gt;]' in shown


def test_an_analysis_names_ten_documents_and_says_how_many_more():
    truths = [Question(f"{n}?", f"So it says. [Document {n}]", "CPR") for n in range(12)]
    text = rendered(None, analysed(analysis(truths)), "text")
    assert text.endswith("… and 2 more (--format json has all)\n")
    assert len(orjson.loads(rendered(None, analysed(analysis(truths)), "json"))["documents"]) == 12
