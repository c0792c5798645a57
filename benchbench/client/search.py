"""Send queries in batches and return hits in order, with a bounded number of requests under way."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from functools import partial
from operator import ne

from msgspec import Struct
from msgspec.structs import replace

from benchbench.client.answer_columns import Steps
from benchbench.client.breaker import Breaker
from benchbench.client.decode import AnswerReader
from benchbench.client.garbage import rare_collections
from benchbench.client.label_codes import LabelSecrets
from benchbench.client.pages import PagedHits
from benchbench.client.profiles import Profile
from benchbench.client.request_runner import RequestRunner
from benchbench.client.response_layout import ProtocolError
from benchbench.client.retry import Retry
from benchbench.client.sync import stopped
from benchbench.client.transport import Attempt, Transport
from benchbench.results.settings import USUAL_GIVE_UP_AFTER
from benchbench.tables.hashing import id_hashes
from benchbench.tables.hits import Hits
from benchbench.tables.labels import LabelSchema, Vocabulary
from benchbench.tables.queries import Queries
from benchbench.tables.strings import Strings
from benchbench.tables.text_prefixes import TextPrefixes

_HINT = "is it a search service, and is --timeout long enough for a batch?"
_LONG = 1 << 20  # bytes of an answer that is read in a thread, as it would hold up the event loop
_TURN = 5e-4  # seconds of reading after which the event loop does other work
_AHEAD = 4  # finished batches that may wait for a slow one before them, as a multiple of the concurrency


class BatchResult(Struct, frozen=True):
    """The result of queries `first` to `first + count`: hits or a failure, and every attempt."""

    first: int
    count: int
    due: float  # `time.perf_counter` when a place was free for it
    hits: Hits
    attempts: tuple[Attempt, ...]  # none when the service was given up before
    failure: str | None

    def since(self, started: float) -> "BatchResult":
        """Return the same with times that count from `started`."""
        attempts = tuple(
            replace(
                attempt, sent=attempt.sent - started, first_byte=attempt.first_byte - started, end=attempt.end - started
            )
            for attempt in self.attempts
        )
        return replace(self, due=self.due - started, attempts=attempts)


class BatchRequest(Struct, frozen=True):
    """A batch of consecutive queries, from `first` on, as it is asked and its answer is read."""

    first: int
    texts: Sequence[str]
    text_prefixes: TextPrefixes  # of the texts that a query's hits are compared with

    @staticmethod
    def of(queries: Queries, first: int, last: int) -> "BatchRequest":
        """Return the request of queries `first` to before `last`."""
        texts, places = queries.texts, slice(first, last)
        some = texts.some(places) if isinstance(texts, Strings) else texts[places]
        return BatchRequest(first, some, queries.compared_prefixes(range(first, last)))


class SearchPlan(Struct, frozen=True, kw_only=True):
    """How queries are sent to a service, and how many hits are asked for."""

    profile: Profile
    retry: Retry
    top_k: int
    concurrency: int  # requests under way at once
    batch_size: int = 1  # queries of a request
    give_up_after: int = USUAL_GIVE_UP_AFTER  # batches that fail in a row


class BatchClient:
    """Sends batches of queries to one service, several at once, and reads the answers."""

    def __init__(
        self,
        plan: SearchPlan,
        transport: Transport,
        labels: Vocabulary,
        schema: LabelSchema,
        on_exhausted: Callable[[bool], None] | None = None,
    ) -> None:
        """Prepare; `send` does the work, and `labels` grow by what is answered.

        `on_exhausted` is as `RequestRunner` has it.
        """
        self._profile, self._top_k = plan.profile, plan.top_k
        breaker, advice = Breaker(plan.give_up_after), transport.key_advice
        self.runner = RequestRunner(transport, plan.retry, plan.concurrency, breaker, _HINT, on_exhausted, advice)
        self._reading = asyncio.Lock()
        self._reader = AnswerReader(labels, schema, plan.profile.results, plan.top_k)
        self._reader.prepare(texts=not plan.profile.asks_for_hashes)
        self._label_secrets = LabelSecrets(labels, schema, transport.secrets)

    async def send(self, request: BatchRequest) -> BatchResult:
        """Return the result of a request, once there was a place for it.

        Raises
        ------
        UnreachableError
            When nothing answers before the first usable answer.
        """
        if self._profile.pages is not None:
            return await self._send_pages(request, PagedHits(self._profile.pages, self._top_k))
        count, hits = len(request.texts), None
        with self.runner.transport.memory.reservation() as reservation:
            exchange = await self.runner.run(lambda: self._profile.payload(request.texts, self._top_k), reservation)
            failure = exchange.failure
            if failure is None:
                try:
                    hits = await self._read(exchange.body, request)
                except ProtocolError as error:
                    failure = f"protocol error: {error.text(self.runner.transport.hide)}"
                self.runner.note_answer(exchange, failure)
        return BatchResult(request.first, count, exchange.due, hits or Hits.none(count), exchange.attempts, failure)

    async def _send_pages(self, request: BatchRequest, paged: PagedHits) -> BatchResult:
        """Return the result of a query that is asked page after page, in one place; a page that fails fails it."""
        runner, more = self.runner, True
        attempts: list[Attempt] = []
        due, failure = 0.0, None
        async with runner.places:
            while more and failure is None:
                with runner.transport.memory.reservation() as reservation:
                    number, place = paged.number, paged.place
                    exchange = await runner.run_in_place(
                        partial(self._profile.payload, request.texts, self._top_k, place), reservation
                    )
                    due = due or exchange.due
                    attempts += [replace(attempt, page=number) for attempt in exchange.attempts]
                    failure = exchange.failure
                    if failure is None:
                        try:
                            hits = await self._read(exchange.body, request, paged.left)
                            more = paged.add(hits, exchange.body)
                        except ProtocolError as error:
                            failure = f"protocol error: {error.text(runner.transport.hide)}"
                        runner.note_answer(exchange, failure)
                    if failure is not None and number > 1:
                        failure = f"page {number}: {failure}"
        hits = Hits.none(1) if failure is not None else paged.whole()
        return BatchResult(request.first, 1, due, hits, tuple(attempts), failure)

    async def _read(self, body: bytes, request: BatchRequest, most: int | None = None) -> Hits:
        """Decode in the loop that takes the times, which has its turns between; a long answer in a thread.

        `most` hits are read of a query, where those are fewer than `top_k`.
        """
        async with self._reading:  # two at once would give two labels one code
            if len(body) >= _LONG:
                hits = await asyncio.to_thread(self._reader.read, body, request.text_prefixes, most)
            elif self.runner.usable.is_set():
                hits = await self._read_in_turns(self._reader.steps(body, request.text_prefixes, most))
            else:  # no more is asked than shows whether the service is of use
                hits = self._reader.read(body, request.text_prefixes, most)
            self._label_secrets.hide(hits)
        hidden = self.runner.transport.secrets.clean_all(hits.ids)
        if hidden is not None:
            hits.fault("ids_with_a_secret", sum(map(ne, hidden, hits.ids)))
            hits.ids, hits.id = hidden, id_hashes(hidden)
        return hits

    async def _read_in_turns(self, steps: Steps) -> Hits:
        await self.runner.transport.quiet()
        began = time.perf_counter()
        while True:
            try:
                next(steps)
            except StopIteration as end:
                hits: Hits = end.value
                return hits
            if time.perf_counter() - began >= _TURN:
                await self.runner.transport.quiet()
                began = time.perf_counter()


class Search:
    """One pass of a data set's queries over one service."""

    def __init__(self, queries: Queries, plan: SearchPlan, transport: Transport) -> None:
        """Prepare; `batches` does the work."""
        self._queries, self._plan = queries, plan
        self._batch_client = BatchClient(plan, transport, queries.labels, queries.schema)

    def batches(self, first: int = 0, last: int | None = None) -> AsyncGenerator[BatchResult, None]:
        """Yield every batch of queries `first` up to `last` (all that there are) once, in query order.

        Raises
        ------
        UnreachableError
            When nothing answers before the first usable answer.
        """
        span = range(first, len(self._queries) if last is None else last, self._plan.batch_size)
        return in_order(self._batch_client.send, self._queries, span, self._plan.concurrency)


async def in_order(
    send: Callable[[BatchRequest], Awaitable[BatchResult]], queries: Queries, span: range, concurrency: int
) -> AsyncGenerator[BatchResult, None]:
    """Yield what `send` makes of the batches of a span of queries, whose step is their size, in query order.

    Only so many are asked ahead of the oldest one that is not back.
    """
    waiting: deque[asyncio.Future[BatchResult]] = deque()
    firsts = iter(span)
    with rare_collections():
        try:
            while True:
                while len(waiting) < concurrency * _AHEAD and (q := next(firsts, None)) is not None:
                    request = BatchRequest.of(queries, q, min(q + span.step, span.stop))
                    waiting.append(asyncio.ensure_future(send(request)))
                if not waiting:
                    return
                yield await waiting.popleft()
        finally:
            await stopped(waiting)
