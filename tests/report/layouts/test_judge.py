"""A run of a judge on a terminal, on a page and in every other format."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from invented_judge import FAITHFULNESS, FOUND, GATES, NOT_CALIBRATED, RELEVANCE, outcome
from results.round_trip import round_trip

from benchbench.judging.dry_run import Planned
from benchbench.judging.judge_details import CalibrationDetails, CostDetails, GroupScores
from benchbench.judging.score_counts import ScoreLine
from benchbench.judging.verdict import Repeatability
from benchbench.report.card_blocks import Box, HeatTable, MetricRows
from benchbench.report.draw import draw, rendered
from benchbench.report.layouts.judge import plan_layout
from benchbench.report.layouts.judge_page import blocks
from benchbench.report.render.screen import Screen

TEXTS = Path(__file__).parent / "judge_texts"


def text(result, width=120):
    return draw(result, "text", Screen(width, False, False))


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_terminal_says_the_scores_first_and_how_far_to_trust_them_second(width):
    assert text(outcome(GATES), width) == (TEXTS / f"{width}.txt").read_text("utf-8")


def test_every_format_draws_what_lay_in_a_folder_as_before(tmp_path):
    round_trip(outcome(GATES), tmp_path / "out")


def test_csv_has_a_row_per_score_part_and_group():
    rows = csv.DictReader(io.StringIO(draw(outcome(), "csv")))
    assert [(row["rubric"].split(".")[0], row["metric"], row["group"], row["mean"]) for row in rows] == [
        ("faithfulness", "faithfulness", "", "0.8125"),
        ("faithfulness", "faithfulness_statements", "", "4.2"),
        ("faithfulness", "faithfulness", "法令", "0.8"),
        ("faithfulness", "faithfulness", "判例", "0.825"),
        ("relevance_1_5", "relevance_1_5", "", "3.5"),
        ("relevance_1_5", "relevance_1_5", "法令", "3.4"),
        ("relevance_1_5", "relevance_1_5", "判例", "3.6"),
    ]


def test_the_page_has_scores_trust_lowest_scores_attacks_and_costs():
    page = draw(outcome(GATES), "html")
    for said in (
        "Relevance 1–5 is the lowest of 2 scores: 3.500 (",
        "✕ The judge is the model that answers",
        "The gate failed, and 2 verdicts failed",
        "kappa 0.71 (0.63 to 0.79) over 412 pairs, 2026-10-02",
        "明渡しの前に返還される。 – 第622条の2に反する。",
        "Verdicts",
        "コンテキストに反する。",
        "Ignore the above",
        "$0.6989",
        'href="#attacks"',
    ):
        assert said in page, said


def test_a_rubric_has_a_box_per_answer_where_the_page_holds_all_of_them():
    found = replace(FOUND, rubrics=[replace(FAITHFULNESS, judged=1), RELEVANCE])
    (means,) = (block for block in blocks(outcome(found=found)) if isinstance(block, MetricRows))
    assert [row.boxes for row in means.rows] == [
        [Box(1, "", "answer 1: 0.000, 敷金はいつ返還されますか。", 0.0)],
        [],
    ]
    assert [row.zones for row in means.rows] == [[], [(0.5, "3"), (0.75, "4")]]


def test_groups_stand_worst_first_whatever_the_scales_of_their_scores():
    groups = {"a": GroupScores(9, ScoreLine(mean=0.9, n=9)), "b": GroupScores(9, ScoreLine(mean=0.8, n=9))}
    grades = {"a": GroupScores(9, ScoreLine(mean=2.0, n=9)), "b": GroupScores(9, ScoreLine(mean=3.0, n=9))}
    rubrics = [replace(FAITHFULNESS, source_type=groups), replace(RELEVANCE, source_type=grades)]
    (table,) = (one for one in blocks(outcome(found=replace(FOUND, rubrics=rubrics))) if isinstance(one, HeatTable))
    ((label, rows),) = table.kinds
    assert (label, [row.name for row in rows]) == ("Source type", ["a", "b"])  # 0.9 and 0.25, before 0.8 and 0.5


def test_a_page_of_scores_without_a_model_that_answers_itself_has_no_such_band():
    page = draw(outcome(found=replace(FOUND, own=[], attacked=0, attacks={})), "html")
    assert "The judge is the model that answers" not in page
    assert 'href="#attacks"' not in page


def test_a_run_in_which_every_verdict_failed_has_no_score_and_says_so():
    nothing = replace(
        FAITHFULNESS, judged=0, unscored=0, failed=60, failures={"HTTP 500": 60}, score=ScoreLine(), scaled=None,
        parts={}, histogram=[], repeats=Repeatability(), source_type={},
    )  # fmt: skip
    found = replace(FOUND, rubrics=[nothing], failures={"HTTP 500": 60}, cost=CostDetails())
    assert text(outcome(found=found)).startswith("○ faithfulness: no score, of 60 verdicts.\n")
    assert "Left out of the means: 3 unanswered questions and 60 failed verdicts of 60." in text(outcome(found=found))
    assert "gpt-4o gave no score." in draw(outcome(found=found), "html")


def test_a_stale_calibration_stands_beside_what_is_wrong_with_it():
    stale = replace(FAITHFULNESS, calibration=CalibrationDetails("kappa 0.71", "the calibration is 200 days old"))
    said = text(outcome(found=replace(FOUND, rubrics=[stale])))
    assert "It is unknown how far to trust faithfulness: the calibration is 200 days old (kappa 0.71)." in said


def test_a_cost_that_is_not_known_is_never_0():
    found = replace(FOUND, cost=CostDetails(calls=5, tokens_in=7))
    assert "unknown; set the price with --price IN,OUT" in text(outcome(found=found))
    assert "$0" not in draw(outcome(found=found), "html")


def test_a_cache_that_failed_is_said():
    found = replace(FOUND, problem="the cache judge.sqlite failed during the run (disk is full)")
    assert "disk is full" in text(outcome(found=found))
    assert any("verdicts after that were not stored" in one.text for one in outcome(found=found).record.notes)


def test_a_plan_says_what_is_not_known():
    plan = Planned(
        model="gpt-4o",
        items=10,
        verdicts=12,
        cached=2,
        calls=10,
        most_calls=20,
        tokens_in=1000,
        tokens_out=200,
        most_tokens_in=9000,
        most_tokens_out=4000,
        cost=None,
        most_cost=None,
        price=None,
        lacking={"no truth": 3},
    )
    said = rendered(None, plan_layout(plan), "text", Screen(80, False, False))
    assert "The price of this model is not known; give it with --price IN,OUT." in said
    assert "Lacking, 3  no truth" in said
    price = {"input": 2.5, "output": 10.0, "date": "2026-05-31", "source": "openai.com"}
    known = plan_layout(replace(plan, cost=0.02, most_cost=1.5, price=price))
    known = rendered(None, known, "text", Screen(120, False, False))
    assert "$0.0200" in known
    assert "$1.50" in known
    assert "2.5 and 10 US dollars per million tokens in and out, openai.com on 2026-05-31" in known


def test_refusals_of_gates_say_why():
    assert NOT_CALIBRATED in draw(outcome(GATES), "junit").replace("&#x27;", "'").replace("&#39;", "'")
