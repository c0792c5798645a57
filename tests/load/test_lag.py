import asyncio
from array import array

import pytest
import virtual_time

from benchbench.client.health import INTERVAL
from benchbench.load.lag import Health, Seen, Watch, limit

KEPT_UP = Health(lag_p99=1.0, lag_max=2.0, cpu=0.3)


def watched(blocks: float, seconds: float = 10.0) -> Health:
    """Watch a loop in virtual time that something blocks once for so long, after 1 s of warm-up."""

    async def work() -> Health:
        watch = Watch(virtual_time.now)
        watching = asyncio.create_task(watch.run(1.0))
        await asyncio.sleep(1.0 + seconds / 2)
        asyncio.get_running_loop().now += blocks
        await asyncio.sleep(seconds / 2)
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        return Health.of([watch.seen()])

    return virtual_time.run(work())


def test_a_loop_that_nothing_blocks_has_no_lag():
    health = watched(0.0)
    assert health.lag_max <= 0.002


def test_a_block_is_as_many_late_looks_as_it_hid():
    health = watched(1.0)
    assert health.lag_max == pytest.approx(1000.0, abs=1e3 * INTERVAL + 2)
    assert health.lag_p99 > 500.0, "a tenth of the looks came up to a second late"


def test_lag_before_the_step_is_not_counted():
    async def work() -> Health:
        watch = Watch(virtual_time.now)
        watching = asyncio.create_task(watch.run(5.0))
        await asyncio.sleep(0.0)
        asyncio.get_running_loop().now += 3.0
        await asyncio.sleep(4.0)
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        return Health.of([watch.seen()])

    assert virtual_time.run(work()).lag_max <= 0.002


def test_the_looks_of_several_processes_are_taken_together_and_the_busiest_counts():
    calm, late = Seen(array("d", [0.001] * 99), 0.2), Seen(array("d", [0.5]), 0.7)
    health = Health.of([calm, late])
    assert (health.lag_p99, health.lag_max) == pytest.approx((1.0, 500.0), rel=0.002)
    assert health.cpu == 0.7


def test_nothing_seen_is_no_lag():
    assert Health.of([Watch().seen()]) == Health(0.0, 0.0, 0.0)


def test_a_client_that_keeps_up_is_not_the_limit():
    assert limit(KEPT_UP, 10, 1000) is None
    assert limit(KEPT_UP, 1, 5) is None


@pytest.mark.parametrize(("late", "requests", "limits"), [(1, 5, False), (2, 5, True), (2, 200, False), (3, 200, True)])
def test_one_late_request_is_no_limit_and_two_are_where_they_are_above_the_share(late, requests, limits):
    assert (limit(KEPT_UP, late, requests) is not None) is limits


@pytest.mark.parametrize("at", [Health(25.0, 30.0, 0.3), Health(1.0, 2.0, 0.9)])
def test_a_client_at_a_bound_keeps_up(at: Health):
    assert limit(at, 0, 1000) is None


@pytest.mark.parametrize(
    ("health", "late", "reason"),
    [
        (Health(80.0, 90.0, 0.3), 0, "its event loop lagged 80 ms at p99 (bound 25)"),
        (KEPT_UP, 11, "it sent 1.1% of the requests late without having to wait (bound 1%)"),
        (Health(1.0, 2.0, 0.97), 0, "it used 0.97 of a processor (bound 0.9)"),
    ],
)
def test_each_bound_that_is_passed_is_named_in_one_sentence(health: Health, late: int, reason: str):
    assert limit(health, late, 1000) == f"the client and not the service is the limit here: {reason}"
