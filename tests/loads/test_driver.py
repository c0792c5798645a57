import asyncio
import contextlib
import math
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import virtual_time
from virtual_time import FakeService, now

from benchbench.client.descriptions import profile
from benchbench.client.service import Service
from benchbench.client.transport import Attempt
from benchbench.errors import InputError
from benchbench.load_test import LoadSettings
from benchbench.loads.driver import Driver, Request, Ticks, due_times, loop_ticks, thread_ticks

Rows = list[tuple[Request, Attempt]]


def driver(service: FakeService, take: Callable[[Request, Attempt, bytes], None], **options: Any) -> Driver:
    return Driver(post=service.post, payloads=[b"a", b"b", b"c"], take=take, clock=now, **options)


def opened(service: FakeService, due: list[float], places: int, patience: float = 1000.0) -> Rows:
    """Drive an open loop in virtual time; return what it recorded."""
    rows: Rows = []

    async def work() -> None:
        await driver(service, lambda request, attempt, body: rows.append((request, attempt))).open_loop(
            np.array(due), places, patience
        )

    virtual_time.run(work())
    return sorted(rows)


def closed(service: FakeService, places: int, origin: float, until: float) -> Rows:
    rows: Rows = []

    async def work() -> None:
        await driver(service, lambda request, attempt, body: rows.append((request, attempt))).closed_loop(
            places, origin, until
        )

    virtual_time.run(work())
    return sorted(rows)


def test_an_open_loop_sends_when_requests_are_due_and_waits_for_no_answer():
    due = [0.01 * n for n in range(500)]
    service = FakeService(lambda sent: 60.0)
    rows = opened(service, due, places=500)
    assert service.sent == pytest.approx(due)
    assert [attempt.sent - request.due for request, attempt in rows] == pytest.approx([0.0] * 500, abs=1e-9)
    assert service.most == 500


def test_what_is_told_to_be_due_at_once_is_sent_at_once_in_its_order():
    service, rows = FakeService(lambda sent: 0.1), []

    async def coarse(times, clock):
        for ripe in (2, 5):
            await asyncio.sleep(1.0)
            yield ripe

    async def work() -> None:
        def take(request: Request, attempt: Attempt, body: bytes) -> None:
            rows.append((request.number, request.due, request.dispatched))

        await driver(service, take, first=1, every=2, ticks=coarse).open_loop(np.arange(5) * 0.25, 9, 1.0)

    virtual_time.run(work())
    assert rows == [(1, 0.0, 1.0), (3, 0.25, 1.0), (5, 0.5, 2.0), (7, 0.75, 2.0), (9, 1.0, 2.0)]


def test_when_all_places_are_taken_requests_are_sent_late_in_their_order_and_none_is_left_out():
    service = FakeService(lambda sent: 1.0)
    rows = opened(service, [0.0, 0.1, 0.2, 0.3], places=2)
    assert [attempt.sent for _, attempt in rows] == pytest.approx([0.0, 0.1, 1.0, 1.1])
    assert [request.placed for request, _ in rows] == pytest.approx([0.0, 0.1, 1.0, 1.1])
    assert [request.dispatched for request, _ in rows] == pytest.approx([0.0, 0.1, 0.2, 0.3])
    assert service.most == 2


def test_what_still_waits_for_a_place_when_patience_ends_has_failed_unsent():
    service = FakeService(lambda sent: 5.0)
    rows = opened(service, [0.0, 1.0, 2.0], places=1, patience=1.0)
    assert len(service.sent) == 1
    never = "never sent: every slot in flight stayed occupied"
    assert [attempt.error for _, attempt in rows] == [None, never, never]
    assert [attempt.end - request.due for request, attempt in rows] == pytest.approx([5.0, 2.0, 1.0])
    assert all(math.isnan(attempt.sent) for _, attempt in rows[1:])


def test_payloads_are_sent_in_turn_over_and_over():
    bodies: list[bytes] = []

    async def work() -> None:
        service = FakeService(lambda sent: 0.0)
        await driver(service, lambda request, attempt, body: bodies.append(body)).open_loop(np.arange(7.0), 1, 1.0)

    virtual_time.run(work())
    assert bodies == [b"a", b"b", b"c", b"a", b"b", b"c", b"a"]


@pytest.mark.parametrize("places", [1, 3])
def test_a_closed_loop_keeps_its_places_taken_and_no_more(places: int):
    service = FakeService(lambda sent: 0.5)
    rows = closed(service, places, 0.0, 2.0)
    assert service.most == places
    assert len(rows) == 4 * places
    assert max(service.sent) < 2.0


def test_each_place_of_a_closed_loop_asks_after_a_warm_up_that_outlasts_the_step():
    rows = closed(FakeService(lambda sent: 10.0), 2, origin=1.0, until=2.0)
    assert [request.due for request, _ in rows] == [0.0, 0.0, 10.0, 10.0]


def test_what_goes_wrong_on_our_side_ends_the_loop_and_is_raised_as_it_is():
    def full(request: Request, attempt: Attempt, body: bytes) -> None:
        raise OSError("disk full")

    async def work() -> int:
        with pytest.raises(OSError, match=r"^disk full$"):
            await driver(FakeService(lambda sent: 0.1), full).open_loop(np.arange(100.0), 5, 1.0)
        return len(asyncio.all_tasks())

    assert virtual_time.run(work()) == 1


async def told(ticks: Ticks, times: list[float], work: float = 0.0) -> list[tuple[int, float]]:
    """Return how many were due at each tick, and when that was; the loop is blocked for so long after each."""
    found = []
    async with contextlib.aclosing(ticks(times, time.perf_counter)) as running:
        async for due in running:
            found.append((due, time.perf_counter()))
            end = time.perf_counter() + work
            while time.perf_counter() < end:
                pass
    return found


def from_now(*seconds: float) -> list[float]:
    return [time.perf_counter() + one for one in seconds]


@pytest.mark.parametrize("ticks", [loop_ticks, thread_ticks])
@pytest.mark.parametrize("work", [0.0, 0.003])
def test_a_tick_is_never_early_and_the_last_one_has_all(ticks: Ticks, work: float):
    times = from_now(-1.0, 0.0, *(0.0005 * n for n in range(40)), 0.05)
    found = asyncio.run(told(ticks, times, work))
    counts = [due for due, _ in found]
    assert counts == sorted(set(counts))
    assert counts[-1] == len(times)
    assert all(times[due - 1] <= moment for due, moment in found)


def test_what_became_due_while_the_loop_was_busy_is_one_tick():
    times = from_now(*(0.0001 * n for n in range(100)))
    assert len(asyncio.run(told(thread_ticks, times, 0.02))) < 10


def test_in_virtual_time_each_request_has_a_tick_at_its_moment():
    async def work() -> list[tuple[int, float]]:
        return [(due, virtual_time.now()) async for due in loop_ticks([0.5, 0.5, 7.25], virtual_time.now)]

    assert virtual_time.run(work()) == [(1, 0.5), (2, 0.5), (3, 7.25)]


def test_no_thread_is_left_when_the_loop_is_left_early():
    async def leave() -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.01):
                await told(thread_ticks, from_now(0.0, 3600.0))

    before = threading.active_count()
    asyncio.run(leave())
    assert threading.active_count() == before


def test_constant_arrivals_are_evenly_spaced_through_warm_up_and_step():
    assert due_times("constant", 4.0, 0.5, 1.0, 0).tolist() == [-0.5, -0.25, 0.0, 0.25, 0.5, 0.75]


def test_a_rate_is_requests_a_second_of_the_step():
    assert (due_times("constant", 37.0, 1.3, 10.0, 0) >= 0).sum() == 370


def test_a_rate_that_is_not_exact_in_floating_point_has_no_request_at_the_end_of_the_step():
    assert due_times("constant", 1.1, 0.0, 10.0, 0).tolist() == pytest.approx([n / 1.1 for n in range(11)])


def test_poisson_arrivals_have_exponential_gaps_of_the_rates_mean():
    times = due_times("poisson", 100.0, 5.0, 1000.0, 1)
    gaps = np.diff(times)
    assert times[0] >= -5.0
    assert times[-1] < 1000.0
    assert gaps.mean() == pytest.approx(0.01, rel=0.001)
    assert gaps.std() == pytest.approx(0.01, rel=0.02)
    assert (gaps > 0.01).mean() == pytest.approx(np.exp(-1), abs=0.01)


@pytest.mark.parametrize(("rate", "seconds"), [(50.0, 6.0), (22.5, 40.0), (100.0, 30.0)])
def test_poisson_arrivals_offer_the_rate_that_was_asked_for_in_the_warm_up_and_in_the_step(rate, seconds):
    for seed in range(20):
        times = due_times("poisson", rate, 4.0, seconds, seed)
        assert (times < 0.0).sum() == rate * 4.0
        assert (times >= 0.0).sum() == rate * seconds


def test_a_seed_and_a_stream_fix_poisson_arrivals():
    times = [due_times("poisson", 50.0, 1.0, 9.0, *of) for of in ((3, (0,)), (3, (0,)), (4, (0,)), (3, (1,)))]
    assert np.array_equal(times[0], times[1])
    assert not np.array_equal(times[0], times[2])
    assert not np.array_equal(times[0], times[3])


def test_a_load_has_the_seed_the_order_and_the_arrivals_of_the_settings():
    service = Service("http://127.0.0.1:1", profile("benchbench"))
    (load,) = LoadSettings("synthetic-cases", service, rates=4, seed=3, order="zipf", arrivals="poisson").loads()
    assert (load.seed, load.order, load.arrivals) == (3, "zipf", "poisson")


def test_poisson_arrivals_of_two_rates_are_no_scaled_copies():
    few, many = LoadSettings(
        "synthetic-cases", Service("http://127.0.0.1:1", profile("benchbench")), rates=(50.0, 100.0), warm_up=0.0,
        arrivals="poisson",
    ).loads()  # fmt: skip
    slow, fast = few.due_times(), many.due_times()
    assert slow is not None
    assert fast is not None
    moved = [np.histogram(times / times[-1], 50)[0] / len(times) for times in (slow, fast)]
    assert abs(np.corrcoef(*moved)[0, 1]) < 0.6, "a scaled copy correlates by 1"


@pytest.mark.parametrize("arrivals", ["constant", "poisson"])
def test_a_step_in_which_nothing_is_due_is_refused(arrivals):
    if arrivals == "constant":
        assert len(due_times(arrivals, 0.1, 0.0, 1.0, 0)) == 1
    else:
        with pytest.raises(InputError, match=r"^at 0\.001 requests/s none is due within --duration 1 s; "):
            due_times(arrivals, 0.001, 0.0, 1.0, 0)
