"""What two stored runs side by side show, and the record of it, whose numbers are named as those of `compare`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from benchbench.comparison.speed import SpeedRatio
from benchbench.history.changed import ChangedDetails
from benchbench.results.environment import environment
from benchbench.results.record import Better, Data, Note, Number, Record, Subject, record, settings_of
from benchbench.results.result import Result
from benchbench.results.signature import parts_of, shared_signature

if TYPE_CHECKING:
    from benchbench.comparison.compare_result import CompareOutcome
    from benchbench.history.check_settings import DiffSettings
COMPARED = "compared"  # the folder of the comparison within that of a difference
_LIBRARIES = ("msgspec", "numpy", "orjson", "polars", "scipy")
_LONG_NAMES = {"measures": "measure", "slices": "slice"}


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
    speed: SpeedRatio | None = None  # of two runs whose requests were timed
    circumstances: tuple[ChangedDetails, ...] = ()  # tags, commit, data, settings, versions, machine of both

    @property
    def differs(self) -> list[ChangedDetails]:
        """Return what of the circumstances is not the same."""
        return [its for its in self.circumstances if its.before != its.after]


class HistoryDiff(Result):
    """How two stored runs differ."""

    kind = "history_diff"

    def __init__(
        self,
        found: DiffDetails,
        settings: "DiffSettings",
        signatures: Sequence[str],
        began: float,
        compared: "Callable[[], CompareOutcome | None]",
    ) -> None:
        """Keep what was found; `signatures` are those of both runs, `compared` makes what only a page needs."""
        self.found, self._settings, self._signatures, self._began = found, settings, signatures, began
        self._compared = cache(compared)

    def details(self) -> DiffDetails:
        """Return both runs, the numbers, and the queries that moved."""
        return self.found

    def parts(self) -> Mapping[str, Result]:
        """Return the comparison of both runs, which the page draws; nothing where nothing was tested."""
        compared = self._compared()
        return {} if compared is None else {COMPARED: compared}

    def to_record(self) -> Record:
        """Return the record: both values, the difference and the p-value of each measure."""
        diff, sides = self.found, (self.found.first, self.found.second)
        given = {_LONG_NAMES.get(name, name): value for name, value in asdict(self._settings).items()}
        return record(
            self.kind,
            self._began,
            name=f"{diff.second.label} against {diff.first.label}",
            subject=[
                Subject(name=side.label, source=side.name, signature=signature)
                for side, signature in zip(sides, self._signatures, strict=True)
            ],
            data=Data(name=diff.first.data or None, queries=diff.queries or None),
            signature=shared_signature([parts_of(signature) for signature in self._signatures]),
            settings=settings_of(
                {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}
            ),
            environment=environment(_LIBRARIES),
            numbers=list(_numbers(diff)),
            notes=[Note(text=note) for note in diff.notes],
        )


def _numbers(diff: DiffDetails) -> Iterator[Number]:
    first, second = diff.first.label, diff.second.label
    pair = {"baseline": first, "system": second}
    level = f"{100 * (1 - diff.alpha):g} %"
    for change in diff.changes:
        yield Number(
            name=f"Δ {change.measure}",
            value=change.difference,
            low=change.low,
            high=change.high,
            interval=f"{change.interval}, {level}" if change.tested else None,
            n=change.queries,
            unit=change.unit,
            better=change.better,
            scope=pair,
        )
        if change.tested:
            yield Number(name=f"p {change.measure}", value=change.p, n=change.queries, scope=pair)
    for change in diff.changes:
        for label, value in ((first, change.first), (second, change.second)):
            yield Number(
                name=change.measure, value=value, unit=change.unit, better=change.better, scope={"system": label}
            )
    for part in diff.slices:
        yield Number(
            name=f"Δ {part.measure}",
            value=part.difference,
            low=part.low,
            high=part.high,
            n=part.queries,
            scope={**pair, "slice": f"{part.column}={part.value}"},
        )
