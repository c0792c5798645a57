"""The one place that joins: queries go out, hits come back, are filtered, judged and scored.

Work goes by chunks of consecutive queries. A chunk's hits are handed to the caller's `sink` and forgotten;
only the values a query stay, so memory grows with the queries and not with the hits.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from benchbench.client.attempts import attempt_frame
from benchbench.client.messages import PROFILES
from benchbench.client.retry import Retry
from benchbench.client.search import Batch, Search
from benchbench.client.transport import Transport, endpoint
from benchbench.errors import InputError
from benchbench.formats.card import COLLECTION, DataSet
from benchbench.formats.tiered import read_tiered
from benchbench.formats.trec import gold_run
from benchbench.kernels.arrays import F64, I64
from benchbench.kernels.judge import COPY, DUPLICATE, KEPT, MEASURES, SELF, TASKS
from benchbench.measures.aggregate import Estimate, estimates
from benchbench.measures.latency import Latency, latency
from benchbench.measures.signature import Signature, run_signature
from benchbench.serve.run import child_service
from benchbench.tables.frames import hit_frame
from benchbench.tables.hashing import content_digest
from benchbench.tables.hits import Hits
from benchbench.tables.queries import Queries
from benchbench.tasks.criteria import Criteria, denominators

CHUNK = 4096  # queries judged together; no number depends on it


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a run depends on, as the command line takes it."""

    dataset: DataSet
    url: str | None = None
    protocol: str = "benchbench"
    name: str = "bm25"
    batch_size: int = 32
    top_k: int = 20
    concurrency: int = 8
    timeout: float = 60.0
    retries: int = 3
    max_response_mb: int = 256
    encoding: str | None = None
    skip_bad_lines: bool = False
    criteria: Criteria = field(default_factory=Criteria)
    chunk: int = CHUNK

    def __post_init__(self) -> None:
        """Refuse options that cannot be, before anything is read or asked."""
        for option in ("batch_size", "top_k", "concurrency", "chunk"):
            if getattr(self, option) < 1:
                raise InputError(f"--{option.replace('_', '-')} is a whole number from 1")
        if self.top_k < max(self.criteria.cutoffs):
            raise InputError(
                f"--top-k {self.top_k} is smaller than the largest cut-off {max(self.criteria.cutoffs)}: "
                "the service would be asked for fewer hits than are measured"
            )
        if self.protocol not in PROFILES:
            raise InputError(f"--protocol {self.protocol} is not one of {', '.join(PROFILES)}")
        if self.url is not None:
            endpoint(self.url, PROFILES[self.protocol].path)


@dataclass(frozen=True, slots=True)
class Chunk:
    """What consecutive queries brought, ready to be written."""

    hits: pl.DataFrame
    requests: pl.DataFrame
    run_lines: str  # TREC run for the gold task


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished run. Reports show these numbers and compute none."""

    settings: Settings
    url: str
    queries: Queries
    tasks: tuple[str, ...]
    estimates: list[Estimate]
    per_query: pl.DataFrame
    counts: dict[str, int]
    unlabelled_hits: dict[str, int]
    queries_without_label: dict[str, int]
    faults: dict[str, int]
    failures: dict[str, int]  # reason -> queries
    latency: Latency
    signature: Signature


def run(
    settings: Settings,
    sink: Callable[[Chunk], None] = lambda chunk: None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Outcome:
    """Benchmark a service, or the embedded retriever when no URL is set.

    Parameters
    ----------
    settings
        What to run.
    sink
        Called with each chunk, in query order.
    progress
        Called with queries done and queries in all.

    Raises
    ------
    InputError, UnreachableError
        Before anything was measured.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_run(settings, sink, progress))
    with ThreadPoolExecutor(1) as aside:  # a notebook has a loop of its own in this thread
        return aside.submit(asyncio.run, _run(settings, sink, progress)).result()


async def _run(settings: Settings, sink: Callable[[Chunk], None], progress: Callable[[int, int], None]) -> Outcome:
    async with _service(settings) as url:
        criteria = settings.criteria
        queries = read_tiered(
            settings.dataset.queries, settings.encoding, settings.skip_bad_lines, criteria.max_positives
        )
        tasks = _tasks(criteria, queries)
        limits = denominators(queries, criteria.recall_denominator, settings.dataset.card.get("relevant"))
        tally = _Tally(queries, criteria, tasks, limits)
        profile = PROFILES[settings.protocol]
        progress(0, len(queries))
        criteria.judge(queries, 0, Hits.none(1), limits)  # compiles now, not while a clock runs
        transport = Transport(
            await url(), profile.path, settings.concurrency, settings.timeout, settings.max_response_mb << 20
        )
        async with transport:
            search = Search(
                queries,
                profile,
                transport,
                Retry(settings.retries),
                settings.batch_size,
                settings.top_k,
                settings.concurrency,
            )
            started = time.perf_counter()
            pending: list[Batch] = []
            done = judged = 0
            try:
                async with contextlib.aclosing(search.batches()) as batches:
                    async for batch in batches:
                        pending.append(batch)
                        done = batch.first + batch.count
                        progress(done, len(queries))
                        if done - judged >= settings.chunk or done == len(queries):
                            ready, pending, judged = pending, [], done
                            await asyncio.to_thread(lambda chunk: sink(tally.add(chunk, started)), ready)
            except asyncio.CancelledError:
                if pending:  # Ctrl-C: what was received is written
                    sink(tally.add(pending, started))
                raise
        return tally.outcome(settings, transport.shown)


@contextlib.asynccontextmanager
async def _service(settings: Settings) -> AsyncIterator[Callable[[], Awaitable[str]]]:
    """Yield a function that waits for the URL to measure, so that work can go on while a child starts."""
    if settings.url is not None:
        url = settings.url

        async def given() -> str:
            return url

        yield given
        return
    if settings.dataset.collection is None:
        raise InputError(
            f"{settings.dataset.queries} has no {COLLECTION} beside it to serve: give --collection FILE, "
            "or --url of a service"
        )
    async with child_service(settings.dataset.collection, settings.encoding) as ready:
        yield ready


def _tasks(criteria: Criteria, queries: Queries) -> tuple[str, ...]:
    """Return the tasks asked for; all that the data set has labels for when none was named."""
    for task in criteria.tasks:
        if task not in queries.tasks and criteria.tasks != TASKS:
            raise InputError(f"--tasks {task}: no query of the data set has what this task compares")
    return tuple(task for task in criteria.tasks if task in queries.tasks)


class _Tally:
    """What a run adds up to, chunk by chunk."""

    def __init__(self, queries: Queries, criteria: Criteria, tasks: tuple[str, ...], limits: I64) -> None:
        n, cutoffs = len(queries), len(criteria.cutoffs)
        self._queries = queries
        self._criteria = criteria
        self._tasks = tasks
        self._limits = limits
        self._values: F64 = np.zeros((n, len(TASKS), cutoffs, len(MEASURES)))
        self._found: I64 = np.zeros((n, len(TASKS), cutoffs), np.int64)
        self._fates: I64 = np.zeros((n, 4), np.int64)  # hits a fate
        self._latency: F64 = np.zeros(n)
        self._failure: dict[int, str] = {}
        self._unlabelled: I64 = np.zeros(len(TASKS), np.int64)
        self._own_first = 0
        self._faults: dict[str, int] = {}
        self._requests: list[pl.DataFrame] = []
        self._lines, self._relevant = content_digest(), content_digest()
        self._done = 0

    def add(self, batches: list[Batch], started: float) -> Chunk:
        """Judge and score the next queries."""
        first = self._done
        hits = Hits.joined([batch.hits for batch in batches])
        judged = self._criteria.judge(self._queries, first, hits, self._limits)
        last = self._done = first + len(hits.counts)
        self._values[first:last] = judged.values
        self._found[first:last] = judged.found
        self._unlabelled += judged.unlabelled
        owner = np.repeat(np.arange(first, last), hits.counts)
        np.add.at(self._fates, (owner, judged.fate), 1)
        places = np.cumsum([0, *hits.counts[:-1]])[np.array(hits.counts) > 0]
        self._own_first += int(np.isin(judged.fate[places], (SELF, COPY)).sum())
        for name, times in hits.faults.items():
            self._faults[name] = self._faults.get(name, 0) + times
        for batch in batches:
            span = slice(batch.first, batch.first + batch.count)
            self._latency[span] = batch.attempts[-1].end - batch.attempts[0].sent
            if batch.failure is not None:
                self._failure.update(dict.fromkeys(range(span.start, span.stop), batch.failure))
        lines = gold_run(self._queries, first, hits, judged)
        self._lines.update(lines.encode())
        self._relevant.update(judged.relevant.tobytes())
        requests = attempt_frame(batches, started)
        self._requests.append(requests)
        return Chunk(hit_frame(self._queries, first, hits, judged, self._tasks), requests, lines)

    def outcome(self, settings: Settings, url: str) -> Outcome:
        """Return the run's numbers; all chunks must have been added."""
        queries, fates = self._queries, self._fates
        kept = fates[:, KEPT]
        failed = np.array(sorted(self._failure), np.int64)
        short = kept < max(self._criteria.cutoffs)
        short[failed] = False
        counts = {
            "queries": len(queries),
            "scored": len(queries) - len(failed),
            "failed": len(failed),
            "hits": int(fates.sum()),
            "self_hits": int(fates[:, SELF].sum()),
            "copies": int(fates[:, COPY].sum()),
            "duplicates": int(fates[:, DUPLICATE].sum()),
            "own_text_first": self._own_first,
            "short_lists": int(short.sum()),
            "positives": len(queries.positives.ids),
            "without_positives": int((np.diff(queries.positives.offsets) == 0).sum()),
            "dropped_positives": queries.dropped_positives,
            "skipped_lines": queries.skipped_lines,
        }
        reasons: dict[str, int] = {}
        for reason in self._failure.values():
            reasons[reason] = reasons.get(reason, 0) + 1
        without_label = queries.without_label()
        return Outcome(
            settings=settings,
            url=url,
            queries=queries,
            tasks=self._tasks,
            estimates=estimates(self._values, self._found, self._limits, self._tasks, self._criteria.cutoffs),
            per_query=self._per_query(),
            counts=counts,
            unlabelled_hits={t: int(self._unlabelled[TASKS.index(t)]) for t in self._tasks if t != "gold"},
            queries_without_label={task: without_label[task] for task in self._tasks},
            faults=dict(sorted(self._faults.items())),
            failures=dict(sorted(reasons.items(), key=lambda item: -item[1])),
            latency=latency(pl.concat(self._requests), counts["scored"]),
            signature=run_signature(
                tasks=self._tasks,
                cutoffs=self._criteria.cutoffs,
                self_by=self._criteria.self_by,
                gold_by=self._criteria.gold_by,
                recall=self._criteria.recall_denominator,
                max_positives=self._criteria.max_positives,
                counts=counts,
                data_digest=queries.digest,
                run_digest=content_digest(self._lines.digest() + self._relevant.digest()).hexdigest(),
            ),
        )

    def _per_query(self) -> pl.DataFrame:
        columns = {
            f"{task}.{measure}@{k}": self._values[:, TASKS.index(task), c, m]
            for task in self._tasks
            for c, k in enumerate(self._criteria.cutoffs)
            for m, measure in enumerate(MEASURES)
        }
        return pl.DataFrame(
            {
                "query_id": self._queries.ids,
                "latency_ms": self._latency * 1e3,
                "failure": pl.Series([self._failure.get(q) for q in range(len(self._queries))], dtype=pl.String),
                "hits": self._fates.sum(axis=1),
                "kept": self._fates[:, KEPT],
                "self_hits": self._fates[:, SELF],
                "copies": self._fates[:, COPY],
                "duplicates": self._fates[:, DUPLICATE],
                **columns,
            }
        )
