"""The page of a trend: tiles, charts of each measure, what happened, the breakdown, alerts, and all runs."""

from collections.abc import Iterator, Sequence
from typing import Any

from benchbench.history.changed import changes_said
from benchbench.history.trend.trend_details import AlertDetails, LineDetails, TrendDetails, TrendRunDetails
from benchbench.history.trend.words import TONES, commit_of, days_of, order_of, said_of_alert
from benchbench.report.blocks import PAGE, Block, Notes, Table
from benchbench.report.layouts.history_trend import MOST_MEASURES, ends, last_runs, latest_values, sliced
from benchbench.report.layouts.history_trend_charts import LEGEND, ranks, since, track
from benchbench.report.layouts.page_parts import band, ending, head, settings
from benchbench.report.page_blocks import (
    Band,
    Choice,
    Folded,
    Lede,
    Masthead,
    Moment,
    Moments,
    Option,
    PageBlock,
    Panels,
    Section,
    Tile,
    Tiles,
    Tone,
    Tracks,
)
from benchbench.results.figures import NOTHING, day, moment, p_said, quantity
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.tables.shared_messages import capital, counted

_VALUES = 30_000  # of charts; a page of more is slow to open
_SLICES = 12  # charts of slices, of a measure
_TILES = 3
_MOMENTS = 60  # changes of a list
_MARKS: dict[bool, tuple[str, Tone]] = {True: ("▼", "bad"), False: ("●", "good")}  # of alerts, open or not
_SETTINGS = {"by": "broken down by", "order": "order", "last": "last runs", "measures": "measures"}


def blocks(result: Result, _: Sequence[Block]) -> list[PageBlock | Table]:
    """Return the page."""
    trend, record = result.details_as(TrendDetails), result.record
    shown_lines, shown_slices, left = _drawn(trend)
    latest, notes = latest_values(trend, PAGE), [*trend.notes, *left]
    rules = [(series.short, counted(series.runs, "run")) for series in trend.series]
    by_slice = [table for line in trend.lines if (table := sliced(trend, line, PAGE)).rows]
    verdicts = [f"{mark} {sentence}" for mark, sentence in trend.found if "open:" not in sentence][:_TILES]
    made: list[PageBlock | Table] = [_masthead(trend, record, verdicts[:1]), *_bands(trend, record)]
    made += [Lede([sentence]) for sentence in verdicts[1:]]
    made += [Tiles(list(_tiles(trend)))] if len(trend.lines) > 1 else []
    if shown_lines:
        made += _trend(trend, shown_lines, [*shown_lines, *shown_slices])
    if shown_slices:
        of_measure = {line.measure: place for place, line in enumerate(shown_lines)}
        tracks = [track(trend, part, len(shown_lines) + place, of_measure[part.measure], small=True)
                  for place, part in enumerate(shown_slices)]  # fmt: skip
        heading = f"By {trend.by}"
        how = "Each slice has its own scale; slices with the most queries come first. They follow the measure above."
        made += [Section("slices", f"By {trend.by}", heading, how), Tracks(tracks, 3)]
    if trend.standings is not None:
        how = "Each counts with its latest complete run. Ranks are of the values as they are: neighbours may be tied."
        made += [Section("ranks", "Ranks", "Ranks by version", how), Panels([ranks(trend.standings)], 1)]
    if trend.alerts:
        made += [
            Section("alerts", "Alerts", "Alerts", ""),
            Moments([_alert(trend, alert, shown_lines) for alert in trend.open_first]),
        ]
    folds = [
        *([Folded("Latest values", counted(len(trend.lines), "measure"), [latest])] if trend.lines else []),
        *([Folded(f"By {trend.by}", counted(len(trend.slices), "slice"), by_slice)] if by_slice else []),
        _runs(trend),
        *([Folded("Notes", f"{counted(len(notes), 'note')} on what is left out", [Notes(notes)])] if notes else []),
    ]
    given = [("Trend", [("kind", trend.kind), *settings(record, _SETTINGS)]), ("Rules", rules)]
    return made + ending(record, folds, given)


def _trend(trend: TrendDetails, lines: Sequence[LineDetails], read: Sequence[LineDetails]) -> list[PageBlock]:
    """Return the charts of the measures, and what happened in them."""
    how_to_read = f"Runs {order_of(trend)}. Point, touch or use the arrow keys to read a run: its commit and settings."
    tracks = [track(trend, line, place, place) for place, line in enumerate(lines)]
    choice = Choice("measure", "Measure", [Option(line.measure) for line in lines]) if len(lines) > 1 else None
    moments = list(_changes(trend, lines))
    drifts = "is measured" if any(line.drift for line in lines) else "is not tested: too few runs"
    test = f"Permutation test per measure, p < {trend.alpha:g}, comparable runs only."
    how = f"{test} Drift {drifts} since the last change."
    left = f" The last {_MOMENTS} of {len(moments):,}." if len(moments) > _MOMENTS else ""
    made: list[PageBlock] = [
        Section("trend", "Trend", "Trend", how_to_read),
        Tracks(tracks, 1, choice, list(LEGEND.items()), _read(trend, read)),
    ]
    if moments:
        made += [Section("changes", "Changes", "Changes and drift", how + left), Moments(moments[:_MOMENTS])]
    return made


def _read(trend: TrendDetails, lines: Sequence[LineDetails]) -> dict[str, Any]:
    """Return what a script reads of each run, of all charts."""
    told = {str(place): list(_told(trend, run)) for place, run in enumerate(trend.runs)}
    rows = [[run.number, moment(run.started), commit_of(run), run.branch, run.series, run.status] for run in trend.runs]
    of_runs = {
        "runs": rows,
        "rules": [series.short for series in trend.series],
        "told": {place: events for place, events in told.items() if events},
    }
    return {"sets": [of_runs], "lines": [_line(line) for line in lines]}


def _line(line: LineDetails) -> dict[str, Any]:
    made: dict[str, Any] = {
        "name": f"{line.measure}, {line.slice}" if line.slice else line.measure,
        "unit": line.unit,
        "v": [_six(value) for value in line.values],
        "said": {str(point.after): f"{point.mark} {point.said}" for point in line.points},
    }
    if any(end is not None for end in line.low):
        made |= {"l": [_six(end) for end in line.low], "h": [_six(end) for end in line.high]}
    sizes = {size for size in line.n if size is not None}
    if sizes:
        made["n"] = sizes.pop() if len(sizes) == 1 and None not in line.n else line.n
    return made


def _six(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")


def _told(trend: TrendDetails, run: TrendRunDetails) -> Iterator[list[str]]:
    """Yield what happened at a run, of all measures: label and text."""
    if run.goes_back and trend.order == "recording":
        yield ["Clock", "it began before the run recorded ahead of it"]
    if run.changed:
        yield ["Changed", changes_said(run.changed, run.more_changed)]
    if run.tags:
        yield ["Tags", ", ".join(f"{name} {value}" for name, value in run.tags.items())]
    for change in trend.accepted:
        if change.run == run.number:
            yield ["Accepted", f"{change.reason or 'no reason given'}{f' ({change.by})' if change.by else ''}"]
    for alert in trend.alerts:
        if alert.began == run.number:
            yield ["Alert", f"began on {alert.measure}"]
        if alert.ended == run.number:
            yield ["Alert", f"ended on {alert.measure}"]


def _drawn(trend: TrendDetails) -> tuple[list[LineDetails], list[LineDetails], list[str]]:
    """Return the lines and slices that the page draws, and what is said of those that it leaves out."""
    room = max(1, _VALUES // max(1, len(trend.runs)))
    lines = trend.lines[:room]
    left_out = []
    if len(lines) < len(trend.lines):
        left_out.append(f"The page draws {len(lines):,} of {len(trend.lines):,} measures; --measure names others.")
    slices: list[LineDetails] = []
    left = 0
    for line in lines:
        its = trend.slices_of(line)
        taken = its[: min(_SLICES, max(0, room - len(lines) - len(slices)))]
        left += len(its) - len(taken)
        slices += taken
    if left:
        left_out.append(f"The page draws {len(slices):,} of {len(slices) + left:,} slices; --format csv has all.")
    return lines, slices, left_out


def _masthead(trend: TrendDetails, record: Record, verdict: Sequence[str]) -> Masthead:
    failed = sum(not run.counts for run in trend.runs)
    states: list[tuple[str, Tone]] = [(f"{failed:,} failed", "bad")] if failed else []
    name = f"{trend.name or trend.kind}{f' on {trend.data}' if trend.data else ''}"
    days = days_of(trend)
    about = [name, counted(len(trend.runs), "run"), days if days != day(record.started) else ""]
    return head("history trend", record, about, " ".join(verdict) or name, states=states)


def _bands(trend: TrendDetails, record: Record) -> Iterator[Band]:
    """Yield what a reader must know first: gates that failed, alerts that are open."""
    yield from band(record)
    current = [alert for alert in trend.alerts if alert.is_open]
    if current:
        title = "An alert is open" if len(current) == 1 else f"{len(current):,} alerts are open"
        yield Band(title, [], lines=[f"{alert.measure} since run {alert.began}: {alert.said}" for alert in current])


def _tiles(trend: TrendDetails) -> Iterator[Tile]:
    for line in trend.lines[:_TILES]:
        number, _, unit = quantity(line.value, line.unit).partition(" ")
        interval = "no interval" if ends(line) == NOTHING else f"95 % interval {ends(line)}"
        changes = " · ".join(since(trend, line)) if line.value is not None else ""
        yield Tile(line.measure, [number], unit, interval if line.value is not None else "", changes)


def _changes(trend: TrendDetails, drawn: Sequence[LineDetails]) -> Iterator[Moment]:
    """Yield changes, the latest first, then drifts, then accepted changes."""
    places = {line.measure: place for place, line in enumerate(drawn)}
    points = [(line, point) for line in trend.lines for point in line.points]
    for line, point in sorted(points, key=lambda pair: -pair[1].after):
        text = f"{capital(point.where)} ({p_said(point.p)})."
        run = trend.runs[point.after]
        text += f" Changed at run {run.number}: {changes_said(run.changed, run.more_changed)}." if run.changed else ""
        yield Moment(point.mark, TONES.get(point.mark, ""), point.said, text, places.get(line.measure), point.after)
    for line in trend.lines:
        drift = line.drift
        if drift is not None and drift.shown:
            title, _, sure = drift.said.partition(" (")
            yield Moment(
                drift.mark,
                TONES.get(drift.mark, ""),
                title,
                f"{sure.removesuffix(')')}.",
                places.get(line.measure),
                drift.first,
            )
    for line in trend.lines:
        for cycle in line.cycles:
            text = "Changes and drift are looked for in what is left beside it."
            yield Moment("∿", "", cycle.said, text, places.get(line.measure), None)
    for change in trend.accepted:
        place = trend.place(change.run)
        who = f", by {change.by}" if change.by else ""
        title = f"A change was accepted from run {change.run} on"
        text = f"{change.reason or 'No reason given'} ({day(change.at)}{who})."
        yield Moment("◆", "", title, text, 0 if drawn else None, place)


def _alert(trend: TrendDetails, alert: AlertDetails, drawn: Sequence[LineDetails]) -> Moment:
    key = next((number for number, line in enumerate(drawn) if line.measure == alert.measure), None)
    why = f": {alert.ended_why}" if alert.ended_why else ""
    until = "still open" if alert.is_open else f"until {moment(alert.ended_at)}{why}"
    text = f"{alert.said} Since run {alert.began}, {moment(alert.began_at)}; {until}.".strip()
    mark, tone = _MARKS[alert.is_open]
    return Moment(mark, tone, f"{alert.measure}: {said_of_alert(alert)}", text, key, trend.place(alert.began))


def _runs(trend: TrendDetails) -> Folded:
    """Return the table of the runs, the newest first: what the charts show, in numbers."""
    table, measures = last_runs(trend, PAGE), min(len(trend.lines), MOST_MEASURES)
    text = "the numbers of the charts, newest first"
    if len(table.rows) < len(trend.runs):
        text += f"; the last {len(table.rows):,} of {len(trend.runs):,}"
    if measures < len(trend.lines):
        text += f"; {measures} of {len(trend.lines)} measures, --format csv has all"
    return Folded("Runs", text, [table])
