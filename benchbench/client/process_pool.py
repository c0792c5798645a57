"""Several worker processes that query one service together, with the results of one process.

The queries stay in one process. It hands out requests, as many ahead as a single client has under way and waiting,
and a worker sends back a batch of hits as columns. Places are dealt out in turn, and requests to places, so that
each worker has its share whatever its number of places. Each worker retries, and gives the service up, by itself.
"""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncGenerator, Awaitable
from dataclasses import replace
from enum import Enum, auto
from typing import Any

import numpy as np
from msgspec import Struct, structs

from benchbench.client import label_codes
from benchbench.client.garbage import rare_collections
from benchbench.client.health import Health
from benchbench.client.search import BatchClient, BatchRequest, BatchResult, SearchPlan, in_order
from benchbench.client.service import Service
from benchbench.client.workers import Link, part, sendable, workers
from benchbench.kernels.arrays import I32
from benchbench.tables.labels import MISSING, Kind, LabelSchema, Vocabulary
from benchbench.tables.queries import Queries


class _Message(Enum):
    """Messages on a link beside requests and batches."""

    READY = auto()  # connections can be opened
    BEGIN = auto()  # requests are coming …
    END = auto()  # … and have all been answered
    USABLE = auto()  # the service has given a usable answer
    EXHAUSTED = auto()  # without one, all requests under way have spent their attempts …
    PENDING = auto()  # … and now one is under way again that has not
    UNREACHABLE = auto()  # those of all workers have: nothing is there


class WorkerTask(Struct, frozen=True):
    """The task of each worker."""

    service: Service
    plan: SearchPlan  # of all workers together
    vocabulary: Vocabulary  # of the queries, so that their codes are the same everywhere
    schema: LabelSchema
    workers: int


async def work(link: Link, number: int, task: WorkerTask) -> None:
    """Send the requests that come, in a worker."""
    plan = structs.replace(task.plan, concurrency=part(task.plan.concurrency, number, task.workers))
    async with task.service.transport() as transport:
        batch_client = BatchClient(
            plan,
            transport,
            task.vocabulary,
            task.schema,
            on_exhausted=lambda exhausted: link.send(_Message.EXHAUSTED if exhausted else _Message.PENDING),
        )
        packer = _Packer(task.vocabulary)
        link.send(_Message.READY)
        under_way = {asyncio.ensure_future(_report_usable(link, batch_client))}
        while True:
            await _next_message(link, batch_client)  # BEGIN
            health = Health()
            with rare_collections():
                async with health.watching():
                    while (message := await _next_message(link, batch_client)) is not _Message.END:
                        sending = asyncio.ensure_future(_send(link, packer, batch_client, message))
                        under_way.add(sending)
                        sending.add_done_callback(under_way.discard)
            link.send(health)


async def _next_message(link: Link, batch_client: BatchClient) -> Any:
    while (message := await link.receive()) in (_Message.USABLE, _Message.UNREACHABLE):
        if message is _Message.USABLE:
            batch_client.runner.note_usable()
        else:
            batch_client.runner.note_unreachable()
    return message


async def _send(link: Link, packer: "_Packer", batch_client: BatchClient, request: BatchRequest) -> None:
    try:
        link.send(packer.packed(await batch_client.send(request)))
    except Exception as error:
        link.send(sendable(error))


async def _report_usable(link: Link, batch_client: BatchClient) -> None:
    await batch_client.runner.usable.wait()
    link.send(_Message.USABLE)


class SearchProcessPool:
    """Searches as `Search` does, with several processes that run within its context."""

    def __init__(self, queries: Queries, plan: SearchPlan, service: Service, number: int) -> None:
        """Prepare; `batches` does the work."""
        self._queries, self._plan = queries, plan
        self._task = WorkerTask(
            replace(service, processes=number), plan, queries.labels, queries.schema, workers=number
        )
        self.healths = [Health() for _ in range(number)]
        self._unpackers = [_Unpacker(queries.labels, queries.schema) for _ in range(number)]
        self._next_worker = itertools.cycle(place % number for place in range(plan.concurrency))
        self._waiting: dict[int, asyncio.Future[BatchResult]] = {}  # by first query
        self._assigned: dict[int, int] = {}  # the worker of each request under way, by first query
        self._exhausted: set[int] = set()  # workers
        self._usable = False  # there was a usable answer; the message may come after the batch
        self._idle: asyncio.Queue[int] = asyncio.Queue()  # workers that have answered all
        self._error: Exception | None = None  # why nothing is sent any more

    async def __aenter__(self) -> "SearchProcessPool":
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

    async def batches(self, first: int, last: int) -> AsyncGenerator[BatchResult, None]:
        """Yield every batch of queries `first` up to `last` once, in query order.

        Raises
        ------
        UnreachableError
            When nothing answers before the first usable answer.
        WorkerError
            When a worker has died.
        """
        self._broadcast(_Message.BEGIN)
        span = range(first, last, self._plan.batch_size)
        async with contextlib.aclosing(in_order(self._send, self._queries, span, self._plan.concurrency)) as batches:
            async for batch in batches:
                yield batch
        self._broadcast(_Message.END)
        for _ in self._workers:
            await self._idle.get()
        self._check()

    def _send(self, request: BatchRequest) -> Awaitable[BatchResult]:
        self._check()
        answer = self._waiting[request.first] = asyncio.get_running_loop().create_future()
        number = self._assigned[request.first] = next(self._next_worker)
        self._workers[number].send(structs.replace(request, text_prefixes=request.text_prefixes.alone()))
        return answer

    def _broadcast(self, message: _Message) -> None:
        for worker in self._workers:
            worker.send(message)

    def _check(self) -> None:
        if self._error is not None:
            raise self._error

    async def _read(self, number: int) -> None:
        try:
            while True:
                message = await self._workers[number].receive()
                if message is _Message.USABLE:
                    self._usable = True
                    self._broadcast(message)
                elif message is _Message.EXHAUSTED:
                    self._exhausted.add(number)
                    self._check_exhausted()
                elif message is _Message.PENDING:
                    self._exhausted.discard(number)
                elif isinstance(message, Health):
                    self.healths[number].add(message)
                    self._idle.put_nowait(number)
                else:
                    batch = self._unpackers[number].unpacked(message)
                    self._usable = self._usable or batch.failure is None
                    self._deliver(batch)
                    self._check_exhausted()
        except Exception as error:
            self._error = error
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(error)
            for worker in range(len(self._workers)):
                self._idle.put_nowait(worker)

    def _check_exhausted(self) -> None:
        """Tell the workers that the service is not there, once all of them with requests have tried in vain."""
        if self._exhausted and not self._usable and self._exhausted.issuperset(self._assigned.values()):
            self._broadcast(_Message.UNREACHABLE)

    def _deliver(self, batch: BatchResult) -> None:
        answer = self._waiting.pop(batch.first)
        del self._assigned[batch.first]
        if not answer.done():  # it is, once nobody waits for it
            answer.set_result(batch)


class _Packed(Struct, frozen=True):
    """A batch on its way out of a worker, with the sets of all codes that the worker has had since its last one."""

    batch: BatchResult
    first_code: int  # of `sets`
    sets: label_codes.Sets


class _Packer:
    """Packs the batches of a worker."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary, self._known = vocabulary, len(vocabulary)

    def packed(self, batch: BatchResult) -> _Packed:
        first, self._known = self._known, len(self._vocabulary)
        return _Packed(batch, first, label_codes.sets_of(range(first, self._known), self._vocabulary))


class _Unpacker:
    """Unpacks the batches of one worker."""

    def __init__(self, vocabulary: Vocabulary, schema: LabelSchema) -> None:
        self._vocabulary = vocabulary
        self._is_coded = [label.kind is not Kind.NUMBER for label in schema.labels]
        self._known = 0  # codes of the worker
        self._codes: I32 = np.full(1, MISSING, np.int32)  # which they are here; the last place is that of `MISSING`

    def unpacked(self, packed: _Packed) -> BatchResult:
        self._learn(packed.first_code, packed.sets)
        hits = packed.batch.hits
        columns = zip(hits.labels, self._is_coded, strict=bool(hits.labels))
        hits.labels = [self._codes[column] if coded else column for column, coded in columns]
        return packed.batch

    def _learn(self, first: int, sets: label_codes.Sets) -> None:
        end = first + len(sets)
        if end >= len(self._codes):
            longer = np.full(2 * end + 1, MISSING, np.int32)
            longer[: self._known] = self._codes[: self._known]
            self._codes = longer
        self._codes[self._known : first] = np.arange(self._known, first)  # before its first set: those of the queries
        self._codes[first:end] = self._vocabulary.unpacked(range(len(sets)), sets)
        self._known = end
