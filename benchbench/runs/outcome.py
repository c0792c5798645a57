"""A finished run. Reports show these numbers and compute none."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import polars as pl

from benchbench.measures.aggregate import Estimate
from benchbench.measures.latency import Latency
from benchbench.measures.signature import Signature
from benchbench.results.record import GateResult
from benchbench.runs.settings import CHUNK, Settings
from benchbench.tables.queries import Queries


@dataclass(frozen=True, slots=True)
class Chunk:
    """What consecutive queries brought, ready to be written."""

    hits: pl.DataFrame
    requests: pl.DataFrame
    run_lines: str  # TREC run for the gold task


@dataclass(frozen=True, slots=True)
class Outcome:
    """The numbers of one service."""

    settings: Settings
    url: str
    queries: Queries
    tasks: tuple[str, ...]
    estimates: list[Estimate]
    rows: Callable[[int, int], pl.DataFrame]  # of `per_query`, from the first to before the last
    counts: dict[str, int]
    unlabelled_hits: dict[str, int]
    queries_without_label: dict[str, int]
    faults: dict[str, int]
    failures: dict[str, int]  # reason -> queries
    latency: Latency
    client: dict[str, float]  # `client.health`
    bottleneck: str | None  # a sentence when the client was it
    gates: list[GateResult]
    signature: Signature
    unmatched: str | None  # a sentence when no hit is a positive

    @property
    def per_query(self) -> pl.DataFrame:
        """Return a row a query: id, latency, failure, counts of hits, `task.measure@k`."""
        return self.rows(0, len(self.queries))

    def per_query_parts(self) -> Iterator[pl.DataFrame]:
        """Yield the same a part at a time: a million queries as float64 are more than half a gigabyte."""
        for first in range(0, len(self.queries), CHUNK):
            yield self.rows(first, min(first + CHUNK, len(self.queries)))
