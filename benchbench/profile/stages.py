"""Where the time of an answer goes: each stage on the way from a request to judged hits, one round at a time."""

import asyncio
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import orjson

from benchbench.client.answer_columns import finished, steps
from benchbench.client.answer_plan import AnswerPlan, plan_of
from benchbench.client.decode import decode_objects
from benchbench.client.descriptions import profile
from benchbench.client.garbage import rare_collections
from benchbench.client.known_labels import KnownLabels
from benchbench.client.search import BatchRequest
from benchbench.client.service import Service
from benchbench.profile.clients import Work
from benchbench.tasks.judging import Judging

STAGES = "stages"  # all of them
TRANSPORT, JUDGE, SUM = "transport", "judge", "sum"
PARSED, OBJECTS, CLIENT = OTHERS = "orjson.loads", "objects", "whole client"  # what the sum is compared with
_PROFILE = profile("benchbench")

Done = Callable[..., object]  # called with the name of a stage when it ends, and with what it has made


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One stage and one answer: medians over rounds. With a `failure`, which says why, there are no figures."""

    answer: str
    bytes: int
    stage: str
    failure: str | None = None
    us_per_answer: float | None = None
    us_per_hit: float | None = None
    rounds: tuple[float, ...] = ()  # µs per answer


def stage_rows(
    answer: str, size: int, rounds: Sequence[Mapping[str, float]], failure: str | None, hits: int
) -> list[Stage]:
    """Return the rows of one answer, with so many bytes and hits, from what `time_stages` returned in each round."""
    if failure is not None:
        return [Stage(answer=answer, bytes=size, stage=STAGES, failure=failure)]
    rows = []
    for stage in rounds[0]:
        times = tuple(turn[stage] for turn in rounds)
        median = statistics.median(times)
        row = Stage(
            answer=answer, bytes=size, stage=stage, us_per_answer=median, us_per_hit=median / hits, rounds=times
        )
        rows.append(row)
    return rows


def time_stages(work: Work, judging: Judging) -> dict[str, float]:
    """Return the µs per answer of each stage, in order, then their sum and what that stands beside.

    Parameters
    ----------
    work
        What is asked and answered. As many requests are in flight as it says; answers are read one after the other.
    judging
        How its queries are judged; the labels of its tasks are read.

    Raises
    ------
    OSError
        A request failed.
    ValueError
        The answer cannot be read into columns, or has another number of hits.
    """
    queries, starts, body = work.queries, range(0, len(work.queries), work.batch_size), work.body
    requests = [BatchRequest.of(queries, first, first + work.batch_size) for first in starts]
    plan, rules = plan_of(_PROFILE.results, queries.schema), (queries.labels, queries.schema)
    assert plan is not None
    known = KnownLabels(*rules)
    seconds = {TRANSPORT: asyncio.run(_transport(work, requests)) / len(requests)}
    with rare_collections():
        seconds |= _medians(lambda request, done: _read_and_judged(work, plan, known, judging, request, done), requests)
        seconds[SUM] = sum(seconds.values())
        seconds |= _medians(lambda request, done: done(PARSED, orjson.loads(body)), requests)
        seconds |= _medians(
            lambda request, done: done(
                OBJECTS, decode_objects(body, request.text_prefixes, *rules, _PROFILE.results, work.hits)
            ),
            requests,
        )
    return {stage: 1e6 * took for stage, took in seconds.items()}


async def _transport(work: Work, requests: Iterable[BatchRequest]) -> float:
    """Return the seconds to make and send all requests, and to read and drop the answers."""
    service = Service(work.url, _PROFILE, connections=work.concurrency)
    waiting = iter(requests)
    async with service.transport() as transport:

        async def ask() -> None:
            for request in waiting:
                attempt, _ = await transport.post(_PROFILE.payload(request.texts, work.hits))
                if attempt.error is not None:
                    raise OSError(attempt.error)

        started = time.perf_counter()
        await asyncio.gather(*(ask() for _ in range(work.concurrency)))
        return time.perf_counter() - started


def _read_and_judged(
    work: Work, plan: AnswerPlan, known: KnownLabels, judging: Judging, request: BatchRequest, done: Done
) -> None:
    """Read an answer and judge its hits; `done` is called when a stage ends."""
    hits = finished(steps(work.body, plan, request.text_prefixes, known, work.hits), done)
    if hits is None:
        raise ValueError("the answer cannot be parsed")
    if len(hits.ids) != work.batch_size * work.hits:
        raise ValueError(f"{len(hits.ids):,} hits, not {work.batch_size * work.hits:,}")
    done(JUDGE, judging.judge(request.first, hits))


def _medians(work: Callable[[BatchRequest, Done], object], requests: Iterable[BatchRequest]) -> dict[str, float]:
    """Return the median seconds of each stage of some work, which it says are done, over all requests.

    A median, for a stage takes microseconds, and one pause of the machine a hundred times that.
    """
    clock, seconds = time.perf_counter, dict[str, list[float]]()
    for request in requests:
        ends: list[tuple[str, float]] = []
        last = clock()
        work(request, lambda stage, made=None, ends=ends: ends.append((stage, clock())))
        for stage, end in ends:
            seconds.setdefault(stage, []).append(end - last)
            last = end
    return {stage: statistics.median(each) for stage, each in seconds.items()}
