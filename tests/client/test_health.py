import asyncio
import time

import pytest

from benchbench.client.health import Health, bottleneck


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


def health(lags: list[float], cpu: float) -> Health:
    made = Health()
    made._lags.extend(lags)
    made._cpu, made._seconds = cpu, 1.0
    return made


def test_of_several_processes_the_looks_of_the_workers_are_taken_together_and_the_busiest_counts():
    starter, first, second = health([9.0], 0.8), health([0.001] * 97, 0.3), health([0.5] * 2, 0.4)
    second.add(health([0.25], 0.8))
    assert starter.figures([first, second]) == {"lag_p99_ms": 500.0, "lag_max_ms": 500.0, "cpu": 0.8}
    assert second.cpu == pytest.approx(0.6)


def test_nothing_watched_is_nothing_seen():
    assert Health().figures() == {"lag_p99_ms": 0.0, "lag_max_ms": 0.0, "cpu": 0.0}


@pytest.mark.parametrize(
    ("lag", "cpu", "median", "begins"),
    [
        (1.0, 0.95, 100.0, "The client was the bottleneck: it used 95 % of a core"),
        (30.0, 0.5, 100.0, "The client was the bottleneck: its event loop ran up to 30.0 ms late"),
        (24.0, 0.5, 100.0, None),
        (4.0, 0.5, 1.0, None),
        (0.0, 0.89, 1.0, None),
    ],
)
def test_the_client_is_the_bottleneck_when_busy_or_late(lag: float, cpu: float, median: float, begins: str | None):
    said = bottleneck({"lag_p99_ms": lag, "lag_max_ms": lag, "cpu": cpu}, median)
    assert (said is None) == (begins is None)
    assert said is None or said.startswith(begins or "")
