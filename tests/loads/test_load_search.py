"""Searches for the highest rate: on real services, and with steps that nobody holds."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import services
from loaded import SOON, settings

from benchbench import load_test
from benchbench.client.transport import Attempt
from benchbench.load_test import run
from benchbench.loads.driver import Post
from benchbench.loads.intervals import Block, summary
from benchbench.loads.load_details import Highest
from benchbench.loads.step import Load
from benchbench.loads.step_result import Step
from benchbench.measures.gate_names import parse_gate
from benchbench.report.layouts.load import highest


def test_a_search_ends_below_the_rate_that_brings_errors(data, working):
    """Four requests of a first step are answered, and some of the eight of the next one are not."""
    with services.running(*[working] * 8, services.status(503)) as service:
        chosen = settings(data, service.url, find_max="errors<1", rates=(4 / SOON,), batch_sizes=(1,))
        outcome = run(chosen)
    (found,) = outcome.highest
    assert found.rate is None or found.rate < 8 / SOON
    broken = [step for step in outcome.steps if step.values["failed_requests"]]
    assert broken
    assert all(step.broke[0].startswith("errors is ") and step.broke[0].endswith(", not < 1") for step in broken)


@pytest.mark.slow  # several steps of a load test
def test_a_search_may_allow_some_errors_beside_a_latency(data, working):
    """Of the eight requests of a second step one fails, and of later ones all do."""
    with services.running(*[working] * 12, services.status(503)) as service:
        condition = "p99<1000s and errors<20%"
        outcome = run(settings(data, service.url, find_max=condition, rates=(4 / SOON,), batch_sizes=(1,)))
    for step in outcome.steps:
        share = step.values["error_rate"]
        said = [reason for reason in step.broke if "error" in reason or "failed" in reason]
        assert said == ([f"error_rate is {share:.6g}, not < 0.2"] if share >= 0.2 else [])


def blocking(post: Post) -> Post:
    """Work for 120 ms in the client's loop before each request, as a careless client would."""

    async def blocked(payload: bytes) -> tuple[Attempt, bytes]:
        end = time.process_time() + 0.12
        while time.process_time() < end:
            pass
        return await post(payload)

    return blocked


@pytest.mark.slow  # holds its core for seconds
def test_a_starved_client_is_called_out_and_a_search_holds_such_a_step_once_more(data, working):
    """Ten requests that each block the loop for 120 ms are 120 looks at the clock."""
    with services.running(working) as service:
        chosen = settings(data, service.url, rates=(50.0,), duration=0.2, find_max="p99<1000s")
        outcome = run(chosen, through=blocking)
    first, again = outcome.steps
    causes = ("the client was the bottleneck", "the machine was too busy to measure on")  # others may have the cores
    assert str(first.client_is_the_limit).startswith(causes)
    assert ", and the service may be faster than this: " in str(first.client_is_the_limit)
    assert first.values["late_by_client"] > 0
    assert first.load.rate == again.load.rate == 50.0
    assert again.broke[0].startswith("the client did not keep up: it sent ")
    assert outcome.highest[0].limited_by_client


LIMITED = "the client was the bottleneck"
P99 = parse_gate("p99<300ms", option="--find-max")


def searched(step: Callable[[Load], Step], **options: Any) -> tuple[Highest, list[Load]]:
    """Search with steps that nobody holds; return what was found, and what was tried."""
    loads: list[Load] = []

    async def hold(load: Load) -> Step:
        loads.append(load)
        return step(load)

    load = Load(batch_size=4, rate=10.0, places=8, warm_up=0.0, duration=1.0, patience=1.0)
    return asyncio.run(load_test._search(replace(load, **options), hold, P99)), loads


def held(load: Load, breaks: bool, **more: Any) -> Step:
    """Return a step without other trouble."""
    assert load.rate is not None
    rates = dict.fromkeys(("rate", "offered_per_second", "dispatched_per_second"), load.rate)
    values = {"late_by_client": 1.0, "requests": 100.0, **rates, **more.pop("values", {})}
    return Step(load=load, values=values, broke=("p99 is 9 ms",) if breaks else (), **more)


@pytest.mark.parametrize(
    ("breaks", "limited", "by_client"),
    [
        (30.0, 1000.0, False),  # the service breaks long before the client would
        (1000.0, 30.0, True),
        (30.0, 75.0, False),  # both do: the lowest rate that broke is what decides
        (75.0, 30.0, True),
        (1e9, 1e9, False),  # neither: the search ends at a rate that held
    ],
)
@pytest.mark.parametrize("start", [10.0, 100.0])
def test_a_search_was_ended_by_the_client_where_the_lowest_rate_that_broke_was_its_limit(
    breaks: float, limited: float, by_client: bool, start: float
):
    def step(load: Load) -> Step:
        limit = LIMITED if load.rate >= limited else None
        return held(load, load.rate >= min(breaks, limited), client_is_the_limit=limit)

    found, _ = searched(step, rate=start)
    assert (found.batch_size, found.limited_by_client) == (4, by_client)
    assert found.rate is not None
    assert found.rate < min(breaks, limited)
    if min(breaks, limited) < 1e9:
        assert found.rate < found.refused <= found.rate * 1.05
        assert found.reasons == ("p99 is 9 ms",)
    else:
        assert (found.refused, found.reasons) == (None, ())


@pytest.mark.parametrize(("start", "lowest"), [(100.0, 6.25), (3.0, 3.0)])
def test_a_search_goes_down_to_ten_requests_a_step_and_no_further(start: float, lowest: float):
    found, loads = searched(lambda load: held(load, True), rate=start, duration=2.0)
    tried = [load.rate for load in loads]
    assert (found.rate, found.limited_by_client, min(tried)) == (None, False, lowest)
    assert len(set(tried)) == len(tried)


def confirming(
    p99: Callable[[Load], float], duration: float = 30.0, grows: Callable[[Load], bool] = lambda load: False
) -> tuple[Highest, list[Load]]:
    """Search with a service of which only the step that confirms, the first of another length, has its own p99."""

    def step(load: Load) -> Step:
        latencies = {"": (np.array([p99(load)]), np.array([500]))}
        blocks = [Block(load.duration / 6, 500, 0, 500, latencies)] * 6
        values = {"requests": 3000.0, "failed_requests": 0.0, "error_rate": 0.0, **summary(blocks, "")}
        step = held(load, False, values=values, saturation="at" if grows(load) else "below", blocks=blocks)
        return replace(step, broke=step.breaks(P99))

    return searched(step, duration=duration, arrivals="poisson")


def test_a_search_confirms_its_rate_in_a_step_with_enough_requests_for_an_interval_of_p99():
    found, loads = confirming(lambda load: 200.0 if load.rate <= 46.0 else 400.0, 10.0)
    assert (found.rate, found.confirmed) == (45.0, True)
    assert found.confirmation.startswith("p99 200.0 ms, 95 % interval 200.0 to 200.0 ms, in 66.67 s")
    assert loads[-1].rate * loads[-1].duration == pytest.approx(3000.0)
    assert len({load.stream for load in loads}) == len(loads)


def test_a_rate_that_breaks_when_it_is_confirmed_is_lowered_by_five_per_cent():
    found, _ = confirming(lambda load: 200.0 if load.rate <= (46.0 if load.duration == 10.0 else 44.0) else 400.0, 10.0)
    assert found.rate == pytest.approx(45.0 / 1.05)
    assert (found.confirmed, found.refused) == (True, 45.0)


def test_a_rate_that_its_step_cannot_confirm_is_lowered_by_five_per_cent_too():
    def p99(load: Load) -> float:
        return 200.0 if load.rate <= 46.0 else 400.0

    found, _ = confirming(p99, 10.0, lambda load: load.duration > 10.0 and load.rate > 44.0)
    assert found.rate == pytest.approx(45.0 / 1.05)
    assert found.confirmed
    assert found.confirmation.startswith("p99 200.0 ms")
    found, loads = confirming(p99, 10.0, lambda load: load.duration > 10.0)
    assert (found.rate, found.confirmed) == (45.0, False)
    assert found.confirmation.startswith("the backlog grew in 66.67 s, which may be chance")
    assert [load.rate for load in loads[-3:]] == pytest.approx([45.0, 45.0 / 1.05, 45.0 / 1.05**2])


def test_a_rate_that_was_not_confirmed_is_reported_as_such():
    found, loads = confirming(lambda load: 200.0 if load.rate <= 46.0 else 400.0, 1.0)
    assert (found.rate, found.confirmed) == (45.0, False)
    assert {load.duration for load in loads} == {1.0}
    text = highest("p99<300ms", found)
    assert text.endswith(" Not confirmed: that takes 3,000 requests; --duration 67s has them.")


@pytest.mark.parametrize("limit", [None, LIMITED])
def test_a_step_that_held_though_the_client_was_the_limit_has_held(limit: str | None):
    late = {"values": {"late_by_client": 90.0}, "client_is_the_limit": limit, "saturation": "beyond"}
    found, loads = searched(lambda load: held(load, load.rate > 45.0, **late))
    tried = [load.rate for load in loads]
    assert found.rate == 45.0
    assert [tried.count(rate) for rate in (20.0, 40.0, 50.0)] == [1, 1, 1 if limit is None else 2]
    assert found.limited_by_client is (limit is not None)


@pytest.mark.parametrize(("late", "broke", "times"), [(2.0, True, 2), (1.0, True, 1), (2.0, False, 1)])
def test_a_step_that_broke_while_the_client_paused_is_held_once_more(late: float, broke: bool, times: int):
    found, loads = searched(lambda load: held(load, broke or load.rate > 10.0, values={"late_by_client": late}))
    assert [load.rate for load in loads].count(10.0) == times
    assert found.limited_by_client is (late > 1.0), "what broke it again may be its pauses still"


@pytest.mark.slow  # a search for a rate, by three processes at each step
def test_a_search_may_have_workers(data, working):
    with services.running(*[working] * 8, services.status(503)) as service:
        chosen = settings(data, service.url, find_max="errors<1", rates=(4 / SOON,), batch_sizes=(1,), workers=2)
        outcome = run(chosen)
    assert outcome.highest[0].rate is None or outcome.highest[0].rate < 8 / SOON
    assert all(step.broke for step in outcome.steps if step.values["failed_requests"])
