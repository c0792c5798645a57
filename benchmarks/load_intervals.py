"""How often intervals of a load test cover the truth, and how often equal services are called different.

usage: python benchmarks/load_intervals.py [--tests 1000] [--pairs 1000] [--live 0]

Coverage: load tests of a queue whose latencies are known in law (M/M/1: arrivals and work at random, one server that
answers 125 requests/s), at several loads, durations and numbers of repeats; five seconds of warm-up. A 95 % interval
should cover the true value in 95 %.

Pairs: two load tests of the same service, six repeats each, compared as `benchbench compare` does. Of 1,000 pairs at
most 64 should have a false verdict on any of their numbers: 5 %, and what chance may add. The last columns have a
service that does take longer. `--live` loads two servers of the same collection on loopback by turns, that many times,
for two seconds per repeat.
"""

import argparse
import math
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl
from machine import describe

from benchbench.client.descriptions import profile
from benchbench.client.service import Service
from benchbench.comparison.load_pairs import COMPARED, compare_loads
from benchbench.comparison.stored_results import StoredLoad, stored_load
from benchbench.loads.intervals import blocks_of, intervals, parts_of, summary
from benchbench.loads.load_details import LoadDetails, LoadOptions, StepDetails

CAPACITY, WARM_UP = 125.0, 5.0
SIGNATURE = "data:same"
Law = Callable[[np.random.Generator, float, float], np.ndarray]


def queue(random: np.random.Generator, rate: float, duration: float, slower: float = 1.0) -> pl.DataFrame:
    """Return the requests of a queue with one server (Lindley's recursion, unrolled)."""
    expected = rate * (duration + WARM_UP)
    due = np.cumsum(random.exponential(1 / rate, int(expected + 8 * math.sqrt(expected) + 20))) - WARM_UP
    due = due[due < duration]
    work = random.exponential(slower / CAPACITY, len(due))
    behind = np.concatenate([[0.0], np.cumsum(work[:-1] - np.diff(due))])
    latency = behind - np.minimum.accumulate(behind) + work
    return frame(due, latency, np.zeros(len(due), np.bool_))


def steady(random: np.random.Generator, rate: float, duration: float, slower: float = 1.0) -> pl.DataFrame:
    """Return requests that do not wait for each other; each repeat is a few percent faster or slower as a whole."""
    due = np.arange(-WARM_UP, duration, 1 / rate)
    latency = slower * math.exp(random.normal(0, 0.03)) * random.lognormal(math.log(0.02), 0.4, len(due))
    return frame(due, latency, np.zeros(len(due), np.bool_))


def stalling(random: np.random.Generator, rate: float, duration: float, slower: float = 1.0) -> pl.DataFrame:
    """Return requests of a service that stands still now and then, and fails what waits longer than half a second."""
    due = np.arange(-WARM_UP, duration, 1 / rate)
    latency = slower * random.lognormal(math.log(0.01), 0.3, len(due))
    for begin in random.uniform(-WARM_UP, duration, random.poisson((duration + WARM_UP) / 5)):
        length = random.exponential(0.3)
        latency = np.maximum(latency, np.where((due >= begin) & (due < begin + length), begin + length - due, 0.0))
    return frame(due, np.minimum(latency, 0.5), latency > 0.5)


def frame(due: np.ndarray, latency: np.ndarray, failed: np.ndarray) -> pl.DataFrame:
    reasons = pl.Series(np.where(failed, "timed out", ""), dtype=pl.String).replace("", None)
    return pl.DataFrame({"counted": due >= 0, "due": due, "sent": due, "end": due + latency, "error": reasons})


def values_of(requests: pl.DataFrame, duration: float) -> dict[str, float | None]:
    """Return the numbers of a repeat that are compared."""
    blocks = blocks_of(requests, duration, 1)
    rate = blocks[0].completed / duration
    return {
        **summary(blocks, ""),
        "requests": float(blocks[0].requests),
        "queries_per_second": rate,
        "error_rate": blocks[0].failed / blocks[0].requests,
    }


def coverage(tests: int) -> None:
    print("| load | repeats | seconds each | mean | p50 | p90 | p99 | width of p99 |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    shares = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
    for rho in (0.5, 0.7, 0.8, 0.9):
        for repeats, duration in ((1, 30.0), (1, 120.0), (6, 10.0), (6, 30.0), (12, 30.0), (6, 120.0)):
            random = np.random.default_rng([int(100 * rho), repeats, int(duration)])
            mean = 1e3 / (CAPACITY * (1 - rho))
            true = {"mean": mean, **{name: -mean * math.log(1 - share) for name, share in shares.items()}}
            hit, there, widths = dict.fromkeys(true, 0), dict.fromkeys(true, 0), []
            for _ in range(tests):
                parts = [queue(random, rho * CAPACITY, duration) for _ in range(repeats)]
                blocks = [block for one in parts for block in blocks_of(one, duration, parts_of(repeats))]
                found = intervals(blocks, {"error_rate": 0.0, **summary(blocks, "")})
                for name, value in true.items():
                    if name in found:
                        there[name] += 1
                        hit[name] += found[name][0] <= value <= found[name][1]
                if "p99" in found:
                    widths.append(found["p99"][1] / found["p99"][0])
            cells = [f"{100 * hit[name] / there[name]:.1f}%" if there[name] else "–" for name in true]
            width = f"× {np.median(widths):.2f}" if widths else "–"
            print(f"| {rho:g} | {repeats} | {duration:g} | {' | '.join(cells)} | {width} |", flush=True)


def stored(name: str, repeats: list[dict[str, float | None]]) -> StoredLoad:
    """Return a load test as it is read from its folder."""
    step = StepDetails(name="step", values=repeats[0], failures={}, repeats=repeats)
    details = LoadDetails(
        signature=SIGNATURE, name=name, url="http://same", data_digest="", queries=1, tasks=("gold",), loop="open",
        interrupted=False, steps=[step],
    )  # fmt: skip
    options = LoadOptions(
        duration=10.0, warm_up=5.0, arrivals="poisson", batch_size=(1,), top_k=20, criteria={"cutoffs": (10,)}
    )
    return StoredLoad(Path(name), details, options)


def verdicts(law: Callable[..., pl.DataFrame], rate: float, pairs: int, slower: float, seed: int) -> dict[str, int]:
    """Return in how many pairs each number, and any, was called different."""
    random, found = np.random.default_rng(seed), dict.fromkeys((*COMPARED, "any"), 0)
    for _ in range(pairs):
        tests = [
            stored(name, [values_of(law(random, rate, 10.0, times), 10.0) for _ in range(6)])
            for name, times in (("a", 1.0), ("b", slower))
        ]
        different = {one.measure for one in compare_loads(tests).details().differences if one.direction}
        for name in different | ({"any"} if different else set()):
            found[name] += 1
    return found


def called_different(pairs: int) -> None:
    print("| service | p50 | p99 | mean | queries/s | error rate | any | any, where one is 10 % slower | 30 % |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    laws: dict[str, tuple[Callable[..., pl.DataFrame], float]] = {
        "queue at 0.5": (queue, 0.5 * CAPACITY),
        "queue at 0.8": (queue, 0.8 * CAPACITY),
        "no queue, repeats differ by 3 %": (steady, 100.0),
        "stalls and failures": (stalling, 100.0),
    }
    for name, (law, rate) in laws.items():
        found = verdicts(law, rate, pairs, 1.0, 1)
        power = [
            verdicts(law, rate, max(1, pairs // 5), slower, 2)["any"] / max(1, pairs // 5) for slower in (1.1, 1.3)
        ]
        cells = [*(f"{found[one]}" for one in (*COMPARED, "any")), *(f"{100 * share:.0f}%" for share in power)]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


@contextmanager
def served() -> Iterator[str]:
    """Serve the shipped collection from a process of its own; yield its URL."""
    import subprocess

    from benchbench.formats.datasets.locate import locate

    place = locate("synthetic-cases").served().path
    with subprocess.Popen(
        [sys.executable, "-m", "benchbench", "serve", str(place), "--quiet"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


def live(pairs: int) -> None:
    """Load two servers of the same collection by turns, and compare; then compare tests that were not by turns."""
    from benchbench.load_test import LoadSettings, run_by_turns
    from benchbench.loads.load_result import LoadFolder

    tests: dict[str, list[StoredLoad]] = {"a": [], "b": []}
    with served() as first, served() as second, tempfile.TemporaryDirectory() as place:
        for pair in range(pairs):
            settings = {
                name: LoadSettings(
                    "synthetic-cases",
                    Service(url, profile("benchbench"), connections=64),
                    rates=(100.0,), batch_sizes=(1,), duration=2.0, warm_up=0.3, arrivals="poisson", repeat=6,
                    seed=pair, max_in_flight=64, name=name,
                )
                for name, url in (("a", first), ("b", second))
            }  # fmt: skip
            for name, outcome in run_by_turns(settings).items():
                with LoadFolder(Path(place) / f"{name}{pair}") as folder:
                    for step in outcome.steps:
                        folder.append(step, pl.DataFrame({"number": [0]}))
                    folder.finish(outcome, dict)
                tests[name].append(stored_load(Path(place) / f"{name}{pair}"))
        print("| pairs | recorded | any verdict | p50 | p99 | mean | queries/s | error rate | largest noise of p99 |")
        print("|---:|---|---:|---:|---:|---:|---:|---:|---:|")
        later = [*tests["b"][1:], tests["b"][0]]
        for said, others in (("by turns", tests["b"]), ("one after the other", later)):
            found = [compare_loads(both, names=("a", "b")) for both in zip(tests["a"], others, strict=True)]
            differences = [one.details().differences for one in found]
            counts = [
                sum(bool(one.direction) for each in differences for one in each if one.measure == name)
                for name in COMPARED
            ]
            any_of = sum(any(one.direction for one in each) for each in differences)
            noise = max(one.noise or 0.0 for each in differences for one in each if one.measure == "p99")
            print(f"| {pairs} | {said} | {any_of} | {' | '.join(map(str, counts))} | {noise:.1f} ms |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", type=int, default=1000)
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--live", type=int, default=0)
    given = parser.parse_args()
    print(describe("numpy", "polars"))
    if given.tests:
        coverage(given.tests)
    if given.pairs:
        called_different(given.pairs)
    if given.live:
        live(given.live)
