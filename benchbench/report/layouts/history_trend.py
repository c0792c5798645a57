"""A trend: what changed first, a row of bars per measure, the latest values, and the last runs."""

from collections.abc import Iterator, Sequence
from typing import Any

from benchbench.history.changed import changes_said
from benchbench.history.trend.trend_details import LAST, LineDetails, TrendDetails
from benchbench.history.trend.words import TONES, commit_of, days_of, order_of, slope_ends, slope_shown
from benchbench.report.blocks import (
    EVERYWHERE,
    PAGE,
    SUMMARY,
    TERMINAL,
    Block,
    Cell,
    Facts,
    Heading,
    Spark,
    Sparks,
    Table,
    Where,
)
from benchbench.report.layout import Layout
from benchbench.report.layouts.columns import Column, table_of
from benchbench.report.render.lines import sparkline
from benchbench.report.standard import standard
from benchbench.results.figures import (
    NOTHING,
    Shown,
    behind,
    day,
    interval,
    moment,
    p_said,
    p_value,
    quantity,
    quantity_change,
)
from benchbench.results.headline import Headline
from benchbench.results.result import Result
from benchbench.tables.shared_messages import counted

MOST_MEASURES, ON_PAGE = 6, 1_000  # measures of the table of runs, and runs of that of a page
_BARS = 24  # of a row in Markdown
_HALF = 2  # measures of the table of runs that a narrow terminal shows
_MARKDOWN: Where = frozenset({"markdown"}) | SUMMARY
_LATEX: Where = frozenset({"latex"})  # its fonts have no bars and no marks


def layout(result: Result) -> Layout:
    """Return the verdict, bars, a table of the latest values, changes, alerts, slices, and the last runs."""
    trend = result.details_as(TrendDetails)
    title, changed = title_of(trend), list(_changed(trend))
    tables: list[Block] = [
        Heading(title, where=TERMINAL),
        Facts([("", f"{mark} {sentence}") for mark, sentence in trend.found], where=_MARKDOWN),
        *(_values(trend) if trend.lines else ()),
        *([Facts(changed, where=TERMINAL | _MARKDOWN)] if changed else []),
        *([_alerts(trend)] if trend.alerts else []),
        *(sliced(trend, line, where) for line in trend.lines for where in (TERMINAL | _MARKDOWN, _LATEX)),
        *(last_runs(trend, where) for where in (TERMINAL | _MARKDOWN, _LATEX)),
    ]
    return standard(
        result,
        title,
        Headline(trend.found, trend.advice),
        [table for table in tables if not isinstance(table, Table) or table.rows],
        page="history_trend_page",
        rows=lambda: _csv(trend),
        command="benchbench history trend",
    )


def title_of(trend: TrendDetails) -> str:
    """Return what is shown in a line: of which name, how many runs, from when to when."""
    on = f" on {trend.data}" if trend.data else ""
    title = f"{trend.name}{on}"
    return f"{title}: {counted(len(trend.runs), 'run')}, {days_of(trend)}" if trend.runs else title


def _sparks(trend: TrendDetails) -> Iterator[Spark]:
    for line in trend.lines:
        marks = [(point.after, point.mark) for point in line.points]
        yield Spark(line.measure, line.values, quantity(line.value, line.unit), marks, _apart(trend, line))


def _apart(trend: TrendDetails, line: LineDetails) -> frozenset[int]:
    """Return the places of runs of other series, and of such as failed, that have a value."""
    return frozenset(
        place
        for place, run in enumerate(trend.runs)
        if (run.series or not run.counts) and line.values[place] is not None
    )


def _of_sparks(trend: TrendDetails) -> str:
    first, last = trend.runs[0].number, trend.runs[-1].number
    which = f"Run {first}" if len(trend.runs) == 1 else f"Runs {first} to {last}, {order_of(trend)}"
    text = f"{which}, each row on its own scale"
    marked = "; ▲ ▼ ○ below: a change" if any(line.points for line in trend.lines) else ""
    apart = "; · other rules or data, or a run that failed" if any(_apart(trend, line) for line in trend.lines) else ""
    return f"{text}{marked}{apart}."


def _values(trend: TrendDetails) -> list[Block]:
    return [
        Sparks(list(_sparks(trend)), _of_sparks(trend)),
        *(latest_values(trend, where) for where in (TERMINAL, _MARKDOWN, _LATEX)),
    ]


def latest_values(trend: TrendDetails, where: Where) -> Table:
    """Return the latest value of each measure; a page has all that is known of its drift."""
    return _lines(trend, trend.lines, Column("Measure", lambda line: line.measure), where)


def sliced(trend: TrendDetails, line: LineDetails, where: Where) -> Table:
    """Return the latest value of a measure in each slice; without slices it has no rows."""
    slices = trend.slices_of(line)
    first = Column(trend.by, lambda part: part.slice.partition("=")[2] or "all")
    return _lines(trend, [line, *slices] if slices else [], first, where, f"{line.measure} by {trend.by}")


def _lines(trend: TrendDetails, lines: Sequence[LineDetails], first: Column, where: Where, caption: str = "") -> Table:
    """Return the latest values of lines, with bars where no others stand above; slices have a caption, and no drift."""
    has_bars = where not in (_LATEX, PAGE) and (bool(caption) or where != TERMINAL)
    has_drift = not caption and any(line.drift is not None for line in lines)
    drift = [Column("Drift per run", lambda line: _drift(line, where), "r", 3)] if has_drift else []
    if drift and where == PAGE:
        drift += [
            Column(
                f"Drift, {100 * (1 - trend.alpha):g} % interval",
                lambda line: slope_ends(line.drift) if line.drift else NOTHING,
                "r",
            ),
            Column("p", lambda line: p_value(line.drift.p) if line.drift else NOTHING, "r"),
            Column("Over runs", lambda line: f"{line.drift.over:,}" if line.drift else NOTHING, "r"),
        ]
    columns = [
        first,
        Column("Latest", lambda line: Cell(quantity(line.value, line.unit), strong=True), "r"),
        Column("95 % interval", ends, "r", 2),
        Column("Since the run before", lambda line: quantity_change(line.change, line.unit), "r", 1),
        *drift,
        Column("n", of, "r", 4, True),
        Column("Runs", lambda line: sparkline(line.values, _BARS, _apart(trend, line)), keep=1) if has_bars else None,
    ]
    return table_of(columns, lines, caption=caption, where=where)


def _drift(line: LineDetails, where: Where) -> Cell:
    """Return the slope where it is more than chance; on a page, beside its interval, always."""
    drift = line.drift
    if drift is None or not (drift.shown or where == PAGE):
        return Cell(NOTHING if drift is None else "none found")
    slope = slope_shown(drift.per_run, line.unit)
    return Cell(slope if where in (_LATEX, PAGE) else f"{drift.mark} {slope}", tone=TONES.get(drift.mark, ""))


def _changed(trend: TrendDetails) -> Iterator[tuple[str, str]]:
    """Yield changes, drifts, cycles and accepted changes, the first of each with its label."""
    sentences_of: dict[str, list[str]] = {"Change": [], "Drift": [], "Cycle": [], "Accepted": []}
    for line in trend.lines:
        for point in line.points:
            run = trend.runs[point.after]
            settings = f"; changed there: {changes_said(run.changed, run.more_changed)}" if run.changed else ""
            sentences_of["Change"].append(f"{point.mark} {point.said}, {point.where} ({p_said(point.p)}){settings}")
        if line.drift is not None and line.drift.shown:
            sentences_of["Drift"].append(f"{line.drift.mark} {line.drift.said}")
        sentences_of["Cycle"] += [cycle.said for cycle in line.cycles]
    for change in trend.accepted:
        by, why = change.by or "somebody", change.reason or "no reason given"
        sentences_of["Accepted"].append(f"from run {change.run} on, by {by} on {day(change.at)}: {why}")
    for label, sentences in sentences_of.items():
        yield from ((label if place == 0 else "", sentence) for place, sentence in enumerate(sentences))


def _alerts(trend: TrendDetails) -> Table:
    """Return the alerts, open ones first."""
    states = {True: Cell("▼ open", tone="bad", strong=True), False: Cell("● ended", tone="good")}
    columns = [
        Column("Alert", lambda alert: states[alert.is_open]),
        Column("Measure", lambda alert: alert.measure),
        Column("Since", lambda alert: f"run {alert.began}, {moment(alert.began_at)}"),
        Column("Until", lambda alert: "" if alert.is_open else moment(alert.ended_at)),
        Column("Why it ended", lambda alert: alert.ended_why),
        Column("What", lambda alert: alert.said),
    ]
    return table_of(columns, trend.open_first, where=EVERYWHERE - PAGE)


def last_runs(trend: TrendDetails, where: Where) -> Table:
    """Return the last runs, the newest first; LaTeX gets them without what happened, a page more, with intervals."""
    lines, runs, on_page = trend.lines[:MOST_MEASURES], trend.runs, where == PAGE
    places = range(len(runs))[::-1][: ON_PAGE if on_page else LAST]

    def toned(place: int, text: str, aside: str = "") -> Cell:
        return Cell(text, aside, tone="" if runs[place].series == 0 and runs[place].counts else "muted")

    def of_line(line: LineDetails, keep: int) -> Column:
        def cell(place: int) -> Cell:
            aside = behind(line.low[place], line.high[place], shown=in_unit(line)) if on_page else ""
            return toned(place, quantity(line.values[place], line.unit), aside)

        return Column(line.measure, cell, "r", keep)

    days = {run.started[:10] for run in runs}
    began, least = ("Began", 0) if len(days) > 1 else (f"Began, {day(runs[0].started)}", len(day(runs[0].started)) + 2)
    rules = Column("Rules", lambda place: trend.series[runs[place].series].short, keep=2)
    columns = [
        Column("Run", lambda place: toned(place, str(runs[place].number)), "r"),
        Column(began, lambda place: moment(runs[place].started)[least:], keep=1),
        Column("Commit", lambda place: commit_of(runs[place]) or NOTHING, optional=True),
        Column("Branch", lambda place: runs[place].branch or NOTHING, optional=True) if on_page else None,
        rules if len(trend.series) > 1 else None,
        *(of_line(line, 0 if number < _HALF else 2) for number, line in enumerate(lines)),
        None if where == _LATEX else Column("Changed", lambda place: "; ".join(happened(trend, place)), "l", 3, True),
    ]
    if on_page:
        return table_of(columns, places, where=where)
    left = len(trend.lines) - len(lines)
    caption = "The last run" if len(places) == 1 else f"The last {len(places):,} runs"
    return table_of(
        columns, places, caption=f"{caption}; {left} further measures not shown" if left else caption, where=where
    )


def _csv(trend: TrendDetails) -> Iterator[dict[str, Any]]:
    """Yield a row per run and measure, of all queries and of each slice; runs without a value have one too."""
    for line in (*trend.lines, *trend.slices):
        changed = {point.after: point.mark for point in line.points}
        for place, run in enumerate(trend.runs):
            is_open = any(
                alert.measure == line.measure
                and alert.began <= run.number
                and (alert.is_open or (alert.ended or alert.began) >= run.number)
                for alert in (() if line.slice else trend.alerts)
            )
            yield {
                "run": run.number,
                **{name: getattr(run, name) for name in ("id", "started", "status", "commit", "branch")},
                "signature": trend.series[run.series].short,
                "measure": line.measure,
                "slice": line.slice,
                "value": line.values[place],
                "low": line.low[place],
                "high": line.high[place],
                "n": line.n[place],
                "unit": line.unit,
                "change": changed.get(place, ""),
                "alert": "open" if is_open else "",
                "changed": changes_said(run.changed, run.more_changed),
            }


def ends(line: LineDetails) -> str:
    """Return the interval of the latest run."""
    at = line.latest
    return NOTHING if at is None else interval(line.low[at], line.high[at], shown=in_unit(line))


def in_unit(line: LineDetails) -> Shown:
    """Return what shows a value of a line with its unit."""
    return lambda value, _: quantity(value, line.unit)


def of(line: LineDetails) -> str:
    """Return how many queries or requests the latest value is of."""
    n = None if line.latest is None else line.n[line.latest]
    return "" if n is None else f"{n:,}"


def happened(trend: TrendDetails, place: int) -> list[str]:
    """Return what happened at a run: it failed, settings changed, a change was accepted, an alert began or ended."""
    run = trend.runs[place]
    events = [] if run.counts else [run.status]
    events += [f"{line.measure} changed" for line in trend.lines for point in line.points if point.after == place]
    events += [f"alert on {alert.measure}" for alert in trend.alerts if alert.began == run.number]
    events += [f"alert on {alert.measure} ended" for alert in trend.alerts if alert.ended == run.number]
    events += ["change accepted" for change in trend.accepted if change.run == run.number]
    events += [changes_said(run.changed, run.more_changed)] if run.changed else []
    return events
