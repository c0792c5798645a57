"""A trend: what changed first, a row of bars per measure, the latest values, and the last runs."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from benchbench.history.trend.details import LAST, LineDetails, TrendDetails
from benchbench.history.trend.words import commit_of, slope_shown
from benchbench.report.blocks import (
    EVERYWHERE,
    JUNIT,
    PAGE,
    PAPER,
    SUMMARY,
    TERMINAL,
    AnyCell,
    Block,
    Cell,
    Facts,
    Gates,
    Heading,
    Notes,
    Spark,
    Sparks,
    Table,
    Verdict,
    Where,
)
from benchbench.report.layout import Layout
from benchbench.report.layouts.history_trend_notes import changes_of, ends, happened, of
from benchbench.report.render.lines import sparkline
from benchbench.results.figures import day, moment, p_said, quantity, quantity_change
from benchbench.results.measured import json_members
from benchbench.results.result import Result
from benchbench.tables.shared_messages import counted

if TYPE_CHECKING:
    from benchbench.report.card_blocks import CardBlock
    from benchbench.report.page_blocks import PageBlock

_MOST = 6  # measures of the table of runs
_BARS = 24  # of a row in Markdown
_HALF = 2  # slices and measures that a narrow terminal shows
_MARKDOWN: Where = frozenset({"markdown"}) | SUMMARY
_LATEX: Where = frozenset({"latex"})  # its fonts have no bars and no marks
TONES = {"▲": "good", "▼": "bad"}


def layout(result: Result) -> Layout:
    """Return the verdict, bars, a table of the latest values, changes, alerts, slices, and the last runs."""
    found = result.details_as(TrendDetails)
    title = title_of(found)
    changed = list(_changed(found))
    blocks: list[Block] = [
        Verdict([(mark, said) for mark, said in found.found], found.advice),
        Heading(title, where=TERMINAL | PAGE),
        Facts([("", f"{mark} {said}") for mark, said in found.found], where=_MARKDOWN),
        *(_values(found) if found.lines else ()),
        *([Facts(changed, where=TERMINAL | _MARKDOWN)] if changed else []),
        *([alerts(found)] if found.alerts else []),
        *(_sliced(found, line, bars) for line in found.lines if found.slices_of(line) for bars in (True, False)),
        _runs(found, TERMINAL | _MARKDOWN),
        _runs(found, _LATEX),
        Facts([("Note", said) for said in found.notes], where=TERMINAL | SUMMARY),
        Gates(where=TERMINAL | PAGE),
        Facts([("Rules", found.series[0].short)] if found.series else [], where=TERMINAL),
        Notes(found.notes, where=PAPER | JUNIT),
    ]
    return Layout(
        title,
        blocks,
        lambda: json_members(result),
        lambda: _csv(found),
        command="benchbench history trend",
        page="trend.html",
        values=lambda: _data(result),
        drawn=lambda: _page(result),
    )


def _page(result: Result) -> "Sequence[Block | PageBlock | CardBlock]":
    from benchbench.report.layouts.history_trend_page import blocks  # late: only a page needs it

    return blocks(result)


def _data(result: Result) -> dict[str, Any]:
    from benchbench.report.layouts.history_trend_page import values

    return values(result)


def title_of(found: TrendDetails) -> str:
    """Return what is shown in a line: of which name, how many runs, from when to when."""
    on = f" on {found.data}" if found.data else ""
    if not found.runs:
        return f"{found.name}{on}"
    days = sorted(run.started for run in found.runs)
    first, last = day(days[0]), day(days[-1])
    when = first if first == last else f"{first} to {last}"
    return f"{found.name}{on}: {counted(len(found.runs), 'run')}, {when}"


def _sparks(found: TrendDetails) -> Iterator[Spark]:
    for line in found.lines:
        marks = [(point.after, point.mark) for point in line.points]
        yield Spark(line.measure, line.values, quantity(line.value, line.unit), marks, _apart(found, line))


def _apart(found: TrendDetails, line: LineDetails) -> frozenset[int]:
    """Return the places of runs of other series, and of such as failed, that have a value."""
    return frozenset(
        place
        for place, run in enumerate(found.runs)
        if (run.series or not run.counts) and line.values[place] is not None
    )


def _of_sparks(found: TrendDetails) -> str:
    order = "recording" if found.order == "recording" else "their times"
    first, last = found.runs[0].number, found.runs[-1].number
    which = f"Run {first}" if len(found.runs) == 1 else f"Runs {first} to {last}, in the order of {order}"
    said = f"{which}, each row on its own scale"
    marked = "; ▲ ▼ ○ below: a change" if any(line.points for line in found.lines) else ""
    apart = "; · other rules or data, or a run that failed" if any(_apart(found, line) for line in found.lines) else ""
    return f"{said}{marked}{apart}."


def _values(found: TrendDetails) -> list[Block]:
    return [
        Sparks(list(_sparks(found)), _of_sparks(found)),
        Table(*_latest(found, bars=False), keeps=[0, 0, 2, 1, 3, 4], where=TERMINAL),
        Table(*_latest(found, bars=True), where=_MARKDOWN),
        Table(*_latest(found, bars=False, marked=False), where=_LATEX),
    ]


def _latest(found: TrendDetails, bars: bool, marked: bool = True) -> tuple[Sequence[str], list[list[AnyCell]], str]:
    """Return head, rows and sides of the table of the latest values."""
    head = ["Measure", "Latest", "Interval", "Since the run before", "Drift per run", "Of"]
    rows: list[list[AnyCell]] = []
    for line in found.lines:
        row: list[AnyCell] = [line.measure, Cell(quantity(line.value, line.unit), strong=True), ends(line)]
        row += [Cell(quantity_change(line.change, line.unit)), drift_of(line, marked), of(line)]
        rows.append([*row, sparkline(line.values, _BARS, _apart(found, line))] if bars else row)
    return [*head, *(["Runs"] if bars else [])], rows, "lrrrrr" + "l" * bars


def drift_of(line: LineDetails, marked: bool = True) -> Cell:
    """Return the slope where it is more than chance."""
    one = line.drift
    if one is None:
        return Cell("–")
    if not one.shown:
        return Cell("none shown")
    said = slope_shown(one.per_run, line.unit)
    return Cell(f"{one.mark} {said}" if marked else said, tone=TONES.get(one.mark, ""))


def _changed(found: TrendDetails) -> Iterator[tuple[str, str]]:
    """Yield changes and drifts with their labels."""
    label = "Change"
    for line in found.lines:
        for point in line.points:
            run = found.runs[point.after]
            settings = f"; settings changed there: {changes_of(run)}" if run.changed else ""
            yield label, f"{point.mark} {point.said}, {point.where} ({p_said(point.p)}){settings}"
            label = ""
    label = "Drift"
    for line in found.lines:
        if line.drift is not None and line.drift.shown:
            yield label, f"{line.drift.mark} {line.drift.said}"
            label = ""
    label = "Cycle"
    for line in found.lines:
        for cycle in line.cycles:
            yield label, cycle.said
            label = ""
    label = "Accepted"
    for one in found.accepted:
        yield (
            label,
            f"from run {one.run} on, by {one.by or 'somebody'} on {day(one.at)}: {one.reason or 'no reason given'}",
        )
        label = ""


def alerts(found: TrendDetails) -> Table:
    """Return the alerts, open ones first."""
    rows: list[list[AnyCell]] = []
    for one in sorted(found.alerts, key=lambda one: (not one.is_open, -one.began)):
        state = Cell("▼ open", tone="bad", strong=True) if one.is_open else Cell("● ended", tone="good")
        until = "" if one.is_open else moment(one.ended_at)
        since = f"run {one.began}, {moment(one.began_at)}"
        rows.append([state, one.measure, since, until, one.ended_why, one.said])
    return Table(
        ["Alert", "Measure", "Since", "Until", "Why it ended", "What"], rows, "llllll", where=EVERYWHERE - PAGE
    )


def _sliced(found: TrendDetails, line: LineDetails, bars: bool) -> Table:
    """Return the latest value of a measure in each slice."""
    rows: list[list[AnyCell]] = []
    for one in (line, *found.slices_of(line)):
        label = one.slice.partition("=")[2] if one.slice else "all"
        row = [label, quantity(one.value, one.unit), ends(one), quantity_change(one.change, one.unit), of(one)]
        rows.append([*row, sparkline(one.values, _BARS, _apart(found, one))] if bars else [*row])
    head = [found.by, "Latest", "Interval", "Since the run before", "Of", *(["Runs"] if bars else [])]
    where = TERMINAL | _MARKDOWN if bars else _LATEX
    keeps = [0, 0, 3, 1, 1, *([2] if bars else [])]
    return Table(head, rows, "lrrrr" + "l" * bars, f"{line.measure} by {found.by}", where=where, keeps=keeps)


def _runs(found: TrendDetails, where: Where) -> Table:
    """Return the last runs, the newest first; LaTeX gets them without what happened."""
    lines = found.lines[:_MOST]
    several, told = len(found.series) > 1, where != _LATEX
    measured = [line.measure for line in lines]
    head = ["Run", "Began", "Commit", *(["Rules"] if several else []), *measured, *(["What"] if told else [])]
    rows: list[list[AnyCell]] = []
    for place in range(len(found.runs) - 1, max(-1, len(found.runs) - 1 - LAST), -1):
        run = found.runs[place]
        tone = "" if run.series == 0 and run.counts else "muted"
        row: list[AnyCell] = [Cell(str(run.number), tone=tone), moment(run.started), commit_of(run) or "–"]
        row += [found.series[run.series].short] if several else []
        for line in lines:
            value = line.values[place]
            row.append(Cell(quantity(value, line.unit), tone=tone))
        rows.append([*row, *(["; ".join(happened(found, place))] if told else [])])
    sides = "rll" + "l" * several + "r" * len(lines) + "l" * told
    left = len(found.lines) - len(lines)
    caption = "The last run" if len(rows) == 1 else f"The last {len(rows):,} runs"
    caption += f"; {left} further measures not shown" if left else ""
    keeps = [0, 1, 0, *([2] if several else []), *(0 if place < _HALF else 2 for place in range(len(lines)))]
    return Table(head, rows, sides, caption, where=where, keeps=[*keeps, *([3] if told else [])])


def _csv(found: TrendDetails) -> Iterator[dict[str, Any]]:
    """Yield a row per run and measure, of all queries and of each slice; runs without a value have one too."""
    for line in (*found.lines, *found.slices):
        changed = {point.after: point.mark for point in line.points}
        for place, run in enumerate(found.runs):
            alert = [one for one in found.alerts
                     if one.measure == line.measure and one.began <= run.number and not line.slice
                     and (one.is_open or (one.ended or one.began) >= run.number)]  # fmt: skip
            yield {
                "run": run.number,
                "id": run.id,
                "started": run.started,
                "status": run.status,
                "commit": run.commit,
                "branch": run.branch,
                "signature": found.series[run.series].short,
                "measure": line.measure,
                "slice": line.slice,
                "value": line.values[place],
                "low": line.low[place],
                "high": line.high[place],
                "n": line.n[place],
                "unit": line.unit,
                "change": changed.get(place, ""),
                "alert": "open" if alert else "",
                "changed": changes_of(run),
            }
