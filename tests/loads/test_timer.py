import asyncio
import contextlib
import threading
import time

import pytest
import virtual_time

from benchbench.loads.timer import Ticks, loop_ticks, thread_ticks


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
