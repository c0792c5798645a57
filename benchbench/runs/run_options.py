"""The options of a run that are settings as they stand."""

from dataclasses import dataclass
from typing import Annotated

from benchbench.results.ranges import COUNT, PASSES
from benchbench.results.settings import (
    AS_MEASURES_NEED,
    AS_PROTOCOL_ALLOWS,
    USUAL_GIVE_UP_AFTER,
    BatchSize,
    Cluster,
    Concurrency,
    Depth,
    Encoding,
    GiveUpAfter,
    MaxErrorRate,
    Opt,
    Seed,
    SkipBadLines,
    Workers,
)

CHUNK = 4096  # queries judged together; no number depends on it


@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)  # a base
class RunOptions:
    """The options of a run that are settings as they stand."""

    batch_size: BatchSize = AS_PROTOCOL_ALLOWS
    top_k: Depth = AS_MEASURES_NEED
    limit: Annotated[int | None, Opt("Queries to ask, drawn with --seed.", COUNT, default="all")] = None
    seed: Seed = 0
    concurrency: Concurrency = 8
    workers: Workers = 1
    max_error_rate: MaxErrorRate = 0.0
    cluster: Cluster = None
    give_up_after: GiveUpAfter = USUAL_GIVE_UP_AFTER
    skip_bad_lines: SkipBadLines = False
    chunk: Annotated[int, Opt("Queries judged and stored together; it changes no result.", COUNT)] = CHUNK
    repeat: Annotated[int, Opt("Passes over the queries; repeats measure how much the service varies.", PASSES)] = 1
    encoding: Encoding = None
