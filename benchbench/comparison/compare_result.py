"""The result of a comparison: differences with what they were made from, and the record."""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from benchbench.comparison.evidence import Evidence, ShownDocument
from benchbench.comparison.speed import SpeedRatio, compared_systems
from benchbench.comparison.unjudged import Unjudged, numbers_of
from benchbench.formats.collection_texts import SHOWN
from benchbench.kernels.arrays import F64
from benchbench.measures.latency import enough
from benchbench.measures.notation import least_grade, task_and_measures
from benchbench.results.checks import members
from benchbench.results.environment import environment
from benchbench.results.record import Count, Data, GateResult, Note, Record, Subject, counts_of, record, settings_of
from benchbench.results.result import Result
from benchbench.results.signature import parts_of, shared_signature
from benchbench.significance.comparison_settings import CompareSettings
from benchbench.significance.gates import numbers
from benchbench.significance.result import Comparison, PairedDifference, SliceDifference, SystemMean
from benchbench.tables.shared_messages import and_joined

if TYPE_CHECKING:
    import polars as pl

_NO_COLUMNS = ("p", "corrected", "interval", "design_effect", "need", "margin")  # of a difference, as they are
_PERCENTILES = ("p99", "p95", "p90", "p50")
MOVED = 5  # queries of a pair that are shown with their hits
OF_TESTS = {"of": "tests"}  # the scope of notes on what the tests can show
OF_MARGIN = {"of": "margin"}  # … of what is said of it, by the measure and pair; the table has it too
_LIBRARIES = ("msgspec", "numpy", "orjson", "polars", "scipy")


@dataclass(frozen=True, slots=True)
class SystemSpeed:
    """How fast a system was while it was asked, of a results folder."""

    batch_size: int
    concurrency: int
    queries_per_second: float | None
    latency_ms: Mapping[str, float | None]  # "p50" -> milliseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadStep:
    """One step of a load test, of its results folder; None where no request succeeded."""

    label: str
    batch_size: int
    queries_per_second: float | None
    p50: float | None  # milliseconds from the time a request was due
    p99: float | None
    errors: float | None  # share of requests
    quality: Mapping[str, float | None]  # measures over all queries asked
    offered: float | None = None  # queries a second that were due; None in a closed loop
    in_flight: float | None = None  # requests, in a closed loop
    sustained: bool = False  # this rate and all lower ones; of one that was run again, by the last step


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedSystem:
    """One of the systems compared."""

    name: str
    source: str  # the file or folder as it was named
    signature: str
    counts: Mapping[str, int]  # queries: judged, returned, missing, …
    speed: SystemSpeed | None = None
    load: tuple[LoadStep, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedQuery:
    """A query with its values, and what both systems returned."""

    query: str
    text: str | None
    baseline: float
    system: float
    difference: float
    hits: Mapping[str, tuple[ShownDocument, ...]]  # by system; a run that is no file has kept none
    relevant: tuple[ShownDocument, ...]


@dataclass(frozen=True, slots=True)
class Moved:
    """The queries of a pair that moved most, greatest move first."""

    baseline: str
    system: str
    queries: tuple[MovedQuery, ...]


@dataclass(frozen=True, kw_only=True)
class CompareDetails:
    """What JSON has of a comparison."""

    queries: int
    measures: tuple[str, ...]
    settings: CompareSettings
    family: str
    systems: tuple[ComparedSystem, ...]
    estimates: tuple[SystemMean, ...]
    differences: tuple[PairedDifference, ...]
    slices: tuple[SliceDifference, ...]
    moved_by: str
    moved: tuple[Moved, ...]
    gates: list[dict[str, Any]]
    notes: list[str]
    unjudged: Unjudged = field(default_factory=Unjudged)
    groups: int | None = None  # that the queries come in, of the column of `settings.cluster`
    resamples: int | None = None  # of the randomisation test, where they are known
    speeds: tuple[SpeedRatio, ...] = ()  # of each pair of runs whose requests were timed

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(dict.fromkeys(estimate.system for estimate in self.estimates))

    @cached_property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """What was compared: baseline and system, in the order of the differences."""
        return tuple(dict.fromkeys((difference.baseline, difference.system) for difference in self.differences))

    @cached_property
    def places(self) -> dict[tuple[str, str, str], tuple[int, int]]:
        """The places of measure and pair, by measure, baseline and system."""
        pairs = list(enumerate(self.pairs))
        return {(name, *pair): (measure, at) for measure, name in enumerate(self.measures) for at, pair in pairs}

    def key(self, compared: PairedDifference | SliceDifference) -> str:
        """Return what a page calls a difference, or those of its slices: the places of its measure and pair."""
        measure, pair = self.places[compared.measure, compared.baseline, compared.system]
        return f"{measure}.{pair}"

    @cached_property
    def by_measure(self) -> dict[str, list[PairedDifference]]:
        """The differences of each measure."""
        by_measure: dict[str, list[PairedDifference]] = {}
        for difference in self.differences:
            by_measure.setdefault(difference.measure, []).append(difference)
        return by_measure

    @cached_property
    def speed_of(self) -> dict[str, SystemSpeed]:
        """How fast the systems were whose speeds may stand beside one another, by name."""
        compared = compared_systems(self.speeds)
        return {system.name: system.speed for system in self.systems if system.speed and system.name in compared}

    @cached_property
    def percentile(self) -> str:
        """The highest percentile up to p99 that rests on enough requests of all of these; empty where none does."""
        speeds = self.speed_of.values()
        requests = min((-(-self.queries // max(1, speed.batch_size)) for speed in speeds), default=0)
        known = [name for name in _PERCENTILES if all(name in speed.latency_ms for speed in speeds)]
        return next((name for name in known if enough(float(name[1:]), requests)), "")

    @property
    def loads(self) -> dict[str, tuple[LoadStep, ...]]:
        """The steps of the load tests of each system that has some."""
        return {system.name: system.load for system in self.systems if system.load}

    @property
    def tests(self) -> int:
        """How many tests one correction was made over."""
        return len(self.differences) // (1 if self.settings.family == "together" else len(self.by_measure))

    def estimate(self, measure: str, system: str) -> SystemMean:
        """Return one system's mean."""
        return self._estimates[measure, system]

    def difference(self, measure: str, system: str, minus: str) -> PairedDifference | None:
        """Return one system less another, whichever of them is the baseline; None where they were not compared."""
        known = self._differences.get((measure, minus, system))
        if known is not None:
            return known
        turned = self._differences.get((measure, system, minus))
        return None if turned is None else turned.reversed()

    def frame(self) -> "pl.DataFrame":
        """Return the differences, one row per measure and pair: means, interval, p-values, effect, wins and losses."""
        import polars as pl

        return pl.DataFrame(list(map(self._columns, self.differences)))

    def _columns(self, difference: PairedDifference) -> dict[str, Any]:
        values = {
            field.name: getattr(difference, field.name) for field in fields(difference) if field.name not in _NO_COLUMNS
        }
        if difference.design_effect is not None:
            values["design_effect"] = difference.design_effect
        if self.settings.need is not None:
            values["need"] = difference.need
        if difference.margin is not None:
            values |= {
                "margin_low": difference.margin.low,
                "margin_high": difference.margin.high,
                "p_equivalent": difference.margin.equivalent,
                "p_not_inferior": difference.margin.not_inferior,
                "margin_verdict": difference.margin.verdict,
            }
        return {
            **{name: values.pop(name) for name in ("measure", "baseline", "system")},
            "baseline_mean": self.estimate(difference.measure, difference.baseline).mean,
            "system_mean": self.estimate(difference.measure, difference.system).mean,
            "difference": values.pop("mean"),
            **{name: math.nan if value is None else value for name, value in values.items()},
            **{f"p_{test}": value for test, value in difference.p.items()},
            **{f"corrected_{test}": value for test, value in difference.corrected.items()},
        }

    @cached_property
    def _estimates(self) -> dict[tuple[str, str], SystemMean]:
        return {(estimate.measure, estimate.system): estimate for estimate in self.estimates}

    @cached_property
    def _differences(self) -> dict[tuple[str, str, str], PairedDifference]:
        return {(each.measure, each.baseline, each.system): each for each in self.differences}


@dataclass(frozen=True, repr=False, kw_only=True)
class CompareOutcome(Result):
    """A comparison of systems over the same queries."""

    kind = "compare"

    comparison: Comparison
    systems: tuple[ComparedSystem, ...]
    moved: Mapping[tuple[str, str], tuple[int, ...]]  # (baseline, system) -> places in `evidence`, greatest move first
    moved_by: str  # the measure that `moved` goes by
    evidence: tuple[Evidence, ...]  # of all queries, or of the extremes where there are many
    gates: tuple[GateResult, ...] = ()
    notes: tuple[str, ...] = ()
    shown: int = MOVED  # of the queries that moved, how many of a pair the details have
    latencies: Mapping[str, F64] = field(default_factory=dict)  # ms of each successful request, ascending, by system
    data: Data = field(default_factory=Data)
    speeds: tuple[SpeedRatio, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)  # in force, besides the settings of the comparison
    began: float = field(default_factory=time.time)  # seconds since 1970
    unjudged: Unjudged = field(default_factory=Unjudged)

    def frame(self) -> "pl.DataFrame":
        """Return the differences, one row per measure and pair, as `CompareDetails.frame`."""
        return self.details().frame()

    def to_record(self) -> Record:
        """Return the record; numbers have the system in their scope, differences the baseline too."""
        comparison, systems, groups = self.comparison, self.systems, self.comparison.paired.groups
        return record(
            "compare",
            self.began,
            name=and_joined([system.name for system in systems]),
            subject=[Subject(name=system.name, source=system.source, signature=system.signature) for system in systems],
            data=self.data,
            signature=shared_signature([parts_of(system.signature) for system in systems]),
            settings=settings_of(dict(self._settings())),
            environment=environment(_LIBRARIES),
            numbers=[*numbers(comparison), *numbers_of(self.unjudged, len(comparison.paired.queries))],
            counts=[
                *([Count(name="groups", count=groups.number, scope={"cluster": groups.column})] if groups else []),
                *(count for system in systems for count in counts_of(system.counts, {"system": system.name})),
            ],
            notes=[
                *(Note(text=note) for note in self.notes),
                *(
                    Note(text=note, scope=OF_TESTS, shown="first" if note in comparison.explained else "always")
                    for note in comparison.notes
                ),
                *_margins(comparison),
            ],
            gates=list(self.gates),
        )

    def details(self) -> CompareDetails:
        """Return what JSON has beside the record."""
        comparison = self.comparison
        return CompareDetails(
            queries=len(comparison.paired.queries),
            measures=comparison.paired.measures,
            settings=comparison.settings,
            family=comparison.family,
            systems=self.systems,
            estimates=comparison.estimates,
            differences=comparison.differences,
            slices=comparison.slices,
            moved_by=self.moved_by,
            moved=tuple(
                Moved(*pair, tuple(self._query(pair, place) for place in places[: self.shown]))
                for pair, places in self.moved.items()
            ),
            gates=[members(gate) for gate in self.gates],
            notes=[*self.notes, *comparison.notes],
            unjudged=self.unjudged,
            groups=None if comparison.paired.groups is None else comparison.paired.groups.number,
            resamples=comparison.resamples,
            speeds=self.speeds,
        )

    def tables(self) -> Mapping[str, "Callable[[], pl.DataFrame]"]:
        """Return what makes each table, as `comparison.tables` describes them."""
        from benchbench.comparison import tables

        return tables.made(self.comparison, self.latencies, self.evidence, self.moved)

    def _query(self, pair: tuple[str, str], place: int) -> MovedQuery:
        evidence, paired = self.evidence[place], self.comparison.paired
        before, after = (float(paired.of(self.moved_by, name)[evidence.number]) for name in pair)
        return MovedQuery(
            query=paired.queries[evidence.number],
            text=evidence.text and evidence.text[:SHOWN],
            baseline=before,
            system=after,
            difference=after - before,
            hits={name: evidence.hits[name] for name in pair if name in evidence.hits},
            relevant=self._relevant(evidence),
        )

    def _relevant(self, evidence: Evidence) -> tuple[ShownDocument, ...]:
        """Return what is relevant for the measure that `moved` goes by."""
        task, measures = task_and_measures(self.moved_by)
        if evidence.tasks or not measures:
            return evidence.relevant_for(task)
        least = least_grade(measures[0])
        return tuple(document for document in evidence.relevant if document.grade is None or document.grade >= least)

    def _settings(self) -> Iterator[tuple[str, object]]:
        """Yield the options in force by their long names."""
        yield "measure", list(self.comparison.paired.measures)
        for name, value in asdict(self.comparison.settings).items():
            yield ("slice", list(value)) if name == "slices" else (name, value)
        yield "moved", self.shown
        yield from self.options.items()


def _margins(comparison: Comparison) -> Iterator[Note]:
    """Yield what is said of the margin, of each measure and pair."""
    for difference in comparison.differences:
        if difference.margin is not None:
            sentence = (
                f"{difference.measure}: {difference.system} against {difference.baseline}: {difference.margin.verdict}"
            )
            yield Note(text=sentence, scope={**OF_MARGIN, "system": difference.system, "baseline": difference.baseline})
