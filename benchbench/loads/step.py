"""One step: a load that is kept up for a given time after a warm-up."""

import contextlib
import gc
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchbench.client.health import Health
from benchbench.client.payload import Payload
from benchbench.client.workers import part
from benchbench.kernels.arrays import F64
from benchbench.loads.driver import Driver, Post, Ticks, due_times, thread_ticks
from benchbench.loads.load_options import Arrivals, Order
from benchbench.loads.recorder import ReceivedAnswers, Recorder, RequestRows
from benchbench.loads.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What a step asks of the service: an arrival rate, or a number of requests in flight."""

    batch_size: int  # queries per request
    rate: float | None  # requests per second, open loop; None in a closed one
    places: int  # closed loop: requests in flight; open loop: the most of them
    warm_up: float  # seconds
    duration: float
    patience: float  # seconds after the last due time until requests that wait for a place count as failed
    arrivals: Arrivals = "constant"
    seed: int = 0
    order: Order = "sequential"
    trace: Trace | None = None  # what is replayed; `rate` is then the mean one
    repeat: int = 1  # which time it is that this load is run
    stream: tuple[int, ...] = ()  # tells its random arrivals from those of other steps
    begins: int = 0  # requests of this size that were sent before: queries go on where those ended

    @property
    def name(self) -> str:
        """The name in a report that has a column for the batch size."""
        if self.trace is not None:
            return f"trace {self.trace.name} at speed {self.trace.speed:g}"
        return f"concurrency {self.places}" if self.rate is None else f"{self.rate:,.6g} requests/s"

    @property
    def title(self) -> str:
        """The name in a sentence."""
        return f"{self.name}, batch {self.batch_size}"

    def again(self, repeat: int) -> "Load":
        """Return a repeat of this load: what is random in it is drawn anew."""
        if repeat == 1:
            return self
        drawn = np.random.SeedSequence([self.seed, repeat]).generate_state(1, np.uint64)
        return replace(self, seed=int(drawn[0]) >> 2, repeat=repeat)

    def due_times(self) -> F64 | None:
        """Return when requests are due, in seconds since the end of the warm-up; None in a closed loop."""
        if self.trace is not None:
            return self.trace.times - self.warm_up
        if self.rate is None:
            return None
        return due_times(self.arrivals, self.rate, self.warm_up, self.duration, self.seed, self.stream)


@dataclass(frozen=True, slots=True)
class WorkerShare:
    """One of several processes that run a step: it sends each `total`-th request, and has its share of the places."""

    number: int = 0
    total: int = 1


async def run_step(
    load: Load,
    payloads: Sequence[Payload],
    post: Post,
    answers: ReceivedAnswers,
    clock: Callable[[], float] = time.perf_counter,
    share: WorkerShare = WorkerShare(),
    begin: Callable[[], Awaitable[float]] | None = None,
    ticks: Ticks = thread_ticks,
) -> tuple[RequestRows, Health]:
    """Run a load; return its requests and the load on the client.

    Parameters
    ----------
    load
        What to run.
    payloads
        Requests to send in turn, encoded beforehand.
    post
        Sends one; failures of the service are returned, not raised.
    answers
        Receives the bodies of counted requests.
    clock
        Seconds; that of the attempts' times.
    share
        The share of the load that this process sends.
    begin
        Waits until the warm-up is to begin, and returns that time; without it, it begins at once.
    ticks
        Tell when requests are due.
    """
    planned, places = load.due_times(), part(load.places, share.number, share.total)
    if planned is not None:
        planned = planned[share.number :: share.total]
    with _no_collector():
        origin = (clock() if begin is None else await begin()) + load.warm_up
        recorder = Recorder(origin, len(payloads), answers)
        driver = Driver(
            post=post,
            payloads=payloads,
            take=recorder.add,
            clock=clock,
            first=share.number,
            every=share.total,
            ticks=ticks,
        )
        health = Health()
        async with health.watching(clock, origin):
            if planned is None:
                await driver.closed_loop(places, origin, origin + load.duration)
            else:
                await driver.open_loop(origin + planned, places, load.patience)
        return recorder.rows, health


@contextlib.contextmanager
def _no_collector() -> Iterator[None]:
    """Stop the cycle collector, whose walk over the data set would look like a slow service."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
