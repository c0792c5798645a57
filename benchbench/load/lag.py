"""Whether the client kept up: the lag of its event loop, and its share of a processor."""

import asyncio
import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchbench.client.health import INTERVAL, look
from benchbench.load.latency import Histogram

MOST_LAG = 25.0  # milliseconds, p99
MOST_LATE = 0.01  # share of requests
MOST_CPU = 0.9  # of one processor: the loop is one thread
LATE = 0.010  # seconds after which a request is late; a timer of the loop is 1 ms coarse


@dataclass(frozen=True, slots=True)
class Health:
    """How busy the client was while it measured."""

    lag_p99: float  # milliseconds
    lag_max: float
    cpu: float  # processor time over wall time; 1 is one processor

    @staticmethod
    def of(parts: "Sequence[Seen]") -> "Health":
        """Return the health of the processes that held a step together.

        All looks are taken together. The busiest process counts, for its loop can only use one processor.
        """
        lags = Histogram()
        for part in parts:
            lags.record(part.lags)
        if not len(lags):
            return Health(0.0, 0.0, 0.0)
        p99, largest = lags.percentiles(99.0, 100.0)
        return Health(p99, largest, max(part.cpu for part in parts))


@dataclass(frozen=True, slots=True)
class Seen:
    """What one process saw of itself."""

    lags: "array[float]"  # seconds, a look
    cpu: float  # processor time over wall time


class Watch:
    """Looks at the clock at fixed times; a look that comes late tells how long the loop was blocked."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        """Prepare; `run` does the work."""
        self._clock = clock
        self._lags = array("d")

    async def run(self, origin: float) -> None:
        """Look from `origin` on, until it is cancelled."""
        await asyncio.sleep(max(0.0, origin - self._clock()))
        self._since, self._cpu = self._clock(), time.process_time()
        await look(self._lags, self._since, self._clock)

    def seen(self) -> Seen:
        """Return what was seen so far."""
        if not self._lags:
            return Seen(self._lags, 0.0)
        wall = max(self._clock() - self._since, INTERVAL)
        return Seen(self._lags, (time.process_time() - self._cpu) / wall)


def limit(health: Health, late_by_client: int, requests: int) -> str | None:
    """Return one sentence when the client, and not the service, was the limit; None when it kept up.

    Parameters
    ----------
    health
        Of the client while it measured.
    late_by_client
        Requests that the client sent more than `LATE` after they were due and a place was free for them.
    requests
        Counted requests.
    """
    reasons = []
    if health.lag_p99 > MOST_LAG:
        reasons.append(f"its event loop lagged {health.lag_p99:,.0f} ms at p99 (bound {MOST_LAG:g})")
    if late_by_client > max(1.0, MOST_LATE * requests):
        share = late_by_client / requests
        reasons.append(f"it sent {share:.1%} of the requests late without having to wait (bound {MOST_LATE:.0%})")
    if health.cpu > MOST_CPU:
        reasons.append(f"it used {health.cpu:.2f} of a processor (bound {MOST_CPU:g})")
    if not reasons:
        return None
    return f"the client and not the service is the limit here: {', and '.join(reasons)}"
