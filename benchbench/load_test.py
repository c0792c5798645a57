"""Steps of load on a live service, with quality measured from the same answers.

The answers of a step are judged after its clock has stopped, before the next step.
"""

import asyncio
import contextlib
import itertools
import math
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl

from benchbench import signals
from benchbench.client.breaker import Breaker
from benchbench.client.decode import compile_reading
from benchbench.client.early_stop import EarlyStop
from benchbench.client.request_runner import RequestRunner
from benchbench.client.response_layout import ProtocolError
from benchbench.client.service import Service
from benchbench.client.sync import run_sync
from benchbench.client.transport import Transport
from benchbench.errors import InputError
from benchbench.formats.query_table import data_groups
from benchbench.kernels.arrays import Bools
from benchbench.loads.batches import batches
from benchbench.loads.driver import Post
from benchbench.loads.intervals import parts_of
from benchbench.loads.load_details import Highest
from benchbench.loads.load_result import LoadOutcome
from benchbench.loads.load_settings import LoadSettings
from benchbench.loads.metrics import METRICS
from benchbench.loads.process_pool import LoadProcessPool, StepAnswers, process_pool
from benchbench.loads.quality import Judge
from benchbench.loads.rates_held import PRECISION, find_max
from benchbench.loads.recorder import ReceivedAnswers
from benchbench.loads.reference import ReferencePass, reference_pass
from benchbench.loads.step import Load, run_step
from benchbench.loads.step_result import Step, confirmation, evaluate, gate_names, joined
from benchbench.loads.trace import replayed
from benchbench.measures.latency import needed
from benchbench.measures.signature import run_signature
from benchbench.results.gates import Gate
from benchbench.results.record import uuid7
from benchbench.serve.child import child_service
from benchbench.tables.callbacks import nothing
from benchbench.tables.hits import Hits
from benchbench.tasks.count_sentences import limit_of_hits
from benchbench.tasks.criteria import TOP_K
from benchbench.tasks.judging import judging_of

__all__ = ["LoadOutcome", "LoadSettings", "run", "run_by_turns"]

_HINT = "is it a search service, and is --timeout long enough for a batch?"
_FEWEST = 10.0  # requests due in a step of a search for the highest rate
_CONFIRMING = 3 * needed(99.0)  # requests of a step that confirms: at capacity 1,000 may stay within a limit by chance
_CONFIRMATIONS = 3  # rates that such a search tries to confirm
_LEAST = 30.0  # seconds that the reference pass may take, where steps are shorter
_LONGEST = 10.0  # times --duration that a step which confirms may take


def run(
    settings: LoadSettings,
    sink: Callable[[Step, pl.DataFrame], None] = nothing,
    progress: Callable[[Load], None] = nothing,
    through: Callable[[Post], Post] | None = None,
) -> LoadOutcome:
    """Load a service step by step.

    Ctrl-C ends it early: the outcome is then `interrupted`, and has the finished steps.

    Parameters
    ----------
    settings
        What to run.
    sink
        Called with each finished step and its requests (`loads.recorder.Recorder.frame`).
    progress
        Called before each step.
    through
        Wraps what sends a request where there is one worker; for tests.

    Raises
    ------
    InputError, UnreachableError
        Before anything was measured.
    TooManyFailuresError
        When the first answers have no hit that can be used (`client.early_stop`).
    WorkerError
        When a worker process has died.
    """
    _check(settings)
    (outcome,) = run_sync(_run([_Target(settings, sink, progress)], through))
    return outcome


def run_by_turns(
    targets: Mapping[str, LoadSettings],
    sink: Callable[[str, Step, pl.DataFrame], None] = nothing,
    progress: Callable[[str, Load], None] = nothing,
) -> dict[str, LoadOutcome]:
    """Load several services step by step, each step of all of them before the next.

    What drifts on the machine or in the network meets all alike: the services take a step in their order, and in the
    next repeat in the opposite one.

    Parameters
    ----------
    targets
        Settings by name, which differ in the service alone.
    sink, progress
        As of `run`, with the name.

    Raises
    ------
    InputError, UnreachableError, TooManyFailuresError, WorkerError
        As `run`.
    """
    for settings in targets.values():
        _check(settings)
        if settings.find_max:
            raise InputError("--find-max searches for one service at a time; give one --target")
    turns = uuid7(time.time())
    started = [
        _Target(replace(settings, turns=turns), partial(sink, name), partial(progress, name))
        for name, settings in targets.items()
    ]
    return dict(zip(targets, run_sync(_run(started, None)), strict=True))


def _check(settings: LoadSettings) -> None:
    if not isinstance(settings, LoadSettings):
        raise InputError(f"settings are LoadSettings(dataset, service), and not of type {type(settings).__name__}")


class _Prepared:
    """What is known before a service is asked, and the same for all."""

    def __init__(self, settings: LoadSettings) -> None:
        self.began = time.time()
        criteria, data = settings.criteria, settings.dataset
        with signals.immediate():
            self.judging = judging_of(criteria, data, settings.encoding, settings.skip_bad_lines, settings.top_k)
        queries = self.judging.queries
        self.notes: tuple[str, ...] = ()
        if settings.batch_sizes == (settings.service.profile.batch_size,) and len(queries) < settings.batch_sizes[0]:
            settings = replace(settings, batch_sizes=(len(queries),))
            many = "query" if len(queries) == 1 else "queries"
            self.notes = (f"a request carries {len(queries)} {many}, because the data set has no more",)
        self.batch_sizes = settings.batch_sizes
        if max(settings.batch_sizes) > len(queries):
            raise InputError(
                f"--batch-size {max(settings.batch_sizes)} is more than the {len(queries)} queries of the data set"
            )
        with signals.immediate():
            self.groups = data_groups(data, queries.ids, settings.cluster, settings.encoding)
        self.judges = {
            size: Judge(self.judging, settings.service.profile, size, self.groups) for size in settings.batch_sizes
        }
        trace = None
        if settings.trace is not None:
            with signals.immediate():
                trace = replayed(settings.trace, settings.speed, queries)
        self.loads = settings.loads(trace)
        self.gates, self.condition = settings.gates(), settings.condition()
        for gate in self.gates if self.condition is None else (self.condition, *self.gates):
            names = gate.measured(gate_names(self.first, settings.reference))
            gate.bounds(METRICS[name].unit if name in METRICS else "" for name in names)
        with signals.immediate():  # compiles now what has to be, and not while a clock runs
            compile_reading(queries.schema, not settings.service.profile.asks_for_hashes)
            self.first.compile()

    @property
    def first(self) -> Judge:
        """The judge of the first batch size."""
        return next(iter(self.judges.values()))


class _Target:
    """One service under load, and what was measured of it."""

    def __init__(
        self, settings: LoadSettings, sink: Callable[[Step, pl.DataFrame], None], progress: Callable[[Load], None]
    ) -> None:
        self.settings, self._sink, self._progress = settings, sink, progress
        self._repeats: list[list[Step]] = []  # of each step
        self.found: list[Highest] = []
        self._pool: LoadProcessPool | None = None
        self._reference: ReferencePass | None = None
        self._sent = Counter[int]()  # requests, by their queries

    async def connect(
        self, prepared: _Prepared, stack: contextlib.AsyncExitStack, through: Callable[[Post], Post] | None
    ) -> None:
        """Start what is to be started; it ends with the stack."""
        self._prepared = prepared
        self._seen = np.zeros(len(prepared.judging.queries), np.bool_)
        self._hits = np.full(len(self._seen), -1)  # the most that each query got
        self._service, self._defaults = await _reached(self.settings, stack)
        self._transport = await stack.enter_async_context(self._service.transport())
        self._post = through(self._transport.post) if through else self._transport.post

    async def begin(self, stack: contextlib.AsyncExitStack) -> None:
        """See that the service answers, and start the workers."""
        settings, judges = self.settings, self._prepared.judges
        await _reach(self._service, self._transport, self._prepared.first, settings.top_k, self._seen)
        if settings.workers > 1:
            pool = process_pool(settings.workers, self._service, judges, settings.top_k)
            self._pool = await stack.enter_async_context(pool)
        if settings.reference:
            first, seconds = self._prepared.first, max(_LEAST, settings.duration)
            self._reference = await reference_pass(
                first, settings.top_k, self._post, self._transport, settings.seed, seconds, self._seen
            )

    async def measure(self, load: Load, place: int | None = None) -> Step:
        """Run a step; `place` is that of the step of which it may be a repeat."""
        self._progress(load)
        load = replace(load, begins=self._sent[load.batch_size])
        judge, top_k = self._prepared.judges[load.batch_size], self.settings.top_k
        if self._pool is None:
            answers = await _answers(load, judge, top_k, self._post, self._transport.hide)
        else:
            answers = await self._pool.run_step(load, judge)
        parts = parts_of(self.settings.repeat)
        reference = None if self._reference is None else self._reference.values
        self._hits = np.maximum(self._hits, answers[2].hits)
        step, requests = await asyncio.to_thread(evaluate, load, judge, *answers, self._seen, parts, reference)
        self._sent[load.batch_size] += len(requests)
        if self._prepared.condition is not None:
            step = replace(step, broke=step.breaks(self._prepared.condition))
        self._sink(step, requests)
        if place is None or place == len(self._repeats):
            self._repeats.append([step])
        else:
            self._repeats[place].append(step)
        return step

    def outcome(self, interrupted: bool) -> LoadOutcome:
        """Return what was measured."""
        prepared, judging = self._prepared, self._prepared.judging
        queries = judging.queries
        steps = [joined(each) for each in self._repeats]
        card, pages = self.settings.dataset.card, self._service.profile.pages
        limit = {} if self.settings.embedded else limit_of_hits(self._hits, self.settings.top_k, card, pages)
        counts = {**queries.judged, **queries.read, **limit}
        return LoadOutcome(
            settings=self.settings,
            url=self._transport.shown,
            digest=queries.digest,
            queries=len(queries),
            counts=counts,
            queries_without_label=dict(judging.lacking),
            signature=run_signature(
                **judging.rules,
                counts=counts,
                data_digest=queries.digest,
                run_digest=None,
                top_k=None if self.settings.top_k == TOP_K else self.settings.top_k,
                load=self.settings.digest(),
            ),
            tasks=judging.tasks,
            steps=[replace(step, checked=step.check(prepared.gates)) for step in steps],
            highest=self.found,
            interrupted=interrupted,
            began=prepared.began,
            groups=prepared.groups,
            reference=self._reference,
            assumed=(*prepared.notes, *judging.notes),
            defaults=(*self._defaults, *judging.defaults),
        )


async def _run(targets: Sequence[_Target], through: Callable[[Post], Post] | None) -> list[LoadOutcome]:
    prepared = _Prepared(targets[0].settings)
    interrupted = False
    async with contextlib.AsyncExitStack() as stack:
        for target in targets:
            target.settings = replace(target.settings, batch_sizes=prepared.batch_sizes)
            await target.connect(prepared, stack, through)
        try:
            for target in targets:
                await target.begin(stack)
            for repeat in range(1, targets[0].settings.repeat + 1):
                for place, load in enumerate(prepared.loads):
                    for target in targets if repeat % 2 else reversed(targets):
                        if prepared.condition is None:
                            await target.measure(load.again(repeat), place)
                        else:
                            target.found.append(await _search(load, target.measure, prepared.condition))
        except asyncio.CancelledError:  # Ctrl-C
            interrupted = True
    return [target.outcome(interrupted) for target in targets]


async def _reached(settings: LoadSettings, stack: contextlib.AsyncExitStack) -> tuple[Service, tuple[str, ...]]:
    """Return the service to load, and its defaults; the embedded one is started, and ends with the stack."""
    if not settings.embedded:
        return settings.service, ()
    ready = await stack.enter_async_context(child_service(settings.dataset.serving(), settings.encoding, settings.bm25))
    child = await ready()
    return settings.service.at(child.url), (child.about,)


async def _answers(load: Load, judge: Judge, top_k: int, post: Post, hide: Callable[[str], str]) -> StepAnswers:
    """Run a step in this process."""
    batches = judge.batches(load)
    with ReceivedAnswers(batch_of=batches.of) as answers:
        rows, health = await run_step(load, judge.requests(batches, top_k), post, answers)
        return rows, health.figures(), await asyncio.to_thread(judge.judge, answers, batches, hide, top_k)


async def _reach(service: Service, transport: Transport, judge: Judge, top_k: int, seen: Bools) -> None:
    """Send batches until one answer has a hit that can be used, with the retries of a run's start.

    The steps then send each request once. The queries that were sent are marked in `seen`.
    """
    retry, early_stop = service.retry(), EarlyStop(transport.shown, judge.judging.needs_ids)
    runner = RequestRunner(transport, retry, 1, Breaker(0), _HINT, key_advice=transport.key_advice)
    reader = judge.reader(top_k)
    for sent in batches(len(judge.queries), judge.size).rows:
        seen[sent] = True
        exchange = await runner.run(partial(judge.payload, sent, top_k))
        if exchange.failure is not None:
            return
        hits, failure = Hits.none(judge.size), None
        try:
            hits = await asyncio.to_thread(judge.hits, sent, exchange.body, reader)
        except ProtocolError as error:
            failure = f"protocol error: {error.text(transport.hide)}"
        runner.note_answer(exchange, failure)
        early_stop.note(judge.size, hits, failure)
        if early_stop.settled():
            break
    early_stop.check(last=True)


async def _search(load: Load, measure: Callable[[Load], Awaitable[Step]], condition: Gate) -> Highest:
    """Find the highest rate at which the steps' condition holds, and confirm it in a step of its own.

    A search takes the best of many short steps, so that what it finds held there by chance at times. The step that
    confirms has requests of its own and enough of them for an interval of p99. Where it breaks the condition, or cannot
    tell, a rate that is 5 % lower is tried.
    """
    assert load.rate is not None
    tried: dict[float, Step] = {}
    numbers = itertools.count()

    async def tries(rate: float, duration: float = load.duration) -> Step:
        return await measure(replace(load, rate=rate, duration=duration, stream=(*load.stream, next(numbers))))

    async def holds(rate: float) -> bool:
        tried[rate] = await tries(rate)
        if tried[rate].broke and tried[rate].client_may_have_broken:  # perhaps another program had the machine
            tried[rate] = await tries(rate)
        return not tried[rate].broke

    best = await find_max(holds, load.rate, min(load.rate, _FEWEST / load.duration))
    confirmed, why_not, rate = False, "", best
    why: dict[float, str] = {}  # a rate is not confirmed
    for _ in range(_CONFIRMATIONS if rate is not None else 0):
        assert rate is not None
        seconds = max(load.duration, _CONFIRMING / rate)
        if seconds > _LONGEST * load.duration:
            why_not = f"that takes {_CONFIRMING:,} requests; --duration {math.ceil(seconds)}s has them"
            break
        tried[rate] = await tries(rate, seconds)
        confirmed, why_not = confirmation(tried[rate], condition)
        if confirmed:
            break
        why[rate] = why_not
        rate /= 1.0 + PRECISION
    lowest = min((rate for rate, step in tried.items() if step.broke), default=math.inf)
    if not confirmed:
        rate = max((rate for rate, step in tried.items() if not step.broke and rate < lowest), default=None)
    refused = min((step for step in tried.values() if step.broke), key=lambda step: step.load.rate or 0.0, default=None)
    return Highest(
        batch_size=load.batch_size,
        rate=None if rate is None else tried[rate].offered,
        limited_by_client=refused is not None and refused.client_may_have_broken,
        refused=None if refused is None else refused.offered,
        reasons=() if refused is None else refused.broke,
        confirmed=None if rate is None else confirmed,
        confirmation="" if rate is None else why.get(rate, why_not),
    )
