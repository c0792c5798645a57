"""The record of a check: of each measure its latest value, its difference and the gate; and conditions on them.

Conditions of `--fail-if` are facts beside the inference, and told as alerts are.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from benchbench.history.alerts.alert import AlertBody, AlertEnd, EndedWhy
from benchbench.history.alerts.rows import alerts
from benchbench.history.check import check_details
from benchbench.history.check.check_details import CheckDetails, CheckedRun, MeasureVerdict, SeriesDetails
from benchbench.history.check.words import called
from benchbench.measures.notation import task_and_measures
from benchbench.results import checks
from benchbench.results.environment import environment
from benchbench.results.gates import Gate
from benchbench.results.record import (
    Data,
    Environment,
    GateResult,
    Note,
    Number,
    Record,
    Scope,
    State,
    Subject,
    counts_of,
    record,
    settings_of,
)
from benchbench.results.result import Result
from benchbench.results.verdict import status

if TYPE_CHECKING:
    import polars as pl

    from benchbench.history.store import Store

_LIBRARIES = ("numpy", "polars")
_STATES: Mapping[str, State] = {
    check_details.WORSE: "failed",
    check_details.FAILED: "broken",
    check_details.TOO_LITTLE: "not judged",
}
_WEBHOOK = re.compile(r"(https?://[^\s/?#]*)\S*", re.IGNORECASE)


@dataclass(frozen=True, repr=False)
class HistoryCheck(Result):
    """The result of a check.

    Attributes
    ----------
    found
        Per series and measure the verdict, and what it rests on: the members of its JSON.
    options
        Every option in force.
    began
        Seconds since 1970.
    undelivered
        A sentence for each target that could not be told of alerts, for standard error.
    conditions
        What became of those of the settings.
    """

    kind = "history_check"

    found: CheckDetails
    options: Mapping[str, Any]
    began: float
    undelivered: tuple[str, ...] = ()
    conditions: tuple[GateResult, ...] = ()

    def to_record(self) -> Record:
        """Return the record; numbers have the series in their scope where there are several."""
        check, first, several = self.found, self.found.series[0], len(self.found.series) > 1
        decided = [*gates(check), *self.conditions]
        return record(
            self.kind,
            self.began,
            status=status(decided),
            name=f"{len(check.series)} series" if several else first.name,
            subject=[
                Subject(name=called(series), source=check.store, signature=series.signature) for series in check.series
            ],
            data=Data() if several else Data(name=first.data or None),
            signature="" if several else first.signature,
            settings=settings_of(self.options),
            environment=_environment(),
            numbers=numbers(check),
            counts=[count for series in check.series for count in counts_of(_counts(series), _of(series, check))],
            notes=[
                *(Note(text=text) for text in check.notes),
                *(Note(text=text, scope=_of(series, check)) for series in check.series for text in series.left_out),
            ],
            gates=decided,
        )

    def details(self) -> CheckDetails:
        """Return the members of its JSON."""
        return self.found

    def tables(self) -> "Mapping[str, Callable[[], pl.DataFrame]]":
        """Return the tables of the queries and of the slices that moved."""
        means = {"before": "Float64", "after": "Float64"}
        return {
            "moved": lambda: _table(self.found, "moved", {"id": "String", **means}),
            "moved_slices": lambda: _table(self.found, "slices", {"slice": "String", **means, "n": "Int64"}),
        }


def _table(check: CheckDetails, member: str, columns: Mapping[str, str]) -> "pl.DataFrame":
    import polars as pl

    rows = [
        {"series": called(series), "measure": measure.measure, **asdict(moved)}
        for series in check.series
        for measure in series.measures
        for moved in getattr(measure, member)
    ]
    types = {"series": "String", "measure": "String", **columns}
    return pl.DataFrame(rows, schema={name: getattr(pl, kind) for name, kind in types.items()})


def _environment() -> Environment:
    """Return what it was checked with: of a webhook the command shows no path, for that is its secret."""
    made = environment(_LIBRARIES)
    shown = list(made.command)
    for place, word in enumerate(shown):
        before = shown[place - 1] if place else ""
        if before == "--alert" or word.startswith("--alert="):
            shown[place] = _WEBHOOK.sub(r"\1/…", word)
    return Environment(versions=made.versions, host=made.host, command=shown)


def condition(measure: MeasureVerdict) -> str:
    """Return the condition of a measure's gate, which says what must not be."""
    return f"{measure.measure} is worse"


def gates(check: CheckDetails) -> Iterator[GateResult]:
    """Yield a gate per measure: it fails where it is worse, and is broken where the run has no values."""
    for series in check.series:
        about = called(series) if len(check.series) > 1 else ""
        for measure in series.measures:
            sentence = measure.sentence.removesuffix(".")  # failures of several gates are listed in one
            text = f"gate failed: {sentence}" if measure.is_worse else sentence
            yield GateResult(
                condition=condition(measure),
                verdict=_STATES.get(measure.verdict, "passed"),
                said=f"{about}: {text}" if about else text,
                name=f"Δ {measure.measure}",
                value=None if measure.decided is None else measure.decided.difference,
                unit="" if measure.ratio else measure.unit,
                about=about,
                scope=_of(series, check),
            )


def _of(series: SeriesDetails, check: CheckDetails) -> Scope:
    return {"series": called(series)} if len(check.series) > 1 else {}


def numbers(check: CheckDetails) -> list[Number]:
    """Return the numbers of a check: of each measure its value, and its difference where there is a reference."""
    return [number for series in check.series for number in _numbers(series, check)]


def _numbers(series: SeriesDetails, check: CheckDetails) -> Iterator[Number]:
    for measure in series.measures:
        task, measures = task_and_measures(measure.measure)
        is_of_task = bool(task and measures)
        scope = _of(series, check) | ({"task": task} if is_of_task else {})
        name = measure.measure[len(task) + 1 :] if is_of_task else measure.measure
        number = partial(Number, n=measure.units, scope=scope)
        difference = partial(number, name=f"Δ {name}", unit="" if measure.ratio else measure.unit)
        yield number(name=name, value=measure.latest, unit=measure.unit, better=measure.better)
        test = measure.decided
        if test is not None:
            level = None if measure.level is None else f"{100 * (1 - measure.level):g} %"
            interval = level and f"{level}, where flips of queries and the t-test of runs both reject"
            yield difference(value=test.difference, low=test.low, high=test.high, interval=interval)
            yield number(name=f"p {name}", value=max(test.p_queries, test.p_runs))
        elif _follows(series, measure) and measure.reference is not None and measure.latest is not None:
            yield difference(
                value=measure.latest / measure.reference - 1.0 if measure.ratio else measure.latest - measure.reference
            )


def _follows(series: SeriesDetails, measure: MeasureVerdict) -> bool:
    """Say whether there is a reference that does not have the latest run in it."""
    return measure.reference is not None and series.judged.number > measure.reference_to


def _counts(series: SeriesDetails) -> dict[str, int]:
    tested = max((measure.tested for measure in series.measures), default=0)
    missing = max((measure.missing for measure in series.measures), default=0)
    reference = 0 if series.reference is None else len(series.reference.runs)
    return {"reference_runs": reference, "tested_runs": tested, "missing_values": missing}


def conditions(check: CheckDetails, gates: Sequence[Gate], numbers: Sequence[Number]) -> list[GateResult]:
    """Return what became of each condition; one on a difference is not judged while there is no reference.

    Raises
    ------
    InputError
        One names what is not judged, or has a unit in which that is not measured.
    """
    results: list[GateResult] = []
    for gate in gates:
        of_differences = any(part.kind for part in gate.conditions)
        if of_differences and not any(
            _follows(series, measure) for series in check.series for measure in series.measures
        ):
            text = f"{gate.text}: there is no reference yet, so there is no difference"
            results.append(GateResult(condition=gate.text, verdict="not judged", said=text))
        else:
            results += checks.check([gate], numbers)
    return results


def condition_alerts(
    history: "Store", check: CheckDetails, results: Sequence[GateResult]
) -> Iterator[AlertBody | AlertEnd]:
    """Yield the alerts of a series that conditions begin with its latest run, and those that they end."""
    for series in check.series:
        run = series.judged
        opened = {alert.body.measure for alert in alerts(history, [series.key], open_only=True)}
        mine = [result for result in results if result.scope.get("series", called(series)) == called(series)]
        for name in dict.fromkeys(result.condition for result in mine):
            failed = next((result for result in mine if result.condition == name and result.is_failure), None)
            if failed is not None and name not in opened:
                yield _began(series, failed)
            elif failed is None and name in opened:
                yield AlertEnd(series.key, name, run.number, run.commit, "recovered")


def _began(series: SeriesDetails, failed: GateResult) -> AlertBody:
    run = series.judged
    earlier = [before for before in series.runs if before.number < run.number]
    bound, value = failed.bound or 0.0, failed.value or 0.0
    return alert_body(
        series,
        run,
        earlier[-1] if earlier else None,
        measure=failed.condition,
        reference=bound,
        value=value,
        difference=value - bound,
        unit=failed.unit,
        better=None,
        observed=failed.observed,
    )


def alert_body(series: SeriesDetails, since: CheckedRun, before: CheckedRun | None, **its: Any) -> AlertBody:
    """Return an alert that the latest run of a series begins: since a run, and with the members of its finding."""
    return AlertBody(
        series=series.key,
        kind=series.kind,
        name=series.name,
        data=series.data,
        since_run=since.number,
        since_id=since.id,
        since_at=since.started,
        since_commit=since.commit,
        before_run=None if before is None else before.number,
        before_commit="" if before is None else before.commit,
        found_run=series.judged.number,
        **its,
    )


def alert_change(series: SeriesDetails, measure: MeasureVerdict) -> AlertBody | AlertEnd | None:
    """Return what a finding begins or ends."""
    if measure.alert == "ended":
        run = series.judged
        why: EndedWhy = "better" if measure.ended_why == "better" else "recovered"
        return AlertEnd(series.key, measure.measure, run.number, run.commit, why)
    if measure.alert != "began" or measure.since is None or measure.decided is None or measure.level is None:
        return None
    test, reference = measure.decided, measure.reference or 0.0
    scale = reference if measure.ratio else 1.0
    return alert_body(
        series,
        measure.since,
        measure.before,
        measure=measure.measure,
        reference=reference,
        value=reference + scale * test.difference,
        difference=scale * test.difference,
        low=None if test.low is None else scale * test.low,
        high=None if test.high is None else scale * test.high,
        p=max(test.p_queries, test.p_runs),
        level=measure.level,
        runs=test.runs,
        queries=[(query.id, query.before, query.after) for query in measure.moved],
        slices=[(part.slice, part.before, part.after, part.n) for part in measure.slices],
        unit=measure.unit,
        better=measure.better,
    )
