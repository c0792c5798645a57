"""A comparison with what it was made from, ready to be shown. Reports show these numbers and compute none."""

from collections.abc import Mapping
from dataclasses import dataclass

from benchbench.compare.result import Comparison
from benchbench.kernels.arrays import F64


@dataclass(frozen=True, slots=True)
class Document:
    """A document of a query: retrieved, or judged relevant."""

    id: str
    grade: float | None  # None: never judged
    relevant: bool
    rank: int | None = None  # from 1; None where it was not retrieved
    score: float | None = None
    text: str | None = None  # None where no collection is at hand


@dataclass(frozen=True, slots=True)
class Evidence:
    """One query: what was asked, what each system returned, and what was relevant."""

    number: int  # of the query in `comparison.paired`
    text: str | None
    hits: Mapping[str, tuple[Document, ...]]  # by system, by rank
    relevant: tuple[Document, ...]  # best grade first


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast a system was while it was asked, of a results folder."""

    batch_size: int
    concurrency: int
    queries_per_second: float
    latencies: F64  # milliseconds, a successful request each, ascending
    percentiles: Mapping[str, float]  # "p50" -> milliseconds


@dataclass(frozen=True, slots=True)
class LoadStep:
    """One step of a load test, of its results folder."""

    label: str
    batch_size: int
    queries_per_second: float
    p50: float  # milliseconds from the time a request was due
    p99: float
    errors: float  # share of requests
    quality: Mapping[str, float]  # measures over all queries asked


@dataclass(frozen=True, slots=True)
class System:
    """One of the systems compared."""

    name: str
    source: str  # the file or folder as it was named
    signature: str
    counts: Mapping[str, int]  # queries: judged, returned, missing, …
    speed: Speed | None = None
    load: tuple[LoadStep, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a gate; `failure` is a sentence with value and bound, or None where it did not fail."""

    gate: str
    failure: str | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything that a report shows."""

    comparison: Comparison
    systems: tuple[System, ...]
    moved: Mapping[tuple[str, str], tuple[int, ...]]  # (baseline, system) -> places in `evidence`, greatest move first
    moved_by: str  # the measure that `moved` goes by
    evidence: tuple[Evidence, ...]  # of all queries, or of the extremes where there are many
    gates: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()
