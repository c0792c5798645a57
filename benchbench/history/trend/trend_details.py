"""The members of a trend, as JSON has them: runs in their order, and lines of values beside them; and its record.

The record has the latest value of each measure, its change since the run before, and its drift.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Literal

from msgspec import Struct, field

from benchbench.history.changed import ChangedDetails
from benchbench.results.environment import environment
from benchbench.results.estimates import Estimate
from benchbench.results.gates import kind_and_name
from benchbench.results.record import Better, Data, Note, Number, Record, Subject, counts_of, record, settings_of
from benchbench.results.result import Result

Order = Literal["recording", "time"]
LAST = 10  # runs that a text has a row of
_LIBRARIES = ("numpy", "polars")


class TrendRunDetails(Struct, frozen=True, kw_only=True):
    """A run of the trend."""

    number: int  # order of recording, from 1
    id: str
    started: str  # UTC, ISO 8601
    status: str = "complete"
    commit: str = ""
    branch: str = ""
    tags: dict[str, str] = field(default_factory=dict)
    series: int = 0  # place in `series`
    changed: list[ChangedDetails] = field(default_factory=list)  # since the run before it in its series
    more_changed: int = 0  # beyond those listed
    goes_back: bool = False  # it began before the run ahead of it

    @property
    def counts(self) -> bool:
        """Whether its values go into statistics: a failed or interrupted run has too few answers to speak of."""
        return self.status == "complete"


class TrendSeriesDetails(Struct, frozen=True, kw_only=True):
    """Runs that may be put in one line; the first series is that of the last run."""

    key: str
    signature: str
    short: str  # digits of the rules in it
    data: str
    runs: int
    differs: list[str] = field(default_factory=list)  # what of its rules or data is otherwise than in the first series


class PointDetails(Struct, frozen=True, kw_only=True):
    """A change of a measure; runs are places in `runs`."""

    before: int  # last run before it
    after: int  # first run after it
    earliest: int  # first runs after it that the values leave open
    latest: int
    from_level: float  # median of the runs before it, back to the change before
    to_level: float
    p: float
    mark: str  # ▲ better, ▼ worse, ○ where neither direction is an improvement
    said: str  # what fell or rose, and from what to what
    where: str  # between which commits and runs


class DriftDetails(Struct, frozen=True, kw_only=True):
    """The slope of a measure over the runs since its last change."""

    per_run: float
    low: float
    high: float
    p: float
    over: int  # runs
    first: int  # place of the first of them
    at_first: float  # the value of the slope at the first and at the last of them
    at_last: float
    shown: bool  # it is more than chance
    mark: str
    said: str


class CycleDetails(Struct, frozen=True):
    """A sine in the values of a measure."""

    period: float  # runs
    amplitude: float  # how far it goes up and down
    said: str


class LineDetails(Struct, frozen=True, kw_only=True):
    """A measure, of all queries or of a slice; values stand beside the runs."""

    measure: str
    values: list[float | None]
    low: list[float | None]
    high: list[float | None]
    n: list[int | None]
    slice: str = ""
    scope: dict[str, str] = field(default_factory=dict)
    name: str = ""  # without its scope
    unit: str = ""
    better: Better | Literal[""] = ""
    latest: int | None = None  # place of the last run that counts, in the first series
    before: int | None = None  # place of the run before that
    change: float | None = None  # from that to the latest
    points: list[PointDetails] = field(default_factory=list)
    drift: DriftDetails | None = None
    either: bool = False  # the values do not tell steps from a drift
    missing: int = 0  # runs without a value
    cycles: list[CycleDetails] = field(default_factory=list)  # of the first series; changes and drift are beside them

    @property
    def value(self) -> float | None:
        """The latest value."""
        return None if self.latest is None else self.values[self.latest]

    def is_apart(self, first: int, second: int) -> bool:
        """Say whether the intervals of two runs, by their places, do not overlap."""
        one, other = (Estimate(self.values[at], self.low[at], self.high[at]) for at in (first, second))
        return one.is_apart(other)


class AlertDetails(Struct, frozen=True, kw_only=True):
    """An alert on a measure; it is open where nothing says when it ended."""

    measure: str
    began: int  # number of the run
    began_at: str
    said: str
    ended: int | None = None
    ended_at: str = ""
    ended_why: str = ""
    series: int = 0

    @property
    def is_open(self) -> bool:
        """Whether it has not ended."""
        return not self.ended_at


class AcceptedDetails(Struct, frozen=True):
    """A change that was accepted: gates compare with the runs from this one on."""

    run: int  # number of the first run of the new reference
    at: str
    by: str
    reason: str
    series: int = 0


class StandingsDetails(Struct, frozen=True):
    """The values of a measure of several systems, or names, after each of the last versions."""

    measure: str
    better: str
    versions: list[str]  # first digits of commits, or #12
    names: list[str]  # that of the trend first
    values: list[list[float | None]]  # of each name after each version; None before it was measured

    def ranks(self, version: int) -> list[int | None]:
        """Return the rank of each name after a version, from 1; equal values share one."""
        column = [values[version] for values in self.values]
        known = [value for value in column if value is not None]
        return [
            None
            if value is None
            else 1 + sum(other > value if self.better == "higher" else other < value for other in known)
            for value in column
        ]


class TrendDetails(Struct, frozen=True, kw_only=True):
    """The members of a trend."""

    name: str = ""
    kind: str = ""
    data: str = ""
    order: Order = "recording"
    by: str = ""  # column of the breakdown
    alpha: float = 0.01  # of change points and drift
    recorded: int = 0  # runs that were asked for; `runs` may be the last of them
    runs: list[TrendRunDetails] = field(default_factory=list)
    series: list[TrendSeriesDetails] = field(default_factory=list)
    lines: list[LineDetails] = field(default_factory=list)
    slices: list[LineDetails] = field(default_factory=list)
    alerts: list[AlertDetails] = field(default_factory=list)
    accepted: list[AcceptedDetails] = field(default_factory=list)
    found: list[tuple[str, str]] = field(default_factory=list)  # what it comes to, each sentence with its mark
    advice: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    standings: StandingsDetails | None = None  # where several systems, or names, may be compared

    def place(self, number: int) -> int | None:
        """Return the place of a run by its number; None where it is not shown."""
        return next((place for place, run in enumerate(self.runs) if run.number == number), None)

    @property
    def open_first(self) -> list[AlertDetails]:
        """The alerts, open ones first, then by the runs with which they began, the latest first."""
        return sorted(self.alerts, key=lambda alert: (not alert.is_open, -alert.began))

    def slices_of(self, line: LineDetails) -> list[LineDetails]:
        """Return the lines of the slices of a measure."""
        return [part for part in self.slices if part.measure == line.measure]


@dataclasses.dataclass(eq=False)
class Trend(Result):
    """Results of one name over time."""

    found: TrendDetails
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    began: float = 0.0

    kind = "history_trend"

    def details(self) -> TrendDetails:
        """Return the members of JSON."""
        return self.found

    def to_record(self) -> Record:
        """Return the record; its signature and its data are those of the first series."""
        trend, first = self.found, self.found.series[0]
        return record(
            self.kind,
            self.began,
            name=trend.name,
            subject=[Subject(name=trend.name, source=str(self.options.get("store", "")), signature=first.signature)],
            data=Data(name=trend.data or None),
            signature=first.signature,
            settings=settings_of(self.options),
            environment=environment(_LIBRARIES),
            numbers=[number for line in (*trend.lines, *trend.slices) for number in numbers(line)],
            counts=counts_of(
                {
                    "runs": len(trend.runs),
                    "failed_runs": sum(not run.counts for run in trend.runs),
                    "series": len(trend.series),
                    "change_points": sum(len(line.points) for line in trend.lines),
                    "open_alerts": sum(alert.is_open for alert in trend.alerts),
                }
            ),
            notes=[Note(text=text) for text in trend.notes],
        )


def numbers(line: LineDetails) -> Iterator[Number]:
    """Yield the numbers of a line: the latest value; of all queries also its change and its drift."""
    at, drift = line.latest, line.drift
    scope = {**line.scope, **({"slice": line.slice} if line.slice else {})}
    number = partial(Number, unit=line.unit, better=line.better or None, scope=scope)
    ends: dict[str, Any] = {} if at is None else {"low": line.low[at], "high": line.high[at], "n": line.n[at]}
    yield number(name=line.name, value=line.value, **ends)
    if line.slice or kind_and_name(line.name)[0]:  # a change of a difference has no name that a gate could read
        return
    yield number(name=f"change {line.name}", value=line.change)
    ends = {} if drift is None else {"low": drift.low, "high": drift.high, "n": drift.over}
    yield number(name=f"drift {line.name}", value=None if drift is None else drift.per_run, **ends)
