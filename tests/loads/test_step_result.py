import math

import pytest

from benchbench.loads.step import Load
from benchbench.loads.step_result import Step
from benchbench.loads.window import State
from benchbench.measures.gates import as_gates, parse_gate

VALUES = {
    "requests": 1000.0,
    "p99": 120.5,
    "answered_p99": 120.5,
    "errors": 0.0,
    "error_rate": 0.0,
    "failed_requests": 0.0,
    "late_by_client": 0.0,
    "offered_per_second": 1000.0,
    "dispatched_per_second": 1000.0,
    "backlog_growth": 0.0,
    "asked.gold.nDCG@10": 0.5,
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
