"""The options of a load test that are settings as they stand."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from benchbench.results.ranges import BATCH, PLACES, RATE, REPEATS, SECONDS, SPEED, TIMEOUT
from benchbench.results.settings import AS_MEASURES_NEED, Cluster, Depth, Encoding, Opt, Seed, SkipBadLines, Workers

Arrivals = Literal["constant", "poisson"]
Order = Literal["shuffle", "sequential", "zipf"]

NEVER_SENT = "never sent"  # how the reason begins where no place in flight became free for a request
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
    warm_up: Annotated[float, Opt("Time under load before a step counts.", SECONDS, is_time=True)] = 5.0
    batch_sizes: Annotated[
        tuple[int, ...],
        Opt(
            "Queries per request; several in turn.",
            BATCH,
            ("--batch-size",),
            "32, or 1",
        ),
    ] = ()
    arrivals: Annotated[Arrivals, Opt("Open loop.")] = "constant"
    seed: Seed = 0
    order: Annotated[
        Order,
        Opt("Order."),
    ] = "shuffle"
    reference: Annotated[
        bool,
        Opt(
            "Ask once first, to compare with.",
            flags=("--reference/--no-reference",),
            default="yes",
        ),
    ] = True
    repeat: Annotated[int, Opt("Times that each step is run, in turn.", REPEATS)] = 1
    trace: Annotated[
        str | Path | None,
        Opt(
            "Send at the times in this file, not by --rate.",
            instead_of=("rates", "concurrencies", "find_max", "batch_sizes"),
        ),
    ] = None
    speed: Annotated[float, Opt("Speed-up factor when replaying a --trace.", SPEED)] = 1.0
    max_in_flight: Annotated[int, Opt("Open loop: most requests under way at once.", PLACES)] = 256
    workers: Workers = 1
    find_max: Annotated[
        str | None,
        Opt(
            "Search for the highest rate: 'p99<200ms'.",
            metavar="CONDITION",
            instead_of=("concurrencies",),
        ),
    ] = None
    top_k: Depth = AS_MEASURES_NEED
    skip_bad_lines: SkipBadLines = False
    cluster: Cluster = None
    encoding: Encoding = None
