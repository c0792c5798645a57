"""What a service holds: invented steps, each with the numbers that decide."""

import asyncio
import itertools
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace

from cases import check_rows
from hypothesis import given
from hypothesis import strategies as st

from benchbench.loads.load_details import LoadDetails, RateSearch, StepDetails
from benchbench.loads.rates_held import PRECISION, Held, fell_behind, find_max, held, not_kept
from benchbench.results.record import GateResult


def step(
    rate: float | None, p99: float | None = 100.0, done: float | None = None, failed: float = 0.0, size: int = 8, **more
) -> StepDetails:
    """Return a step of 15 s, which answered as many requests per second as were due unless `done` says otherwise."""
    done = (rate or more.get("concurrency") or 0.0) if done is None else done
    known = {
        "batch_size": float(size),
        "rate": rate,
        "concurrency": more.pop("concurrency", None),
        "requests": 15 * (rate or 10.0),
        "failed_requests": failed,
        "requests_per_second": done,
        "p99": p99,
    }
    if rate is not None:
        growth = rate - done - failed / 15
        known |= {"offered_per_second": rate, "dispatched_per_second": rate, "backlog_growth": growth}
    saturation = more.pop("saturation", "below" if rate is not None else None)
    known |= more.pop("values", {})
    name = f"{rate} requests/s, batch {size}" if rate is not None else f"concurrency {known['concurrency']}"
    return StepDetails(name=name, values=known, failures={}, saturation=saturation, **more)


def details(*steps: StepDetails, condition: str | None = None) -> LoadDetails:
    return LoadDetails(
        url="http://service",
        data_digest="digest",
        queries=300,
        tasks=("gold",),
        loop="open" if steps[0].values["rate"] is not None else "closed",
        interrupted=False,
        steps=list(steps),
        find_max=None if condition is None else RateSearch(condition=condition, found=[]),
    )


def only(*steps: StepDetails, gates: tuple[GateResult, ...] = (), condition: str | None = None) -> SimpleNamespace:
    """Return what is held, steps by their places and the reasons by place."""
    (one,) = held(details(*steps, condition=condition), gates)
    return placed(one, steps)


def placed(one: Held, steps: Sequence[StepDetails]) -> SimpleNamespace:
    def place(step: StepDetails | None) -> int | None:
        return None if step is None else next(number for number, each in enumerate(steps) if each is step)

    places = {name: place(getattr(one, name)) for name in ("held", "refused", "most", "enough")}
    reasons = {number: why for number, step in enumerate(steps) if (why := one.why(step))}
    known = {"batch_size": one.batch_size, "limit": one.limit, "gate": one.gate, "reasons": reasons}
    return SimpleNamespace(**known, **places, steps=[*map(place, one.steps)], again=[*map(place, one.again)])


def gate(text: str, step: StepDetails, name: str, failed: bool) -> GateResult:
    said = f"{step.name}: gate failed: {name} is too much" if failed else f"{step.name}: {text} passed with 1"
    return GateResult(
        condition=text,
        verdict="failed" if failed else "passed",
        said=said,
        name=name,
        about=step.name,
        scope={"step": step.name},
    )


def test_the_last_rate_that_is_kept_up_with_is_held_and_there_is_no_limit_that_nobody_set():
    found = only(
        step(10.0, 70.0), step(70.0, 176.0), step(80.0, 1540.0, 73.0, saturation="beyond"), step(100.0, 7400.0, 67.0)
    )
    assert (found.held, found.refused, found.limit, found.gate, found.most) == (1, 2, None, "", 2)
    assert found.reasons[2][0] == "beyond saturation: the backlog grew by 7 requests/s"
    assert found.reasons[3][0] == "100 requests/s were due and 67 answered"


def test_rates_may_be_tried_in_any_order():
    found = only(step(80.0, 1500.0, 73.0), step(10.0), step(70.0))
    assert (found.steps, found.held, found.refused) == ([1, 2, 0], 2, 0)


@given(st.lists(st.integers(1, 5_000), min_size=1, max_size=4))
def test_the_percentile_to_quote_has_ten_requests_above_it_in_every_step_that_is_not_few(requests):
    steps = [step(10.0 + n, values={"requests": float(number)}) for n, number in enumerate(requests)]
    (found,) = held(details(*steps))
    many = [number for number in requests if number >= 100]
    share = {"p90": 0.1, "p95": 0.05, "p99": 0.01}
    borne = [name for name in share if many and min(many) * share[name] > 10 - 1e-6]
    assert found.tail == (borne[-1] if borne else "p99")
    assert {found.slow_name(each) for each in found.steps if each.is_few} <= {"the slowest"}


def test_a_backlog_that_grew_counts_even_where_it_may_be_chance():
    assert only(step(100.0, 50.0, 97.0, saturation="at"), step(200.0, 60.0)).held is None
    assert only(step(100.0, 50.0, 98.5, saturation="at")).held == 0, "by 2 % or less it has not"
    assert only(step(10.0, 50.0, 9.85)).held == 0, "of few requests three may be left"


def test_no_rate_is_held_above_one_that_is_not():
    found = only(step(10.0), step(20.0, 100.0, failed=3.0), step(40.0))
    assert (found.held, found.refused) == (0, 1)
    assert found.reasons == {1: ("3 requests failed",)}


def test_a_gate_says_how_long_p99_may_be_and_how_many_requests_may_fail():
    first, second, third = step(10.0), step(20.0, 150.0, failed=3.0), step(40.0, 900.0)
    gates = [gate("p99>200ms", one, "p99", one is third) for one in (first, second, third)]
    gates += [gate("errors>5%", one, "error_rate", False) for one in (first, second, third)]
    found = only(first, second, third, gates=tuple(gates))
    assert (found.held, found.refused, found.limit, found.gate) == (1, 2, 200.0, "p99>200ms")
    assert found.reasons == {2: ("p99 is too much",)}
    quality = tuple(gate("nDCG@10<0.4", one, "gold.nDCG@10", True) for one in (first, third))
    assert only(first, third, gates=quality).held == 1, "a gate on quality is no limit of speed"


def test_the_condition_of_a_search_decides_and_a_load_that_was_run_again_counts_as_the_last_time():
    steps = [
        step(8.0),
        step(16.0, 300.0, broke=("p99 is 300 ms, not < 200 ms",)),
        step(16.0, 120.0),
        step(32.0, broke=("x",)),
    ]
    found = only(*steps, condition="p99<200ms and errors<1%")
    assert (found.steps, found.again, found.held, found.refused) == ([0, 2, 3], [1], 2, 3)
    assert (found.limit, found.gate) == (200.0, "p99<200ms and errors<1%")


@given(st.floats(1.0, 300.0), st.floats(1.0, 64.0))
def test_a_row_of_the_rates_of_a_search_holds_what_the_search_found(capacity, start):
    tried = []

    async def holds(rate: float) -> bool:
        tried.append(step(rate, broke=() if rate <= capacity else ("too much",)))
        return rate <= capacity

    best = asyncio.run(find_max(holds, start, 0.5))
    found = only(*tried, condition="p99<1s")
    assert (None if found.held is None else tried[found.held].values["rate"]) == best


def test_each_batch_size_has_an_answer_of_its_own():
    steps = [step(10.0, 20.0, size=1), step(10.0, 90.0, size=8), step(20.0, 900.0, 11.0, size=8)]
    one, eight = (placed(each, steps) for each in held(details(*steps)))
    assert (one.batch_size, one.held, one.refused, one.limit) == (1, 0, None, None)
    assert (eight.batch_size, eight.held, eight.refused, eight.limit) == (8, 1, 2, None)


def test_a_closed_loop_holds_nothing_and_says_how_many_in_flight_are_enough():
    steps = [
        step(None, done=done, concurrency=places)
        for places, done in ((1.0, 40.0), (2.0, 79.0), (4.0, 80.0), (8.0, 78.0))
    ]
    found = only(*steps)
    assert (found.held, found.refused, found.limit, found.most, found.enough) == (None, None, None, 2, 1)


def test_a_client_that_did_not_send_what_was_due_held_nothing():
    late = step(100.0, values={"dispatched_per_second": 60.0})
    assert only(late).reasons == {0: ("the client did not keep up: it sent 60 of 100 requests/s",)}
    assert not fell_behind({"rate": 10.0}, 15.0), "version 0.1 did not count it"


def test_version_0_1_counted_no_backlog():
    old = step(100.0, 50.0, 70.0, saturation=None)
    values = {name: value for name, value in old.values.items() if "offered" not in name and "backlog" not in name}
    assert only(replace(old, values=values)).reasons == {0: ("100 requests/s were due and 70 answered",)}


def test_a_step_without_latency_has_no_limit():
    found = only(step(10.0, None))
    assert (found.limit, found.held) == (None, 0)


def test_failures_are_no_reason_where_a_condition_says_how_many_may_be():
    assert not_kept({"failed_requests": 2.0}, "below", False, ()) == ("2 requests failed",)
    assert not_kept({"failed_requests": 1.0}, "below", False, ()) == ("1 request failed",)
    assert not_kept({"failed_requests": 2.0}, "below", False, {"error_rate"}) == ()
    unsent = not_kept({"failed_requests": 5.0}, "below", False, (), 4)
    assert unsent == ("1 request failed", "4 requests were never sent"), "which is no failure of the service"


def searched(limit: float, start: float, lowest: float = 0.01) -> tuple[float | None, list[float]]:
    tried: list[float] = []

    async def holds(rate: float) -> bool:
        tried.append(rate)
        return rate <= limit

    return asyncio.run(find_max(holds, start, lowest)), tried


def test_the_highest_rate_is_found_to_five_per_cent():
    def check(limit: float, start: float) -> None:
        found, tried = searched(limit, start)
        assert found is not None
        assert found <= limit
        assert any(limit < rate <= (1 + PRECISION) * found * (1 + 1e-12) for rate in tried)
        assert len(set(tried)) == len(tried) <= 30

    check_rows(check, itertools.product([0.3, 7.9, 8.0, 13.0, 100.0, 12345.6], [1.0, 8.0, 500.0]))


def test_it_doubles_and_then_halves_the_gap():
    assert searched(45.0, 10.0)[1] == [10, 20, 40, 80, 60, 50, 45, 47.5, 46.25]


def test_a_first_rate_that_is_too_high_is_halved():
    assert searched(3.0, 8.0)[1][:3] == [8, 4, 2]


def test_none_when_the_lowest_rate_breaks_too():
    found, tried = searched(0.0, 8.0, lowest=1.0)
    assert found is None
    assert tried == [8, 4, 2, 1]


def test_a_condition_that_always_holds_does_not_search_for_ever():
    found, tried = searched(float("inf"), 1.0)
    assert found is not None
    assert found > 1e5
    assert len(tried) < 25
