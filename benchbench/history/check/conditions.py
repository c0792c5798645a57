"""Conditions of `--fail-if` on a check: facts beside the inference, which are told as alerts are."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from benchbench.history.alerts.alert import AlertBody, AlertEnd
from benchbench.history.alerts.rows import alerts
from benchbench.history.check.details import CheckDetails, RunDetails, SeriesDetails
from benchbench.history.check.words import called
from benchbench.results import checks
from benchbench.results.gates import Gate
from benchbench.results.record import GateResult, Number

if TYPE_CHECKING:
    from benchbench.history.store import Store


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
