"""The options of a load test that are settings as they stand."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from benchbench.results.ranges import BATCH, PLACES, RATE, REPEATS, SECONDS, SPEED, TIMEOUT
from benchbench.results.settings import AS_MEASURES_NEED, Cluster, Depth, Encoding, Opt, Seed, SkipBadLines, Workers

Arrivals = Literal["constant", "poisson"]
Order = Literal["shuffle", "sequential", "zipf"]

CONCURRENCIES = (1, 2, 4, 8)  # of a closed loop, where nobody names one


@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)  # a base
class StepOptions:
    """The options of a load test that are settings as they stand."""

    rates: Annotated[
        tuple[float, ...],
        Opt("Open loop: requests due per second, e.g. 50,100,200.", RATE, ("--rate",), instead_of=("concurrencies",)),
    ] = ()
    concurrencies: Annotated[
        tuple[int, ...],
        Opt(
            "Closed loop: requests under way at once.",
            PLACES,
            ("--concurrency",),
            "1,2,4,8",
            instead_of=("rates", "find_max"),
        ),
    ] = ()
    duration: Annotated[float, Opt("Time for which each step is measured.", TIMEOUT, is_time=True)] = 30.0
    warm_up: Annotated[float, Opt("Time under the same load before a step is measured.", SECONDS, is_time=True)] = 5.0
    batch_sizes: Annotated[
        tuple[int, ...],
        Opt(
            "Queries per request; each step is run with each value.",
            BATCH,
            ("--batch-size",),
            "32, or 1 where the protocol takes one",
        ),
    ] = ()
    arrivals: Annotated[Arrivals, Opt("Open loop: arrivals evenly spaced, or like independent users.")] = "constant"
    seed: Seed = 0
    order: Annotated[
        Order,
        Opt("Which queries to send: all in random order, all in file order, or some far more often than others."),
    ] = "shuffle"
    reference: Annotated[
        bool,
        Opt(
            "Ask all queries once before the first step, as the reference for each step.",
            flags=("--reference/--no-reference",),
            default="yes",
        ),
    ] = True
    repeat: Annotated[int, Opt("How often each step is run; six give intervals that compare can use.", REPEATS)] = 1
    trace: Annotated[
        str | Path | None,
        Opt(
            "Open loop: send one query at each time in this file (JSONL, CSV, TSV), instead of --rate.",
            instead_of=("rates", "concurrencies", "find_max", "batch_sizes"),
        ),
    ] = None
    speed: Annotated[float, Opt("Speed-up factor when replaying a --trace.", SPEED)] = 1.0
    max_in_flight: Annotated[int, Opt("Open loop: most requests under way at once.", PLACES)] = 256
    workers: Workers = 1
    find_max: Annotated[
        str | None,
        Opt(
            "Search for the highest rate at which this holds, e.g. 'p99<200ms and errors<1%'.",
            metavar="CONDITION",
            instead_of=("concurrencies",),
        ),
    ] = None
    top_k: Depth = AS_MEASURES_NEED
    skip_bad_lines: SkipBadLines = False
    cluster: Cluster = None
    encoding: Encoding = None
