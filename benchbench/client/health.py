"""Was the client itself the bottleneck? How late its event loop ran, and how much of a core it used.

A request's times are taken in the event loop. While the loop is busy, with parsing an answer for instance,
it notices the next one late, and the service looks slower than it is.
"""

import asyncio
import contextlib
import time
from array import array
from collections.abc import AsyncIterator, Callable, Sequence

import numpy as np

INTERVAL = 0.01  # seconds between looks
_BUSY = 0.9  # cores; this much of one, and the interpreter cannot do more
_LATE = 0.25  # p99 of the lag as a share of the median latency …
_COARSE = 5.0  # … from so many milliseconds; below, it is the machine's other work


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
    async def watching(self) -> AsyncIterator[None]:
        """Watch while the block lasts."""
        cpu, started = time.process_time(), time.perf_counter()
        watch = asyncio.create_task(look(self._lags, time.perf_counter(), time.perf_counter))
        try:
            yield
        finally:
            watch.cancel()
            self._cpu += time.process_time() - cpu
            self._seconds += time.perf_counter() - started

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
        """Return `lag_p99_ms` and `lag_max_ms` of the event loop, and `cpu`: cores that the process used.

        Of several processes, requests are timed by the `workers`, so that all their looks are taken together; the
        busiest of all processes counts, for each can only use one core.
        """
        lags = np.concatenate([one._lags for one in workers or [self]]) * 1e3
        lags = lags if len(lags) else np.zeros(1)
        return {
            "lag_p99_ms": float(np.percentile(lags, 99, method="inverted_cdf")),
            "lag_max_ms": float(lags.max()),
            "cpu": max(one.cpu for one in (self, *workers)),
        }


def bottleneck(figures: dict[str, float], median_ms: float) -> str | None:
    """Return a sentence when the client, and not the service, set the pace; `median_ms` is the latency's."""
    if figures["cpu"] >= _BUSY:
        return (
            f"The client was the bottleneck: it used {100 * figures['cpu']:.0f} % of a core, so the service may be "
            "faster than this."
        )
    if figures["lag_p99_ms"] > max(_COARSE, _LATE * median_ms):
        return (
            f"The client was the bottleneck: its event loop ran up to {figures['lag_p99_ms']:.1f} ms late (p99), which "
            f"is in the latencies (median {median_ms:.1f} ms)."
        )
    return None
