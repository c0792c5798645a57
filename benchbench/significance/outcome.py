"""A comparison with what it was made from, ready to be shown. Reports show these numbers and compute none."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from benchbench.kernels.arrays import F64
from benchbench.results.record import GateResult
from benchbench.significance.result import Comparison, Difference


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


@dataclass(frozen=True, slots=True, repr=False)
class Outcome:
    """Everything that a report shows."""

    comparison: Comparison
    systems: tuple[System, ...]
    moved: Mapping[tuple[str, str], tuple[int, ...]]  # (baseline, system) -> places in `evidence`, greatest move first
    moved_by: str  # the measure that `moved` goes by
    evidence: tuple[Evidence, ...]  # of all queries, or of the extremes where there are many
    gates: tuple[GateResult, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Return what was compared: baseline and system, in the order of the differences."""
        return tuple(dict.fromkeys((one.baseline, one.system) for one in self.comparison.differences))

    def frame(self) -> pl.DataFrame:
        """Return the differences, a row a measure and pair: means, interval, p-values, effect, wins and losses."""
        comparison, rows = self.comparison, []
        for one in comparison.differences:
            values = {name: getattr(one, name) for name in Difference.__slots__ if name not in ("p", "corrected")}
            row = {
                **{name: values.pop(name) for name in ("measure", "baseline", "system")},
                "baseline_mean": comparison.estimate(one.measure, one.baseline).mean,
                "system_mean": comparison.estimate(one.measure, one.system).mean,
                **{("difference" if name == "mean" else name): value for name, value in values.items()},
                **{f"p_{test}": value for test, value in one.p.items()},
                **{f"corrected_{test}": value for test, value in one.corrected.items()},
            }
            rows.append(row)
        return pl.DataFrame(rows)

    def __repr__(self) -> str:
        """Show the differences, and not a thousand hits."""
        return repr(self.frame())

    def _repr_html_(self) -> str:
        """Show the same in a notebook."""
        return self.frame()._repr_html_()
