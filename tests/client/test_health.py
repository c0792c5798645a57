import asyncio
import math
import time

import pytest
import virtual_time

from benchbench.client.health import INTERVAL, Health, bottleneck


def watched(block: float) -> dict[str, float]:
    async def main() -> dict[str, float]:
        health = Health()
        async with health.watching():
            await asyncio.sleep(0)  # so that the watch begins
            end = time.perf_counter() + block
            while time.perf_counter() < end:
                pass
            for _ in range(5):  # the watch gets its turn
                await asyncio.sleep(0)
        return health.figures()

    return asyncio.run(main())


def test_a_loop_that_is_blocked_is_seen_late_and_busy():
    figures = watched(0.3)
    assert figures["lag_max_ms"] >= 280
    assert figures["lag_p99_ms"] >= 200
    assert figures["cpu"] > 0


def in_virtual_time(origin: float, pause: float, worked: float = 0.0, seconds: float = 10.0) -> dict[str, float]:
    """Watch a loop from `origin` on; half way through the seconds from then on something blocks it once.

    The block is `pause` seconds long, of which the process works for `worked`.
    """
    work_done = [0.0]

    async def work() -> dict[str, float]:
        health = Health()
        async with health.watching(virtual_time.now, origin, lambda: work_done[0]):
            await asyncio.sleep(origin + seconds / 2)
            asyncio.get_running_loop().now += pause
            work_done[0] += worked
            await asyncio.sleep(seconds / 2)
        return health.figures()

    return virtual_time.run(work())


@pytest.mark.parametrize(("worked", "own"), [(0.0, False), (1.4, False), (1.6, True), (3.0, True)])
def test_a_lag_in_which_the_process_worked_is_told_from_one_in_which_it_waited(worked: float, own: bool):
    figures = in_virtual_time(0.0, 3.0, worked)
    assert figures["lag_p90_ms"] > 1000.0
    assert figures["busy_p90_ms"] == (figures["lag_p90_ms"] if own else 0.0)


def test_a_loop_that_nothing_blocks_has_no_lag():
    figures = in_virtual_time(1.0, 0.0)
    assert figures["lag_max_ms"] <= 2.0
    assert figures["looks"] == pytest.approx(1000, abs=1)


def test_a_pause_is_as_many_late_looks_as_it_hid():
    figures = in_virtual_time(1.0, 1.0)
    assert figures["lag_max_ms"] == pytest.approx(1000.0, abs=1e3 * INTERVAL + 2)
    assert figures["lag_p99_ms"] > 500.0, "an eleventh of the looks came up to a second late"
    assert figures["lag_p90_ms"] < 100.0


def test_lag_before_the_origin_is_not_counted():
    async def work() -> dict[str, float]:
        health = Health()
        async with health.watching(virtual_time.now, 5.0):
            await asyncio.sleep(0.0)
            asyncio.get_running_loop().now += 3.0
            await asyncio.sleep(4.0)
        return health.figures()

    assert virtual_time.run(work())["lag_max_ms"] <= 2.0


def health(lags: list[float], cpu: float) -> Health:
    made = Health()
    made._lags.extend(lags)
    made._busy.extend(lag / 2 for lag in lags)
    made._cpu, made._seconds = cpu, 1.0
    return made


def test_of_several_processes_the_looks_of_the_workers_are_taken_together_and_the_busiest_counts():
    starter, first, second = health([9.0], 0.8), health([0.001] * 97, 0.3), health([0.5] * 2, 0.4)
    second.add(health([0.25], 0.8))
    figures = starter.figures([first, second])
    lags = {"busy_p90_ms": 0.5, "lag_p90_ms": 1.0, "lag_p99_ms": 500.0, "lag_max_ms": 500.0}
    assert figures == {"looks": 100, **lags, "cpu": 0.8}
    assert second.cpu == pytest.approx(0.6)


def test_nothing_watched_is_nothing_seen():
    figures = Health().figures()
    assert set(figures.values()) == {0.0}
    assert bottleneck({**figures, "cpu": 1.0}, math.nan) is None


def seen(lag: float = 0.5, busy: float | None = None, cpu: float = 0.3, looks: int = 1000) -> dict[str, float]:
    """Return figures; the loop is late by its own work unless `busy` says otherwise."""
    own = lag if busy is None else busy
    lags = {"busy_p90_ms": own, "lag_p90_ms": lag, "lag_p99_ms": 50.0, "lag_max_ms": 90.0}
    return {"looks": looks, **lags, "cpu": cpu}


@pytest.mark.parametrize(
    ("figures", "median", "delay", "reason"),
    [
        (seen(cpu=0.95), 100.0, 0.0, "it used 95 % of a core"),
        (seen(cpu=0.9), 100.0, 0.0, "it used 90 % of a core"),
        (seen(lag=26.0), 100.0, 0.0, "its event loop ran 26.0 ms late or later for 10 % of the time while it worked"),
        (seen(lag=4.0), 5.0, 0.0, "its event loop ran 4.0 ms late or later for 10 % of the time while it worked"),
        (seen(cpu=0.6), 1000.0, 900.0, "it kept 10 % of the requests waiting for 900.0 ms or longer"),
    ],
)
def test_a_client_that_is_busy_late_or_behind_is_the_bottleneck(figures, median: float, delay: float, reason: str):
    assert bottleneck(figures, median, delay) == (
        f"the client was the bottleneck, and the service may be faster than this: {reason} "
        f"(median latency {median:,.1f} ms)"
    )


@pytest.mark.parametrize("delay", [0.0, 40.0])
def test_a_client_that_waits_for_a_core_is_none_and_its_machine_is_said_to_be_too_busy(delay: float):
    """The figures of a demonstration on two cores that six other processes wanted too."""
    assert bottleneck(seen(lag=12.9, busy=1.8, cpu=0.18), 24.4, delay) == (
        "the machine was too busy to measure on, and the service may be faster than this: the client waited for a "
        "core, so that its event loop ran 12.9 ms late or later for 10 % of the time, and used 18 % of a core "
        "(median latency 24.4 ms)"
    )


def test_a_client_with_little_to_do_that_sends_late_is_kept_from_it_by_its_machine():
    assert "the client waited for a core, so that it kept 10 % of the requests waiting for 40.0 ms or longer" in str(
        bottleneck(seen(cpu=0.1), 10.0, 40.0)
    )


@pytest.mark.parametrize(
    ("figures", "median", "delay"),
    [
        pytest.param(seen(cpu=0.89), 1.0, 0.0, id="busy, but not with all of a core"),
        pytest.param(seen(lag=40.0), 2000.0, 40.0, id="a slow service: what the client adds is nothing to it"),
        pytest.param(seen(lag=2.0), 0.5, 2.0, id="a timer's coarseness"),
        pytest.param(seen(lag=1.1), 10.0, 0.0, id="pauses now and then, which only p99 and the maximum have"),
        pytest.param(seen(lag=12.7, cpu=0.35, looks=12), 40.0, 0.0, id="the demonstration: a tenth of a second"),
        pytest.param(seen(lag=9.0, cpu=0.6), 83.0, 0.0, id="the same for longer: its service has the cores"),
        pytest.param(seen(lag=900.0), math.nan, 900.0, id="nothing was measured"),
    ],
)
def test_a_client_that_keeps_up_is_not(figures, median: float, delay: float):
    assert bottleneck(figures, median, delay) is None


def test_all_reasons_stand_in_one_sentence():
    said = str(bottleneck(seen(lag=30.0, cpu=1.0), 50.0, 70.0))
    assert said.count("the client was the bottleneck") == 1
    assert [part in said for part in ("100 % of a core", "30.0 ms late", "waiting for 70.0 ms")] == [True] * 3
