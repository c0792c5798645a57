"""The members of `summary.json` and `--format json` of a run: exactly those of version 0.1."""

from dataclasses import asdict, dataclass, field
from typing import Any

from benchbench.client.service_record import JudgingOptions
from benchbench.measures.latency import Latency
from benchbench.results.estimates import Likeness, MeasureEstimate
from benchbench.tasks.count_sentences import bounded


@dataclass(frozen=True, slots=True)
class Value:
    """A measure's value with its standard error and 95 % interval, which a single query does not have."""

    value: float | None
    stderr: float | None = None
    low: float | None = None
    high: float | None = None
    interval: str | None = None  # how it was made; version 0.1 knew the bootstrap only
    design_effect: float | None = None  # where queries come in groups


@dataclass(frozen=True, slots=True)
class Throughput:
    """How many requests were sent, and in what time."""

    queries_per_second: float | None
    seconds: float | None
    requests: int
    attempts: int
    failed_attempts: int
    bytes: int


@dataclass(frozen=True, slots=True)
class RepeatDetails:
    """How much a service differs from itself: later passes over the same queries, each compared with the first."""

    passes: int  # the first included
    queries: int  # that were compared
    failed: tuple[int, ...]  # queries of each pass
    without_id: int  # hits of all passes; their queries are not compared
    agreement: tuple[Likeness, ...]
    measures: dict[str, dict[str, tuple[float, ...]]]  # by task and name: the value of each pass

    def spread(self, task: str, measure: str) -> float:
        """Return the largest value of a measure less the smallest."""
        values = self.measures[task][measure]
        return max(values) - min(values)


@dataclass(frozen=True, slots=True)
class RunDetails:
    """Every number of a run of one service; members that early folders do not have are empty."""

    signature: str
    name: str
    url: str
    counts: dict[str, int]
    unlabelled_hits: dict[str, int]
    queries_without_label: dict[str, int]
    hit_faults: dict[str, int]
    failures: dict[str, int]  # reason -> queries
    latency_ms: dict[str, float | None]
    throughput: Throughput
    client: dict[str, Any] = field(default_factory=dict)
    gates: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    defaults: list[str] = field(default_factory=list)  # sentences on what was done because nothing else was asked for
    measures: dict[str, dict[str, Value]] = field(default_factory=dict)  # by task
    repeats: RepeatDetails | None = None  # where there was more than one pass
    cluster: str = ""  # the column that intervals group the queries by
    clusters: int = 0  # its groups

    @property
    def estimates(self) -> list[MeasureEstimate]:
        """Return the values of the measures, in the order of the report; NaN where there is none."""
        return [
            MeasureEstimate(
                task, measure, _number(row.value), row.stderr, row.low, row.high, row.interval, row.design_effect
            )
            for task, measures in self.measures.items()
            for measure, row in measures.items()
        ]

    @property
    def bounded(self) -> list[str]:
        """Return the names of measures that look deeper than the service lets anybody, where it has such a limit."""
        return bounded(self.counts, self.names)

    @property
    def timed(self) -> int:
        """Return how many latencies there are: one per request, and one for all pages of a query."""
        return self.latency.timed

    @property
    def names(self) -> list[str]:
        """Return the names of the measures of any task, in the order of the report."""
        return list(dict.fromkeys(name for measures in self.measures.values() for name in measures))

    @property
    def latency(self) -> Latency:
        """Return times and rates."""
        work: dict[str, Any] = {name: _number(value) for name, value in asdict(self.throughput).items()}
        times = {name: _number(time) for name, time in self.latency_ms.items()}
        mean, longest, further = times.pop("mean"), times.pop("max"), self.counts.get("further_pages", 0)
        return Latency(**work, mean=mean, max=longest, percentiles=times, further_pages=further)

    @property
    def bottleneck(self) -> str | None:
        """Return a sentence when the client was the bottleneck."""
        return self.client.get("bottleneck")


@dataclass(frozen=True, slots=True)
class TargetsDetails:
    """Every number of every target, as its own `summary.json` has them."""

    targets: dict[str, RunDetails]


@dataclass(frozen=True, slots=True)
class Asked:
    """The settings that a record and its report need."""

    dataset: str
    batch_size: int
    concurrency: int
    criteria: JudgingOptions
    max_error_rate: float = 0.0


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
