"""What JSON has of a check, and what its layout draws: per series and measure the verdict and what it rests on."""

from dataclasses import dataclass, field
from typing import Literal

from benchbench.history.changed import ChangedDetails
from benchbench.results.record import Better

WORSE, BETTER, NOT_WORSE, OPEN, TOO_LITTLE = "worse", "better", "not worse", "no measurable change", "too little data"
FAILED = "failed"  # nothing to judge: the latest run failed, or all of its queries did


@dataclass(frozen=True, slots=True)
class CheckedRun:
    """A run of a series."""

    number: int
    id: str
    started: str = ""
    commit: str = ""


@dataclass(frozen=True, slots=True)
class ReferenceDetails:
    """What later runs are held against: the mean per query of these runs, since it was made.

    Attributes
    ----------
    runs
        In their order; some may have been deleted since.
    made_at
        When the first check saw all of them, UTC.
    reason, by
        Of the accepted change that they began with; empty for the first reference of a series.
    rebuilt
        Its file was lost, and it was made again from the runs.
    """

    runs: list[CheckedRun]
    made_at: str
    reason: str = ""
    by: str = ""
    rebuilt: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowDetails:
    """The test of the mean of the last runs against the reference; differences in the unit of the measure.

    Attributes
    ----------
    runs
        How many of the last.
    difference, low, high
        Of their mean from the reference, and its interval; None where there is none. Of latency, the share by which it
        changed: 0.2 is a fifth more.
    p_queries, p_runs
        Of flips of queries (or groups), and of the t-test of run means.
    rejects
        Whether both are at the level or below.
    """

    runs: int
    difference: float
    low: float | None
    high: float | None
    p_queries: float
    p_runs: float
    rejects: bool


@dataclass(frozen=True, slots=True)
class QueryMove:
    """A query whose mean changed."""

    id: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class SliceMove:
    """A slice, `column=value`, whose mean changed, over so many queries."""

    slice: str
    before: float
    after: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedRuns:
    """Two runs in one measure, tested on pairs of queries as `history diff` does; no verdict of the gate.

    Attributes
    ----------
    before, after
        The runs.
    first, second
        Their values; of a step, the medians of the runs before it and since, as in `history trend`.
    p, queries, verdict
        Of the test of these two runs alone, which does not know how much runs differ by chance: better, worse, or
        empty where the difference is not measurable.
    causes
        What the second has otherwise than the first.
    """

    before: CheckedRun
    after: CheckedRun
    first: float
    second: float
    p: float | None
    queries: int | None
    verdict: str
    causes: list[ChangedDetails] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureVerdict:
    """What a check says of one measure of one series.

    Attributes
    ----------
    measure, unit, better
        As the history names it.
    ratio
        Differences are shares of the reference, as those of latency are.
    verdict
        worse, better, not worse, no measurable change, too little data, failed.
    why
        What kept a change from being shown, or that nothing could be.
    sentence
        The verdict in a sentence.
    reference, low_run, high_run
        Mean of the reference, and the lowest and the highest of its ten run means.
    value
        Mean of the runs that decided; where none did, of the latest run.
    latest
        Mean of the latest run.
    decided
        The test that the verdict rests on; None where nothing was tested.
    windows
        All tests of this check.
    level, spent
        Largest p-value that counts for one test, and what the tests have taken of alpha so far.
    tested, planned
        How many different observations there were since the reference, and for how many the budget is.
    tests
        `both`: flips of queries and the t-test of runs have to agree. `queries`: runs repeat themselves to the bit, so
        that each state is tested once, by flips alone. `runs`: a run has one value, and the t-test decides alone.
    reference_runs, reference_to
        How many runs its reference has, and the number of the last of them: quiet runs join the first ten.
    cycles
        Periods, in runs, of cycles that were taken out of the runs before they were tested.
    detectable
        The least difference that such a test finds with 80 %, where flips decide alone; None where nothing changed.
    higher, lower
        Queries (or blocks of requests) of the latest run whose value is above, or below, that of the reference.
    since, before
        The first run that is worse, as far as run means tell, and the one before it.
    causes
        What the first of these two has otherwise than the other: tags, commit, settings, versions, machine.
    alert
        began, open, ended, or empty where there is none.
    ended_why
        Of an alert that has ended.
    units, changed, missing
        Queries (or blocks of requests) of the latest run that were compared, those among them whose value is another
        than in the reference, and those that have no value.
    means
        Mean of each run of `SeriesDetails.runs`; None where there is none.
    moved, slices
        Those that changed most, in the direction of the change. Where no change is shown, and all runs of the reference
        were alike: the queries whose value is another.
    previous
        The latest run and the one before it, where the gate cannot judge yet.
    step
        The two runs between which the reference, or what is held against it where nothing is judged, changed its level.
    reference_changes
        Whether nothing is judged because of such a step within the reference.
    """

    measure: str
    unit: str
    better: Better
    verdict: str
    why: str
    sentence: str = ""
    ratio: bool = False
    reference: float | None = None
    low_run: float | None = None
    high_run: float | None = None
    value: float | None = None
    latest: float | None = None
    decided: WindowDetails | None = None
    windows: list[WindowDetails] = field(default_factory=list)
    level: float | None = None
    spent: float = 0.0
    tested: int = 0
    planned: int = 0
    since: CheckedRun | None = None
    before: CheckedRun | None = None
    causes: list[ChangedDetails] = field(default_factory=list)
    alert: str = ""
    ended_why: str = ""
    tests: Literal["both", "queries", "runs"] = "both"
    reference_runs: int = 0
    reference_to: int = 0
    detectable: float | None = None
    cycles: list[float] = field(default_factory=list)
    higher: int = 0
    lower: int = 0
    units: int = 0
    changed: int = 0
    missing: int = 0
    means: list[float | None] = field(default_factory=list)
    moved: list[QueryMove] = field(default_factory=list)
    slices: list[SliceMove] = field(default_factory=list)
    previous: PairedRuns | None = None
    step: PairedRuns | None = None
    reference_changes: bool = False

    @property
    def is_worse(self) -> bool:
        """Whether its gate fails."""
        return self.verdict == WORSE

    @property
    def is_steady(self) -> bool:
        """Whether all runs of the reference have the same mean, as those of a service without chance have."""
        return not self.ratio and self.low_run is not None and self.low_run == self.high_run


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesDetails:
    """What a check says of one series.

    Attributes
    ----------
    key, kind, name, data, signature
        Of the runs.
    judged
        The latest run.
    reference
        None before ten runs are there.
    runs
        Those of the reference and the latest since, in the order of recording: what `means` and the chart are of.
        Before there is a reference, the latest runs.
    measures
        What was found.
    left_out
        Sentences: runs that failed, lost tables, runs of other rules under the same name, clocks.
    """

    key: str
    kind: str
    name: str
    data: str
    signature: str
    judged: CheckedRun
    reference: ReferenceDetails | None
    runs: list[CheckedRun]
    measures: list[MeasureVerdict]
    left_out: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckDetails:
    """The members of a check.

    Attributes
    ----------
    store
        Where the runs are, without a password.
    alpha, planned, margin, cluster
        Of the gate.
    default_measures
        Whether the measures are those that a check takes by itself.
    series
        What was checked.
    alerts
        Sentences: alerts that began and ended, and whom they were told to.
    notes
        What else a reader must know.
    """

    store: str
    alpha: float
    planned: int
    margin: float | None
    cluster: str
    default_measures: bool
    series: list[SeriesDetails]
    alerts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
