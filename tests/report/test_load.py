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
from benchbench.report.load import FORMATS, text

NAN = float("nan")


@pytest.fixture
def outcome(tmp_path: Path) -> Outcome:
    """Return a test of two steps, the second with a failure."""
    service = Service("http://service", PROFILES["benchbench"])
    settings = Settings(locate(str(data_sets.write(tmp_path))), service, rates=(10.0, 20.0), batch_sizes=(4,))
    steps = [made(10.0, failed=0), made(20.0, failed=3)]
    return Outcome(settings, "http://service/batch_search", "digest", 12, ("gold",), steps, [], False)


def made(rate: float, failed: int) -> Step:
    quality = {
        f"{over}.gold.{measure}@{k}": value
        for over, value in (("asked", 0.25), ("answered", 0.5))
        for k in (3, 5, 10)
        for measure in MEASURES
    }
    values = {**dict.fromkeys(METRICS, 1.0), "p99": 1234.5, "sent_p99": NAN, "requests": 300.0, "queries_asked": 12.0}
    values |= {"failed_requests": float(failed), "late": 0.0, **quality}
    failures = {"HTTP 503: busy": failed} if failed else {}
    return Step(Load(4, rate, 256, 5.0, 30.0, 10.0), values, failures, {}, None, None)


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
        (Found(4, 10.0, True), "to 5 %; beyond it the client was the limit, so the service may hold more."),
        (Found(4, None, False), "No rate that was tried holds p99<2s with batches of 4."),
        (Found(4, None, True), " with batches of 4; the client was the limit, so the service may hold it."),
    ],
)
def test_the_end_of_a_search_is_one_line(outcome: Outcome, found: Found, said: str):
    settings = replace(outcome.settings, rates=(), find_max=parse_gate("p99<2s"))
    steps = [outcome.steps[0], replace(outcome.steps[1], broke=("3 requests failed",))]
    shown = text(replace(outcome, settings=settings, found=[found], steps=steps)).splitlines()
    assert shown[-1].endswith(said)
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
    markdown = FORMATS["markdown"](outcome).splitlines()
    assert len({line.count("|") for line in markdown}) == 1
    assert markdown[2].startswith("| 10 requests/s | 4 | 1 | 0 | 1.0 |")
    latex = FORMATS["latex"](outcome).splitlines()
    assert latex[0].startswith(r"\begin{tabular}{lrrr")
    assert len({line.count("&") for line in latex if line.endswith(r"\\")}) == 1
