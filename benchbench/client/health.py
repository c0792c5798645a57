"""Was the client the bottleneck? How late its event loop ran, and how much of a core it used.

A request's times are taken in the event loop. While the loop is busy, with parsing an answer for instance,
it notices the next one late, and the service looks slower than it is.
"""

import asyncio
import contextlib
import math
import time
from array import array
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

import numpy as np

from benchbench.kernels.arrays import F64

INTERVAL = 0.01  # seconds between looks
_FEWEST = 100  # looks; of a shorter time one pause would decide
_BUSY = 0.9  # cores; this much of one, and the interpreter cannot do more
_IDLE = 0.5  # cores; with so little work to do, what keeps the client from it is the machine
_SHARE = 0.25  # of the median latency: what the client may add to a request …
_COARSE = 2.0  # … if it is more than so many milliseconds; timers are 1 ms coarse


Clock = Callable[[], float]


async def look(lags: "array[float]", busy: "array[float]", since: float, clock: Clock, cpu: Clock) -> None:
    """Look at the clock every `INTERVAL` from `since` on, until cancelled.

    The times are fixed in advance, so a stall of a second is a hundred late looks, and not one.

    Parameters
    ----------
    lags
        Grows by how many seconds each look was late.
    busy
        Grows by the same where this process worked most of the time since the look before, else by 0: it waited
        then, for a core as a rule.
    since
        Time of `clock` to begin at.
    clock, cpu
        Seconds, of the world and of this process's work.
    """
    due, last, worked = since + INTERVAL, since, cpu()
    while True:
        await asyncio.sleep(max(0.0, due - clock()))
        now, work = clock(), cpu()
        own = 2.0 * (work - worked) >= now - last
        last, worked = now, work
        while due <= now:
            lags.append(now - due)
            busy.append(now - due if own else 0.0)
            due += INTERVAL


class Health:
    """The load on the client's process while requests were under way; may be watched several times."""

    def __init__(self) -> None:
        """Start with nothing seen."""
        self._lags, self._busy = array("d"), array("d")
        self._cpu = self._seconds = 0.0

    @contextlib.asynccontextmanager
    async def watching(
        self, clock: Clock = time.perf_counter, origin: float | None = None, cpu: Clock = time.process_time
    ) -> AsyncIterator[None]:
        """Watch while the block lasts; with `origin`, a time of `clock`, from that time on."""
        worked, started = cpu(), clock()

        async def watch() -> None:
            nonlocal worked, started
            if origin is not None:
                await asyncio.sleep(max(0.0, origin - clock()))
                worked, started = cpu(), clock()
            await look(self._lags, self._busy, started, clock, cpu)

        watching = asyncio.create_task(watch())
        try:
            yield
        finally:
            watching.cancel()
            self._cpu += cpu() - worked
            self._seconds += clock() - started

    @property
    def cpu(self) -> float:
        """Return how many cores the process used."""
        return self._cpu / self._seconds if self._seconds else 0.0

    def add(self, other: "Health") -> None:
        """Add what was seen of the same process at another time."""
        self._lags += other._lags
        self._busy += other._busy
        self._cpu += other._cpu
        self._seconds += other._seconds

    def figures(self, workers: Sequence["Health"] = ()) -> dict[str, float]:
        """Return how late the event loop ran, and `cpu`: cores that the process used.

        `lag_p90_ms`, `lag_p99_ms` and `lag_max_ms` are of so many `looks`; for `busy_p90_ms` only those are late before
        which the process worked most of the time. Of several processes, requests are timed by the `workers`, so that
        all their looks are taken together; the busiest of all processes counts, for each can only use one core.
        """
        lags = np.concatenate([health._lags for health in workers or [self]]) * 1e3
        busy = np.concatenate([health._busy for health in workers or [self]]) * 1e3
        return {
            "looks": float(len(lags)),
            "busy_p90_ms": _percentile(busy, 90.0),
            "lag_p90_ms": _percentile(lags, 90.0),
            "lag_p99_ms": _percentile(lags, 99.0),
            "lag_max_ms": _percentile(lags, 100.0),
            "cpu": max(health.cpu for health in (self, *workers)),
        }


def _percentile(values: F64, percent: float) -> float:
    return float(np.percentile(values, percent, method="inverted_cdf")) if len(values) else 0.0


def bottleneck(figures: Mapping[str, float], median_ms: float, delay_ms: float = 0.0) -> str | None:
    """Return a sentence when the client or its machine, and not the service, limited the numbers; else None.

    What counts is what the client adds to a request against what the request takes: a lag of 20 ms is nothing to a
    service that takes a second, and all that is measured of one that takes one millisecond. It counts when it happens
    more than a tenth of the time: a pause now and then shows in p99 and in the lag's maximum, and sets no pace. A loop
    that is late because its process waits for a core is no slow client: its machine has too much to do.

    Parameters
    ----------
    figures
        As `Health.figures` returns them.
    median_ms
        Of the latencies from the time that requests were sent; NaN when there was none.
    delay_ms
        What a tenth of the requests, or more, waited for the client when they were due and had a place in flight.
    """
    if figures["looks"] < _FEWEST:
        return None
    bound = math.inf if math.isnan(median_ms) else max(_COARSE, _SHARE * median_ms)
    used = f"{100 * figures['cpu']:.0f} % of a core"
    lag = f"{figures['lag_p90_ms']:,.1f} ms late or later for 10 % of the time"
    reasons = []
    if figures["cpu"] >= _BUSY:
        reasons.append(f"it used {used}")
    if figures["busy_p90_ms"] > bound:
        reasons.append(f"its event loop ran {lag} while it worked")
    waited = f"10 % of the requests waiting for {delay_ms:,.1f} ms or longer"
    late = f"its event loop ran {lag}" if figures["lag_p90_ms"] > bound else f"it kept {waited}"
    starved = not reasons and (figures["lag_p90_ms"] > bound or (delay_ms > bound and figures["cpu"] < _IDLE))
    if delay_ms > bound:
        reasons.append(f"it kept {waited}")
    against = f"(median latency {median_ms:,.1f} ms)"
    if starved:
        return (
            "the machine was too busy to measure on, and the service may be faster than this: the client waited for a "
            f"core, so that {late}, and used {used} {against}"
        )
    if not reasons:
        return None
    return f"the client was the bottleneck, and the service may be faster than this: {', '.join(reasons)} {against}"
