from dataclasses import replace
from pathlib import Path

import data_sets
import pytest

from benchbench.client.profiles import PROFILES
from benchbench.client.service import Service
from benchbench.formats.card import locate
from benchbench.kernels.judge import MEASURES
from benchbench.load.metrics import METRICS
from benchbench.load.result import Step
from benchbench.load.step import Load
from benchbench.load_test import Found, Outcome, Settings
from benchbench.measures.gates import parse_gate
from benchbench.measures.signature import Signature
from benchbench.report.load import FORMATS, summary, text, warnings
from benchbench.report.load_ci import checked

NAN = float("nan")


@pytest.fixture
def outcome(tmp_path: Path) -> Outcome:
    """Return a test of two steps, the second with a failure."""
    service = Service("http://service", PROFILES["benchbench"])
    settings = Settings(locate(str(data_sets.write(tmp_path))), service, rates=(10.0, 20.0), batch_sizes=(4,))
    steps = [made(10.0, failed=0), made(20.0, failed=3)]
    counts = {
        "queries": 12,
        "positives": 44,
        "without_positives": 1,
        "dropped_positives": 2,
        "skipped_lines": 3,
        "left_out_positives": 6,
        "queries_with_left_out_positives": 5,
        "assumed_tiers": 0,
    }
    return Outcome(
        settings=settings,
        url="http://service/batch_search",
        digest="digest",
        queries=12,
        counts=counts,
        queries_without_label={"gold": 1},
        signature=Signature({"data": "digest"}),
        tasks=("gold",),
        steps=steps,
        found=[],
        interrupted=False,
    )


def made(rate: float, failed: int) -> Step:
    quality = {
        f"{over}.gold.{measure}@{k}": value
        for over, value in (("asked", 0.25), ("answered", 0.5))
        for k in (3, 5, 10)
        for measure in MEASURES
    }
    values = {**dict.fromkeys(METRICS, 1.0), "p99": 1234.5, "sent_p99": NAN, "requests": 300.0, "queries_asked": 12.0}
    values |= {"failed_requests": float(failed), "error_rate": failed / 300, "late": 0.0, **quality}
    failures = {"HTTP 503: busy": failed} if failed else {}
    counts, faults = {"hits": 6000, "short_lists": 7, "positive_hits": 9}, {"missing_scores": 5}
    return Step(Load(4, rate, 256, 5.0, 30.0, 10.0), values, failures, {}, None, None, counts, faults, {"article": 4})


def test_people_see_both_times_failures_and_both_qualities(outcome: Outcome):
    lines = text(outcome).splitlines()
    assert lines[0] == "Load on http://service/batch_search: 12 queries, open loop, constant arrivals"
    first, second = (n for n, line in enumerate(lines) if " due " in line)
    assert "1,234.5" in lines[first]
    assert lines[first + 1].split()[:5] == ["sent", "1.0", "1.0", "1.0", "-"]
    assert "3 of 300" in lines[second]
    assert sum("all (none failed)" in line for line in lines) == 1
    assert [line.split()[-3:] for line in lines if "asked, failed as 0" in line] == [["25.00", "25.00", "25.00"]]
    assert [line.split()[-3:] for line in lines if "answered only" in line] == [["50.00", "50.00", "50.00"]]
    assert "20 requests/s, batch 4: 3 requests failed: HTTP 503: busy" in lines


def test_what_was_skipped_dropped_or_wrong_is_said(outcome: Outcome):
    shown = text(outcome)
    for sentence in (
        "2 positives were dropped: the query's own text, or a text listed twice",
        "3 bad lines of the data set were skipped",
        "6 positives beyond the first 10 of a query were left out, in 5 of 12 queries: numbers from all would differ; "
        "--max-positives 0 takes all",
        "1 queries that no hit can be relevant for in task gold",
        "20 requests/s, batch 4: 7 queries had fewer than 10 hits left after the removals",
        "20 requests/s, batch 4: 4 hits without a label for task article",
        "20 requests/s, batch 4: 5 hits with fault: missing scores",
    ):
        assert f"\n{sentence}\n" in shown
        assert f"- {sentence}\n" in checked(outcome).body
    assert shown.endswith("\nSignature: data:digest\n")
    assert "\nSignature `data:digest`\n" in checked(outcome).body
    whole = summary(outcome)
    assert (whole["counts"], whole["queries_without_label"]) == (outcome.counts, {"gold": 1})
    for step in whole["steps"]:
        assert step["counts"]["short_lists"] == 7
        assert (step["hit_faults"], step["unlabelled_hits"]) == ({"missing_scores": 5}, {"article": 4})


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_what_the_numbers_leave_out_stands_in_every_table_and_in_junit(outcome: Outcome, form: str):
    outcome.steps[1].counts["positive_hits"] = 0
    unmatched = (
        "20 requests/s, batch 4: none of the 6,000 hits is a positive of its query, so that all of task gold is 0; "
        "`benchbench run` says how they were compared"
    )
    assert warnings(outcome)[0] == unmatched
    assert checked(outcome).notes == tuple(warnings(outcome))
    assert "3 bad lines of the data set were skipped" in FORMATS[form](outcome)
    assert "none of the 6,000 hits is a positive of its query" in FORMATS[form](outcome)


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_hits_that_were_cut_are_said_once_wherever_the_numbers_are(outcome: Outcome, form: str):
    outcome.steps[1].faults["beyond_top_k"] = 360
    said = "20 requests/s, batch 4: 360 hits were cut: the service sent more than --top-k 20 for a query"
    assert warnings(outcome)[-1] == said
    assert FORMATS[form](outcome).count("360 hits were cut") == 1
    assert checked(outcome).body.count(said) == 1


@pytest.mark.parametrize("field", ["limit", "omission"])
def test_a_limit_and_an_omission_are_one_line_each(outcome: Outcome, field: str):
    outcome.steps[0] = replace(outcome.steps[0], **{field: "what happened"})
    assert text(outcome).count("\n10 requests/s, batch 4: what happened\n") == 1


def test_quality_over_some_of_the_queries_is_said(outcome: Outcome):
    outcome.steps[0].values["queries_asked"] = 8.0
    assert "quality is over 8 of the 12 queries" in text(outcome)


def test_amortised_time_is_shown_when_the_batch_size_is_an_axis(outcome: Outcome):
    assert "amortised a query" not in text(outcome)
    several = replace(outcome, settings=replace(outcome.settings, batch_sizes=(1, 4)))
    assert text(several).count("amortised a query") == 2


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Found(4, 10.0, False), "Highest rate that holds p99<2s: 10 requests/s of 4 queries, to 5 %."),
        (
            Found(4, 10.0, True),
            "; above it the client or its machine was the limit, and the service may hold more.",
        ),
        (Found(4, None, False), "No rate that was tried holds p99<2s with batches of 4."),
        (
            Found(4, None, True),
            " of 4; the client or its machine was the limit, and the service may hold it.",
        ),
    ],
)
def test_the_end_of_a_search_is_one_line(outcome: Outcome, found: Found, said: str):
    settings = replace(outcome.settings, rates=(), find_max=parse_gate("p99<2s"))
    steps = [outcome.steps[0], replace(outcome.steps[1], broke=("3 requests failed",))]
    shown = text(replace(outcome, settings=settings, found=[found], steps=steps)).splitlines()
    assert shown[-2].endswith(said)
    assert "10 requests/s, batch 4: holds the condition" in shown
    assert "20 requests/s, batch 4: breaks the condition: 3 requests failed" in shown


def test_a_closed_loop_says_what_it_cannot_see(outcome: Outcome):
    closed = replace(outcome, settings=replace(outcome.settings, rates=()))
    assert "--rate measures them" in text(closed)
    assert "--rate measures them" not in text(outcome)


def test_what_is_not_a_number_is_empty_or_null(outcome: Outcome):
    outcome.steps[0].values["rate"] = NAN
    assert '"rate":null' in FORMATS["jsonl"](outcome)
    assert '"rate": null' in FORMATS["json"](outcome)
    assert "nan" not in FORMATS["csv"](outcome).lower()


def test_documents_get_one_table(outcome: Outcome):
    outcome.counts.update(skipped_lines=0, left_out_positives=0)
    markdown = FORMATS["markdown"](outcome).splitlines()
    assert len({line.count("|") for line in markdown}) == 1
    assert markdown[2].startswith("| 10 requests/s | 4 | 1 | 0 | 1.0 |")
    latex = FORMATS["latex"](outcome).splitlines()
    assert latex[0].startswith(r"\begin{tabular}{lrrr")
    assert len({line.count("&") for line in latex if line.endswith(r"\\")}) == 1
