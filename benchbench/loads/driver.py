"""The open loop sends each request when it is due; the closed loop sends the next when an answer has come."""

import asyncio
import contextlib
import itertools
import math
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from benchbench.client.payload import Payload
from benchbench.client.transport import Attempt
from benchbench.kernels.arrays import F64
from benchbench.loads.timer import Ticks, loop_ticks

Post = Callable[[Payload], Awaitable[tuple[Attempt, bytes]]]


class Request(NamedTuple):
    """Times of one request in the client, by the driver's clock."""

    number: int  # in its step, from 0
    due: float  # when it was to be sent
    dispatched: float  # when the client took it up
    placed: float  # when it had a place in flight


@dataclass(frozen=True)
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
            error = "never sent: all places in flight stayed taken"
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
