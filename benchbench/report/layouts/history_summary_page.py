"""The page of runs beside one another: the best first, a chart per measure, and the table."""

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from benchbench.history.summary import RunsSummary, SummaryMeasure, SummaryRow
from benchbench.report.blocks import Block, Notes
from benchbench.report.layouts.history_list import summary_title
from benchbench.report.layouts.page_parts import hidden
from benchbench.report.layouts.page_scales import value_axis
from benchbench.report.page_blocks import (
    Axis,
    Dot,
    Folded,
    Masthead,
    Panel,
    Panels,
    Path,
    Plot,
    PlotMark,
    Reproduce,
    Section,
)
from benchbench.results.environment import environment
from benchbench.results.figures import day, estimate, quantity, quantity_change
from benchbench.tables.shared_messages import and_joined, counted

if TYPE_CHECKING:
    from benchbench.report.layout import AnyBlock

_CHARTS = 6
_RUNS = 60  # of a chart, the last ones: more whiskers than that are a grey band
_TICKS = 8
_HEIGHT = 260  # pixels
_LONGEST = 30  # characters of a name or a folder
_NAMES = 6  # that a chart tells apart


def blocks(summary: RunsSummary, tables: Sequence[Block]) -> "list[AnyBlock]":
    """Return the page; `tables` are those of papers, where the best values are bold."""
    made: list[AnyBlock] = [_masthead(summary)]
    if summary.rows and summary.by is None:
        charts = [_chart(measure, summary.rows[-_RUNS:]) for measure in summary.measures[:_CHARTS]]
        left = f" The last {_RUNS} of {len(summary.rows):,} runs." if len(summary.rows) > _RUNS else ""
        hollow = " Hollow: other data or rules." if summary.groups > 1 else ""
        coloured = f"; in colour: {summary.rows[-1].name}" if len({row.name for row in summary.rows}) > 1 else ""
        scales = " Each chart has its own scale." if len(charts) > 1 else ""
        how = f"Each run with its interval, in the order of the table{coloured}.{hollow}{scales}{left}"
        made += [Section("measures", "Measures", "Measures", how), Panels(charts, 2 if len(charts) > 1 else 1)]
    made += [Section("runs", "Runs", "Runs"), *tables]
    if summary.notes:
        made.append(Folded("Notes", counted(len(summary.notes), "note"), [Notes(summary.notes)]))
    command = shlex.join(["benchbench", *map(hidden, environment(()).command)])
    return [*made, Section("reproduce", "Reproduce", "Reproduce"), Reproduce(command, [], "")]


def _masthead(summary: RunsSummary) -> Masthead:
    names = {row.name for row in summary.rows}
    days = [day(time) for time in sorted(row.started for row in summary.rows)]
    facts = [
        summary_title(summary),
        counted(len(names), "name") if len(names) > 1 else "",
        " to ".join(dict.fromkeys([*days[:1], *days[-1:]])),
    ]
    facts = [fact for fact in facts if fact]
    title = summary_title(summary)
    may_be_compared = summary.groups == 1 and summary.by is None
    first = [measure.name for measure in summary.measures[:1] if may_be_compared]
    best = [row for row in summary.rows for name in first if name in row.values and row.values[name].best]
    if not best:
        return Masthead("history summary", facts, "", title)
    measure = summary.measures[0]
    value, last = best[0].values[measure.name].value or 0.0, summary.rows[-1].values.get(measure.name)
    who = f"{best[0].label} has" if len(best) == 1 else f"{len(best)} runs share"
    title = f"{who} the best {measure.name}, {quantity(value, measure.unit)}, of {title}."
    if len({row.series for row in summary.rows}) == 1 and last is not None and last.value is not None and not last.best:
        by = f"{quantity(abs(last.value - value), measure.unit)} {'below' if last.value < value else 'above'}"
        title = f"{measure.name} is {quantity(last.value, measure.unit)} in the latest run, {by} the best"
        title += f" ({best[0].label}, {quantity(value, measure.unit)})."
    others = [row for row in summary.rows if row not in best]
    pair = " ".join(shlex.quote(row.label.removeprefix("#")) for row in (best[-1], *others[-1:]))
    notes = [f"Not tested. To test: benchbench history diff {pair}"] if others else []
    return Masthead("history summary", facts, "", title, list(_largest(summary, measure)), notes)


def _largest(summary: RunsSummary, measure: SummaryMeasure) -> Iterator[str]:
    """Yield the largest change from run to run, and which tags changed there, where the intervals do not overlap."""
    known = [(row, its) for row in summary.rows if (its := row.values.get(measure.name)) is not None and its.apart]
    if known:
        row, its = max(known, key=lambda pair: abs(pair[1].change or 0.0))
        before = summary.rows[summary.rows.index(row) - 1].tags
        tags = [
            f"{name} {before.get(name, 'not set')} → {tag}" for name, tag in row.tags.items() if before.get(name) != tag
        ]
        why = f" ({', '.join(tags)})" if tags else ""
        yield f"Largest change: {quantity_change(its.change, measure.unit)} at {row.label}{why}."


def _chart(measure: SummaryMeasure, rows: Sequence[SummaryRow]) -> Panel:
    """Return the values of a measure, run by run: a line for each name, in colour for that of the last run."""
    others = dict.fromkeys(row.name for row in rows if row.name != rows[-1].name)
    places = {name: place for place, name in enumerate(others)} if len(others) <= _NAMES else dict.fromkeys(others, 0)
    known = [
        (float(at), row, its, its.value)
        for at, row in enumerate(rows)
        if (its := row.values.get(measure.name)) is not None and its.value is not None
    ]
    lines: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for at, row, _, mean in known:
        lines.setdefault((row.series, row.name), []).append((at, mean))
    marks: list[PlotMark] = [Path(line, thin=True, series=places.get(name)) for (_, name), line in lines.items()]
    ends = []
    for at, row, its, mean in known:
        text = estimate(mean, its.low, its.high)
        hint = f"{row.label} {row.name}: {text} {measure.unit}".rstrip() + (", the best" if its.best else "")
        hollow, small = row.group != rows[-1].group, len(rows) > _RUNS // 2
        marks.append(Dot(at, mean, "", its.low, its.high, hollow, "", hint, small, places.get(row.name)))
        ends += [end for end in (mean, its.low, its.high) if end is not None]
    step = max(1, -(-len(rows) // _TICKS))
    x = Axis(-0.6, len(rows) - 0.4, [(float(at), rows[at].label[-_LONGEST:]) for at in range(0, len(rows), step)])
    best = [(row, mean) for _, row, its, mean in known if its.best][:_NAMES]
    said = f"best: {quantity(best[0][1], measure.unit)}, {and_joined([row.label for row, _ in best])}" if best else ""
    words = f"{measure.name}: {'; '.join(f'{row.label} {mean:.4g}' for _, row, _, mean in known)}"
    legend = [(place, name[:_LONGEST]) for name, place in places.items()] if len(others) <= _NAMES else []
    plot = Plot(words, x, value_axis(ends, unit=measure.unit), marks, _HEIGHT)
    return Panel(measure.name, said, [plot], legend=legend, name=measure.name)
