"""The page of runs beside one another: the best first, a chart per measure, and the table."""

import shlex
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from benchbench.history.changed import ChangedDetails, changes_said
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
from benchbench.results.figures import day, estimate, quantity
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
        how = f"Each run with its 95 % interval, in the order of the table{coloured}.{hollow}{scales}{left}"
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
        return Masthead("history summary", facts, title)
    measure = summary.measures[0]
    who = f"{best[0].label} has" if len(best) == 1 else f"{len(best)} runs share"
    title = f"{who} the best {measure.name}, {_value(best[0], measure)}, of {title}."
    pieces = []
    pair = [best[-1], *[row for row in summary.rows if row not in best][-1:]]
    if len({row.series for row in summary.rows}) == 1 and (largest := _largest(summary.rows, measure)):
        before, row = pair = list(largest)
        way = "fell" if (row.values[measure.name].change or 0.0) < 0 else "rose"
        from_to = f"from {_value(before, measure)} to {_value(row, measure)}"
        tags = [
            ChangedDetails(name, before.tags[name], tag)
            for name, tag in row.tags.items()
            if before.tags.get(name, tag) != tag
        ]
        why = f" ({changes_said(tags)})" if tags else ""
        title = f"{measure.name} {way} {from_to} at {row.label}{why}."
        latest = f"Latest: {_value(summary.rows[-1], measure)} ({summary.rows[-1].label})"
        pieces = [f"{latest}; best: {_value(best[0], measure)} ({best[0].label})."]
    pair_said = " ".join(shlex.quote(row.label.removeprefix("#")) for row in pair)
    notes = [f"Not tested. To test: benchbench history diff {pair_said}"] if len(pair) > 1 else []
    return Masthead("history summary", facts, title, pieces, notes)


def _value(row: SummaryRow, measure: SummaryMeasure) -> str:
    return quantity(number.value if (number := row.values.get(measure.name)) else None, measure.unit)


def _largest(rows: Sequence[SummaryRow], measure: SummaryMeasure) -> tuple[SummaryRow, SummaryRow] | None:
    """Return the runs of the largest change from run to run, among those whose intervals do not overlap."""
    pairs = [pair for pair in pairwise(rows) if (its := pair[1].values.get(measure.name)) is not None and its.apart]
    return max(pairs, key=lambda pair: abs(pair[1].values[measure.name].change or 0.0), default=None)


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
