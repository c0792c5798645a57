"""The page of a trend: tiles, charts of each measure, what happened, the breakdown, alerts, and all runs."""

from collections.abc import Iterator, Sequence
from typing import Any

from benchbench.history.trend.details import AlertDetails, LineDetails, TrendDetails, TrendRunDetails
from benchbench.history.trend.words import commit_of, said_of_alert, slope_shown
from benchbench.report.blocks import PAGE, Block, Notes, Table
from benchbench.report.layouts.card_parts import passed_gates
from benchbench.report.layouts.history_trend import MOST_MEASURES, changes_of, ends, last_runs, latest_values, sliced
from benchbench.report.layouts.history_trend_charts import LEGEND, track
from benchbench.report.layouts.page_parts import band, gates_said, reproduce, settings
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
    Section,
    Tile,
    Tiles,
    Tone,
    Tracks,
)
from benchbench.results.figures import NOTHING, day, moment, p_said, quantity, quantity_change
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.tables.shared_messages import counted

_VALUES = 30_000  # of charts; a page of more is slow to open
_SLICES = 12  # charts of slices, of a measure
_TILES = 3
_MOMENTS = 60  # changes of a list
_SETTINGS = {"by": "broken down by", "order": "order", "last": "last runs", "measures": "measures"}


def blocks(result: Result, _: Sequence[Block]) -> list[PageBlock | Table]:
    """Return the page."""
    found, record = result.details_as(TrendDetails), result.record
    shown_lines, shown_slices, left = _drawn(found)
    latest = latest_values(found, PAGE)
    by_slice = [table for line in found.lines if (table := sliced(found, line, PAGE)).rows]
    made: list[PageBlock | Table] = [_masthead(found, record), *_bands(found, record), *_lede(found)]
    made.append(Tiles(list(_tiles(found))))
    if shown_lines:
        made += _trend(found, shown_lines, [*shown_lines, *shown_slices])
    if shown_slices:
        of_measure = {line.measure: place for place, line in enumerate(shown_lines)}
        tracks = [track(found, one, len(shown_lines) + place, of_measure[one.measure], small=True)
                  for place, one in enumerate(shown_slices)]  # fmt: skip
        heading = f"By {found.by}"
        said = "Each slice on a scale of its own, those of the most queries first. They follow the measure above."
        made += [Section("slices", f"By {found.by}", heading, said), Tracks(tracks, 3)]
    if found.alerts:
        made += [
            Section("alerts", "Alerts", "Alerts", ""),
            Moments([_alert(found, one, shown_lines) for one in _sorted(found)]),
        ]
    made += [
        Section("numbers", "Numbers", "All numbers"),
        *passed_gates(record),
        *([Folded("Latest values", counted(len(found.lines), "measure"), [latest])] if found.lines else []),
        *([Folded(f"By {found.by}", counted(len(found.slices), "slice"), by_slice)] if by_slice else []),
        _runs(found),
        *_notes(found, left),
        Section("reproduce", "To reproduce", "To reproduce"),
        reproduce(record, [("Trend", _of_trend(found, record)), ("Rules", _rules(found))]),
    ]
    return made


def _trend(found: TrendDetails, lines: Sequence[LineDetails], read: Sequence[LineDetails]) -> list[PageBlock]:
    """Return the charts of the measures, and what happened in them."""
    order = "recording" if found.order == "recording" else "their times"
    said = f"Runs in the order of {order}. Point, touch or use the arrow keys to read a run: its commit and settings."
    tracks = [track(found, line, place, place) for place, line in enumerate(lines)]
    happened_there = list(_changes(found, lines))
    more = len(happened_there) - _MOMENTS
    left = f" The last {_MOMENTS} of {len(happened_there):,}." if more > 0 else ""
    return [
        Section("trend", "Trend", "Trend", said),
        Tracks(tracks, 1, _choice(lines), list(LEGEND.items()), _read(found, read)),
        Section("changes", "Changes", "Changes and drift", _said_of_changes(found) + left),
        Moments(happened_there[:_MOMENTS]),
    ]


def _read(found: TrendDetails, lines: Sequence[LineDetails]) -> dict[str, Any]:
    """Return what a script reads of each run, of all charts."""
    told = {str(place): list(_told(found, place, run)) for place, run in enumerate(found.runs)}
    return {
        "runs": [
            [run.number, moment(run.started), commit_of(run), run.branch, run.series, run.status] for run in found.runs
        ],
        "rules": [one.short for one in found.series],
        "told": {place: one for place, one in told.items() if one},
        "lines": [_line(found, one) for one in lines],
    }


def _line(found: TrendDetails, line: LineDetails) -> dict[str, Any]:
    made: dict[str, Any] = {
        "name": f"{line.measure}, {line.slice}" if line.slice else line.measure,
        "unit": line.unit,
        "v": [_six(one) for one in line.values],
        "said": {str(point.after): f"{point.mark} {point.said}" for point in line.points},
    }
    if any(one is not None for one in line.low):
        made |= {"l": [_six(one) for one in line.low], "h": [_six(one) for one in line.high]}
    sizes = {one for one in line.n if one is not None}
    if sizes:
        made["n"] = sizes.pop() if len(sizes) == 1 and None not in line.n else line.n
    return made


def _six(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")


def _told(found: TrendDetails, place: int, run: TrendRunDetails) -> Iterator[list[str]]:
    """Yield what happened at a run, of all measures: label and text."""
    if run.goes_back and found.order == "recording":
        yield ["Clock", "it began before the run recorded ahead of it"]
    if run.changed:
        yield ["Changed", changes_of(run)]
    if run.tags:
        yield ["Tags", ", ".join(f"{name} {value}" for name, value in run.tags.items())]
    for one in found.accepted:
        if one.run == run.number:
            yield ["Accepted", f"{one.reason or 'no reason given'}{f' ({one.by})' if one.by else ''}"]
    for each in found.alerts:
        if each.began == run.number:
            yield ["Alert", f"began on {each.measure}"]
        if each.ended == run.number:
            yield ["Alert", f"ended on {each.measure}"]


def _drawn(found: TrendDetails) -> tuple[list[LineDetails], list[LineDetails], list[str]]:
    """Return the lines and slices that the page draws, and what is said of those that it leaves out."""
    room = max(1, _VALUES // max(1, len(found.runs)))
    lines = found.lines[:room]
    said = []
    if len(lines) < len(found.lines):
        said.append(f"The page draws {len(lines):,} of {len(found.lines):,} measures; --measure names others.")
    slices: list[LineDetails] = []
    left = 0
    for line in lines:
        its = found.slices_of(line)
        taken = its[: min(_SLICES, max(0, room - len(lines) - len(slices)))]
        left += len(its) - len(taken)
        slices += taken
    if left:
        said.append(f"The page draws {len(slices):,} of {len(slices) + left:,} slices; --format csv has all.")
    return lines, slices, said


def _masthead(found: TrendDetails, record: Record) -> Masthead:
    days = sorted(run.started for run in found.runs)
    when = f"{day(days[0])} to {day(days[-1])}" if days else ""
    failed = sum(not run.counts for run in found.runs)
    facts: list[str | tuple[str, Tone]] = [(counted(len(found.runs), "run"), ""), (when, "")]
    if failed:
        facts.append((f"{failed:,} failed", "bad"))
    facts += gates_said(record)
    facts.append((f"drawn {moment(record.started)}", ""))
    name = found.name or found.kind
    return Masthead(
        "history trend", facts, record.signature, [f"{name} ", "on", f" {found.data}"] if found.data else name
    )


def _bands(found: TrendDetails, record: Record) -> Iterator[Band]:
    """Yield what a reader must know first: gates that failed, alerts that are open."""
    yield from band(record)
    current = [one for one in found.alerts if one.is_open]
    if current:
        title = "An alert is open" if len(current) == 1 else f"{len(current):,} alerts are open"
        yield Band(title, [], lines=[f"{one.measure} since run {one.began}: {one.said}" for one in current])


def _lede(found: TrendDetails) -> list[Lede]:
    said = [f"{mark} {sentence}" for mark, sentence in found.found if "open:" not in sentence]
    return [Lede([one]) for one in said[:_TILES]]


def _tiles(found: TrendDetails) -> Iterator[Tile]:
    for line in found.lines[:_TILES]:
        number, _, unit = quantity(line.value, line.unit).partition(" ")
        interval = "no interval" if ends(line) == NOTHING else f"interval {ends(line)}"
        said = []
        if line.change is not None and line.before is not None:
            said.append(f"{quantity_change(line.change, line.unit)} since run {found.runs[line.before].number}.")
        if line.drift is not None:
            one = line.drift
            said.append(f"Drifts by {slope_shown(one.per_run, line.unit)} per run." if one.shown else "No drift shown.")
        yield Tile(line.measure, [number], unit, interval if line.value is not None else "", " ".join(said))
    changes = sum(len(line.points) for line in found.lines)
    commits = len({run.commit for run in found.runs if run.commit})
    of = f"of {counted(commits, 'commit')}" if commits else "commits not known"
    yield Tile(
        "Runs",
        [f"{len(found.runs):,}"],
        "",
        of,
        f"{counted(changes, 'change')} found in {counted(len(found.lines), 'measure')}.",
    )


def _choice(lines: Sequence[LineDetails]) -> Choice | None:
    return Choice("measure", "Measure", [Option(line.measure) for line in lines]) if len(lines) > 1 else None


def _said_of_changes(found: TrendDetails) -> str:
    return (
        f"Found by permutation at {found.alpha:g} per measure, in each series of comparable runs by itself; drift over "
        "the runs since the last change."
    )


def _changes(found: TrendDetails, drawn: Sequence[LineDetails]) -> Iterator[Moment]:
    """Yield changes, the latest first, then drifts, then accepted changes; at least that there is none."""
    places = {line.measure: place for place, line in enumerate(drawn)}
    points = [(line, point) for line in found.lines for point in line.points]
    for line, point in sorted(points, key=lambda one: -one[1].after):
        said = f"{point.where[:1].upper()}{point.where[1:]} ({p_said(point.p)})."
        run = found.runs[point.after]
        said += f" Settings changed at run {run.number}: {changes_of(run)}." if run.changed else ""
        yield Moment(point.mark, _tone(point.mark), point.said, said, places.get(line.measure), point.after)
    for line in found.lines:
        one = line.drift
        if one is not None and one.shown:
            title, _, sure = one.said.partition(" (")
            yield Moment(
                one.mark, _tone(one.mark), title, f"{sure.removesuffix(')')}.", places.get(line.measure), one.first
            )
    for line in found.lines:
        for cycle in line.cycles:
            said = "Changes and drift are looked for in what is left beside it."
            yield Moment("∿", "", cycle.said, said, places.get(line.measure), None)
    for each in found.accepted:
        place = found.place(each.run)
        who = f", by {each.by}" if each.by else ""
        title = f"A change was accepted from run {each.run} on"
        yield Moment(
            "◆", "", title, f"{each.reason or 'No reason given'} ({day(each.at)}{who}).", 0 if drawn else None, place
        )
    if not points and not any(line.drift is not None and line.drift.shown for line in found.lines):
        yield Moment("○", "", "No change and no drift is shown", "That is not to say that there is none.", None, None)


def _tone(mark: str) -> Tone:
    return "good" if mark == "▲" else "bad" if mark == "▼" else ""


def _sorted(found: TrendDetails) -> list[AlertDetails]:
    return sorted(found.alerts, key=lambda one: (not one.is_open, -one.began))


def _alert(found: TrendDetails, one: AlertDetails, drawn: Sequence[LineDetails]) -> Moment:
    place, key = found.place(one.began), next((n for n, line in enumerate(drawn) if line.measure == one.measure), None)
    until = (
        "still open" if one.is_open else f"until {moment(one.ended_at)}{f': {one.ended_why}' if one.ended_why else ''}"
    )
    said = f"{one.said} Since run {one.began}, {moment(one.began_at)}; {until}.".strip()
    mark, tone = ("▼", "bad") if one.is_open else ("●", "good")
    return Moment(mark, "bad" if tone == "bad" else "good", f"{one.measure}: {said_of_alert(one)}", said, key, place)


def _runs(found: TrendDetails) -> Folded:
    """Return the table of the runs, the newest first: what the charts show, in numbers."""
    table, measures = last_runs(found, PAGE), min(len(found.lines), MOST_MEASURES)
    said = "the numbers of the charts, newest first"
    if len(table.rows) < len(found.runs):
        said += f"; the last {len(table.rows):,} of {len(found.runs):,}"
    if measures < len(found.lines):
        said += f"; {measures} of {len(found.lines)} measures, --format csv has all"
    return Folded("Runs", said, [table])


def _notes(found: TrendDetails, left: Sequence[str]) -> list[Folded]:
    said = [*found.notes, *left]
    return [Folded("Notes", f"{counted(len(said), 'note')} on what is left out", [Notes(said)])] if said else []


def _of_trend(found: TrendDetails, record: Record) -> list[tuple[str, str]]:
    return [("kind", found.kind), *settings(record, _SETTINGS)]


def _rules(found: TrendDetails) -> list[tuple[str, str]]:
    return [(one.short, counted(one.runs, "run")) for one in found.series]
