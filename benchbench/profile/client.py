"""The client measured in turn with other clients of the same service, A B A B …; medians and ratios."""

import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import ClassVar

from benchbench.profile.canned import serving
from benchbench.profile.canned_answers import answers, repeated
from benchbench.profile.clients import Client, Work
from benchbench.profile.machine import Machine, this_machine
from benchbench.profile.outcome import Profile
from benchbench.tables.collection import Collection
from benchbench.tables.queries import Queries

_WARM = 8  # batches that are asked before anything is timed


@dataclass(frozen=True, slots=True)
class Workload:
    """How much there is to ask: queries in all, queries per request, hits per query, our requests in flight."""

    queries: int
    batch_size: int
    hits: int
    concurrency: int


@dataclass(frozen=True, slots=True)
class Row:
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
    """Figures of each client, ours first for each answer, with all that they were measured with."""

    name: ClassVar = "client"
    scope: ClassVar = ("answer", "client")  # of a row's numbers

    machine: Machine
    service: str
    workload: Workload
    rounds: int
    clients: tuple[Row, ...]

    @property
    def rows(self) -> tuple[Row, ...]:
        """Return the clients."""
        return self.clients


def measure(
    workload: Workload,
    queries: Queries,
    documents: Collection,
    clients: Sequence[Client],
    rounds: int = 3,
    progress: Callable[[int, int, str], None] = lambda done, total, doing: None,
    served: tuple[str, Callable[[bytes], AbstractContextManager[str]]] = ("a canned service", serving),
) -> Profile[ClientProfile]:
    """Measure clients against a service that has its answers ready.

    Parameters
    ----------
    workload
        Its size; queries are rounded up to whole batches.
    queries, documents
        What is asked (again from the first, when there are fewer), and what answers are made of.
    clients
        Ours first.
    rounds
        How often each is measured, after a few batches that are not counted.
    progress
        Called with the steps done, the number of steps, and the next step.
    served
        The name of the service, and the function that starts it: it takes the answer and yields the URL.

    Returns
    -------
    Profile
        The row of a client that fails says why; it is not tried again with that answer.

    Raises
    ------
    BenchbenchError
        The service did not start.
    """
    began = time.time()
    size = workload.batch_size
    batches = -(-workload.queries // size)
    asked, warm = repeated(queries, batches * size), repeated(queries, min(batches, _WARM) * size)
    bodies = answers(documents, size, workload.hits)
    steps = len(bodies) * (rounds + 1) * len(clients)
    done = 0
    rows: list[Row] = []
    for answer, body in bodies.items():
        seconds: dict[str, list[float]] = {client.name: [] for client in clients}
        failures: dict[str, str] = {}
        with served[1](body) as url:
            work = Work(url, body, asked, size, workload.hits, workload.concurrency)
            for turn in range(rounds + 1):
                for client in clients:
                    progress(done, steps, f"{client.name}, {answer}")
                    done += 1
                    if client.name in failures:
                        continue
                    try:
                        took = _trial(client, work if turn else work._replace(queries=warm))
                    except Exception as failure:  # a peer may raise anything; the row says it
                        failures[client.name] = f"{type(failure).__name__}: {' '.join(str(failure).split())}"
                    else:
                        seconds[client.name] += [took] if turn else []
        base = seconds[clients[0].name]
        for client in clients:
            row = Row(answer, len(body), client.name, client.version, failures.get(client.name))
            rows.append(row if row.failure else _measured(row, seconds[client.name], base, batches, size))
    progress(steps, steps, "")
    machine = this_machine("aiohttp", "orjson", "xxhash", "requests")
    size_asked = replace(workload, queries=batches * size)
    return Profile(ClientProfile(machine, served[0], size_asked, rounds, tuple(rows)), {}, began)


def _trial(client: Client, work: Work) -> float:
    """Return the seconds that all of the work takes."""
    started = time.perf_counter()
    seen = client.ask(work)
    seconds = time.perf_counter() - started
    if seen != len(work.queries) * work.hits:
        raise ValueError(f"{seen:,} hits, not {len(work.queries) * work.hits:,}")
    return seconds


def _measured(row: Row, rounds: list[float], ours: list[float], batches: int, size: int) -> Row:
    median = statistics.median(rounds)
    return replace(
        row,
        requests_per_s=batches / median,
        queries_per_s=batches * size / median,
        ratio=median / statistics.median(ours) if ours else None,
        rounds=tuple(rounds),
    )
