"""A run as reports draw it: the numbers of its record, and what of its details is no number."""

from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from benchbench.client.service_record import SCOPED, JudgingOptions
from benchbench.measures.latency import PERCENTILES, Latency
from benchbench.results.estimates import Likeness, MeasureEstimate
from benchbench.results.old_names import Entries, Old, Part, parts
from benchbench.results.record import Number
from benchbench.results.result import Result
from benchbench.tasks.count_sentences import bounded

WORK = ("requests", "attempts", "failed_attempts", "bytes")  # counts of what was sent
RATES = ("queries_per_second", "seconds")
_PERCENTILES = tuple(f"p{percent:g}" for percent in PERCENTILES)
_MEMBERS = ("value", "stderr", "low", "high")
OLD_NAMES: tuple[Old | str, ...] = (
    *("signature", "name", "url"),
    Old("counts", of="counts"),
    *(Old(name, (key,), "counts", (name,)) for name, key in SCOPED.items()),
    Old("failures", of="failures"),
    Old("latency_ms", names=("mean", *_PERCENTILES, "max")),
    Old("throughput", names=RATES),
    Old("throughput", of="counts", names=WORK),
    *("client", "gates", "warnings", "defaults"),
    Old("measures", ("task", "name"), members=_MEMBERS),
    *("repeats", "cluster", "clusters"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureDetails:
    """What else there is to say of the value of a measure."""

    interval: str | None = None  # how it was made; version 0.1 knew the bootstrap only
    design_effect: float | None = None  # where queries come in groups


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDetails:
    """What `summary.json` has of a run that its record has not; members that early folders do not have are empty."""

    client: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    defaults: list[str] = field(default_factory=list)  # sentences on what was done because nothing else was asked for
    measures: dict[str, dict[str, MeasureDetails]] = field(default_factory=dict)  # by task
    repeats: RepeatDetails | None = None  # where there was more than one pass
    cluster: str = ""  # the column that intervals group the queries by
    clusters: int = 0  # its groups


@dataclass(frozen=True, slots=True)
class TargetsDetails:
    """The details of every target."""

    targets: dict[str, RunDetails]


class Run(Part):
    """A run of one service: its part of a record, and its details."""

    def __init__(self, part: Part, details: RunDetails) -> None:
        """Take what belongs together."""
        super().__init__(part.record, part.scope, part.subject, part.file)
        self.details = details
        self.client, self.repeats, self.cluster = details.client, details.repeats, details.cluster
        self.warnings = details.warnings
        self.bottleneck: str | None = details.client.get("bottleneck")  # a sentence when the client was that
        self.names = list(dict.fromkeys(name for measures in details.measures.values() for name in measures))

    @cached_property
    def counts(self) -> dict[str, int]:
        """The counts of queries and hits."""
        every = self.entries("counts")
        return Entries(((name, count.count) for name, count in every if name not in WORK), self.file)

    @cached_property
    def measures(self) -> dict[str, dict[str, Number]]:
        """The values of the measures by task, in the order of the report."""
        by_task = self.numbers_by("task")
        return {task: {name: by_task[task][name] for name in names} for task, names in self.details.measures.items()}

    @property
    def estimates(self) -> list[MeasureEstimate]:
        """Return the values of the measures, in the order of the report; NaN where there is none."""
        return [
            MeasureEstimate(
                task=task,
                measure=name,
                value=_number(number.value),
                **{member: getattr(number, member) for member in _MEMBERS[1:]},
                **asdict(self.details.measures[task][name]),
            )
            for task, measures in self.measures.items()
            for name, number in measures.items()
        ]

    @property
    def bounded(self) -> list[str]:
        """Return the names of measures that look deeper than the service lets anybody, where it has such a limit."""
        return bounded(self.counts, self.names)

    @cached_property
    def latency(self) -> Latency:
        """Times and rates."""
        sent = Entries(((name, count.count) for name, count in self.entries("counts")), self.file)
        work: dict[str, Any] = {name: sent[name] for name in WORK}
        work |= {name: _number(self.numbers[name].value) for name in (*RATES, "mean", "max")}
        times = {name: _number(self.numbers[name].value) for name in _PERCENTILES}
        return Latency(**work, percentiles=times, further_pages=self.counts.get("further_pages", 0))


def run_of(result: Result) -> Run:
    """Return the run of a result of one service."""
    return Run(Part(result.record), result.details_as(RunDetails))


def runs_of(result: Result) -> dict[str, Run]:
    """Return the run of each target."""
    details = result.details_as(TargetsDetails).targets
    return {target: Run(part, details[target]) for target, part in parts(result.record, "target").items()}


@dataclass(frozen=True, slots=True)
class AskedOptions:
    """The settings that a record and its report need."""

    dataset: str
    batch_size: int
    concurrency: int
    criteria: JudgingOptions
    max_error_rate: float = 0.0


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
