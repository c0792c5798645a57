"""The client measured in turn with other clients of the same service, A B A B …; medians and ratios."""

import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from benchbench.profile.canned import serving
from benchbench.profile.canned_answers import answers, repeated
from benchbench.profile.clients import Client, Work
from benchbench.profile.machine import Machine, this_machine
from benchbench.profile.profile_result import ProfileResult
from benchbench.profile.stages import CLIENT, STAGES, Stage, stage_rows, time_stages
from benchbench.tables.callbacks import nothing
from benchbench.tables.collection import Collection
from benchbench.tasks.judging import Judging

Figures = TypeVar("Figures")

_WARM = 8  # batches that are asked before anything is timed


@dataclass(frozen=True, slots=True)
class ClientWorkload:
    """How much there is to ask: queries in all, queries per request, hits per query, our requests in flight."""

    queries: int
    batch_size: int
    hits: int
    concurrency: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientRow:
    """One client and one answer: medians over rounds, and how many times as long as ours it takes.

    With a `failure`, which says why it could not be measured, there are no figures.
    """

    answer: str
    bytes: int
    client: str
    version: str | None
    failure: str | None = None
    requests_per_s: float | None = None
    queries_per_s: float | None = None
    ratio: float | None = None
    rounds: tuple[float, ...] = ()  # seconds


@dataclass(frozen=True, slots=True)
class ClientProfile:
    """Figures of each client, ours first for each answer, and of our stages, with all that they were measured with."""

    name: ClassVar = "client"
    scope: ClassVar = ("answer", "client")  # of a row's numbers

    machine: Machine
    service: str
    workload: ClientWorkload
    rounds: int
    clients: tuple[ClientRow, ...]
    stages: tuple[Stage, ...] = ()

    @property
    def rows(self) -> tuple[ClientRow, ...]:
        """Return the clients."""
        return self.clients


def measure(
    workload: ClientWorkload,
    judging: Judging,
    documents: Collection,
    clients: Sequence[Client],
    rounds: int = 3,
    progress: Callable[[int, int, str], None] = nothing,
    served: tuple[str, Callable[[bytes], AbstractContextManager[str]]] = ("a canned service", serving),
) -> ProfileResult:
    """Measure clients against a service that has its answers ready, and the stages of ours.

    Parameters
    ----------
    workload
        Its size; queries are rounded up to whole batches.
    judging, documents
        The queries that are asked (again from the first, when there are fewer) with the tasks whose labels are read;
        and what answers are made of.
    clients
        Ours first.
    rounds
        How often each is measured in turn, after a few batches that are not counted.
    progress
        Called with the steps done, the number of steps, and the next step.
    served
        The name of the service, and the function that starts it: it takes the answer and yields the URL.

    Returns
    -------
    ProfileResult
        The row of a client that fails says why; it is not tried again with that answer. So it is with the stages.

    Raises
    ------
    BenchbenchError
        The service did not start.
    """
    began = time.time()
    size = workload.batch_size
    batches = -(-workload.queries // size)
    asked, warm = (repeated_judging(judging, count * size) for count in (batches, min(batches, _WARM)))
    bodies = answers(documents, size, workload.hits)
    steps = len(bodies) * (rounds + 1) * (len(clients) + 1)
    done = 0
    rows: list[ClientRow] = []
    stages: list[Stage] = []
    for answer, body in bodies.items():
        asking = {client.name: _Turns(partial(_trial, client)) for client in clients}
        reading = _Turns(time_stages)
        with served[1](body) as url:
            for turn in range(rounds + 1):
                judged = asked if turn else warm
                work = Work(
                    url=url,
                    body=body,
                    queries=judged.queries,
                    batch_size=size,
                    hits=workload.hits,
                    concurrency=workload.concurrency,
                )
                participants: dict[str, _Turns[Any]] = {**asking, STAGES: reading}
                for name, participant in participants.items():
                    progress(done, steps, f"{name}, {answer}")
                    done += 1
                    participant.take(work, judged, counts=turn > 0)
        ours = asking[clients[0].name].rounds
        for client in clients:
            turns = asking[client.name]
            row = ClientRow(
                answer=answer, bytes=len(body), client=client.name, version=client.version, failure=turns.failure
            )
            rows.append(row if row.failure else _measured(row, turns.rounds, ours, batches, size))
        timed = reading.rounds
        if ours:
            timed = [{**times, CLIENT: 1e6 * took / batches} for times, took in zip(timed, ours, strict=False)]
        stages += stage_rows(answer, len(body), timed, reading.failure, size * workload.hits)
    progress(steps, steps, "")
    machine = this_machine("aiohttp", "orjson", "msgspec", "numba", "polars", "xxhash", "requests")
    size_asked = replace(workload, queries=batches * size)
    return ProfileResult(ClientProfile(machine, served[0], size_asked, rounds, tuple(rows), tuple(stages)), {}, began)


class _Turns(Generic[Figures]):
    """What has come of one thing that is measured in turn with others."""

    def __init__(self, trial: Callable[[Work, Judging], Figures]) -> None:
        self.rounds: list[Figures] = []
        self.failure: str | None = None
        self._trial = trial

    def take(self, work: Work, judged: Judging, *, counts: bool) -> None:
        """Take a turn, unless one has failed before."""
        if self.failure is not None:
            return
        try:
            figures = self._trial(work, judged)
        except Exception as failure:  # a peer may raise anything; the row says it
            self.failure = f"{type(failure).__name__}: {' '.join(str(failure).split())}"
        else:
            self.rounds += [figures] if counts else []


def repeated_judging(judging: Judging, size: int) -> Judging:
    """Return the judging of so many queries: after the last comes the first again."""
    divisors, rows = judging.denominators, np.arange(size) % len(judging.queries)
    return replace(
        judging,
        queries=repeated(judging.queries, size),
        denominators=divisors._replace(relevant=divisors.relevant[rows]),
    )


def _trial(client: Client, work: Work, judged: Judging) -> float:
    """Return the seconds that all of the work takes."""
    started = time.perf_counter()
    seen = client.ask(work)
    seconds = time.perf_counter() - started
    if seen != len(work.queries) * work.hits:
        raise ValueError(f"{seen:,} hits, not {len(work.queries) * work.hits:,}")
    return seconds


def _measured(row: ClientRow, rounds: list[float], ours: list[float], batches: int, size: int) -> ClientRow:
    median = statistics.median(rounds)
    return replace(
        row,
        requests_per_s=batches / median,
        queries_per_s=batches * size / median,
        ratio=median / statistics.median(ours) if ours else None,
        rounds=tuple(rounds),
    )
