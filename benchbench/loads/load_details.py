"""The members of `summary.json` and `--format json` of a load test, and the settings that a report shows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from benchbench.client.service_record import JudgingOptions
from benchbench.loads.load_options import NEVER_SENT
from benchbench.loads.over_time import Stretch
from benchbench.measures.default_list import leading
from benchbench.significance.shares import MeanInterval

FEW = 100  # requests: of fewer, p99 is the slowest
_PACES = ("requests_per_second", "queries_per_second")
_OF_LATENCY = ("", "sent_", "amortised_query_", "new_", "repeated_")  # before p50 and its like
BOUNDED = "†"  # behind the name of a measure that a limit of the service bounds


@dataclass(frozen=True, slots=True, kw_only=True)
class StepDetails:
    """A finished step."""

    name: str
    values: Mapping[str, float | None]  # None where there is nothing to measure
    failures: dict[str, int]  # reason -> requests, most frequent first
    counts: dict[str, int] = field(default_factory=dict)
    unlabelled_hits: dict[str, int] = field(default_factory=dict)  # by task
    hit_faults: dict[str, int] = field(default_factory=dict)
    saturation: str | None = None  # below, at or beyond; None in a closed loop, and where it is not known
    backlog: str | None = None  # a sentence when it is not below
    client_is_the_limit: str | None = None
    coordinated_omission: str | None = None
    broke: tuple[str, ...] = ()
    failed_gates: tuple[str, ...] = ()
    gates: tuple[dict[str, Any], ...] = ()  # as `results.checks.members` returns them
    histograms: dict[str, str] = field(default_factory=dict)
    intervals: Mapping[str, Sequence[float]] = field(default_factory=dict)  # low and high of values, by name
    interval_method: str | None = None
    quality_intervals: dict[str, MeanInterval] = field(default_factory=dict)  # of `asked`, by `task.M`
    change_intervals: dict[str, MeanInterval] = field(default_factory=dict)  # of `change`, by `task.M`
    repeats: Sequence[Mapping[str, float | None]] = ()  # values of each; none of a step run once
    over_time: list[Stretch] = field(default_factory=list)

    def number(self, name: str) -> float:
        """Return a value, 0 where there is none."""
        return self.values.get(name) or 0.0

    @property
    def level(self) -> float:
        """The rate, or the requests in flight; 0 where neither is known."""
        return self.number("concurrency") if self.values.get("rate") is None else self.number("rate")

    @property
    def is_few(self) -> bool:
        """Say that p99 is the slowest request."""
        return self.number("requests") < FEW

    @property
    def unsent(self) -> int:
        """Requests that the client never sent, since all places in flight were taken."""
        return sum(requests for reason, requests in self.failures.items() if reason.startswith(NEVER_SENT))

    @property
    def failed(self) -> int:
        """Requests that were sent, and failed."""
        return round(self.number("failed_requests")) - self.unsent

    @property
    def answered_none(self) -> bool:
        """Say that no counted request was answered."""
        return 0.0 < self.number("requests") <= self.number("failed_requests")


@dataclass(frozen=True, slots=True, kw_only=True)
class Highest:
    """The highest rate at which the condition held, with batches of one size; None when there was none."""

    batch_size: int
    rate: float | None
    limited_by_client: bool
    refused: float | None = None  # the lowest rate at which it did not
    reasons: tuple[str, ...] = ()  # why it did not
    confirmed: bool | None = None  # by a step of its own; None where nobody tried
    confirmation: str = ""  # what that step had for p99, or why the rate is not confirmed


@dataclass(frozen=True, slots=True, kw_only=True)
class RateSearch:
    """A search for the highest rate."""

    condition: str
    found: list[Highest]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencePassDetails:
    """The pass before the first step: its queries, how many of them have a value, and why the others have none."""

    asked: int
    answered: int
    failures: dict[str, int] = field(default_factory=dict)  # reason -> requests, most frequent first


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadDetails:
    """A load test. Members that version 0.1 did not write have a default."""

    signature: str = ""
    name: str = ""
    url: str
    data_digest: str
    queries: int
    counts: dict[str, int] = field(default_factory=dict)  # of the data set
    queries_without_label: dict[str, int] = field(default_factory=dict)  # by task
    tasks: tuple[str, ...]
    loop: Literal["open", "closed"]
    interrupted: bool
    reference: ReferencePassDetails | None = None  # None where there was no reference pass
    steps: list[StepDetails]
    find_max: RateSearch | None = None
    cluster: str = ""  # the column that intervals of quality group the queries by
    clusters: int = 0  # its groups
    assumed: tuple[str, ...] = ()  # sentences on how hits were judged
    defaults: tuple[str, ...] = ()  # … and on what was done because nothing else was asked for

    @property
    def names(self) -> list[str]:
        """Return the names of the measures of any task, in the order of the report."""
        fronts, values = [f"asked.{task}." for task in self.tasks], self.steps[0].values if self.steps else {}
        names = [name.removeprefix(front) for front in fronts for name in values if name.startswith(front)]
        return list(dict.fromkeys(names))

    @property
    def leading(self) -> str:
        """Return the measure that is shown where there is room for one; empty where no step was finished."""
        return leading(names) if (names := self.names) else ""

    def is_part(self, step: StepDetails) -> bool:
        """Say that a step asked a part of the queries only."""
        return 0 < step.number("queries_asked") < self.queries

    def total(self, name: str) -> float:
        """Return the sum of a number over all steps."""
        return sum(step.number(name) for step in self.steps)

    def reported(self) -> "LoadDetails":
        """Return the test without pace and latencies of steps of which no counted request was answered.

        What was answered in such a step was due in the warm-up, and what its requests waited for never came.
        """
        from benchbench.loads.metrics import MARKS  # with histograms, which comparisons of runs do without

        of_answers = {*_PACES, *(f"{prefix}{mark}" for prefix in _OF_LATENCY for mark in MARKS)}
        steps = []
        for step in self.steps:
            if step.answered_none:
                values = {**step.values, **dict.fromkeys(step.values.keys() & of_answers)}
                step = replace(step, values=values, intervals={}, interval_method=None)
            steps.append(step)
        return replace(self, steps=steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadOptions:
    """The settings of a load test that a report shows."""

    duration: float
    warm_up: float
    arrivals: str
    batch_size: tuple[int, ...]
    top_k: int
    criteria: JudgingOptions
    dataset: str | None = None
    order: str = "sequential"  # as version 0.1 asked
    repeat: int = 1
    trace: str | None = None
    speed: float = 1.0
    max_in_flight: int = 256
    turns: str | None = None  # an id that tests have in common that were run by turns


def scoped(details: LoadDetails) -> Iterator[tuple[dict[str, str], StepDetails]]:
    """Yield each step with the scope of its numbers; a load that was run again has one of its own."""
    before: list[str] = []
    for step in details.steps:
        before.append(step.name)
        times = before.count(step.name)
        yield {"step": step.name if times == 1 else f"{step.name} ({times})"}, step
