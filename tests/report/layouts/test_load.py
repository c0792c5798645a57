"""A load test, drawn."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import invented_load
import pytest
from any_result import UNBROKEN
from invented_load import NAN

from benchbench.comparison.comparable import rules
from benchbench.load_test import LoadOutcome
from benchbench.loads.load_details import Highest
from benchbench.loads.over_time import Stretch
from benchbench.measures.gate_names import as_gates
from benchbench.report.draw import draw, layout
from benchbench.report.render.screen import Screen
from benchbench.results.signature import short


@pytest.fixture
def outcome(tmp_path: Path) -> LoadOutcome:
    return invented_load.outcome(tmp_path)


def test_people_see_both_times_failures_and_both_qualities(outcome: LoadOutcome):
    lines = draw(outcome, "text", UNBROKEN).splitlines()
    assert lines[0] == "▼ Falls behind already at 1 requests/s: 3 of 300 requests fail, p95 1.0 ms."
    first, second = (n for n, line in enumerate(lines) if " due " in line)
    assert "1,234.5" in lines[first]
    assert lines[first + 1].split()[:6] == ["from", "sent", "1.0", "1.0", "1.0", "–"]
    assert ["answered" in line for line in lines[first : second + 3]] == [False] * 4 + [True]
    assert "3 of 300" in lines[second]
    assert sum("all (none failed)" in line for line in lines) == 1
    assert [line.split()[-3:] for line in lines if "asked, failed as 0" in line] == [["0.250", "0.250", "0.250"]]
    assert [line.split()[-3:] for line in lines if "answered only" in line] == [["0.500", "0.500", "0.500"]]
    assert "Failed      20 requests/s, batch 4: 3 requests: HTTP 503: busy" in lines


def with_measures(outcome: LoadOutcome, quality: dict[str, float]) -> LoadOutcome:
    steps = []
    for step in outcome.steps:
        speed = {name: value for name, value in step.values.items() if not name.startswith(("asked.", "answered."))}
        named = {f"{over}.gold.{name}": value for over in ("asked", "answered") for name, value in quality.items()}
        steps.append(replace(step, values={**speed, **named}))
    return replace(outcome, steps=steps)


@pytest.mark.parametrize(
    ("quality", "shown"),
    [({"RBP": 0.5, "P(rel=2)@5": 0.25, "NumRet": 1200.0}, ["0.500", "0.250", "1,200"]), ({"nDCG@5": 0.125}, ["0.125"])],
)
def test_up_to_three_other_measures_have_a_column_each(
    outcome: LoadOutcome, quality: dict[str, float], shown: list[str]
):
    told = with_measures(outcome, quality)
    lines = [line.split() for line in draw(told, "text", UNBROKEN).splitlines()]
    (head,) = (line for line in lines if "Quality" in line)
    assert head == ["Load", "Batch", "Quality", "over", "Task", *quality]
    assert sum(line[-len(shown) :] == shown for line in lines) == 3  # of a step without failures, and twice of one with
    assert draw(told, "markdown").splitlines()[0].endswith(f"| p99 sent | {' | '.join(quality)} |")


def test_more_measures_have_a_row_each_and_the_first_three_a_column_in_documents(outcome: LoadOutcome):
    quality = {"RBP": 0.5, "AP": 0.25, "P@5": 0.75, "NumRet": 1200.0}
    told = with_measures(outcome, quality)
    lines = [line.split() for line in draw(told, "text", UNBROKEN).splitlines()]
    (head,) = (n for n, line in enumerate(lines) if "Quality" in line)
    assert lines[head][-2:] == ["Metric", "Value"]
    rows = lines[head + 2 : head + 14]
    assert [line[-2:] for line in rows] == 3 * [
        ["RBP", "0.500"],
        ["AP", "0.250"],
        ["P@5", "0.750"],
        ["NumRet", "1,200"],
    ]
    assert [len(line) for line in rows[1:4]] == [2, 2, 2]
    assert draw(told, "markdown").splitlines()[0].endswith("| p99 sent | RBP | AP | P@5 |")


def test_percentiles_of_the_answered_are_marked_by_how_many_were_answered(outcome: LoadOutcome):
    outcome.steps[1].values["failed_requests"] = 290.0
    (answered,) = (line.split() for line in draw(outcome, "text", UNBROKEN).splitlines() if " answered  " in line)
    assert answered[:5] == ["answered", "1.0*", "1.0*", "1.0*", "1.0*"]
    (due,) = (
        line.split()
        for line in draw(outcome, "text", UNBROKEN).splitlines()
        if line.lstrip().startswith("20 ") and " due " in line
    )
    marks = due[due.index("due") + 1 :][:6]
    assert marks[:3] == ["1.0", "1.0", "1.0"]
    assert "1.0*" in marks[3:]


def test_an_open_loop_shows_what_came_was_answered_and_was_left(outcome: LoadOutcome):
    outcome.steps[1] = replace(outcome.steps[1], saturation="beyond")
    outcome.steps[1].values.update(offered_per_second=1234.56, backlog_start=2e4, backlog_end=31234.0)
    lines = [line.split() for line in draw(outcome, "text", UNBROKEN).splitlines()]
    (head,) = (n for n, line in enumerate(lines) if "Saturation" in line)
    assert lines[head + 2][-7:] == ["1", "1", "0", "1", "1", "1", "–"]
    assert lines[head + 3][-7:] == ["1,235", "1", "0", "20,000", "31,234", "1", "beyond"]
    closed = replace(outcome, settings=replace(outcome.settings, rates=()))
    assert "Saturation" not in draw(closed, "text", UNBROKEN)


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html", "summary"])
def test_beyond_saturation_every_report_says_what_its_percentiles_are(outcome: LoadOutcome, form: str):
    outcome.steps[1] = replace(outcome.steps[1], saturation="beyond")
    said = "so latency percentiles depend on how long the step lasts"
    assert draw(outcome, form, UNBROKEN).count(said) == 1
    assert json.loads(draw(outcome, "json"))["steps"][1]["saturation"] == "beyond"
    searched = replace(outcome, steps=[replace(step, broke=("beyond saturation: …",)) for step in outcome.steps])
    assert said not in draw(searched, form, UNBROKEN), "such a step of a search has it among its reasons"


@pytest.mark.parametrize("states", [("below", "beyond"), ("at", None)])
def test_a_terminal_of_120_columns_shows_the_tables(outcome: LoadOutcome, states):
    for step in outcome.steps:
        step.values.update({name: 9876.54 for name in step.values if name.rpartition("_")[2][0] in "pm"})
        step.values.update(late=250.0, backlog_start=54321.0, backlog_end=54321.0, queries_per_second=98765.4)
    steps = [replace(step, saturation=state) for step, state in zip(outcome.steps, states, strict=True)]
    tables = draw(replace(outcome, steps=steps), "text").partition("\n\n")[2].partition("\n\n3 bad")[0]
    assert max(len(line) for line in tables.splitlines() if "  " in line) <= 120


def test_what_was_skipped_dropped_or_wrong_is_said(outcome: LoadOutcome):
    shown = draw(outcome, "text", UNBROKEN)
    for sentence in (
        "2 positives were dropped: the query itself, or a text listed twice",
        "3 bad lines of the data set were skipped",
        "6 positives beyond the first 10 per query were left out, in 5 of 12 queries: numbers from all would differ; "
        "--max-positives 0 takes all",
        "1 query that no hit can be relevant for in task gold",
        "all steps: 7 answers had fewer than 10 hits; ranks without a hit count as not relevant",
        "all steps: 4 hits without a label for task article",
        "all steps: 5 hits with fault: missing scores",
    ):
        assert f"\nNote        {sentence}\n" in shown
        assert f"- Note: {sentence}\n" in draw(outcome, "summary")
    assert shown.endswith(f"\nSignature   {short('data:digest')}, data and rules {rules('data:digest')}\n")
    assert f"\n- Signature: {short('data:digest')}" in draw(outcome, "summary")
    whole = json.loads(draw(outcome, "json"))
    assert (whole["counts"], whole["queries_without_label"]) == (outcome.counts, {"gold": 1})
    for step in whole["steps"]:
        assert step["counts"]["short_lists"] == 7
        assert (step["hit_faults"], step["unlabelled_hits"]) == ({"missing_scores": 5}, {"article": 4})


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html", "summary"])
def test_what_the_numbers_leave_out_stands_in_every_table_and_in_junit(outcome: LoadOutcome, form: str):
    outcome.steps[1].counts["positive_hits"] = 0
    unmatched = (
        "20 requests/s, batch 4: none of the 6,000 hits is a positive of its query, so task gold is 0 throughout; "
        "`benchbench run` says how they were compared"
    )
    notes = layout(outcome).notes
    assert notes[0] == unmatched
    assert "\n".join(notes) in draw(outcome, "junit")
    assert "3 bad lines of the data set were skipped" in draw(outcome, form, UNBROKEN)
    assert "none of the 6,000 hits is a positive of its query" in draw(outcome, form, UNBROKEN)


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html", "summary"])
def test_hits_that_were_cut_are_said_once_wherever_the_numbers_are(outcome: LoadOutcome, form: str):
    outcome.steps[1].hit_faults["beyond_top_k"] = 360
    said = "20 requests/s, batch 4: 360 hits were cut: the service sent more than --top-k 20 per query"
    assert said in layout(outcome).notes
    assert draw(outcome, form, UNBROKEN).count("360 hits were cut") == 1
    assert draw(outcome, "summary").count(said) == 1


@pytest.mark.parametrize("field", ["client_is_the_limit", "coordinated_omission"])
def test_a_limit_and_an_omission_are_one_line_each(outcome: LoadOutcome, field: str):
    outcome.steps[0] = replace(outcome.steps[0], **{field: "what happened"})
    assert (
        draw(outcome, "text", Screen(1000, verbose=True)).count("Note        10 requests/s, batch 4: what happened\n")
        == 1
    )
    assert "what happened" not in draw(outcome, "text", UNBROKEN), "the verdict has it"


def test_quality_over_some_of_the_queries_is_said(outcome: LoadOutcome):
    outcome.steps[0].values["queries_asked"] = 8.0
    assert "quality is over 8 of the 12 queries" in draw(outcome, "text", Screen(1000, verbose=True))
    assert "some steps asked 8 of 12 queries, so means differ by chance" in draw(outcome, "text", Screen(1000))


def test_amortised_time_is_shown_when_the_batch_size_is_an_axis(outcome: LoadOutcome):
    assert "amortised per query" not in draw(outcome, "text", UNBROKEN)
    several = replace(outcome, settings=replace(outcome.settings, batch_sizes=(1, 4)))
    assert draw(several, "text", UNBROKEN).count("amortised per query") == 2


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        ({}, "Highest rate that holds p99<2s: 10 requests/s of 4 queries, to 5 %."),
        (
            {"limited_by_client": True},
            "; above it the client or its machine was the limit, and the service may hold more.",
        ),
        (
            {"refused": 10.5, "reasons": ("p99 is 3000 ms, not < 2000 ms",)},
            "10 requests/s of 4 queries, to 5 %; 10.5 requests/s do not: p99 is 3000 ms, not < 2000 ms.",
        ),
        (
            {"rate": None, "refused": 5.0, "reasons": ("1 requests failed", "why")},
            "of 4; 5 requests/s do not: 1 requests failed, and why.",
        ),
        ({"rate": None}, "No rate that was tried holds p99<2s with batches of 4."),
        (
            {"rate": None, "limited_by_client": True},
            " of 4; the client or its machine was the limit, and the service may hold it.",
        ),
    ],
)
def test_the_end_of_a_search_is_one_line(outcome: LoadOutcome, ended: dict[str, Any], said: str):
    found = Highest(**{"batch_size": 4, "rate": 10.0, "limited_by_client": False, **ended})
    settings = replace(outcome.settings, rates=(), find_max="p99<2s")
    steps = [outcome.steps[0], replace(outcome.steps[1], broke=("3 requests failed",))]
    shown = draw(replace(outcome, settings=settings, highest=[found], steps=steps), "text", UNBROKEN).splitlines()
    assert shown[0].endswith(said)
    assert "Note        10 requests/s, batch 4: holds the condition" in shown
    assert "Note        20 requests/s, batch 4: breaks the condition: 3 requests failed" in shown


def test_what_is_not_a_number_is_empty_or_null(outcome: LoadOutcome):
    outcome.steps[0].values["rate"] = NAN
    assert '"rate":null' in draw(outcome, "jsonl")
    assert '"rate": null' in draw(outcome, "json")
    assert "nan" not in draw(outcome, "csv").lower()


def test_csv_and_json_lines_have_a_line_per_step_with_every_number(outcome: LoadOutcome):
    rows = list(csv.DictReader(io.StringIO(draw(outcome, "csv"))))
    lines = [json.loads(line) for line in draw(outcome, "jsonl").splitlines()]
    for step, row, line in zip(outcome.steps, rows, lines, strict=True):
        assert row["name"] == line["name"] == step.load.title
        numbers = {name: None if value != value else value for name, value in step.values.items()}
        assert {name: float(row[name]) if row[name] else None for name in numbers} == line["values"] == numbers
        assert row.keys() == {"name", *numbers}
    assert lines[1]["failures"] == {"HTTP 503: busy": 3}


def test_gates_of_every_step_are_on_the_page(outcome: LoadOutcome):
    gates = as_gates(["p99>1s", "errors>500"])
    page = draw(replace(outcome, steps=[replace(step, checked=step.check(gates)) for step in outcome.steps]), "html")
    for condition, observed in (
        ("p99&gt;1s", "20 requests/s, batch 4: p99 is 1234.5 ms, required at most 1000 ms"),
        ("errors&gt;500", "20 requests/s, batch 4: errors is 1"),
    ):
        assert f"<td>{condition}</td><td>{observed}</td>" in page


def test_a_page_shows_what_a_terminal_does_and_obeys_no_markup(outcome: LoadOutcome):
    outcome.steps[1].failures["<script>busy</script>"] = 1
    page = draw(outcome, "html")
    assert "<title>Load on http://service/batch_search: 12 queries, open loop, constant arrivals</title>" in page
    assert "1 request: &lt;script&gt;busy&lt;/script&gt;" in page
    assert page.count("<table") == 4 + 3, "those of a terminal, every step, why some are not held, and the client"
    assert "1,234.5" in page


def test_an_interrupted_test_says_so(outcome: LoadOutcome):
    said = "\nNote        Interrupted: these are the steps that were finished.\n"
    assert said in draw(replace(outcome, interrupted=True), "text", UNBROKEN)
    assert said not in draw(outcome, "text", UNBROKEN)


def test_a_percentile_of_few_requests_is_marked_where_it_stands(outcome: LoadOutcome):
    shown = draw(outcome, "text", UNBROKEN)
    assert shown.count("* Fewer than 10 requests are above it") == 1
    (row,) = [line for line in shown.splitlines() if line.lstrip().startswith("20 ") and "from due" in line]
    marks = row.partition("from due")[2].split()[:6]
    assert marks == ["1.0", "1.0", "1.0", "1,234.5*", "1.0*", "1.0"], "of 300 requests"
    said = (
        "10 requests/s, batch 4 and 20 requests/s, batch 4: p99 and p99.9 rest on fewer than 10 requests above them: "
        "there were 300 requests, and "
        "1,000 and 10,000 are needed"
    )
    assert said in draw(outcome, "text", Screen(1000, verbose=True))
    assert said in layout(outcome).notes


def test_intervals_stand_in_a_table_with_their_method(outcome: LoadOutcome):
    ends = {"p50": (9.0, 11.0), "p99": (1000.0, 1500.0), "queries_per_second": (90.0, 110.0)}
    outcome.steps[0] = replace(outcome.steps[0], intervals=ends, interval_method="95 % of something")
    lines = draw(outcome, "text", UNBROKEN).splitlines()
    (said,) = (n for n, line in enumerate(lines) if line == "95 % of something, ms from due")
    assert lines[said + 1].split() == [
        "Load",
        "Batch",
        "Queries/s",
        "mean",
        "p50",
        "p90",
        "p95",
        "p99",
        "Error",
        "rate",
    ]
    assert lines[said + 3].startswith(
        "10 requests/s      4  90 to 110     –  9.0 to 11.0    –    –  1,000.0 to 1,500.0"
    )
    assert "few spells" not in " ".join(layout(outcome).notes)
    outcome.steps[0].values["p99_spells"] = 3.0
    said_of_it = [note for note in layout(replace(outcome)).notes if "came in 3 spells" in note]
    assert len(said_of_it) == 1


def test_a_page_draws_latency_over_time_and_says_it_in_words(outcome: LoadOutcome):
    stretch = {"seconds": 10.0, "requests": 100, "failed": 1, "rate": 10.0, "max": 9.0, "few": True}
    times = [
        Stretch(repeat=repeat, begin=begin, p50=1.0, p99=2.0 + begin, **stretch)
        for repeat in (1, 2)
        for begin in (0.0, 10.0)
    ]
    outcome.steps[0] = replace(outcome.steps[0], over_time=times)
    page = draw(outcome, "html")
    assert page.count('aria-label="Latency over ') == 2, "each step has one"
    assert "Latency over 30 seconds at 10 requests/s, batch 4: " in page
    assert "<svg" not in draw(outcome, "markdown")
    assert outcome.table("over_time").height == 4


def test_a_narrow_terminal_has_a_row_per_step_without_zeros(outcome: LoadOutcome):
    text = draw(outcome, "text", Screen(80))
    head, _, first, second, *_ = text.partition("\n\n")[2].splitlines()
    assert head.split() == ["Requests/s", "answered", "p50", "ms", "p99", "ms", "failed", "Note"]
    assert first.split() == ["1", "1", "1.0", "1,234.5*"]
    assert second.split("  ")[-1] == "falls behind, HTTP 503: busy"
    assert "from sent" not in text
    steps = [replace(step, values={**step.values, "failed_requests": 0.0}, failures={}) for step in outcome.steps]
    assert " failed" not in draw(replace(outcome, steps=steps), "text", Screen(80)).partition("\n\n")[2]


@pytest.mark.parametrize("columns", [40, 60, 80, 120, 160])
def test_a_wider_terminal_has_no_line_more(outcome: LoadOutcome, columns: int):
    narrow, wide = (draw(outcome, "text", Screen(width)).count("\n") for width in (columns, columns + 20))
    assert wide <= narrow
