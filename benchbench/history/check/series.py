"""One series: its reference, the runs since, and what each measure says of the latest."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbench.comparison.speed import NOT_COMPARED, sent_unlike
from benchbench.errors import InputError, visible
from benchbench.history.alerts.alert import AlertBody, AlertEnd
from benchbench.history.alerts.rows import alerts, latest
from benchbench.history.changed import ChangedDetails
from benchbench.history.changes import differences as differences_of
from benchbench.history.changes import known_of
from benchbench.history.check import reference as references
from benchbench.history.check.between_runs import BetweenRuns
from benchbench.history.check.check_details import (
    FAILED,
    TOO_LITTLE,
    CheckedRun,
    MeasureVerdict,
    ReferenceDetails,
    SeriesDetails,
)
from benchbench.history.check.check_record import alert_change
from benchbench.history.check.judge_measure import judged, reference_members
from benchbench.history.check.measured import Later, Past
from benchbench.history.check.measures import JudgedMeasure, NotJudgedError, Scale, chosen, leading_ones, measures_of
from benchbench.history.check.reference import Reference, checked_run
from benchbench.history.check.run_values import latency_names
from benchbench.history.check.words import sentence
from benchbench.history.check_settings import CheckSettings
from benchbench.history.comparability import apart, clocks, differences, ended, failed, listed_runs
from benchbench.history.entry import COMPLETE, MissingValuesError, StoredNumber
from benchbench.history.values import RunValues
from benchbench.significance.run_gate import LARGEST, REFERENCE
from benchbench.significance.run_windows import WINDOWS
from benchbench.tables.shared_messages import and_joined, counted

if TYPE_CHECKING:
    from benchbench.history.entry import Entry, Series
    from benchbench.history.store import Store

SHOWN = 64  # last runs whose values are read: windows take eight, the chart and the onset the rest


@dataclass(frozen=True)
class Checked:
    """What was found of one series, and what that begins and ends."""

    details: SeriesDetails
    changes: Sequence[AlertBody | AlertEnd]
    is_newest: bool = True  # no later run of the series is there


class SeriesCheck:
    """The steps of a check of one series: its latest run is judged.

    Parameters
    ----------
    history
        The store; the reference is written to it when it can be made.
    series
        With all of its runs.
    others
        Other series of the same kind and name.
    wanted
        Measures; none: those that lead.
    settings
        Of the check.

    Raises
    ------
    InputError
        No run has values per query, the latest has lost them, a measure is not there, or the reference is lost.
    """

    def __init__(
        self,
        history: "Store",
        series: "Series",
        others: "Sequence[Series]",
        wanted: Sequence[str],
        settings: CheckSettings,
    ) -> None:
        self.history, self.series, self.others, self.settings = history, series, others, settings
        self.since = latest(history, series)
        self.entries = [entry for entry in series.entries if entry.number >= self.since.run]
        if not self.entries:
            raise InputError(
                f"the runs since the accepted change of run {self.since.run} are deleted; `benchbench history accept "
                "--undo` takes it back"
            )
        self.last = self.entries[-1]
        self.loaded: dict[int, RunValues | None] = {}
        self.not_judged: Sequence[str] = ()
        self.measures = self._measures(wanted)
        self.left_out = [
            *self._said_of_measures(),
            *self._said_of_others(),
            *clocks(self.entries),
            *failed(self.entries),
        ]

    def checked(self) -> Checked:
        """Return what was found."""
        reference, number = self._reference()
        if reference is None:
            left = f"{REFERENCE - number} more make{'s' * (number == REFERENCE - 1)} the reference"
            why = f"{number} of {REFERENCE} runs{self._began()}; {left}, and the run after is the first judged"
            return self._result(None, [self._unjudged(measure, why, None) for measure in self.measures])
        first = reference.runs[-1].number + 1  # quiet runs that join the reference are found among those that follow
        complete = [entry for entry in self.entries if entry.number >= first and entry.status == COMPLETE]
        if self.last.status != COMPLETE:
            why = f"run {self.last.number} has no values to judge: it {ended(self.last)}"
            measures = [replace(self._untested(measure, why), verdict=FAILED) for measure in self.measures]
            return self._result(reference, measures)
        if not complete:
            why = f"the reference is complete with run {reference.runs[-1].number}; the next run is the first judged"
            return self._result(reference, [self._unjudged(measure, why, reference) for measure in self.measures])
        growth = complete[: LARGEST - REFERENCE]
        wanted = [*growth, *complete[max(len(growth), len(complete) - SHOWN) :]]
        shown = [entry for entry in wanted if self._values(entry) is not None]
        self._say_missing(wanted)
        if not shown or shown[-1] is not complete[-1]:
            self.history.values(complete[-1])  # says why it has none
        between = complete[len(growth) : -SHOWN]
        if between:
            which = f"runs {between[0].number} to {between[-1].number} are"
            if len(between) == 1:
                which = f"run {between[0].number} is"
            self.left_out.append(f"{which} not drawn, and no change is looked for there")
        values = [self.loaded[run.number] for run in shown]
        later = Later(
            [checked_run(run) for run in shown],
            [value for value in values if value is not None],
            self._different(between),
            self._run_numbers({run.number for run in [*reference.runs, *map(checked_run, shown)]}),
        )
        past = self._past()
        unlike = self._sent_unlike(reference, later) if any(measure.is_time for measure in self.measures) else ""
        measures = [self._judged(measure, reference, later, past[measure.name], unlike) for measure in self.measures]
        return self._result(reference, measures, later)

    def _measures(self, wanted: Sequence[str]) -> list[JudgedMeasure]:
        """Return the measures that are judged, by the latest run that has values per query."""
        newest = next((entry for entry in reversed(self.entries) if self._values(entry) is not None), None)
        if newest is None:
            try:
                self.history.values(self.last)
            except MissingValuesError as problem:  # says why it has none
                raise NotJudgedError(str(problem)) from None
            raise NotJudgedError(f"run {self.last.number} has no values per query to judge")
        values = self._values(newest)
        assert values is not None
        numbers = {number.measure: number for number in self.history.rows([newest], slices=False)}
        there = measures_of(values.values.columns, numbers, latency_names(values.latency))
        if not there:
            raise NotJudgedError(
                f"run {newest.number} has no measure per query that has a direction; nothing can be judged"
            )
        tested = {
            name: measure for name, measure in there.items() if measure.per != "query" or values.values[name].count()
        }
        judged_here = chosen(wanted, there if wanted else tested or there, set(values.values.columns) - there.keys())
        if not wanted:
            of_queries = sum(measure.per == "query" for measure in judged_here)
            leads = leading_ones([measure.name for measure in tested.values() if measure.per == "query"])
            self.not_judged = leads[of_queries:]
        of_speed = sum(measure.is_speed for measure in judged_here)
        self.settings.share(max(of_speed, len(judged_here) - of_speed))
        return judged_here

    def _values(self, entry: "Entry") -> RunValues | None:
        if entry.number not in self.loaded:
            try:
                self.loaded[entry.number] = self.history.values(entry)
            except MissingValuesError:
                self.loaded[entry.number] = None
        return self.loaded[entry.number]

    def _reference(self) -> tuple[Reference | None, int]:
        """Return the reference, made now where it can be first; else how many runs there are for one."""
        row = references.kept(self.history, self.since)
        if row is not None:
            kept = references.read(self.history, row)
            return (kept if kept is not None else self._rebuilt(row)), REFERENCE
        runs: list[tuple[Entry, RunValues]] = []
        complete = [entry for entry in self.entries if entry.status == COMPLETE]
        for tried, entry in enumerate(complete, 1):
            values = self._values(entry)
            if values is not None and (len(values.queries) or values.latency.height):
                runs.append((entry, values))
            if len(runs) == REFERENCE:
                self._say_missing(complete[:tried])
                return references.keep(self.history, self.since, references.reference_of(runs)), REFERENCE
        self._say_missing(complete)
        return None, len(runs)

    def _rebuilt(self, row: Mapping[str, Any]) -> Reference:
        """Return a reference whose file is lost, made again from its runs."""
        wanted = references.runs_of(row)
        there = {entry.id: entry for entry in self.series.entries}
        gone = [run.number for run in wanted if run.id not in there or self._values(there[run.id]) is None]
        if gone:
            which = f"run{'s' * (len(gone) > 1)} {and_joined([str(number) for number in gone])}"
            raise InputError(
                f"the reference of runs {wanted[0].number} to {wanted[-1].number} is lost: {row['file']} is not in "
                f"{self.history.place.tables}, and the values of {which} are gone too; put the file back, or begin a "
                f"new one with `benchbench history accept {self._first_left(wanted[-1].number)} --reason …`"
            )
        runs = [(there[run.id], values) for run in wanted if (values := self._values(there[run.id])) is not None]
        return references.rebuild(self.history, row, runs)

    def _first_left(self, number: int) -> int:
        return next((entry.number for entry in self.entries if entry.number > number), self.last.number)

    def _past(self) -> dict[str, Past]:
        """Return what earlier checks of this reference found, by measure."""
        past: dict[str, Past] = defaultdict(Past)
        for alert in alerts(self.history, [self.series.key]):
            if alert.body.since_run < self.since.run or (alert.end is not None and alert.end.why == "accepted"):
                continue
            known = past[alert.body.measure]
            first = known.first_run or alert.body.found_run or alert.body.since_run
            ended = known.ended_run if alert.end is None else alert.end.run
            past[alert.body.measure] = Past(alert if alert.end is None else None, ended, first)
        return past

    def _judged(
        self, measure: JudgedMeasure, reference: Reference, later: Later, past: Past, unlike: str
    ) -> MeasureVerdict:
        numbers = later.numbers.get(measure.name, {})
        has_all = all(run.number in numbers and numbers[run.number].value is not None for run in reference.runs)
        if not (has_all if measure.per == "run" else reference.has(measure.name)):
            why = (
                f"not all runs of the reference, {_span(reference)}, have it; `benchbench history accept RUN --reason "
                "…` begins a new one"
            )
            return self._untested(measure, why)
        if measure.is_time and unlike:
            return self._untested(measure, f"{NOT_COMPARED} {unlike}")
        sharing = sum(other.is_speed == measure.is_speed for other in self.measures)
        return judged(measure, reference, later, past, self.settings, sharing)

    def _sent_unlike(self, reference: Reference, later: Later) -> str:
        """Return in what the requests of the latest run differ from those of runs that it is held against, in words."""
        held_against = {run.id for run in (*reference.runs, *later.runs[-WINDOWS[-1] : -1])}
        judged_record, name = self.history.record(self.last), f"run {self.last.number}"
        for entry in self.entries:
            if entry.id in held_against:
                reason = sent_unlike((f"run {entry.number}", name), self.history.record(entry), judged_record)
                if reason:
                    return reason
        return ""

    def _different(self, entries: "Sequence[Entry]") -> dict[str, int]:
        """Return how many different means of each measure runs have whose values are not read."""
        names = [measure.name for measure in self.measures]
        values: dict[str, set[float]] = defaultdict(set)
        for number in self.history.rows(entries, names, slices=False):
            if number.value is not None:
                values[number.measure].add(number.value)
        return {measure: len(different) for measure, different in values.items()}

    def _run_numbers(self, runs: Collection[int]) -> dict[str, dict[int, StoredNumber]]:
        """Return the numbers that a run has one of, by measure and number of the run."""
        names = [measure.name for measure in self.measures if measure.per == "run"]
        return self.history.lines([entry for entry in self.series.entries if entry.number in runs], names)

    def _untested(self, measure: JudgedMeasure, why: str) -> MeasureVerdict:
        return MeasureVerdict(
            measure=measure.name, unit=measure.unit, better=measure.better, verdict=TOO_LITTLE, why=why,
            ratio=Scale.of(measure).is_ratio, planned=self.settings.planned,
        )  # fmt: skip

    def _unjudged(self, measure: JudgedMeasure, why: str, reference: Reference | None) -> MeasureVerdict:
        """Return that the latest run cannot be judged yet, with the means of all runs and of the reference."""
        runs = self._known_runs(reference)
        numbers = self.history.lines(self.series.entries, [measure.name]).get(measure.name, {})
        means = [numbers[run.number].value if run.number in numbers else None for run in runs]
        untested = replace(self._untested(measure, why), means=means)
        if self.last.status == COMPLETE and (latest := numbers.get(self.last.number)) is not None:
            untested = replace(untested, latest=latest.value, value=latest.value, units=latest.n or 0)
        if reference is None or not reference.has(measure.name):
            return untested
        scale = Scale.of(measure)
        known = scale.scaled(np.array(reference.run_means[measure.name], np.float64))
        members = reference_members(scale, reference.of(measure.name), known, reference.runs[-1].number)
        return replace(untested, **members)

    def _known_runs(self, reference: Reference | None) -> list[CheckedRun]:
        """Return the runs of the reference, or without one the latest complete runs."""
        if reference is not None:
            return list(reference.runs)
        return [checked_run(entry) for entry in self.entries if entry.status == COMPLETE][-SHOWN:]

    def _open_elsewhere(self) -> list[str]:
        """Return which alerts are open on measures that this check does not judge."""
        judged_here = {measure.name for measure in self.measures} | {
            condition.text for condition in self.settings.conditions
        }
        return [
            f"an alert on {alert.body.measure} since run {alert.body.since_run} is open and not checked here; "
            + (f"--fail-if '{alert.body.measure}' does" if alert.body.observed else f"-m {alert.body.measure} does")
            for alert in alerts(self.history, [self.series.key], open_only=True)
            if alert.body.measure not in judged_here
        ]

    def _said_of_measures(self) -> list[str]:
        """Return which measures lead too, where there are more than a check takes by itself."""
        if not self.not_judged:
            return []
        verb = "leads and is" if len(self.not_judged) == 1 else "lead and are"
        return [f"{and_joined(self.not_judged)} {verb} not judged; -m names what is"]

    def _said_of_others(self) -> list[str]:
        """Return what else there is under the same name, why it is apart, and which alerts are open there."""
        name = self.series.name
        called = f"the name {visible(name)}" if name else f"kind {self.series.kind}"
        sentences = []
        for other in self.others:
            open_there = alerts(self.history, [other.key], open_only=True)
            measures = and_joined([each.body.measure for each in open_there])
            sentences.append(
                f"{counted(len(other.entries), 'run')} under {called}, the latest run {other.entries[-1].number}, "
                f"{'is' if len(other.entries) == 1 else 'are'} another series: {apart(self.series, other)}"
                + (f"; an alert on {measures} is still open there" if measures else "")
            )
        return sentences

    def _began(self) -> str:
        """Return what the series began with, where runs of its name came before."""
        first = self.entries[0].number
        before = [other for other in self.others if other.entries[-1].number < first]
        if self.since.id or not before:
            return ""
        newest = max(before, key=lambda series: series.entries[-1].number)
        reasons = differences(self.series, newest)
        is_data = (newest.data_digest, newest.data) != (self.series.data_digest, self.series.data)
        is_version = len(reasons) == 1 and "(version:" in reasons[0]
        what = "the data" if is_data else "the version of benchbench" if is_version else "the rules"
        return f" since {what} changed with run {first}"

    def _result(
        self, reference: Reference | None, measures: Sequence[MeasureVerdict], later: Later | None = None
    ) -> Checked:
        runs = [*self._known_runs(reference), *(() if later is None else later.runs)]
        names = [measure.name for measure in self.measures if measure.per == "query"]
        between = BetweenRuns(self.history, self.series.entries, names, self.settings)
        measures = [between.with_pairs(measure, runs) for measure in measures]
        kept = None
        if reference is not None:
            why = (self.since.reason, self.since.by, reference.rebuilt)
            kept = ReferenceDetails(list(reference.runs), reference.made_at, *why)
        details = SeriesDetails(
            key=self.series.key,
            kind=self.series.kind,
            name=self.series.name,
            data=self.series.data,
            signature=self.series.signature,
            judged=checked_run(self.last),
            reference=kept,
            runs=runs,
            measures=[
                replace(measure, sentence=sentence(measure, self.settings.margin), causes=self._causes(measure))
                for measure in measures
            ],
            left_out=[*self.left_out, *self._open_elsewhere()],
        )
        return Checked(
            details, [change for measure in measures if (change := alert_change(details, measure)) is not None]
        )

    def _causes(self, measure: MeasureVerdict) -> list[ChangedDetails]:
        """Return what the first run that is worse, or better, has otherwise than the one before it."""
        pair = [run.number for run in (measure.before, measure.since) if run is not None]
        entries = [entry for entry in self.series.entries if entry.number in pair]
        return differences_of(*known_of(self.history, entries)) if len(entries) == 2 else []  # one may be deleted

    def _say_missing(self, entries: "Sequence[Entry]") -> None:
        gone = [entry.number for entry in entries if self._values(entry) is None]
        if gone:
            has = "has" if len(gone) == 1 else "have"
            self.left_out.append(f"{listed_runs(gone)} {has} no values per query any more, or never had any")


def _span(reference: Reference) -> str:
    return f"{reference.runs[0].number} to {reference.runs[-1].number}"
