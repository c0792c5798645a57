"""What a load test comes to."""

from dataclasses import replace
from pathlib import Path

import invented_load
import pytest

from benchbench.loads.load_details import Highest, LoadDetails, RateSearch, StepDetails
from benchbench.loads.rates_held import held
from benchbench.report.layouts.load import headline
from benchbench.results.record import GateResult


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
    assert found[0][0] == "○"
    assert advice[0].startswith("The client was the bottleneck in 1 of 2 steps, so the service may be faster")


def rates(*steps: tuple[float, float, float, int], limit: float | None = None) -> LoadDetails:
    """Return a load test of steps, each a rate, what was answered of it, p99, and failed requests."""
    made = [
        StepDetails(
            name=f"{rate:g} requests/s, batch 1",
            values={
                **{"rate": rate, "batch_size": 1.0, "requests": 900.0, "failed_requests": float(failed), "p99": p99},
                **{"requests_per_second": done, "queries_per_second": done, "offered_per_second": rate},
                **{"dispatched_per_second": rate, "backlog_growth": rate - done},
            },
            failures={},
            saturation="beyond" if done < 0.9 * rate else "below",
        )
        for rate, done, p99, failed in steps
    ]
    return LoadDetails(
        url="", data_digest="", queries=9, tasks=("gold",), loop="open", interrupted=False, steps=made, find_max=None
    )  # fmt: skip


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (
            [(40.0, 40.0, 145.7, 0), (50.0, 50.0, 204.0, 0), (60.0, 40.0, 533.0, 0)],
            [
                ("●", "Keeps up with 50 requests/s: p99 204 ms (limit 300 ms), none failed."),
                ("▼", "At 60 requests/s it falls behind: answers 40/s, p99 533 ms. 1 of 3 gates failed."),
            ],
        ),
        (
            [(40.0, 40.0, 145.7, 0), (50.0, 50.0, 204.0, 9)],
            [
                ("●", "Keeps up with 40 requests/s: p99 146 ms (limit 300 ms), none failed."),
                ("▼", "At 50 requests/s it falls behind: 9 of 900 requests fail, p99 204 ms. All 2 gates passed."),
            ],
        ),
        (
            [(40.0, 40.0, 950.0, 0)],
            [
                ("▼", "Is over the limit already at 40 requests/s: p99 950 ms (limit 300 ms). The gate failed."),
            ],
        ),
        (
            [(40.0, 20.0, 950.0, 0)],
            [
                ("▼", "Falls behind already at 40 requests/s: answers 20/s, p99 950 ms. The gate failed."),
            ],
        ),
    ],
)
def test_the_verdict_begins_with_the_rate_that_is_kept_up_with(steps, said):
    details = rates(*steps)
    gates = [
        GateResult(
            condition="p99>300ms", verdict="failed" if p99 > 300 else "passed", said="gate failed: …", name="p99",
            value=p99, bound=300.0, unit="ms", scope={"step": step.name},
        )
        for step, (_, _, p99, _) in zip(details.steps, steps, strict=True)
    ]  # fmt: skip
    assert list(headline(details, held(details, gates), gates).sentences) == said
    alone = headline(rates(steps[0]), held(rates(steps[0])))
    assert ("limit" in alone.sentences[0][1]) is False


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
