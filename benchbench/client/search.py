"""Queries out in batches, hits back in order, a bounded number of requests under way."""

import asyncio
import contextlib
import gc
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
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
from benchbench.tables.labels import Labels
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


@dataclass(frozen=True, slots=True)
class Question:
    """A batch of consecutive queries, from `first` on, as it is asked and its answer is read."""

    first: int
    texts: list[str]
    openings: Sequence[tuple[str, ...]]  # of the texts that a query's hits are compared with

    @staticmethod
    def of(queries: Queries, first: int, last: int) -> "Question":
        """Return the question of queries `first` to before `last`."""
        return Question(first, list(queries.texts[first:last]), queries.sought(first, last - first))


class Asker:
    """Asks one service, so many questions at once, and those that failed again by rule."""

    def __init__(
        self,
        labels: Labels,
        profile: Profile,
        transport: Transport,
        retry: Retry,
        top_k: int,
        concurrency: int,
        breaker: Breaker,
    ) -> None:
        """Prepare; `ask` does the work, and `labels` grow by what is answered."""
        prepare()
        self.answered = asyncio.Event()  # the service is there, whatever it said
        self._labels = labels
        self._profile = profile
        self._transport = transport
        self._retry = retry
        self._top_k = top_k
        self._places = asyncio.Semaphore(concurrency)
        self._breaker = breaker
        self._random = Random()  # only for jitter: no result depends on it

    async def ask(self, question: Question) -> Batch:
        """Return what became of a question, once there was a place for it.

        Raises
        ------
        UnreachableError
            When nothing answers before the first response.
        """
        breaker = self._breaker
        async with self._places:
            due = time.perf_counter()
            async with breaker.turn() as alone:
                if breaker.reason is not None:
                    return _failed(question, due, (), breaker.reason)
                return await self._sent(question, due, alone)

    async def _sent(self, question: Question, due: float, alone: bool) -> Batch:
        payload = self._profile.payload(question.texts, self._top_k)
        attempts: list[Attempt] = []
        while True:
            attempt, body = await self._transport.post(payload)
            attempts.append(attempt)
            if attempt.status is not None:
                self.answered.set()
            if attempt.error is None:
                self._breaker.answered()
                return self._decoded(question, due, attempts, body)
            if attempt.refused and not self.answered.is_set():
                raise refused(self._transport.shown, attempt)
            down = outage(attempt.status, attempt.broken)
            if alone and down:
                again = len(attempts) < self._breaker.limit
            else:
                again = self._retry.again(len(attempts), attempt.status, attempt.broken)
            if not again:
                break
            await asyncio.sleep(self._retry.wait(len(attempts), attempt.retry_after, self._random))
        if not self.answered.is_set():
            raise UnreachableError(
                f"{self._transport.shown} gave no answer in {len(attempts)} attempts ({attempt.error}); "
                "is it a search service, and is --timeout long enough for a batch?"
            )
        if down:
            self._breaker.failed(attempt.error, alone)
        else:
            self._breaker.answered()
        return _failed(question, due, tuple(attempts), attempt.error)

    def _decoded(self, question: Question, due: float, attempts: list[Attempt], body: bytes) -> Batch:
        count = len(question.texts)
        try:
            hits, failure = decode(body, question.openings, self._labels, self._profile.results), None
        except ProtocolError as error:
            hits, failure = Hits.none(count), f"protocol error: {error.text(self._transport.hide)}"
        return Batch(question.first, count, due, hits, tuple(attempts), failure)


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
        self._queries = queries
        self._batch_size = batch_size
        self._concurrency = concurrency
        self._asker = Asker(queries.labels, profile, transport, retry, top_k, concurrency, breaker or Breaker())

    def batches(self, first: int = 0, last: int | None = None) -> AsyncGenerator[Batch, None]:
        """Yield every batch of queries `first` up to `last` (all that there are) once, in query order.

        Raises
        ------
        UnreachableError
            When nothing answers before the first response.
        """
        span = range(first, len(self._queries) if last is None else last, self._batch_size)
        return in_order(self._asker.ask, self._queries, span, self._concurrency)


async def in_order(
    ask: Callable[[Question], Awaitable[Batch]], queries: Queries, span: range, concurrency: int
) -> AsyncGenerator[Batch, None]:
    """Yield what `ask` makes of the batches of a span of queries, whose step is their size, in query order.

    Only so many are asked ahead of the oldest one that is not back.
    """
    waiting: deque[asyncio.Future[Batch]] = deque()
    firsts = iter(span)
    with patience():
        try:
            while True:
                while len(waiting) < concurrency * _AHEAD and (q := next(firsts, None)) is not None:
                    question = Question.of(queries, q, min(q + span.step, span.stop))
                    waiting.append(asyncio.ensure_future(ask(question)))
                if not waiting:
                    return
                yield await waiting.popleft()
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)


@contextlib.contextmanager
def patience() -> Iterator[None]:
    """Keep the cycle collector from walking parsed answers, while the block lasts."""
    collector = gc.get_threshold()
    gc.set_threshold(_PATIENCE, *collector[1:])
    try:
        yield
    finally:
        gc.set_threshold(*collector)


def _failed(question: Question, due: float, attempts: tuple[Attempt, ...], reason: str) -> Batch:
    count = len(question.texts)
    return Batch(question.first, count, due, Hits.none(count), attempts, reason)
