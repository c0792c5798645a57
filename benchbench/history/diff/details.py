"""What two stored runs side by side show."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchbench.results.record import Better


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two runs."""

    label: str  # #12, or the folder
    name: str
    kind: str
    started: str  # UTC
    commit: str
    branch: str
    data: str
    rules: str  # 8 digits
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureChange:
    """One measure of both runs; the difference is the second less the first."""

    measure: str
    unit: str
    better: Better | None
    first: float | None
    second: float | None
    difference: float | None
    low: float | None = None  # of the interval of the difference
    high: float | None = None
    interval: str = ""  # how that is made
    p: float | None = None
    tested: bool = False  # on pairs of queries
    verdict: str = ""  # better, worse, or empty: not shown
    queries: int | None = None  # that were compared
    changed: int | None = None  # of them, those with another value
    gained: int | None = None  # … with a better one
    lost: int | None = None  # … and with a worse one


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceChange:
    """A measure over the queries with one value in one column."""

    measure: str
    column: str
    value: str
    queries: int
    first: float
    second: float
    difference: float
    low: float | None
    high: float | None
    p: float  # corrected over all slices of the measure
    verdict: str


@dataclass(frozen=True, slots=True)
class QueryChange:
    """A query whose value is another."""

    query: str
    first: float
    second: float
    difference: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffDetails:
    """What JSON has of two runs side by side."""

    first: Side
    second: Side
    queries: int  # that both have; 0 where their values are not stored
    changes: tuple[MeasureChange, ...]
    slices: tuple[SliceChange, ...]
    moved_by: str  # the measure of the queries that moved; empty where none was tested
    moved: tuple[QueryChange, ...]  # greatest first
    changed: str  # the measure of --changed
    changed_queries: tuple[QueryChange, ...]  # all of them, greatest loss first
    alpha: float
    notes: tuple[str, ...]
