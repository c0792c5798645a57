"""`history check`: is the latest run of a series worse than the reference?"""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from benchbench.comparison.comparable import rules
from benchbench.errors import InputError, visible
from benchbench.history.alerts.alert import AlertChange
from benchbench.history.alerts.rows import latest
from benchbench.history.alerts.update import undelivered, update
from benchbench.history.check.check_details import CheckDetails, SeriesDetails
from benchbench.history.check.check_record import HistoryCheck, condition_alerts, conditions, numbers
from benchbench.history.check.measures import NotJudgedError
from benchbench.history.check.series import Checked, SeriesCheck
from benchbench.history.check_settings import CheckSettings
from benchbench.history.entry import Series
from benchbench.history.wanted import ALL, Wanted
from benchbench.results.settings import described_settings
from benchbench.tables.shared_messages import and_joined, counted

if TYPE_CHECKING:
    from benchbench.history.store import Store

BY_DEFAULT = CheckSettings()


def check(
    history: "Store", wanted: Wanted = ALL, measures: Sequence[str] = (), settings: CheckSettings = BY_DEFAULT
) -> HistoryCheck:
    """Hold the latest run of a series against its reference: the mean per query of ten runs, frozen.

    The first check that sees ten runs since the last accepted change writes the reference. Alerts that begin or end are
    kept in the store, and told to the targets of the settings.

    Parameters
    ----------
    history
        A store that may be written to.
    wanted
        Which series: those with such a run; without a condition that of the newest run. All of its runs count.
    measures
        Names as gates have them; `latency` is the median latency of requests. None: those that lead.
    settings
        Alpha, for how many runs it is, and the margin.

    Returns
    -------
    HistoryCheck
        With a gate per measure.

    Raises
    ------
    InputError
        There is no such run, no such measure or column, or values or the reference are lost.
    """
    began = time.time()
    series = history.series(wanted) if settings.run is None else [_up_to(history, settings.run, wanted)]
    if not series:
        raise InputError(
            f"{history.place.shown} has no such run to check; `benchbench history list` shows what it has"
            if wanted != ALL
            else f"{history.place.shown} has no run yet; `benchbench run --record` adds one"
        )
    checked, notes = _checked(history, series if settings.every else series[:1], measures, settings)
    if len(series) > 1 and not settings.every:
        more = len(series) - 1
        which = "another series is" if more == 1 else f"{more:,} other series are"
        notes.append(f"{which} not checked; --all checks every one, --name, --dataset or --signature another")
        notes += _of_other_names(checked[0].details, series)
    details = CheckDetails(
        store=history.place.shown,
        alpha=settings.alpha,
        planned=settings.planned,
        margin=settings.margin,
        cluster=settings.cluster or "",
        default_measures=not measures,
        series=[result.details for result in checked],
        notes=notes,
    )
    decided = conditions(details, settings.conditions, numbers(details))
    changes = [change for result in checked for change in result.changes]
    if all(result.is_newest for result in checked):
        changes += condition_alerts(history, details, decided)
    told = update(history, changes, settings.alerts, [result.details.key for result in checked])
    details = replace(details, alerts=[sentence for change in told for sentence in _said(change)])
    options = {
        setting.opt.option(setting.name).removeprefix("--").replace("-", "_"): getattr(settings, setting.name)
        for setting in described_settings(CheckSettings)
    }
    options |= {"measure": list(measures), "alert": [alert.shown for alert in settings.alerts]}
    return HistoryCheck(details, options, began, tuple(undelivered(told)), tuple(decided))


def _up_to(history: "Store", selector: str, wanted: Wanted) -> Series:
    """Return the series of a run, up to that run.

    Raises
    ------
    InputError
        There is no such run, or other options ask for more or for others.
    """
    if wanted != ALL:
        raise InputError("--run names one run, and its series with it; leave out the options that choose runs")
    run = history.one(selector)
    series = next(series for series in history.series(Wanted(name=run.name, kind=run.kind)) if series.key == run.series)
    if (since := latest(history, series).run) > run.number:
        raise InputError(f"run {run.number} came before the change accepted with run {since}; check a later run")
    return replace(series, entries=tuple(entry for entry in series.entries if entry.number <= run.number))


def _checked(
    history: "Store", series: Sequence[Series], measures: Sequence[str], settings: CheckSettings
) -> tuple[list[Checked], list[str]]:
    """Check series; of several, those in which nothing can be judged are said."""
    checked, notes = [], []
    for chosen in series:
        same = history.series(Wanted(name=chosen.name, kind=chosen.kind))
        whole = next(each for each in same if each.key == chosen.key)
        judged = whole if settings.run is None else replace(whole, entries=chosen.entries)
        try:
            others = [each for each in same if each is not whole and each.name == chosen.name]
            result = SeriesCheck(history, judged, others, measures, settings).checked()
            # What an older run shows changes no alert: the check of the newest run decides that.
            is_newest = judged.entries[-1] == whole.entries[-1]
            checked.append(result if is_newest else replace(result, changes=(), is_newest=False))
        except NotJudgedError as problem:
            if len(series) == 1:
                raise
            notes.append(f"{chosen.name or chosen.kind} (run {chosen.entries[-1].number}) is not judged: {problem}")
    if not checked:
        raise InputError(f"nothing can be judged: {notes[0]}")
    return checked, notes


def _of_other_names(series: SeriesDetails, there: Sequence[Series]) -> list[str]:
    """Return that runs of other names would make a reference, where there is none because each has its own name."""
    first, *others = there
    its = (first.kind, first.data_digest or first.data, rules(first.signature))
    alike = [other for other in others if (other.kind, other.data_digest or other.data, rules(other.signature)) == its]
    number = sum(len(other.entries) for other in alike if other.name != first.name)
    if series.reference is not None or not number:
        return []
    return [
        f"{counted(number, 'run')} on the same data by the same rules {'has' if number == 1 else 'have'} another name; "
        "runs of one --name make a series"
    ]


def _said(change: AlertChange) -> list[str]:
    """Return that an alert began or ended, and who was told."""
    body, end = change.alert.body, change.alert.end
    told = [delivery.target for delivery in change.deliveries if delivery.sent]
    what = f"an alert on {visible(body.measure)} since run {body.since_run} "
    what += f"ended with run {end.run}" if change.moment == "ended" and end is not None else "began"
    sentences = [f"{what}{f'; told {and_joined(told)}' if told else ''}"] if change.new or told else []
    return sentences + [
        f"{what}; {delivery.target} could not be told: {delivery.said}"
        for delivery in change.deliveries
        if not delivery.sent
    ]
