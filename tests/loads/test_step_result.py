import math
from dataclasses import replace
from pathlib import Path

import data_sets
import numpy as np
import pytest
import virtual_time
from virtual_time import FakeService, now

from benchbench.client.descriptions import profile
from benchbench.formats.datasets.locate import locate
from benchbench.loads.driver import loop_ticks
from benchbench.loads.intervals import parts_of
from benchbench.loads.metrics import State
from benchbench.loads.quality import Judge
from benchbench.loads.recorder import ReceivedAnswers, RequestRows
from benchbench.loads.step import Load, run_step
from benchbench.loads.step_result import Step, evaluate, joined
from benchbench.measures.gate_names import as_gates, parse_gate
from benchbench.tasks.criteria import Criteria
from benchbench.tasks.judging import judging_of

VALUES = {
    **dict.fromkeys(("requests", "offered_per_second", "dispatched_per_second"), 1000.0),
    **dict.fromkeys(("errors", "error_rate", "failed_requests", "late_by_client", "backlog_growth"), 0.0),
    **{"p99": 120.5, "answered_p99": 120.5, "asked.gold.nDCG@10": 0.5},
}
FAILED = {"errors": 12.0, "error_rate": 0.003, "failed_requests": 3.0}


def step(limit: str | None = None, state: State | None = None, **values: float) -> Step:
    load = Load(
        batch_size=4, rate=1000.0, places=64, warm_up=0.0, duration=1.0, patience=60.0, arrivals="constant", seed=1
    )
    return Step(
        load=load, values=VALUES | values | {"answered.gold.nDCG@10": 0.9}, client_is_the_limit=limit, saturation=state
    )


@pytest.mark.parametrize(
    ("condition", "values", "reasons"),
    [
        ("p99<200ms", {}, ()),
        ("p99<0.1s", {}, ("p99 is 120.5 ms, not < 100 ms",)),
        ("p99<120.49999999ms", {}, ("p99 is 120.5 ms, not < 120.5 ms",)),
        ("p99<200ms and nDCG@10>0.4", {}, ()),
        ("p99<200ms and nDCG@10>0.6", {}, ("gold.nDCG@10 is 0.5, not > 0.6",)),
        ("p99<100ms and nDCG@10>0.6", {}, ("p99 is 120.5 ms, not < 100 ms", "gold.nDCG@10 is 0.5, not > 0.6")),
        ("p99<200ms", {"p99": math.nan}, ("p99 has no value, not < 200 ms",)),
        ("p99<200ms", FAILED, ("3 requests failed",)),
        ("p99<200ms and errors<1%", FAILED, ()),
        ("answered_p99<200ms and p99<500ms and error_rate<0.01", {**FAILED, "p99": 400.0}, ()),
        ("p99<200ms and errors<13", FAILED, ()),
        ("p99<200ms and errors<0.1%", FAILED, ("error_rate is 0.003, not < 0.001",)),
        ("p99<100ms and errors<1%", FAILED, ("p99 is 120.5 ms, not < 100 ms",)),
    ],
)
def test_a_step_breaks_a_condition_by_each_part_that_does_not_hold(condition: str, values, reasons: tuple[str, ...]):
    assert step(**values).breaks(parse_gate(condition)) == reasons
    assert step("busy", **values).breaks(parse_gate(condition)) == reasons, "a late client can only add to latencies"


@pytest.mark.parametrize("condition", ["p99<200ms", "errors<1%"])
def test_a_backlog_that_grows_breaks_every_condition(condition: str):
    values = {"backlog_growth": 20.25}
    reason = "beyond saturation: the backlog grew by 20.25 requests/s"
    assert step(state="beyond", **values).breaks(parse_gate(condition)) == (reason,)
    assert step(state="at", **values).breaks(parse_gate(condition)) == ()


@pytest.mark.parametrize(("sent", "kept_up"), [(950.0, True), (949.0, False)])
def test_a_rate_that_the_client_did_not_send_was_not_tried(sent: float, kept_up: bool):
    """Whoever sends too little may have a backlog too, which is then no work of the service."""
    tried = step(state="beyond", dispatched_per_second=sent, backlog_growth=51.0)
    (reason,) = tried.breaks(parse_gate("errors<1"))
    assert tried.fell_behind is not kept_up
    assert reason.startswith("beyond saturation" if kept_up else "the client did not keep up: it sent 949 of 1,000 r")


@pytest.mark.parametrize(
    ("tried", "by_client"),
    [
        (step(), False),
        (step("busy"), True),
        (step(dispatched_per_second=500.0), True),
        (step(late_by_client=10.0), False),
        (step(late_by_client=11.0), True),
        (step(late_by_client=11.0, state="beyond"), False),
    ],
)
def test_what_broke_may_be_the_clients_doing_where_it_was_the_limit_or_paused(tried: Step, by_client: bool):
    assert tried.client_may_have_broken is by_client


def test_gates_of_a_step_are_about_all_queries_asked():
    assert step().check(as_gates("nDCG@10<0.6"))[0].failure == "gold.nDCG@10 is 0.5, required at least 0.6"


LOAD = Load(
    batch_size=4, rate=50.0, places=100, warm_up=0.5, duration=9.0, patience=10.0, arrivals="poisson", order="shuffle"
)


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    return Judge(judging_of(Criteria(), locate(str(data_sets.write(tmp_path)))), profile("benchbench"), 4)


def repeats(judge: Judge, number: int, seconds=lambda sent: 0.01, error=lambda sent: None, of: int = 6) -> list[Step]:
    """Run a step so often; no answer is judged."""
    seen, steps = np.zeros(len(judge.queries), np.bool_), []

    async def run(load: Load) -> tuple[RequestRows, dict[str, float]]:
        batches = judge.batches(load)
        with ReceivedAnswers(batch_of=batches.of) as answers:
            service = FakeService(seconds, error)
            rows, health = await run_step(
                load, judge.requests(batches, 10), service.post, answers, now, ticks=loop_ticks
            )
            return rows, health.figures()

    for repeat in range(1, number + 1):
        load = LOAD.again(repeat)
        rows, health = virtual_time.run(run(load))
        steps.append(evaluate(load, judge, rows, health, judge.nothing(), seen, parts_of(of))[0])
    return steps


def test_a_repeat_has_arrivals_of_its_own_and_the_first_those_of_the_seed():
    assert LOAD.again(1) is LOAD
    seeds = {LOAD.again(repeat).seed for repeat in range(1, 8)}
    assert len(seeds) == 7
    assert LOAD.again(2) == LOAD.again(2)
    assert LOAD.again(2).repeat == 2
    first, second = LOAD.due_times(), LOAD.again(2).due_times()
    assert first is not None
    assert second is not None
    assert first[:5].tolist() != second[:5].tolist()


def test_counts_are_summed_and_percentiles_are_of_all_requests(judge):
    steps = repeats(judge, 6, lambda sent: 0.01 if sent < 6 else 0.05)
    whole = joined(steps)
    for name in ("requests", "queries", "seconds", "queries_new", "queries_repeated", "bytes"):
        assert whole.values[name] == sum(one.values[name] for one in steps), name
    assert whole.values["p50"] == pytest.approx(10.0, rel=0.01)
    assert whole.values["p99"] == pytest.approx(50.0, rel=0.01)
    assert whole.values["answered_p99"] == pytest.approx(50.0, rel=0.01)
    assert whole.values["amortised_query_p99"] == pytest.approx(12.5, rel=0.01)
    rates = [one.values["requests_per_second"] for one in steps]
    assert whole.values["requests_per_second"] == pytest.approx(sum(rates) / 6)
    assert whole.values["queries_asked"] == len(judge.queries)
    assert [one["p99"] for one in whole.repeats] == [one.values["p99"] for one in steps]
    assert whole.interval_method == "95 % jackknife t interval over 6 repeats"
    assert {one.repeat for one in whole.over_time} == set(range(1, 7))
    for name, (low, high) in whole.intervals.items():
        assert low <= whole.values[name] <= high, name


def test_errors_and_their_reasons_are_of_all_repeats(judge):
    steps = repeats(judge, 2, error=lambda sent: "down" if int(sent * 10) % 10 == 0 else None)
    whole = joined(steps)
    assert whole.failures == {"down": sum(one.failures["down"] for one in steps)}
    assert whole.values["error_rate"] == whole.values["failed_requests"] / whole.values["requests"]
    assert sum(one.failed for one in whole.over_time) == whole.values["failed_requests"]


def test_queries_are_new_in_the_first_repeat_only(judge):
    first, second = repeats(judge, 2)
    assert (judge.batches(LOAD).rows != judge.batches(LOAD.again(2)).rows).any(), "by their seed"
    assert first.values["queries_new"] + second.values["queries_new"] <= len(judge.queries)
    assert second.values["queries_new"] == 0
    assert math.isnan(second.values["new_p50"])


def test_a_step_that_was_run_once_has_intervals_from_stretches_of_time(judge):
    (step,) = repeats(judge, 1, of=1)
    whole = joined([step])
    assert whole.values == step.values
    assert whole.interval_method == "95 % jackknife t interval over 6 stretches of time"
    assert whole.details().repeats == []
    assert whole.details().intervals["p50"]


def test_what_is_said_of_the_client_is_said_when_it_held_in_most_repeats(judge):
    step = repeats(judge, 1)[0]
    limited = replace(step, client_is_the_limit="the client was the bottleneck")
    assert joined([step, limited]).client_is_the_limit is None
    assert joined([limited, step, limited]).client_is_the_limit == "the client was the bottleneck (in 2 of 3 repeats)"
