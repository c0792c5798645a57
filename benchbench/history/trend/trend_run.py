"""Results of one name over time: a line per measure, what changed between runs, changes, drift and alerts."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from benchbench.comparison.comparable import comparable_parts, rules, unlike
from benchbench.errors import InputError, visible
from benchbench.history.alerts.rows import accepted, alerts
from benchbench.history.changes import changes_of
from benchbench.history.comparability import listed_runs
from benchbench.history.entry import COMPLETE, Entry, Series, StoredNumber
from benchbench.history.find import Lines, lines_of, series_of
from benchbench.history.measure_names import MOST_LEADING, bare, leading_of_run, named, scope_of
from benchbench.history.trend.lines import ALPHA, found_in, latest_of
from benchbench.history.trend.standings import of_names, of_systems
from benchbench.history.trend.trend_details import (
    LAST,
    AcceptedDetails,
    AlertDetails,
    LineDetails,
    Order,
    StandingsDetails,
    Trend,
    TrendDetails,
    TrendRunDetails,
    TrendSeriesDetails,
)
from benchbench.history.trend.words import verdict
from benchbench.history.wanted import ALL, Wanted
from benchbench.tables.shared_messages import and_joined, capital, counted, few

if TYPE_CHECKING:
    from benchbench.history.store import Store

MOST_SLICES = 50  # of a measure, those of the most queries
_NAMED, _MEASURES = 5, "more measures"  # of what a note names


def trend(
    history: "Store",
    wanted: Wanted = ALL,
    measures: Sequence[str] = (),
    *,
    by: str | None = None,
    order: Order = "recording",
    last: int | None = None,
    whole: bool = True,
) -> Trend:
    """Return how the measures of one name have moved.

    Parameters
    ----------
    history
        The store.
    wanted
        Which runs; of several names, that of the last run is taken, and a note names the others.
    measures
        As gates name them; by default the leading measure of each task, and latency.
    by
        Column of a breakdown: of slices that the records have, else of the queries.
    order
        Of recording, or of the times at which runs began.
    last
        Only the last so many runs.
    whole
        Whether each run has its tags and what it has otherwise than the run before it; else only those of which a text
        says it, the last ones and those at which a measure changed: to read the records of all takes a second.

    Raises
    ------
    InputError
        When no run is wanted, or none has a measure or the column.
    """
    began = time.time()
    everything = series_of(history.entries(wanted, whole=whole or by is not None))
    if not everything:
        raise InputError(_nothing(history, wanted))
    recorded, others = _of_one_name(everything)
    chosen = sorted((entry for its in recorded for entry in its.entries), key=_key(order))
    runs_there = len(chosen)
    chosen = chosen[-last:] if last else chosen
    series = _series(recorded, chosen)
    wanted_measures, not_drawn = _measures(history, measures, chosen)
    numbers = history.rows(chosen, wanted_measures, slices=by is not None)
    runs = _runs(chosen, [its.key for its in series])
    values = lines_of(numbers)
    lines = [found_in(_line(values.get((name, None), {}), name, None, chosen), runs) for name in wanted_measures]
    after = {point.after for line in lines for point in line.points}
    told = range(len(runs)) if whole else {*range(len(runs))[-LAST:], *after}
    for place, (changed, more_changed) in changes_of(history, chosen, told).items():
        runs[place] = replace(runs[place], changed=changed, more_changed=more_changed)
    slices, more = ([], []) if by is None else _slices(history, values, wanted_measures, by, chosen, runs)
    first = next(its for its in recorded if its.key == series[0].key)
    made = TrendDetails(
        name=first.name,
        kind=first.kind,
        data=first.data,
        order=order,
        by=by or "",
        alpha=ALPHA,
        recorded=runs_there,
        runs=runs,
        series=series,
        lines=lines,
        slices=slices,
        alerts=_alerts(history, series),
        accepted=_accepted(history, series),
        standings=_standings(history, recorded, others, lines, runs) if whole else None,
    )
    return Trend(
        completed(made, [*_said_of_others(others), *not_drawn, *more]),
        {"store": history.place.shown, "by": by, "order": order, "last": last, "measures": wanted_measures},
        began,
    )


def _standings(
    history: "Store",
    recorded: Sequence[Series],
    others: Sequence[Series],
    lines: Sequence[LineDetails],
    runs: Sequence[TrendRunDetails],
) -> StandingsDetails | None:
    """Return the ranks of the systems of the runs, else of their name among others, by the first measure."""
    if not lines:
        return None
    newest = max(recorded, key=lambda series: series.entries[-1].number)
    return of_systems(lines, runs) or of_names(history, newest, others, lines[0].measure, lines[0].better)


def completed(trend: TrendDetails, more: Sequence[str] = ()) -> TrendDetails:
    """Return a trend with what it comes to, and with notes on what is left out or assumed; `more` are further ones."""
    sentences, advice = verdict(trend)
    return replace(trend, found=sentences, advice=advice, notes=[*notes(trend), *more])


def notes(trend: TrendDetails) -> Iterator[str]:
    """Yield what the numbers leave out or assume."""
    shown = len(trend.runs)
    if shown < trend.recorded:
        yield f"These are the last {shown:,} of {trend.recorded:,} runs; changes and drift are looked for in them only."
    for series in trend.series[1:]:
        how = f": {and_joined(series.differs)}" if series.differs else ""
        yield (
            f"{counted(series.runs, 'run')} under this name {'goes' if series.runs == 1 else 'go'} by other rules or "
            f"data (rules {series.short}){how}. They are drawn apart, never joined to the others."
        )
    failed = [run.number for run in trend.runs if not run.counts]
    if failed:
        named = capital(listed_runs(failed))
        yield f"{named} failed or ended early: drawn hollow, and in no change, drift or latest value."
    back = [run.number for run in trend.runs if run.goes_back]
    if back and trend.order == "recording":
        them = "it" if len(back) == 1 else "them"
        yield (
            f"{capital(listed_runs(back))} began before the run recorded ahead of {them}: a clock went back, or an "
            "older result was added later. They are in the order of recording; --order time sorts by the clock."
        )
    either = [line.measure for line in trend.lines if line.either]
    if either:
        yield f"Whether {few(either, what=_MEASURES)} moved in steps or drifted is open: both are reported."
    lacking: dict[int, list[str]] = {}
    for line in trend.lines:
        if line.missing:
            lacking.setdefault(line.missing, []).append(line.measure)
    for missing, names in lacking.items():
        have = "has" if missing == 1 else "have"
        yield f"{missing:,} of {counted(shown, 'run')} {have} no {few(names, what=_MEASURES)}."
    late = [line.measure for line in trend.lines if line.latest is not None and _is_stale(trend, line)]
    if late:
        named = few(late, what=_MEASURES)
        yield f"The last run has no value of {named} that counts; the latest one before it is shown."


def _is_stale(trend: TrendDetails, line: LineDetails) -> bool:
    return any(run.series == 0 for run in trend.runs[(line.latest or 0) + 1 :])


def _nothing(history: "Store", wanted: Wanted) -> str:
    place = history.place.shown
    if wanted == ALL:
        return (
            f"{place} has no runs; `benchbench history add FOLDER` adds one, and --record to any command that measures"
        )
    return f"no run of {place} is as asked for; `benchbench history list` shows what there is"


def _key(order: Order) -> Any:
    return (lambda entry: (entry.started, entry.number)) if order == "time" else (lambda entry: entry.number)


def _of_one_name(everything: Sequence[Series]) -> tuple[list[Series], list[Series]]:
    """Return the series of the name and kind of the newest run, and those of others."""
    newest = max(everything, key=lambda series: series.entries[-1].number)
    same = [series for series in everything if (series.kind, series.name) == (newest.kind, newest.name)]
    return same, [series for series in everything if series not in same]


def _said_of_others(others: Sequence[Series]) -> list[str]:
    if not others:
        return []
    names = list(dict.fromkeys(f"{visible(series.name, 40)} ({series.kind})" for series in others))
    return [f"Not shown, of other names or kinds: {few(names)}; --name and --kind choose."]


def _series(recorded: Sequence[Series], chosen: Sequence[Entry]) -> list[TrendSeriesDetails]:
    """Return the series of the runs, that of the last run first, then by their last runs."""
    runs = Counter(entry.series for entry in reversed(chosen))
    by_key = {series.key: series for series in recorded}
    first = by_key[next(iter(runs))]
    return [
        TrendSeriesDetails(
            key=key,
            signature=by_key[key].signature,
            short=rules(by_key[key].signature) or "none",
            data=by_key[key].data,
            runs=many,
            differs=_differs(by_key[key], first) if key != first.key else [],
        )
        for key, many in runs.items()
    ]


def _differs(series: Series, first: Series) -> list[str]:
    """Return what of the rules or the data of a series is otherwise than in the first."""
    mine, its = (
        {**comparable_parts(compared.signature), "data": compared.data_digest or compared.data}
        for compared in (series, first)
    )
    differences = [visible(difference, 200) for difference in unlike(its, mine)]
    more = [f"{len(differences) - _NAMED} more"] if len(differences) > _NAMED else []
    return [*differences[:_NAMED], *more]


def _runs(chosen: Sequence[Entry], keys: Sequence[str]) -> list[TrendRunDetails]:
    place = {key: number for number, key in enumerate(keys)}
    started = ["", *(entry.started for entry in chosen)]
    return [
        TrendRunDetails(
            number=entry.number,
            id=entry.id,
            started=entry.started,
            status=entry.status,
            commit=entry.commit,
            branch=entry.branch,
            tags={name: value for name, value in entry.tags.items() if name not in ("commit", "branch")},
            series=place[entry.series],
            goes_back=entry.started < before,
        )
        for entry, before in zip(chosen, started[:-1], strict=True)
    ]


def _measures(history: "Store", given: Sequence[str], chosen: Sequence[Entry]) -> tuple[list[str], Sequence[str]]:
    """Return the measures of the lines, and that there would be more; InputError for one that no run has."""
    if given:
        return named(given, history.measures(chosen)), ()
    newest = next((entry for entry in reversed(chosen) if entry.status == COMPLETE), chosen[-1])
    lead = leading_of_run(history.rows([newest], slices=False)) or leading_of_run(history.rows(chosen, slices=False))
    others = lead[MOST_LEADING:]
    more = [f"{few(others, what=_MEASURES)} {'leads' if len(others) == 1 else 'lead'} too; -m draws them."]
    return lead[:MOST_LEADING], more if others else ()


def _line(by_run: dict[int, StoredNumber], measure: str, of_slice: str | None, chosen: Sequence[Entry]) -> LineDetails:
    """Return the values of a measure beside the runs."""
    beside = [by_run.get(entry.number) for entry in chosen]
    last = by_run[next(reversed(by_run))] if by_run else None  # of the latest run that has it
    scope = scope_of(last.scope) if last else {}
    return LineDetails(
        measure=measure,
        values=[number and number.value for number in beside],
        low=[number and number.low for number in beside],
        high=[number and number.high for number in beside],
        n=[number and number.n for number in beside],
        slice=of_slice or "",
        scope=scope,
        name=bare(measure, scope),
        unit=last.unit if last else "",
        better=(last and last.better) or "",
    )


def _slices(
    history: "Store",
    lines: Lines,
    measures: Sequence[str],
    by: str,
    chosen: Sequence[Entry],
    runs: Sequence[TrendRunDetails],
) -> tuple[list[LineDetails], list[str]]:
    """Return the lines of slices, of most queries first, and notes on them."""
    from benchbench.history.slice_means import columns_of, slices_of_values

    notes = list[str]()
    sliced = {key: line for key, line in lines.items() if key[1] is not None and key[1].startswith(f"{by}=")}
    if not sliced:
        firsts = {name: next(iter(lines[name, None].values())) for name in measures}
        made, lacking = slices_of_values(history, chosen, by, firsts)
        sliced = lines_of(made)
        if not made:
            known = columns_of(history, chosen)
            has = f"there are {', '.join(known)}" if known else "no run of this name has slices or values per query"
            raise InputError(f"--by {visible(by, 80)}: no run has this column; {has}")
        if lacking:
            have = "has" if lacking == 1 else "have"
            notes.append(f"{lacking:,} of {counted(len(chosen), 'run')} {have} no values per query by {by}.")
    drawn = []
    sizes = {key: max(number.n or 0 for number in line.values()) for key, line in sliced.items()}
    for measure in measures:
        its = (name for owner, name in sliced if name and owner == measure)
        names = sorted(its, key=lambda name: (-sizes[measure, name], name))
        if len(names) > MOST_SLICES:
            notes.append(f"{measure} by {by}: the {MOST_SLICES} slices of the most queries, of {len(names):,}.")
        drawn += [latest_of(_line(sliced[measure, name], measure, name, chosen), runs) for name in names[:MOST_SLICES]]
    if drawn:
        notes.append(f"Slices by {by} are drawn as they are: changes and drift are looked for over all queries alone.")
    return drawn, notes


def _alerts(history: "Store", series: Sequence[TrendSeriesDetails]) -> list[AlertDetails]:
    """Return the alerts on series, as they are stored."""
    place = {its.key: number for number, its in enumerate(series)}
    return [
        AlertDetails(
            measure=alert.body.measure,
            began=alert.body.since_run,
            began_at=alert.began_at,
            said=alert.body.sentence,
            ended=None if alert.end is None else alert.end.run,
            ended_at=alert.ended_at or "",
            ended_why="" if alert.end is None else alert.end.why,
            series=place[alert.body.series],
        )
        for alert in alerts(history, list(place))
    ]


def _accepted(history: "Store", series: Sequence[TrendSeriesDetails]) -> list[AcceptedDetails]:
    """Return the changes of series that were accepted."""
    place = {its.key: number for number, its in enumerate(series)}
    changes = accepted(history, list(place))
    return [AcceptedDetails(its.run, its.at, its.by, its.reason, place[its.series]) for its in changes]
