"""Runs: send queries, judge and score the hits.

Queries are judged in chunks. Answers go to the caller's `journal` as they come; judged hits of a chunk go to the
caller's `sink` and are not kept. A resumed run reads the answers in its journal the same way as new ones, so that its
numbers are those of an uninterrupted run.
"""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from msgspec import Struct, structs

from benchbench import signals
from benchbench.client.decode import compile_reading
from benchbench.client.early_stop import EarlyStop
from benchbench.client.health import Health
from benchbench.client.process_pool import SearchProcessPool
from benchbench.client.search import BatchResult, Search, SearchPlan
from benchbench.client.service import Service
from benchbench.client.sync import run_sync
from benchbench.errors import InputError
from benchbench.formats.query_table import data_groups
from benchbench.measures.gate_names import measured_names
from benchbench.runs.journal import Journal, JournalPart
from benchbench.runs.repeats import Pass, repeated_names
from benchbench.runs.run_result import Chunk, Outcome, Targets
from benchbench.runs.run_settings import CHUNK, Settings
from benchbench.runs.tally import Tally
from benchbench.serve.child import child_service
from benchbench.tables.callbacks import nothing
from benchbench.tables.groups import Groups
from benchbench.tables.hits import Hits
from benchbench.tasks.judging import Judging, judging_of

__all__ = ["CHUNK", "Chunk", "Outcome", "Output", "Settings", "Targets", "run", "run_targets"]

_STORE_EVERY = 2.0  # seconds; a kill loses at most the answers of this time
_ANY_URL = "http://127.0.0.1"  # of a service that is still being started
_ROUND = 4  # batches per turn of a target, as a multiple of the concurrency

_Result = TypeVar("_Result")
Progress = Callable[[int, int], None]


class Output(Struct, frozen=True):
    """Where the results of a service go: judged chunks, and batches as they were received.

    Attributes
    ----------
    sink
        Called with each judged chunk, in query order.
    journal
        Where answers are kept; queries that are in it already are not sent again.
    note
        Called with a sentence for each file of the journal that is damaged.
    """

    sink: Callable[[Chunk], None] = nothing
    journal: Journal | None = None
    note: Callable[[str], None] = nothing


def run(
    settings: Settings,
    sink: Callable[[Chunk], None] = nothing,
    progress: Progress = nothing,
    journal: Journal | None = None,
    note: Callable[[str], None] = nothing,
) -> Outcome:
    """Benchmark a service, or the embedded retriever when no URL is set.

    Parameters
    ----------
    settings
        What to run.
    sink
        Called with each chunk, in query order.
    progress
        Called with queries done and queries in all; with 0 before anything is sent.
    journal
        Where answers are kept; queries that are in it already are not sent again.
    note
        Called with a sentence for each file of the journal that is damaged, whose queries are asked again.

    Returns
    -------
    Outcome
        The numbers of the run with intervals (`record.numbers`), values per query (`per_query`), counts and failures.

    Raises
    ------
    InputError, UnreachableError
        Before anything was measured.
    TooManyFailuresError
        When the first answers have no hit that can be used, and queries are left (`client.early_stop`).
    WorkerError
        When a worker process has died; what was received is in the journal.

    Examples
    --------
    >>> outcome = run(Settings("synthetic-cases", url="http://127.0.0.1:8000", batch_size=32))
    >>> outcome.per_query.select("query_id", "gold.nDCG@10")
    """
    _check(settings)
    if settings.targets:
        raise InputError("several targets are for run_targets, which returns an outcome for each")
    output = Output(sink, journal, note)
    (outcome,) = run_sync(_run({settings.name: settings}, {settings.name: output}, progress)).values()
    return outcome


def run_targets(
    settings: Settings, outputs: Mapping[str, Output] | None = None, progress: Progress = nothing
) -> Targets:
    """Benchmark the services of `settings.targets` over the same queries, in turn, a round of batches each.

    Parameters
    ----------
    settings
        What to run.
    outputs
        Where the results of each go, by name.
    progress
        Called with queries done and queries in all, of all targets; with 0 before anything is sent.

    Raises
    ------
    BenchbenchError
        As `run`.
    """
    _check(settings)
    if not settings.targets:
        raise InputError("no target is named; name services in Settings(…, targets={name: URL}), or call run")
    return Targets(settings.name, run_sync(_run(settings.per_target(), outputs or {}, progress)))


def _check(settings: object) -> None:
    if not isinstance(settings, Settings):
        raise InputError(
            f"settings are Settings, as in Settings('synthetic-cases'), and not of type {type(settings).__name__}"
        )


async def _run(
    targets: Mapping[str, Settings], outputs: Mapping[str, Output], progress: Progress
) -> dict[str, Outcome]:
    settings = next(iter(targets.values()))  # targets differ in name and URL only
    async with contextlib.AsyncExitStack() as stack:
        services = {name: await stack.enter_async_context(_service(target)) for name, target in targets.items()}
        with signals.immediate():
            judging = judging_of(
                settings.criteria, settings.dataset, settings.encoding, settings.skip_bad_lines, settings.top_k
            ).sampled(settings.limit, settings.seed)
            queries, criteria = judging.queries, judging.criteria
            groups = data_groups(settings.dataset, queries.ids, settings.cluster, settings.encoding)
        known = measured_names(judging.tasks, criteria.measures, judging.undefined)
        if settings.repeat > 1:
            known += repeated_names(judging.columns(averaged=True), criteria.measures)
        for gate in settings.gates():
            gate.measured(known)
        total = len(queries) * len(targets) * settings.repeat
        progress(0, total)
        texts = not settings.service_at(settings.url or _ANY_URL).profile.asks_for_hashes
        with signals.immediate():  # compiles now what has to be, and not while a clock runs
            compile_reading(queries.schema, texts)
            judging.judge(0, Hits.none(1))
        service_runs = []
        for name, target in targets.items():
            service, defaults = await services[name]()
            judged = replace(judging, defaults=(*defaults, *judging.defaults))
            service_run = _ServiceRun(target, judged, service, outputs.get(name, Output()), groups)
            service_runs.append(await stack.enter_async_context(service_run))
        for service_run in service_runs:  # before any query is sent: a journal may be of other options
            service_run.load_journal()
        size = len(queries) if len(service_runs) == 1 else settings.batch_size * settings.concurrency * _ROUND
        for turn, first in enumerate(range(0, len(queries), size)):
            for service_run in service_runs[turn % len(service_runs) :] + service_runs[: turn % len(service_runs)]:
                async with contextlib.aclosing(service_run.advance(min(first + size, len(queries)))) as steps:
                    async for _ in steps:
                        progress(sum(run.done for run in service_runs), total)
        for _ in range(1, settings.repeat):
            for service_run in service_runs:
                async with contextlib.aclosing(service_run.search_again()) as steps:
                    async for _ in steps:
                        progress(sum(run.done for run in service_runs), total)
        return {name: service_run.outcome() for name, service_run in zip(targets, service_runs, strict=True)}


class _ServiceRun:
    """One service's way through the queries."""

    def __init__(
        self, settings: Settings, judging: Judging, service: Service, output: Output, groups: Groups | None
    ) -> None:
        queries = judging.queries
        self.answered = 0  # queries of the first pass that came back
        self._later: list[Pass] = []
        self._settings = settings
        self._queries = queries
        self._output = output
        self._tally = Tally(settings, judging, groups)
        self._new_pass = partial(Pass, judging)
        self._transport = service.transport()
        plan = SearchPlan(
            profile=service.profile,
            retry=structs.replace(service.retry(), base=settings.backoff),
            **{name: getattr(settings, name) for name in ("batch_size", "top_k", "concurrency", "give_up_after")},
        )
        self._pool = SearchProcessPool(queries, plan, service, settings.workers) if settings.workers > 1 else None
        self._search = self._pool or Search(queries, plan, self._transport)
        self._early_stop = EarlyStop(self._transport.shown, judging.needs_ids)
        self._health = Health()
        self._seconds = 0.0  # of measuring so far, without pauses
        self._pending: list[BatchResult] = []  # not judged yet
        self._judged = 0
        self._unstored: list[BatchResult] = []
        self._stored: deque[JournalPart] = deque()  # of an earlier run, in query order

    async def __aenter__(self) -> "_ServiceRun":
        await (self._pool or self._transport).__aenter__()
        return self

    async def __aexit__(self, *reason: Any) -> None:
        await (self._pool or self._transport).__aexit__(*reason)

    def load_journal(self) -> None:
        """Read which batches the journal has."""
        if self._output.journal is None:
            return
        resume_conditions = self._settings.resume_conditions(self._transport.shown, self._queries.digest)
        self._stored.extend(
            self._output.journal.begin(resume_conditions, self._output.note, self._queries.schema, self._queries.labels)
        )
        self._seconds = max((part.seconds for part in self._stored), default=0.0)

    async def advance(self, last: int) -> AsyncGenerator[None, None]:
        """Take the queries up to `last` from the journal, and send the others; yield after each batch."""
        while self.answered < last:
            if self._stored and self._stored[0].first == self.answered:
                for batch in self._stored.popleft().read():
                    self._take(batch)
                    if self._is_chunk():
                        self._judge()
                yield
            else:
                gap = min(last, self._stored[0].first) if self._stored else last
                async with contextlib.aclosing(self._search_up_to(gap)) as steps:
                    async for _ in steps:
                        yield

    @property
    def done(self) -> int:
        """How many queries of all passes came back."""
        return self.answered + sum(run.done for run in self._later)

    async def search_again(self) -> AsyncGenerator[None, None]:
        """Send all queries once more, for the hits alone; yield after each batch. No journal has what comes back."""
        again = self._new_pass()
        self._later.append(again)
        async with contextlib.aclosing(self._search.batches(0, len(self._queries))) as batches:
            async for batch in batches:
                await _in_thread(partial(again.add, batch.first, batch.hits, batch.failure))
                yield

    async def _search_up_to(self, last: int) -> AsyncGenerator[None, None]:
        """Send the queries up to `last`; yield after each batch."""
        async with self._health.watching():
            started = stored = time.perf_counter()
            origin = started - self._seconds
            try:
                async with contextlib.aclosing(self._search.batches(self.answered, last)) as batches:
                    async for batch in batches:
                        kept = batch.since(origin)
                        self._take(kept)
                        self._unstored.append(kept)
                        full = self.answered - self._unstored[0].first >= self._settings.chunk
                        if full or self.answered == last or time.perf_counter() - stored >= _STORE_EVERY:
                            await _in_thread(self._store)
                            stored = time.perf_counter()
                        if self._is_chunk():
                            await _in_thread(self._judge)
                        if self.answered < len(self._queries):
                            self._early_stop.check()
                        yield
            except BaseException as error:  # Ctrl-C, a full disk, a worker that died, a fault of ours
                self._rescue(error)
                raise
            self._seconds += time.perf_counter() - started

    def _rescue(self, error: BaseException) -> None:
        """Store what was received before an error ends the run; a note on the error says what could not be stored."""
        many = sum(batch.count for batch in self._unstored)
        try:
            self._store()
            self._judge()
        except Exception:
            if self._unstored:
                error.add_note(f"the last {many:,} queries that came back could not be stored")

    def outcome(self) -> Outcome:
        """Return the numbers; all queries must have come back."""
        journal = self._output.journal
        asked_again = sum(journal.asked_again.values()) if journal else 0
        client = self._health.figures(self._pool.healths if self._pool else ())
        return self._tally.outcome(self._transport.shown, client, asked_again, self._later)

    def _take(self, batch: BatchResult) -> None:
        self._pending.append(batch)
        self.answered = batch.first + batch.count
        if batch.attempts and batch.attempts[-1].error is None:
            self._early_stop.note(batch.count, batch.hits, batch.failure)

    def _store(self) -> None:
        if self._unstored and self._output.journal is not None:
            self._output.journal.keep(self._unstored)
        self._unstored.clear()

    def _is_chunk(self) -> bool:
        """Say whether pending batches are judged now; an interruption does not change where chunks end."""
        return self.answered - self._judged >= self._settings.chunk or self.answered == len(self._queries)

    def _judge(self) -> None:
        if self._pending:
            ready, self._pending, self._judged = self._pending, [], self.answered
            self._output.sink(self._tally.add(ready))


async def _in_thread(work: Callable[[], None]) -> None:
    """Run in a thread, and wait for its end even when cancelled."""
    running = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        await asyncio.shield(running)
    except asyncio.CancelledError:
        await running
        raise


@contextlib.asynccontextmanager
async def _service(settings: Settings) -> AsyncIterator[Callable[[], Awaitable[tuple[Service, tuple[str, ...]]]]]:
    """Yield a function that waits for the service, and for its defaults; other work goes on while it starts."""
    if not settings.embedded:
        given = settings.service_at(settings.url or "")

        async def known() -> tuple[Service, tuple[str, ...]]:
            return given, ()

        yield known
        return
    async with child_service(settings.dataset.serving(), settings.encoding, settings.bm25) as ready:

        async def started() -> tuple[Service, tuple[str, ...]]:
            child = await ready()
            return settings.service_at(child.url), (child.about,)

        yield started
