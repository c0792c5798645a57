import asyncio
import math

import numpy as np
import pytest
import virtual_time
from virtual_time import FakeService, now

from benchbench.client.transport import Attempt
from benchbench.loads.driver import Driver, Request

Rows = list[tuple[Request, Attempt]]


def opened(service: FakeService, due: list[float], places: int, patience: float = 1000.0) -> Rows:
    """Drive an open loop in virtual time; return what it recorded."""
    rows: Rows = []

    async def work() -> None:
        driver = Driver(
            service.post, [b"a", b"b", b"c"], lambda request, attempt, body: rows.append((request, attempt)), now
        )
        await driver.open_loop(np.array(due), places, patience)

    virtual_time.run(work())
    return sorted(rows)


def closed(service: FakeService, places: int, origin: float, until: float) -> Rows:
    rows: Rows = []

    async def work() -> None:
        driver = Driver(service.post, [b"a"], lambda request, attempt, body: rows.append((request, attempt)), now)
        await driver.closed_loop(places, origin, until)

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

        driver = Driver(service.post, [b"a"], take, now, first=1, every=2, ticks=coarse)
        await driver.open_loop(np.arange(5) * 0.25, 9, 1.0)

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
    never = "never sent: all places in flight stayed taken"
    assert [attempt.error for _, attempt in rows] == [None, never, never]
    assert [attempt.end - request.due for request, attempt in rows] == pytest.approx([5.0, 2.0, 1.0])
    assert all(math.isnan(attempt.sent) for _, attempt in rows[1:])


def test_payloads_are_sent_in_turn_over_and_over():
    bodies: list[bytes] = []

    async def work() -> None:
        service = FakeService(lambda sent: 0.0)
        driver = Driver(service.post, [b"a", b"b", b"c"], lambda request, attempt, body: bodies.append(body), now)
        await driver.open_loop(np.arange(7.0), 1, 1.0)

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
        driver = Driver(FakeService(lambda sent: 0.1).post, [b"a"], full, now)
        with pytest.raises(OSError, match=r"^disk full$"):
            await driver.open_loop(np.arange(100.0), 5, 1.0)
        return len(asyncio.all_tasks())

    assert virtual_time.run(work()) == 1
