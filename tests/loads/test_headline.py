"""What a load test comes to."""

from dataclasses import replace
from pathlib import Path

import invented_load
import pytest

from benchbench.loads.load_details import Highest, LoadDetails, RateSearch
from benchbench.report.layouts.load import headline


@pytest.fixture
def calm(tmp_path: Path) -> LoadDetails:
    outcome = invented_load.outcome(tmp_path)
    return replace(outcome, steps=[invented_load.step(10.0, 0), invented_load.step(20.0, 0)]).details()


def test_without_trouble_it_is_the_highest_pace_with_a_percentile_of_enough_requests(calm: LoadDetails):
    assert list(headline(calm).sentences) == [
        ("●", "Up to 1 queries a second with 10 requests/s, batch 4, p95 1.0 ms.")
    ], "p99 of 300 requests has three above it"


def test_failed_requests_are_counted_over_the_steps(tmp_path: Path):
    marks = dict(headline(invented_load.outcome(tmp_path).details()).sentences)
    assert marks["▼"].startswith(("3 of 600 requests failed, in 1 of 2 steps.", "Up to"))


def test_a_client_that_was_the_limit_leaves_lower_bounds(calm: LoadDetails):
    limited = replace(calm, steps=[replace(calm.steps[0], client_is_the_limit="it was late"), calm.steps[1]])
    found, advice = headline(limited)
    assert found[0] == ("○", "The client was the bottleneck in 1 of 2 steps; the service may be faster.")
    assert "lower bounds" in advice[0]
    assert found[1][0] == "○"


def test_the_first_saturated_step_is_named(calm: LoadDetails):
    full = replace(calm, steps=[calm.steps[0], replace(calm.steps[1], saturation="beyond")])
    assert headline(full).sentences[0] == ("▼", "The service is beyond saturation with 20 requests/s, batch 4.")


def test_a_search_says_what_it_found_first(calm: LoadDetails):
    found = Highest(batch_size=4, rate=10.0, limited_by_client=False)
    searched = replace(calm, find_max=RateSearch(condition="p99<2s", found=[found]))
    assert headline(searched).sentences == [
        ("●", "Highest rate that holds p99<2s: 10 requests/s of 4 queries, to 5 %.")
    ]


def test_no_step_and_an_interruption_are_said(calm: LoadDetails):
    silent = replace(calm.steps[0], values={**calm.steps[0].values, "queries_per_second": 0.0})
    assert headline(replace(calm, steps=[silent])).sentences == [("○", "Nothing was answered while the steps ran.")]
    assert headline(replace(calm, steps=[])).sentences == [("▼", "No step was finished.")]
    assert headline(replace(calm, interrupted=True)).sentences[0] == ("▼", "Interrupted after 2 steps.")
