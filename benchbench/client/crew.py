"""Several worker processes that ask one service together, and give the results of one.

The queries stay in one process. It hands out questions, as many ahead as a single client has under way and waiting,
and a worker sends back a batch of hits as columns. Places are dealt out in turn, and questions to places, so that
each worker has its share whatever its number of places. Each worker retries, and gives the service up, by itself.
"""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncGenerator, Awaitable, Iterator
from dataclasses import dataclass, fields, replace
from enum import Enum, auto
from typing import Any

import numpy as np

from benchbench.client.breaker import Breaker
from benchbench.client.health import Health
from benchbench.client.retry import Retry
from benchbench.client.search import Asker, Batch, Question, in_order, patience
from benchbench.client.service import Service
from benchbench.client.workers import Link, part, told, workers
from benchbench.tables.hits import Hits
from benchbench.tables.labels import Labels
from benchbench.tables.queries import Queries

_TYPES = {"id": np.uint64, "text": np.uint64, "score": np.float64}  # of columns of hits; others are small whole numbers
_COLUMNS = tuple(one.name for one in fields(Hits) if one.name not in ("ids", "faults"))


class _Word(Enum):
    """What is said on a link beside questions and batches."""

    READY = auto()  # connections can be opened
    BEGIN = auto()  # questions are coming …
    END = auto()  # … and have all been answered
    USABLE = auto()  # the service has given a usable answer
    SPENT = auto()  # without one, all requests under way have spent their attempts …
    HOPE = auto()  # … and now one is under way again that has not
    GONE = auto()  # those of all workers have: nothing is there


@dataclass(frozen=True, slots=True)
class Task:
    """What each worker is told."""

    service: Service
    retry: Retry
    labels: Labels  # those of the queries, which so have the same codes everywhere
    top_k: int
    concurrency: int  # requests under way at once, of all workers
    give_up_after: int
    workers: int


async def work(link: Link, number: int, task: Task) -> None:
    """Ask what comes, in a worker."""
    places = part(task.concurrency, number, task.workers)
    async with task.service.transport() as transport:
        breaker = Breaker(task.give_up_after)
        asker = Asker(
            task.labels,
            task.service.profile,
            transport,
            task.retry,
            task.top_k,
            places,
            breaker,
            despair=lambda lost: link.send(_Word.SPENT if lost else _Word.HOPE),
        )
        link.send(_Word.READY)
        under_way = {asyncio.ensure_future(_tell(link, asker))}
        while True:
            await _next(link, asker)  # BEGIN
            health = Health()
            with patience():
                async with health.watching():
                    while (message := await _next(link, asker)) is not _Word.END:
                        asked = asyncio.ensure_future(_ask(link, asker, message))
                        under_way.add(asked)
                        asked.add_done_callback(under_way.discard)
            link.send(health)


async def _next(link: Link, asker: Asker) -> Any:
    while (message := await link.receive()) in (_Word.USABLE, _Word.GONE):
        if message is _Word.USABLE:
            asker.asking.found()
        else:
            asker.asking.lost()
    return message


async def _ask(link: Link, asker: Asker, question: Question) -> None:
    try:
        link.send(_packed(await asker.ask(question)))
    except Exception as error:
        link.send(told(error))


async def _tell(link: Link, asker: Asker) -> None:
    await asker.asking.usable.wait()
    link.send(_Word.USABLE)


class Crew:
    """Searches as `Search` does, with several processes; used as a context, in which they run."""

    def __init__(
        self,
        queries: Queries,
        service: Service,
        retry: Retry,
        batch_size: int,
        top_k: int,
        concurrency: int,
        give_up_after: int,
        number: int,
    ) -> None:
        """Prepare; `batches` does the work."""
        self._queries = queries
        self._batch_size = batch_size
        self._concurrency = concurrency
        self._task = Task(
            replace(service, processes=number), retry, queries.labels, top_k, concurrency, give_up_after, number
        )
        self.healths = [Health() for _ in range(number)]
        self._turns = itertools.cycle(place % number for place in range(concurrency))
        self._waiting: dict[int, asyncio.Future[Batch]] = {}  # by first query
        self._asked: dict[int, int] = {}  # which worker was asked what is waited for, by first query
        self._spent: set[int] = set()  # workers
        self._usable = False  # there was a usable answer: the word of it may come after the batch
        self._rested: asyncio.Queue[int] = asyncio.Queue()  # workers that have answered all
        self._error: Exception | None = None  # why no worker is asked any more

    async def __aenter__(self) -> "Crew":
        """Start the workers, and wait until they are ready."""
        async with contextlib.AsyncExitStack() as stack:
            self._workers = await stack.enter_async_context(workers(self._task.workers, work, self._task))
            for worker in self._workers:
                await worker.receive()  # READY
            self._stack = stack.pop_all()
        self._readers = [asyncio.ensure_future(self._read(number)) for number in range(len(self._workers))]
        return self

    async def __aexit__(self, *reason: Any) -> None:
        """End the workers."""
        for reader in self._readers:
            reader.cancel()
        await asyncio.gather(*self._readers, return_exceptions=True)
        await self._stack.aclose()

    async def batches(self, first: int, last: int) -> AsyncGenerator[Batch, None]:
        """Yield every batch of queries `first` up to `last` once, in query order.

        Raises
        ------
        UnreachableError
            When nothing answers before the first usable answer.
        WorkerError
            When a worker has died.
        """
        self._say(_Word.BEGIN)
        span = range(first, last, self._batch_size)
        async with contextlib.aclosing(in_order(self._ask, self._queries, span, self._concurrency)) as batches:
            async for batch in batches:
                yield batch
        self._say(_Word.END)
        for _ in self._workers:
            await self._rested.get()
        self._check()

    def _ask(self, question: Question) -> Awaitable[Batch]:
        self._check()
        answer = self._waiting[question.first] = asyncio.get_running_loop().create_future()
        number = self._asked[question.first] = next(self._turns)
        self._workers[number].send(replace(question, openings=list(question.openings)))
        return answer

    def _say(self, word: _Word) -> None:
        for worker in self._workers:
            worker.send(word)

    def _check(self) -> None:
        if self._error is not None:
            raise self._error

    async def _read(self, number: int) -> None:
        try:
            while True:
                message = await self._workers[number].receive()
                if message is _Word.USABLE:
                    self._usable = True
                    self._say(message)
                elif message is _Word.SPENT:
                    self._spent.add(number)
                    self._despair()
                elif message is _Word.HOPE:
                    self._spent.discard(number)
                elif isinstance(message, Health):
                    self.healths[number].add(message)
                    self._rested.put_nowait(number)
                else:
                    batch = _unpacked(message)
                    self._usable = self._usable or batch.failure is None
                    self._take(batch)
                    self._despair()
        except Exception as error:
            self._error = error
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(error)
            for one in range(len(self._workers)):
                self._rested.put_nowait(one)

    def _despair(self) -> None:
        """Tell the workers that nothing is there, once all that have been asked something have tried in vain."""
        if self._spent and not self._usable and self._spent.issuperset(self._asked.values()):
            self._say(_Word.GONE)

    def _take(self, batch: Batch) -> None:
        answer = self._waiting.pop(batch.first)
        del self._asked[batch.first]
        if not answer.done():  # it is, once nobody waits for it
            answer.set_result(batch)


def _packed(batch: Batch) -> Batch:
    return replace(batch, hits=replace(batch.hits, **dict(_columns(batch.hits))))


def _columns(hits: Hits) -> Iterator[tuple[str, Any]]:
    for name in _COLUMNS:
        yield name, np.array(getattr(hits, name), _TYPES.get(name, np.int32))


def _unpacked(batch: Batch) -> Batch:
    columns = {name: getattr(batch.hits, name).tolist() for name in _COLUMNS}
    return replace(batch, hits=replace(batch.hits, **columns))
