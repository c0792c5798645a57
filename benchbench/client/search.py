"""Queries out in batches, hits back in order, a bounded number of requests under way."""

import asyncio
import gc
import time
from collections import deque
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from random import Random

from benchbench.client.breaker import Breaker
from benchbench.client.decode import decode
from benchbench.client.profiles import Profile
from benchbench.client.results import ProtocolError
from benchbench.client.retry import Retry, outage
from benchbench.client.shortened import prepare
from benchbench.client.transport import Attempt, Transport, refused
from benchbench.errors import UnreachableError
from benchbench.tables.hits import Hits
from benchbench.tables.queries import Queries

_AHEAD = 4  # finished batches that may wait for a slow one before them, as a multiple of the concurrency

# Objects that the cycle collector waits for. A parsed response is some thousand containers without cycles, freed
# at once; at the default of 700 the collector walks them again and again, and a lean answer takes 3.5 times longer.
_PATIENCE = 200_000


@dataclass(frozen=True, slots=True)
class Batch:
    """What became of queries `first` to `first + count`: hits, or a failure; and every attempt."""

    first: int
    count: int
    due: float  # `time.perf_counter` when a place was free for it
    hits: Hits
    attempts: tuple[Attempt, ...]  # none when the service was given up before
    failure: str | None

    def since(self, started: float) -> "Batch":
        """Return the same with times that count from `started`."""
        attempts = tuple(
            replace(one, sent=one.sent - started, first_byte=one.first_byte - started, end=one.end - started)
            for one in self.attempts
        )
        return replace(self, due=self.due - started, attempts=attempts)


class Search:
    """One pass of a data set's queries over one service."""

    def __init__(
        self,
        queries: Queries,
        profile: Profile,
        transport: Transport,
        retry: Retry,
        batch_size: int,
        top_k: int,
        concurrency: int,
        breaker: Breaker | None = None,
    ) -> None:
        """Prepare; `batches` does the work."""
        prepare()
        self._queries = queries
        self._profile = profile
        self._transport = transport
        self._retry = retry
        self._batch_size = batch_size
        self._top_k = top_k
        self._places = asyncio.Semaphore(concurrency)
        self._breaker = breaker or Breaker()
        self._window = concurrency * _AHEAD
        self._random = Random()  # only for jitter: no result depends on it
        self._answered = False

    async def batches(self, first: int = 0, last: int | None = None) -> AsyncGenerator[Batch, None]:
        """Yield every batch of queries `first` up to `last` (all that there are) once, in query order.

        Raises
        ------
        UnreachableError
            When nothing answers before the first response.
        """
        last = len(self._queries) if last is None else last
        waiting: deque[asyncio.Task[Batch]] = deque()
        firsts = iter(range(first, last, self._batch_size))
        collector = gc.get_threshold()
        gc.set_threshold(_PATIENCE, *collector[1:])
        try:
            while True:
                while len(waiting) < self._window and (q := next(firsts, None)) is not None:
                    waiting.append(asyncio.create_task(self._ask(q, min(q + self._batch_size, last))))
                if not waiting:
                    return
                yield await waiting.popleft()
        finally:
            gc.set_threshold(*collector)
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    async def _ask(self, first: int, last: int) -> Batch:
        breaker = self._breaker
        async with self._places:
            due = time.perf_counter()
            async with breaker.turn() as alone:
                if breaker.reason is not None:
                    return Batch(first, last - first, due, Hits.none(last - first), (), breaker.reason)
                return await self._sent(first, last, due, alone)

    async def _sent(self, first: int, last: int, due: float, alone: bool) -> Batch:
        payload = self._profile.payload(self._queries.texts[first:last], self._top_k)
        attempts: list[Attempt] = []
        while True:
            attempt, body = await self._transport.post(payload)
            attempts.append(attempt)
            self._answered |= attempt.status is not None
            if attempt.error is None:
                self._breaker.answered()
                return self._decoded(first, last - first, due, attempts, body)
            if attempt.refused and not self._answered:
                raise refused(self._transport.shown, attempt)
            down = outage(attempt.status, attempt.broken)
            if alone and down:
                again = len(attempts) < self._breaker.limit
            else:
                again = self._retry.again(len(attempts), attempt.status, attempt.broken)
            if not again:
                break
            await asyncio.sleep(self._retry.wait(len(attempts), attempt.retry_after, self._random))
        if not self._answered:
            raise UnreachableError(
                f"{self._transport.shown} gave no answer in {len(attempts)} attempts ({attempt.error}); "
                "is it a search service, and is --timeout long enough for a batch?"
            )
        if down:
            self._breaker.failed(attempt.error, alone)
        else:
            self._breaker.answered()
        return Batch(first, last - first, due, Hits.none(last - first), tuple(attempts), attempt.error)

    def _decoded(self, first: int, count: int, due: float, attempts: list[Attempt], body: bytes) -> Batch:
        openings = self._queries.sought(first, count)
        try:
            hits, failure = decode(body, openings, self._queries.labels, self._profile.results), None
        except ProtocolError as error:
            hits, failure = Hits.none(count), f"protocol error: {error.text(self._transport.hide)}"
        return Batch(first, count, due, hits, tuple(attempts), failure)
