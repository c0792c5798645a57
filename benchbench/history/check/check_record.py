"""The record of a check: of each measure its latest value, its difference and the gate; and conditions on them.

Conditions of `--fail-if` are facts beside the inference, and told as alerts are.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from benchbench.history.alerts.alert import AlertBody, AlertEnd
from benchbench.history.alerts.rows import alerts
from benchbench.history.check import details
from benchbench.history.check.details import CheckDetails, MeasureDetails, RunDetails, SeriesDetails
from benchbench.history.check.words import called
from benchbench.measures.notation import task_and_measures
from benchbench.results import checks
from benchbench.results.environment import environment
from benchbench.results.gates import Gate
from benchbench.results.record import (
    Better,
    Count,
    Data,
    Environment,
    GateResult,
    Note,
    Number,
    Record,
    Scope,
    Subject,
    record,
    settings_of,
)
from benchbench.results.verdict import status

if TYPE_CHECKING:
    from benchbench.history.store import Store

_LIBRARIES = ("numpy", "polars")
KIND = "history_check"
_WEBHOOK = re.compile(r"(https?://[^\s/?#]*)\S*", re.IGNORECASE)


def check_record(
    found: CheckDetails, began: float, options: dict[str, object], conditions: Sequence[GateResult] = ()
) -> Record:
    """Return the record of a check; numbers have the series in their scope where there are several."""
    first, several = found.series[0], len(found.series) > 1
    decided = [*gates(found), *conditions]
    return record(
        KIND,
        began,
        status=status(decided),
        name=f"{len(found.series)} series" if several else first.name,
        subject=[Subject(name=called(one), source=found.store, signature=one.signature) for one in found.series],
        data=Data() if several else Data(name=first.data or None),
        signature="" if several else first.signature,
        settings=settings_of(options),
        environment=_environment(),
        numbers=numbers(found),
        counts=[
            Count(name=name, count=count, scope=_of(one, found))
            for one in found.series
            for name, count in _counts(one).items()
        ],
        notes=[
            *(Note(text=text) for text in found.notes),
            *(Note(text=text, scope=_of(one, found)) for one in found.series for text in one.left_out),
        ],
        gates=decided,
    )


def _environment() -> Environment:
    """Return what it was checked with: of a webhook the command shows no path, for that is its secret."""
    made = environment(_LIBRARIES)
    shown = list(made.command)
    for place, word in enumerate(shown):
        before = shown[place - 1] if place else ""
        if before == "--alert" or word.startswith("--alert="):
            shown[place] = _WEBHOOK.sub(r"\1/…", word)
    return Environment(versions=made.versions, host=made.host, command=shown)


def condition(measure: MeasureDetails) -> str:
    """Return the condition of a measure's gate, which says what must not be."""
    return f"{measure.measure} is worse"


def gates(found: CheckDetails) -> Iterator[GateResult]:
    """Yield a gate per measure: it fails where the measure is worse, and is broken where the run cannot be judged."""
    for series in found.series:
        about = called(series) if len(found.series) > 1 else ""
        for one in series.measures:
            sentence = one.sentence.removesuffix(".")  # failures of several gates are listed in one
            said = f"gate failed: {sentence}" if one.is_worse else sentence
            yield GateResult(
                condition=condition(one),
                verdict="broken" if one.verdict == details.FAILED else "failed" if one.is_worse else "passed",
                said=f"{about}: {said}" if about else said,
                name=f"Δ {one.measure}",
                value=None if one.decided is None else one.decided.difference,
                unit="" if one.ratio else one.unit,
                about=about,
                scope=_of(series, found),
            )


def _of(series: SeriesDetails, found: CheckDetails) -> Scope:
    return {"series": called(series)} if len(found.series) > 1 else {}


def numbers(found: CheckDetails) -> list[Number]:
    """Return the numbers of a check: of each measure its value, and its difference where there is a reference."""
    return [number for one in found.series for number in _numbers(one, found)]


def _numbers(series: SeriesDetails, found: CheckDetails) -> Iterator[Number]:
    for one in series.measures:
        task, measures = task_and_measures(one.measure)
        is_of_task = bool(task and measures)
        scope = _of(series, found) | ({"task": task} if is_of_task else {})
        name = one.measure[len(task) + 1 :] if is_of_task else one.measure
        better: Better = "higher" if one.better == "higher" else "lower"
        number = partial(Number, n=one.units, scope=scope)
        difference = partial(number, name=f"Δ {name}", unit="" if one.ratio else one.unit)
        yield number(name=name, value=one.latest, unit=one.unit, better=better)
        test = one.decided
        if test is not None:
            level = None if one.level is None else f"{100 * (1 - one.level):g} %"
            interval = level and f"{level}, where flips of queries and the t-test of runs both reject"
            yield difference(value=test.difference, low=test.low, high=test.high, interval=interval)
            yield number(name=f"p {name}", value=max(test.p_queries, test.p_runs))
        elif one.reference is not None and one.latest is not None:
            yield difference(value=one.latest / one.reference - 1.0 if one.ratio else one.latest - one.reference)


def _counts(series: SeriesDetails) -> dict[str, int]:
    tested = max((one.tested for one in series.measures), default=0)
    missing = max((one.missing for one in series.measures), default=0)
    reference = 0 if series.reference is None else len(series.reference.runs)
    return {"reference_runs": reference, "tested_runs": tested, "missing_values": missing}


def conditions(found: CheckDetails, gates: Sequence[Gate], numbers: Sequence[Number]) -> list[GateResult]:
    """Return what became of each condition; of a difference it passes while there is no reference.

    Raises
    ------
    InputError
        One names what is not judged, or has a unit in which that is not measured.
    """
    results: list[GateResult] = []
    for gate in gates:
        of_differences = any(one.kind for one in gate.conditions)
        if of_differences and not any(one.reference is not None for series in found.series for one in series.measures):
            said = f"{gate.text}: there is no reference yet, so there is no difference"
            results.append(GateResult(condition=gate.text, verdict="passed", said=said))
        else:
            results += checks.check([gate], numbers)
    return results


def condition_alerts(
    history: "Store", found: CheckDetails, results: Sequence[GateResult]
) -> Iterator[AlertBody | AlertEnd]:
    """Yield the alerts of a series that conditions begin with its latest run, and those that they end."""
    for series in found.series:
        run = series.judged
        opened = {one.body.measure for one in alerts(history, [series.key], open_only=True)}
        mine = [one for one in results if one.scope.get("series", called(series)) == called(series)]
        for name in dict.fromkeys(one.condition for one in mine):
            failed = next((one for one in mine if one.condition == name and one.verdict != "passed"), None)
            if failed is not None and name not in opened:
                yield _began(series, failed)
            elif failed is None and name in opened:
                yield AlertEnd(series.key, name, run.number, run.commit, "recovered")


def _began(series: SeriesDetails, failed: GateResult) -> AlertBody:
    run, earlier = series.judged, [one for one in series.runs if one.number < series.judged.number]
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


def alert_body(series: SeriesDetails, since: RunDetails, before: RunDetails | None, **its: Any) -> AlertBody:
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
