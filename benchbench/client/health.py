"""Was the client itself the bottleneck? How late its event loop ran, and how much of a core it used.

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

INTERVAL = 0.01  # seconds between looks
_FEWEST = 100  # looks; of a shorter time one pause would decide
_BUSY = 0.9  # cores; this much of one, and the interpreter cannot do more
_SHARE = 0.25  # of the median latency: what the client may add to a request …
_COARSE = 2.0  # … if it is more than so many milliseconds; timers are 1 ms coarse


async def look(lags: "array[float]", since: float, clock: Callable[[], float]) -> None:
    """Look at the clock every `INTERVAL` from `since` on, until cancelled; add by how many seconds each look was late.

    The times are fixed in advance, so a stall of a second is a hundred late looks, and not one.
    """
    due = since + INTERVAL
    while True:
        await asyncio.sleep(max(0.0, due - clock()))
        now = clock()
        while due <= now:
            lags.append(now - due)
            due += INTERVAL


class Health:
    """What the client's process did while requests were under way; may be watched several times."""

    def __init__(self) -> None:
        """Start with nothing seen."""
        self._lags = array("d")
        self._cpu = self._seconds = 0.0

    @contextlib.asynccontextmanager
    async def watching(
        self, clock: Callable[[], float] = time.perf_counter, origin: float | None = None
    ) -> AsyncIterator[None]:
        """Watch while the block lasts; with `origin`, a time of `clock`, from that time on."""
        cpu, started = time.process_time(), clock()

        async def watch() -> None:
            nonlocal cpu, started
            if origin is not None:
                await asyncio.sleep(max(0.0, origin - clock()))
                cpu, started = time.process_time(), clock()
            await look(self._lags, started, clock)

        watching = asyncio.create_task(watch())
        try:
            yield
        finally:
            watching.cancel()
            self._cpu += time.process_time() - cpu
            self._seconds += clock() - started

    @property
    def cpu(self) -> float:
        """Return how many cores the process used."""
        return self._cpu / self._seconds if self._seconds else 0.0

    def add(self, other: "Health") -> None:
        """Add what was seen of the same process at another time."""
        self._lags += other._lags
        self._cpu += other._cpu
        self._seconds += other._seconds

    def figures(self, workers: Sequence["Health"] = ()) -> dict[str, float]:
        """Return how late the event loop ran, and `cpu`: cores that the process used.

        `lag_p90_ms`, `lag_p99_ms` and `lag_max_ms` are of so many `looks`. Of several processes, requests are timed by
        the `workers`, so that all their looks are taken together; the busiest of all processes counts, for each can
        only use one core.
        """
        lags = np.concatenate([one._lags for one in workers or [self]]) * 1e3
        p90, p99, most = np.percentile(lags if len(lags) else np.zeros(1), (90, 99, 100), method="inverted_cdf")
        return {
            "looks": float(len(lags)),
            "lag_p90_ms": float(p90),
            "lag_p99_ms": float(p99),
            "lag_max_ms": float(most),
            "cpu": max(one.cpu for one in (self, *workers)),
        }


def bottleneck(figures: Mapping[str, float], median_ms: float, delay_ms: float = 0.0) -> str | None:
    """Return a sentence when the client, and not the service, set the pace or made the latencies; None when it did not.

    What counts is what the client adds to a request against what the request takes: a lag of 20 ms is nothing to a
    service that takes a second, and all that is measured of one that takes one millisecond. It counts when it happens
    more than a tenth of the time: a pause now and then shows in p99 and in the lag's maximum, and sets no pace.

    Parameters
    ----------
    figures
        As `Health.figures` returns them.
    median_ms
        Of the latencies that were measured; NaN when there was none.
    delay_ms
        What a tenth of the requests, or more, waited for the client when they were due and had a place in flight.
    """
    if figures["looks"] < _FEWEST:
        return None
    bound = math.inf if math.isnan(median_ms) else max(_COARSE, _SHARE * median_ms)
    reasons = []
    if figures["cpu"] >= _BUSY:
        reasons.append(f"it used {100 * figures['cpu']:.0f} % of a core")
    if figures["lag_p90_ms"] > bound:
        reasons.append(f"its event loop ran {figures['lag_p90_ms']:,.1f} ms late or later a tenth of the time")
    if delay_ms > bound:
        reasons.append(f"it kept a tenth of the requests waiting for {delay_ms:,.1f} ms or longer")
    if not reasons:
        return None
    return (
        f"the client was the bottleneck, and the service may be faster than this: {', '.join(reasons)} "
        f"(median latency {median_ms:,.1f} ms)"
    )
