"""Several worker processes that run a step together, and give the numbers of one client.

Request n of a step is due at the same time and asks the same batch however many workers there are: worker w of N
sends those with n = w modulo N, from an origin that all share, and has its part of the places. Their requests become
the rows of one step, of which latencies are counted as ever. An answer that several workers got is judged once, by
one of them, and counts as often as all got it.
"""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from benchbench.client.health import Health
from benchbench.client.service import Service
from benchbench.client.workers import Link, Worker, workers
from benchbench.loads.quality import Judge, Quality
from benchbench.loads.recorder import ReceivedAnswers, RequestRows
from benchbench.loads.step import Load, WorkerShare, run_step

_HEAD_START = 0.05  # seconds for the word that a step begins to reach all workers
_READY = "ready"

Key = tuple[int, bytes]  # of a different answer: batch and digest
StepAnswers = tuple[RequestRows, dict[str, float], Quality]  # the second as `Health.figures` returns it


async def work(link: Link, number: int, service: Service, judges: Mapping[int, Judge], top_k: int) -> None:
    """Run parts of steps, in a worker."""

    async def begin() -> float:
        link.send(_READY)
        moment: float = await link.receive()
        await asyncio.sleep(max(0.0, moment - time.perf_counter()))
        return moment

    next(iter(judges.values())).compile()
    async with service.transport() as transport:
        link.send(_READY)
        while True:
            load, total = await link.receive()
            judge = judges[load.batch_size]
            batches = judge.batches(load)
            with ReceivedAnswers(batch_of=batches.of) as answers:
                payloads = judge.requests(batches, top_k)
                rows, health = await run_step(
                    load, payloads, transport.post, answers, share=WorkerShare(number, total), begin=begin
                )
                link.send((rows, health, answers.keys, answers.times))
                answers.times = await link.receive()
                quality = await asyncio.to_thread(judge.judge, answers, batches, transport.hide, top_k)
            link.send(quality.packed())


class LoadProcessPool:
    """The workers, seen from the process that started them."""

    def __init__(self, started: Sequence[Worker]) -> None:
        """Take workers that are ready."""
        self._workers = started

    async def run_step(self, load: Load, judge: Judge) -> StepAnswers:
        """Run a step, with no more workers than it has places; WorkerError when one has died."""
        active = self._workers[: load.places]
        for worker in active:
            worker.send((load, len(active)))
        await _receive_all(active)  # ready
        moment = time.perf_counter() + _HEAD_START
        for worker in active:
            worker.send(moment)
        received = await _receive_all(active)
        numbers: dict[Key, int] = {}
        for _, _, keys, _ in received:
            for key in keys:
                numbers.setdefault(key, len(numbers))
        whole = RequestRows(sys.maxsize)
        times = [0] * len(numbers)
        for rows, _, keys, each in received:
            whole.join(rows, [numbers[key] for key in keys])
            for key, came in zip(keys, each, strict=True):
                times[numbers[key]] += came
        for worker, (_, _, keys, _) in zip(active, received, strict=True):
            worker.send([times[numbers[key]] for key in keys])
            for key in keys:
                times[numbers[key]] = 0  # for the others
        quality = judge.nothing()
        for packed, (_, _, keys, _) in zip(await _receive_all(active), received, strict=True):
            quality.join(packed, [numbers[key] for key in keys])
        return whole, Health().figures([health for _, health, _, _ in received]), quality


@asynccontextmanager
async def process_pool(
    number: int, service: Service, judges: Mapping[int, Judge], top_k: int
) -> AsyncIterator[LoadProcessPool]:
    """Yield so many workers, which run while the block lasts."""
    async with workers(number, work, replace(service, processes=number), judges, top_k) as started:
        await _receive_all(started)  # ready
        yield LoadProcessPool(started)


async def _receive_all(workers: Sequence[Worker]) -> list[Any]:
    """Return the next message of each."""
    return await asyncio.gather(*(worker.receive() for worker in workers))
