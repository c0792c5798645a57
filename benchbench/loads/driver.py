"""The open loop sends each request when it is due; the closed loop sends the next when an answer has come.

When requests are due in an open loop is fixed before the first is sent, whatever the service does. `Ticks` say that
requests are due: they yield how many are, as soon as it is one more, and never early. A loop's own timer on Linux
counts whole milliseconds, rounded up. So a thread waits instead, in the steps of the system's fine timer, and wakes the
loop. It sleeps to the end: a thread that spins keeps the interpreter, and with it the loop, from working.
"""

import asyncio
import contextlib
import itertools
import math
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from benchbench.client.payload import Payload
from benchbench.client.transport import Attempt
from benchbench.errors import InputError
from benchbench.kernels.arrays import F64
from benchbench.loads.load_options import NEVER_SENT, Arrivals

Ticks = Callable[[Sequence[float], Callable[[], float]], AsyncGenerator[int, None]]

_COARSE = 0.02  # seconds; a longer wait ends when it is told to
_FINE = 1e-4  # seconds before the moment at which steps begin that are as short as the system allows


async def loop_ticks(times: Sequence[float], clock: Callable[[], float]) -> AsyncGenerator[int, None]:
    """Wait with the loop's own timer, which may be a virtual one.

    Parameters
    ----------
    times
        Times of `clock`, ascending.
    clock
        Seconds.
    """
    for number, moment in enumerate(times, 1):
        await asyncio.sleep(max(0.0, moment - clock()))
        yield number


async def thread_ticks(times: Sequence[float], clock: Callable[[], float]) -> AsyncGenerator[int, None]:
    """Wait in a thread; what became due while the loop was busy is one tick. As `loop_ticks`."""
    loop, woken, stop = asyncio.get_running_loop(), asyncio.Event(), threading.Event()
    due = 0

    def watch() -> None:
        nonlocal due
        ripe = 0
        while ripe < len(times) and not stop.is_set():
            _wait(times[ripe], clock, stop)
            now = clock()
            while ripe < len(times) and times[ripe] <= now:
                ripe += 1
            if ripe > due:
                due = ripe
                loop.call_soon_threadsafe(woken.set)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    told = 0
    try:
        while told < len(times):
            await woken.wait()
            woken.clear()
            if due > told:
                told = due
                yield told
    finally:
        stop.set()
        thread.join()


def _wait(moment: float, clock: Callable[[], float], stop: threading.Event) -> None:
    """Sleep until a moment, or until it is time to stop."""
    while (gap := moment - clock()) > _COARSE:
        if stop.wait(gap - _COARSE / 2):
            return
    if gap > 2 * _FINE:
        time.sleep(gap - _FINE)
    while clock() < moment:
        time.sleep(1e-6)


_MOST = 100_000_000  # requests of a step: 800 MB of times
_DIGITS = 6  # of a number of requests; 1.1/s for 10 s are 11, and 11.000000000000002 in floating point


def due_times(
    arrivals: Arrivals, rate: float, warm_up: float, duration: float, seed: int, stream: tuple[int, ...] = ()
) -> F64:
    """Return when requests are due, ascending.

    Parameters
    ----------
    arrivals
        `constant`: every 1 / `rate` seconds. `poisson`: independent users. A Poisson process of which the number of
        arrivals is known has them at uniform, independent times; that number is the expected one, in the warm-up and
        in the measured time each, so that the rate that is offered is the one that was asked for.
    rate
        Requests per second.
    warm_up, duration
        Seconds. Times run from `-warm_up` to below `duration`; requests due before 0 are not counted.
    seed, stream
        Of Poisson arrivals: the same ones give the same times, and different ones independent times.

    Raises
    ------
    InputError
        When no request would be counted, or there would be too many to hold.
    """
    due = rate * (warm_up + duration)
    if due > _MOST:
        raise InputError(
            f"at {rate:g} requests/s {due:,.0f} are due within {warm_up + duration:,g} s, and at most "
            f"{_MOST:,} can be; give a lower --rate, or a shorter --duration"
        )
    before, counted = (round(rate * seconds, _DIGITS) for seconds in (warm_up, duration))
    if arrivals == "constant":
        times = np.arange(math.ceil(-before), math.ceil(counted)) / rate
    else:
        random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=stream))
        spans = [(round(before), -warm_up, 0.0), (round(counted), 0.0, duration)]
        times = np.sort(np.concatenate([random.uniform(low, high, number) for number, low, high in spans]))
    if not (times >= 0.0).any():
        raise InputError(
            f"at {rate:g} requests/s none is due within --duration {duration:g} s; give a longer one, or a higher rate"
        )
    return times


Post = Callable[[Payload], Awaitable[tuple[Attempt, bytes]]]


class Request(NamedTuple):
    """Times of one request in the client, by the driver's clock."""

    number: int  # in its step, from 0
    due: float  # when it was to be sent
    dispatched: float  # when the client took it up
    placed: float  # when it had a place in flight


@dataclass(frozen=True, kw_only=True)
class Driver:
    """Sends `payloads` in turn, over and over, each request once; `take` gets the result of each.

    `clock` is in seconds, and must be the clock of the attempts; `ticks` tell when requests are due by it. Requests are
    numbered from `first` in steps of `every`, so that several drivers together send the requests of one.
    """

    post: Post
    payloads: Sequence[Payload]
    take: Callable[[Request, Attempt, bytes], None]
    clock: Callable[[], float] = time.perf_counter
    first: int = 0
    every: int = 1
    ticks: Ticks = loop_ticks

    async def open_loop(self, due: F64, places: int, patience: float) -> None:
        """Send each request when it is due, whether or not earlier ones were answered.

        Parameters
        ----------
        due
            Times of `clock`, ascending; of this driver's requests only.
        places
            Most requests in flight. One that is due when all places are taken waits for the first free one.
        patience
            Seconds after the last due time until requests that still wait for a place count as failed, unsent.
        """
        if not len(due):
            return
        backlog: deque[tuple[int, float, float]] = deque()
        free = places

        def launch() -> None:
            nonlocal free
            while backlog and free:
                free -= 1
                group.create_task(occupy(Request(*backlog.popleft(), self.clock())))

        async def occupy(request: Request) -> None:
            nonlocal free
            await self._ask(request)
            free += 1
            launch()

        def give_up() -> None:
            error = f"{NEVER_SENT}: every slot in flight stayed occupied"
            for waiting in backlog:
                attempt = Attempt(math.nan, math.nan, self.clock(), 0, None, error)
                self.take(Request(*waiting, math.nan), attempt, b"")
            backlog.clear()

        times = due.tolist()
        numbered = zip(itertools.count(self.first, self.every), times, strict=False)
        end = asyncio.get_running_loop().call_later(max(0.0, times[-1] + patience - self.clock()), give_up)
        try:
            async with _tasks() as group, contextlib.aclosing(self.ticks(times, self.clock)) as ticks:
                taken = 0
                async for ripe in ticks:
                    now = self.clock()
                    backlog.extend((*request, now) for request in itertools.islice(numbered, ripe - taken))
                    launch()
                    taken = ripe
        finally:
            end.cancel()

    async def closed_loop(self, places: int, origin: float, until: float) -> None:
        """Keep so many requests in flight; the next is due the moment an answer has come.

        Parameters
        ----------
        places
            Requests in flight.
        origin, until
            Times of `clock`: none is sent after `until`, but each place asks at least once after `origin`.
        """
        numbers = itertools.count(self.first, self.every)
        async with _tasks() as group:
            for _ in range(places):
                group.create_task(self._keep_asking(numbers, origin, until))

    async def _keep_asking(self, numbers: Iterator[int], origin: float, until: float) -> None:
        now = counted = -math.inf
        while (now := self.clock()) < until or counted < origin:
            await self._ask(Request(next(numbers), now, now, now))
            counted = now

    async def _ask(self, request: Request) -> None:
        attempt, body = await self.post(self.payloads[request.number % len(self.payloads)])
        self.take(request, attempt, body)


@contextlib.asynccontextmanager
async def _tasks() -> AsyncIterator[asyncio.TaskGroup]:
    """Wait for all tasks. The first error cancels the others and is raised without a group."""
    try:
        async with asyncio.TaskGroup() as group:
            yield group
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
