"""How often `load --find-max` names a rate that the service cannot keep up with, and how far off Poisson arrivals are.

usage: python benchmarks/load_search.py [--searches 200] [--steps 1000]

Rates: steps with Poisson arrivals; the rate that was offered over the one that was asked for.

Searches: `p99<300ms` of queues that complete 100 requests/s, with Poisson arrivals, in virtual time; steps of 10 s
after five seconds of warm-up. The queue has one server, and work that always takes as long (M/D/1) or is
exponential (M/M/1). A rate of 100/s or more is one that it cannot hold: the queue grows for ever.
"""

import argparse
import asyncio
from dataclasses import replace

import numpy as np
import polars as pl
from machine import describe

from benchbench.load_test import _search
from benchbench.loads.driver import due_times
from benchbench.loads.intervals import blocks_of, summary
from benchbench.loads.metrics import window
from benchbench.loads.step import Load
from benchbench.loads.step_result import Step
from benchbench.measures.gate_names import parse_gate

CAPACITY = 100.0
CONDITION = parse_gate("p99<300ms", option="--find-max")


def queue(load: Load, exponential: bool, random: np.random.Generator) -> Step:
    """Return a step on a queue with one server (Lindley's recursion, unrolled)."""
    due = load.due_times()
    assert due is not None
    work = random.exponential(1 / CAPACITY, len(due)) if exponential else np.full(len(due), 1 / CAPACITY)
    behind = np.concatenate([[0.0], np.cumsum(work[:-1] - np.diff(due))])
    latency = behind - np.minimum.accumulate(behind) + work
    times = dict.fromkeys(("due", "dispatched", "placed", "sent"), due)
    error = pl.Series([None] * len(due), dtype=pl.String)
    requests = pl.DataFrame({"counted": due >= 0, **times, "end": due + latency, "error": error})
    seen, blocks = window(load, requests), blocks_of(requests, load.duration, 6)
    counted = float((due >= 0).sum())
    values = {"rate": load.rate, "batch_size": 1.0, "requests": counted, "failed_requests": 0.0, "late_by_client": 0.0}
    values |= {"error_rate": 0.0, **seen.values, **summary(blocks, "")}
    step = Step(load=load, values=values, saturation=seen.state, blocks=blocks)
    return replace(step, broke=step.breaks(CONDITION))


def searches(number: int) -> None:
    print("| queue | seconds of a step | median rate | 100/s or more | confirmed | of these 100/s or more |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, exponential in (("M/D/1", False), ("M/M/1", True)):
        for duration in (10.0,):
            found = []
            for seed in range(number):
                random = np.random.default_rng([seed, exponential])

                async def measure(load: Load, exponential: bool = exponential, random=random) -> Step:
                    return queue(load, exponential, random)

                load = Load(
                    batch_size=1,
                    rate=8.0,
                    places=4096,
                    warm_up=5.0,
                    duration=duration,
                    patience=10.0,
                    arrivals="poisson",
                    seed=seed,
                    stream=(0,),
                )
                found.append(asyncio.run(_search(load, measure, CONDITION)))
            rates = np.array([one.rate or 0.0 for one in found])
            sure, beyond = np.array([bool(one.confirmed) for one in found]), rates >= CAPACITY
            row = f"{beyond.sum()} of {number} | {sure.sum()} | {(beyond & sure).sum()}"
            print(f"| {name} | {duration:g} | {np.median(rates):.1f} | {row} |", flush=True)


def rates(steps: int) -> None:
    print("| requests/s | seconds | offered over asked for, smallest | largest |")
    print("|---:|---:|---:|---:|")
    for rate, duration in ((50.0, 6.0), (50.0, 30.0), (22.5, 40.0), (100.0, 30.0)):
        counts = [(due_times("poisson", rate, 5.0, duration, seed) >= 0.0).sum() for seed in range(steps)]
        shares = np.array(counts) / rate / duration
        print(f"| {rate:g} | {duration:g} | {shares.min():.4f} | {shares.max():.4f} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--searches", type=int, default=200)
    parser.add_argument("--steps", type=int, default=1000)
    given = parser.parse_args()
    print(describe("numpy", "polars"))
    rates(given.steps)
    searches(given.searches)
