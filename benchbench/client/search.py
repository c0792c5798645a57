"""Queries out in batches, hits back in order, a bounded number of requests under way."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass
from random import Random

import orjson

from benchbench.client.decode import ProtocolError, decode
from benchbench.client.messages import Profile
from benchbench.client.retry import Retry
from benchbench.client.transport import Attempt, Transport
from benchbench.errors import UnreachableError
from benchbench.tables.hits import Hits
from benchbench.tables.queries import Queries

_AHEAD = 4  # finished batches that may wait for a slow one before them, as a multiple of the concurrency


@dataclass(frozen=True, slots=True)
class Batch:
    """What became of queries `first` to `first + count`: hits, or a failure; and every attempt."""

    first: int
    count: int
    due: float  # `time.perf_counter` when a place was free for it
    hits: Hits
    attempts: tuple[Attempt, ...]
    failure: str | None


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
    ) -> None:
        """Prepare; `batches` does the work."""
        self._queries = queries
        self._profile = profile
        self._transport = transport
        self._retry = retry
        self._batch_size = batch_size
        self._top_k = top_k
        self._places = asyncio.Semaphore(concurrency)
        self._window = concurrency * _AHEAD
        self._random = Random()  # only for jitter: no result depends on it
        self._answered = False

    async def batches(self) -> AsyncIterator[Batch]:
        """Yield every batch once, in query order.

        Raises
        ------
        UnreachableError
            When nothing answers before the first response.
        """
        waiting: deque[asyncio.Task[Batch]] = deque()
        firsts = iter(range(0, len(self._queries), self._batch_size))
        try:
            while True:
                while len(waiting) < self._window and (first := next(firsts, None)) is not None:
                    waiting.append(asyncio.create_task(self._ask(first)))
                if not waiting:
                    return
                yield await waiting.popleft()
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    async def _ask(self, first: int) -> Batch:
        async with self._places:
            due = time.perf_counter()
            texts = self._queries.texts[first : first + self._batch_size]
            payload = orjson.dumps(self._profile.request(texts, self._top_k))
            attempts: list[Attempt] = []
            while True:
                attempt, body = await self._transport.post(payload)
                attempts.append(attempt)
                self._answered |= attempt.status is not None
                if attempt.error is None:
                    return self._decoded(first, len(texts), due, attempts, body)
                if attempt.refused and not self._answered:
                    raise UnreachableError(
                        f"{self._transport.url} refuses connections ({attempt.error}): is the service running, "
                        "and is this its host and port?"
                    )
                if not self._retry.again(len(attempts), attempt.status, attempt.broken):
                    break
                await asyncio.sleep(self._retry.wait(len(attempts), attempt.retry_after, self._random))
            if not self._answered:
                raise UnreachableError(
                    f"{self._transport.url} gave no answer in {len(attempts)} attempts ({attempt.error}); "
                    "is it a search service, and is --timeout long enough for a batch?"
                )
            return Batch(first, len(texts), due, Hits.none(len(texts)), tuple(attempts), attempt.error)

    def _decoded(self, first: int, count: int, due: float, attempts: list[Attempt], body: bytes) -> Batch:
        lengths = [self._queries.sought_lengths(q) for q in range(first, first + count)]
        try:
            hits, failure = decode(body, lengths, self._queries.labels), None
        except ProtocolError as error:
            hits, failure = Hits.none(count), f"protocol error: {error}"
        return Batch(first, count, due, hits, tuple(attempts), failure)
