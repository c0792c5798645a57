"""Steps of load on a live service, with quality measured from the same answers.

A step's answers are kept unread until its clock has stopped; then they are judged, before the next step.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import get_args

import polars as pl

from benchbench import signals
from benchbench.client.arrival import Arrival
from benchbench.client.asking import Asking
from benchbench.client.breaker import Breaker
from benchbench.client.loop import finished
from benchbench.client.python_retriever import Searcher, python_service
from benchbench.client.results import ProtocolError
from benchbench.client.service import Service
from benchbench.client.transport import Transport
from benchbench.errors import InputError
from benchbench.formats.card import DataSet, as_data_set
from benchbench.formats.tiered import read_tiered
from benchbench.load.answers import Answers
from benchbench.load.crew import Crew, Held, crew
from benchbench.load.driver import Post
from benchbench.load.find_max import find_max
from benchbench.load.pacing import Arrivals, due_times
from benchbench.load.quality import Judge
from benchbench.load.result import Step, evaluate, gate_names
from benchbench.load.step import Load, run_step
from benchbench.measures.gates import as_gates
from benchbench.measures.signature import Signature, run_signature
from benchbench.results.gates import Gate
from benchbench.serve.run import child_service
from benchbench.tables.hits import Hits
from benchbench.tables.numbers import BATCH, HITS, PLACES, RATE, SECONDS, SEED, TIMEOUT, WORKERS, check
from benchbench.tasks.criteria import Criteria, denominators

FIRST_RATE = 8.0  # requests per second that a search for the highest rate begins with
_DOUBT = "is it a search service, and is --timeout long enough for a batch?"
_FEWEST = 10.0  # requests due in a step of such a search


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a load test depends on, as the command line takes it; rates make an open loop.

    One rate, concurrency or batch size may stand alone; what stands for something else is kept as that.

    Attributes
    ----------
    dataset
        What is asked and what is right: the path or name of a data set. (`--dataset`)
    service
        The service to load; one without a URL is the embedded retriever, over the collection of the data set. A Python
        function, or an object with `search`, may stand here, as `retriever` of `Settings` has it. (`--url`)
    rates
        Requests per second, a step each, sent when they are due; none by default. (`--rate`)
    concurrencies
        Requests kept in flight, a step each, where there are no rates; 1, 2, 4 and 8 by default. (`--concurrency`)
    batch_sizes
        Queries per request; 32 by default. (`--batch-size`)
    duration
        Seconds of a step that are measured; 30 by default. (`--duration`)
    warm_up
        Seconds of a step before those; 5 by default. (`--warm-up`)
    arrivals
        When requests are due: `constant` (the default) or `poisson`. (`--arrivals`)
    seed
        Of random arrivals; 0 by default. (`--seed`)
    max_in_flight
        Most requests in flight where there are rates; 256 by default. (`--max-in-flight`)
    workers
        Processes that hold a step together, at most one per place; 1 by default. (`--workers`)
    top_k
        Hits asked for, per query; 20 by default. (`--top-k`)
    find_max
        A gate such as `"p99>300ms"`: the highest rate at which it does not fail is looked for. (`--find-max`)
    fail_if
        Gates for each step, one or several. (`--fail-if`)
    encoding
        Of the data set's files, a Python codec name; detected by default. (`--encoding`)
    skip_bad_lines
        Count and pass over lines that cannot be read; False by default. (`--skip-bad-lines`)
    criteria
        How hits are judged. (`--tasks`, `-k`, `--self`, `--gold`, `--recall-denominator`, `--max-positives`)
    name
        What the test is called; `load` by default. (`--name`)
    """

    dataset: DataSet
    service: Service
    rates: tuple[float, ...] = ()
    concurrencies: tuple[int, ...] = (1, 2, 4, 8)
    batch_sizes: tuple[int, ...] = (32,)
    duration: float = 30.0
    warm_up: float = 5.0
    arrivals: Arrivals = "constant"
    seed: int = 0
    max_in_flight: int = 256
    workers: int = 1
    top_k: int = 20
    find_max: Gate | None = None
    fail_if: tuple[Gate, ...] = ()
    encoding: str | None = None
    skip_bad_lines: bool = False
    criteria: Criteria = field(default_factory=Criteria)
    name: str = "load"

    def __post_init__(self) -> None:
        """Refuse options that cannot be, before anything is read or asked."""
        object.__setattr__(self, "dataset", as_data_set(self.dataset))
        object.__setattr__(self, "fail_if", as_gates(self.fail_if))
        check(self, top_k=HITS, max_in_flight=PLACES, workers=WORKERS, duration=TIMEOUT, warm_up=SECONDS, seed=SEED)
        for name, (option, allowed) in _SEVERAL.items():
            given = getattr(self, name)
            several = given if isinstance(given, tuple | list) else (given,)
            object.__setattr__(self, name, tuple(allowed.take(one, option) for one in several))
        if self.find_max is not None:
            (condition,) = as_gates([self.find_max])
            object.__setattr__(self, "find_max", condition)
        if not isinstance(self.criteria, Criteria):
            raise InputError("criteria are Criteria, as in Criteria(tasks='gold', cutoffs=(5, 10))")
        if self.arrivals not in get_args(Arrivals):
            raise InputError(f"--arrivals is {' or '.join(get_args(Arrivals))}, not {self.arrivals!r}")
        if callable(self.service) or isinstance(self.service, Searcher):
            object.__setattr__(self, "service", python_service(self.service, connections=self._most()))
        if not isinstance(self.service, Service):
            raise InputError("service is a Service, as in Service('http://127.0.0.1:8000', protocol('benchbench'))")
        if self.find_max and len(self.rates) > 1:
            raise InputError("--find-max begins with one --rate and finds the others; give one, or none")
        most = self._most()
        if self.workers > most:
            raise InputError(
                f"--workers {self.workers} is more than the {most} requests in flight that they share; "
                f"give a larger --{'max-in-flight' if self.open_loop else 'concurrency'}"
            )
        self.service.check_workers(self.workers)
        self.criteria.check_top_k(self.top_k)
        for batch_size in self.batch_sizes:
            self.service.profile.check_batch_size(batch_size)
        for load in self.loads():
            if load.rate is not None:
                due_times(load.arrivals, load.rate, load.warm_up, load.duration, load.seed)

    @property
    def gates(self) -> tuple[Gate, ...]:
        """Return all conditions, that of the search for the highest rate first."""
        return (self.find_max, *self.fail_if) if self.find_max else self.fail_if

    @property
    def open_loop(self) -> bool:
        """Say that requests are sent when they are due, and not when answers have come."""
        return bool(self.rates) or self.find_max is not None

    def _most(self) -> int:
        """Return how many requests there are in flight at most."""
        return self.max_in_flight if self.open_loop else max(self.concurrencies)

    def loads(self) -> list[Load]:
        """Return what the steps hold, in order; of a search for the highest rate, its first steps."""
        loads = []
        for size in self.batch_sizes:
            common = Load(size, None, 1, self.warm_up, self.duration, self.service.timeout, self.arrivals, self.seed)
            if self.open_loop:
                rates = self.rates or (FIRST_RATE,)
                loads += [replace(common, rate=rate, places=self.max_in_flight) for rate in rates]
            else:
                loads += [replace(common, places=places) for places in self.concurrencies]
        return loads


_SEVERAL = {
    "rates": ("--rate", RATE),
    "concurrencies": ("--concurrency", PLACES),
    "batch_sizes": ("--batch-size", BATCH),
}


@dataclass(frozen=True, slots=True)
class Found:
    """The end of a search: the highest rate that held its condition, None when none did."""

    batch_size: int
    rate: float | None
    by_client: bool  # the lowest rate that broke did so because of the client


@dataclass(frozen=True, slots=True)
class Outcome:
    """A load test. Reports show these numbers and compute none."""

    settings: Settings
    url: str
    digest: str  # of the data set
    queries: int
    counts: dict[str, int]  # of the data set: queries, positives, what does not count
    queries_without_label: dict[str, int]  # by task
    signature: Signature
    tasks: tuple[str, ...]
    steps: list[Step]
    found: list[Found]
    interrupted: bool  # the steps are those that were finished


def run(
    settings: Settings,
    sink: Callable[[Step, pl.DataFrame], None] = lambda step, requests: None,
    progress: Callable[[Load], None] = lambda load: None,
    through: Callable[[Post], Post] = lambda post: post,
) -> Outcome:
    """Load a service step by step.

    Ctrl-C ends it early: the outcome is then `interrupted`, and has the finished steps.

    Parameters
    ----------
    settings
        What to run.
    sink
        Called with each finished step and its requests (`load.recorder.Recorder.frame`).
    progress
        Called before each step.
    through
        Wraps what sends a request where there is one worker; for tests.

    Raises
    ------
    InputError, UnreachableError
        Before anything was measured.
    TooManyFailuresError
        When the first answers have no hit that can be used (`client.arrival`).
    WorkerError
        When a worker process has died.
    """
    if not isinstance(settings, Settings):
        raise InputError(f"settings are LoadSettings(dataset, service), and not of type {type(settings).__name__}")
    return finished(_run(settings, sink, progress, through))


async def _run(
    settings: Settings,
    sink: Callable[[Step, pl.DataFrame], None],
    progress: Callable[[Load], None],
    through: Callable[[Post], Post],
) -> Outcome:
    criteria, data = settings.criteria, settings.dataset
    with signals.immediate():
        queries = read_tiered(data.queries, settings.encoding, settings.skip_bad_lines, criteria.max_positives)
    if max(settings.batch_sizes) > len(queries):
        raise InputError(
            f"--batch-size {max(settings.batch_sizes)} is more than the {len(queries)} queries of the data set"
        )
    tasks = criteria.tasks_of(queries)
    limits = denominators(queries, criteria.recall_denominator, data.card.get("relevant"))
    judges = {
        size: Judge(queries, settings.service.profile, criteria, tasks, limits, size) for size in settings.batch_sizes
    }
    for gate in settings.gates:
        gate.measured(gate_names(judges[settings.batch_sizes[0]]))
    with signals.immediate():
        judges[settings.batch_sizes[0]].compile()
    steps: list[Step] = []
    found: list[Found] = []
    interrupted = False
    async with contextlib.AsyncExitStack() as stack:
        service = await _reached(settings, stack)
        transport = await stack.enter_async_context(service.transport())
        post = through(transport.post)
        several: Crew | None = None

        async def hold(load: Load) -> Step:
            progress(load)
            judge = judges[load.batch_size]
            if several is None:
                held = await _held(load, judge, settings.top_k, post, transport.hide)
            else:
                held = await several.hold(load, judge)
            step, requests = await asyncio.to_thread(evaluate, load, judge, *held)
            step = replace(step, gates=step.check(settings.fail_if))
            if settings.find_max is not None:
                step = replace(step, broke=step.breaks(settings.find_max))
            sink(step, requests)
            steps.append(step)
            return step

        try:
            await _reach(service, transport, judges[settings.batch_sizes[0]], settings.top_k)
            if settings.workers > 1:
                several = await stack.enter_async_context(crew(settings.workers, service, judges, settings.top_k))
            for load in settings.loads():
                if settings.find_max is None:
                    await hold(load)
                else:
                    found.append(await _search(load, hold))
        except asyncio.CancelledError:  # Ctrl-C
            interrupted = True
    counts = {**queries.judged, **queries.read}
    without_label = queries.without_label()
    return Outcome(
        settings=settings,
        url=transport.shown,
        digest=queries.digest,
        queries=len(queries),
        counts=counts,
        queries_without_label={task: without_label[task] for task in tasks},
        signature=run_signature(
            tasks=tasks, **criteria.rules, counts=counts, data_digest=queries.digest, run_digest=None
        ),
        tasks=tasks,
        steps=steps,
        found=found,
        interrupted=interrupted,
    )


async def _reached(settings: Settings, stack: contextlib.AsyncExitStack) -> Service:
    """Return the service to load, or start the embedded one, which ends with the stack."""
    if settings.service.url:
        return settings.service
    child = child_service(settings.dataset.served(), settings.encoding)
    started = await stack.enter_async_context(child)
    return settings.service.at(await started())


async def _held(load: Load, judge: Judge, top_k: int, post: Post, hide: Callable[[str], str]) -> Held:
    """Hold a step in this process."""
    with Answers() as answers:
        rows, health = await run_step(load, judge.payloads(top_k), post, answers)
        return rows, health.figures(), await asyncio.to_thread(judge.judge, answers, hide, top_k)


async def _reach(service: Service, transport: Transport, judge: Judge, top_k: int) -> None:
    """Ask until something answers, by the rule of a run's start, and on while no answer has a hit that can be used.

    The steps then send each request once.
    """
    asking, arrival = Asking(transport, service.retry(), 1, Breaker(0), _DOUBT), Arrival(transport.shown)
    for batch, payload in enumerate(judge.payloads(top_k)):
        asked = await asking.ask(partial(bytes, payload))
        if asked.failure is not None:
            return
        hits, failure = Hits.none(judge.size), None
        try:
            hits = await asyncio.to_thread(judge.hits, batch, asked.body, top_k)
        except ProtocolError as error:
            failure = f"protocol error: {error.text(transport.hide)}"
        asking.heard(asked, failure)
        arrival.note(judge.size, hits, failure)
        if arrival.settled():
            break
    arrival.check(last=True)


async def _search(load: Load, hold: Callable[[Load], Awaitable[Step]]) -> Found:
    """Find the highest rate at which the steps' condition holds."""
    assert load.rate is not None
    tried: dict[float, Step] = {}

    async def holds(rate: float) -> bool:
        tried[rate] = await hold(replace(load, rate=rate))
        step = tried[rate]
        if step.broke and (step.limit or step.paused):  # something else may have had the machine for a moment
            tried[rate] = await hold(replace(load, rate=rate))
        return not tried[rate].broke

    best = await find_max(holds, load.rate, min(load.rate, _FEWEST / load.duration))
    broken = [rate for rate, step in tried.items() if step.broke]
    return Found(load.batch_size, best, bool(broken) and tried[min(broken)].limit is not None)
