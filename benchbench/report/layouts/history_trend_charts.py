"""The charts of a trend: a line of runs with intervals, changes, alerts and accepted changes marked."""

from collections.abc import Iterator
from datetime import datetime
from itertools import groupby, pairwise
from math import isfinite

from benchbench.history.trend.trend_details import LineDetails, StandingsDetails, TrendDetails, TrendRunDetails
from benchbench.history.trend.words import TONES
from benchbench.report.layouts.page_scales import value_axis
from benchbench.report.page_blocks import (
    Area,
    Axis,
    Cloud,
    Dot,
    Drop,
    Label,
    Panel,
    Path,
    Plot,
    PlotMark,
    Shade,
    Tone,
    Track,
)
from benchbench.results.figures import quantity, quantity_change, signed
from benchbench.tables.shared_messages import counted

LEGEND = {  # by mark of a track
    "interval": "95 % interval of a run",
    "level": "median between changes",
    "drift": "drift",
    "change": "change of level by more than chance (permutation test)",
    "alert": "an alert was open",
    "accepted": "an accepted change: gates compare with what follows",
    "failed": "a run that failed or ended early",
    "other": "other rules or data: not comparable",
}
_EACH = 60  # runs: of so many, each has a dot and a whisker
_WIDE, _SMALL = 300, 132  # pixels, how high
_MARGIN = 52
_TICKS, _FEW_TICKS = 9, 3
_HALF = 0.5
_NEAR = 0.25  # of the runs: what the text of a change takes of the width of a phone
_RANK = 30  # pixels of a rank
_LONGEST, _LETTER, _NARROW = 18, 7.2, 310  # letters of a name beside its line; pixels of one, and of a chart on a phone
_FARTHEST = 1e300  # of a scale
_ABOVE = 0.07  # of the height: a second row of texts


def track(trend: TrendDetails, line: LineDetails, number: int, key: int, small: bool = False) -> Track:
    """Return the chart of a line; `number` is its place in the data of the page, `key` that of its measure."""
    marks: list[PlotMark] = []
    drawn: list[str] = []
    series = sorted({run.series for run in trend.runs})
    each = len(trend.runs) <= _EACH and not small
    if not line.slice:
        marks += _alerts(trend, line, line_axis(line))
        drawn += ["alert"] if marks else []
    for place in reversed(series):
        marks += _series(trend, line, place, each)
    if any(end is not None for end in line.low):
        drawn.append("interval")
    if any(place for place in series):
        drawn.append("other")
    y = line_axis(line)
    if not line.slice:
        marks += _levels(trend, line)
        marks += _changes(line, y, len(trend.runs))
        drawn += ["level", "change"] if line.points else []
        slope = line.drift
        if slope is not None and slope.shown and line.latest is not None:
            marks.append(Path([(slope.first, slope.at_first), (line.latest, slope.at_last)], level=True))
            drawn.append("drift")
        accepted = list(_accepted(trend, y))
        marks += accepted
        drawn += ["accepted"] if accepted else []
    hollow = [place for place, run in enumerate(trend.runs) if not run.counts and line.values[place] is not None]
    marks += [Dot(place, line.values[place] or 0.0, hollow=True) for place in hollow]
    drawn += ["failed"] if hollow else []
    height, margin = (_SMALL, 44) if small else (_WIDE, _MARGIN)
    title = line.slice.partition("=")[2] or "no label" if line.slice else line.measure
    name = f"{line.measure} {line.slice}" if line.slice else line.measure
    plot = Plot(words(trend, line), run_axis(trend, small), y, marks, height, margin, read=True)
    return Track(title, _said(trend, line), plot, number, key, drawn, name)


def ranks(standings: StandingsDetails) -> Panel:
    """Return the rank of each name after each version: a line each, in colour for the first."""
    marks: list[PlotMark] = []
    lines, last = [], len(standings.versions) - 1
    of_versions = [standings.ranks(at) for at in range(len(standings.versions))]
    names = [name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…" for name in standings.names]
    for place, name in reversed(list(enumerate(names))):
        series = place - 1 if place else None
        points = [(float(at), -float(rank)) for at, its in enumerate(of_versions) if (rank := its[place]) is not None]
        if not points:
            continue
        marks.append(Path(points, series=series))
        for at, height in points:
            known = quantity(standings.values[place][int(at)], "")
            hint = f"{name} after {standings.versions[int(at)]}: rank {-height:.0f}, {standings.measure} {known}"
            marks.append(Dot(at, height, name if at == points[-1][0] else "", hint=hint, series=series))
        first, now = (f"{-height:.0f}" for _, height in (points[0], points[-1]))
        lines.append(f"{name} {first}" if first == now else f"{name} {first} → {now}")
    share = (10 + _LETTER * max(len(name) for name in names)) / _NARROW
    end = 0.3 + last / (1 - share)
    x = Axis(-0.3, end, [(float(at), text) for at, text in enumerate(standings.versions)])
    count = len(standings.names)
    y = Axis(-count - 0.5, -0.5, [(-float(rank), f"{rank}") for rank in range(count, 0, -1)])
    said = f"From {standings.versions[0]} to {standings.versions[-1]}: {'; '.join(reversed(lines))}."
    plot = Plot(said, x, y, marks, 70 + _RANK * count)
    return Panel(f"Rank by {standings.measure}", said, [plot], name="ranks")


def words(trend: TrendDetails, line: LineDetails) -> str:
    """Return a chart in words: from where to where, what changed, what it is now."""
    known = [(place, value) for place, value in enumerate(line.values) if value is not None]
    name = f"{line.measure}, {line.slice}" if line.slice else line.measure
    if not known:
        return f"{name}: no run has a value"
    values = [value for _, value in known]
    parts = [
        f"{name} of {counted(len(known), 'run')}",
        f"from {quantity(values[0], line.unit)} (run {trend.runs[known[0][0]].number}) "
        f"to {quantity(values[-1], line.unit)} (run {trend.runs[known[-1][0]].number})",
        f"lowest {quantity(min(values), line.unit)}, highest {quantity(max(values), line.unit)}",
        *(f"{point.said} {point.where}" for point in line.points),
    ]
    return "; ".join(parts)


def _said(trend: TrendDetails, line: LineDetails) -> str:
    """Return what stands below the title: the latest value, and its change since the first run and the one before."""
    if line.latest is None:
        return "no value that counts"
    n = line.n[line.latest]
    size = f" of {n:,}" if n is not None and line.slice else ""
    return ", ".join([f"{quantity(line.value, line.unit)}{size}", *since(trend, line)])


def since(trend: TrendDetails, line: LineDetails) -> Iterator[str]:
    """Yield the change of the latest value since the first comparable run, and since the run before."""
    places = [at for at, run in enumerate(trend.runs) if run.counts and run.series == 0]
    first = next((at for at in places if line.values[at] is not None), line.before)
    for at in dict.fromkeys((first, line.before)):
        if at is not None and at != line.latest and (before := line.values[at]) is not None:
            change = quantity_change((line.value or 0.0) - before, line.unit)
            yield f"{change} since run {trend.runs[at].number}"


def run_axis(trend: TrendDetails, small: bool) -> Axis:
    """Return the horizontal scale: runs at equal distances, with numbers, and days where there are several."""
    number, last = len(trend.runs), len(trend.runs) - 1
    room = min(number, _FEW_TICKS if small else _TICKS)
    days = sorted(run.started[:10] for run in trend.runs)
    is_brief = small or days[0] == days[-1]
    years = days[0][:4] != days[-1][:4]
    ticks = [(float(at), _tick(trend.runs[at], is_brief, years)) for at in range(0, number, -(-number // room))]
    pad = max(0.6, 0.012 * last)
    return Axis(-pad, last + pad, ticks)


def _tick(run: TrendRunDetails, is_brief: bool, years: bool) -> str:
    try:
        began = datetime.fromisoformat(run.started.replace("Z", "+00:00"))
    except ValueError:
        return f"#{run.number}"
    if is_brief:
        return f"#{run.number}"
    return f"#{run.number} {began:%b %Y}" if years else f"#{run.number} {began.day} {began:%b}"


def line_axis(line: LineDetails) -> Axis:
    """Return the vertical scale: what the values and their intervals need, and no zero."""
    rows = (line.values, line.low, line.high)
    known = [value for row in rows for value in row if value is not None and isfinite(value)]
    values = [max(-_FARTHEST, min(value, _FARTHEST)) for value in known]
    return value_axis(values)


def _series(trend: TrendDetails, line: LineDetails, series: int, each: bool) -> Iterator[PlotMark]:
    """Yield the runs of a series: a line as far as runs of it follow one another, each with its interval."""
    alone: list[tuple[float, float]] = []
    for stretch in _stretches(trend, line, series):
        points = [(float(place), line.values[place] or 0.0) for place in stretch]
        band = [(float(place), low, high) for place in stretch
                if (low := line.low[place]) is not None and (high := line.high[place]) is not None]  # fmt: skip
        if len(band) > 1 and not each:
            yield Area(band, muted=series > 0)
        if len(points) > 1:
            yield Path(points, dashed=series > 0, thin=series > 0)
        else:
            alone += points
        if each and series == 0:
            for place, (x, value) in zip(stretch, points, strict=True):
                yield Dot(x, value, low=line.low[place], high=line.high[place], small=True)
        elif each:
            alone += points if len(points) > 1 else []
    if alone:
        yield Cloud(alone, muted=series > 0)


def _stretches(trend: TrendDetails, line: LineDetails, series: int) -> Iterator[list[int]]:
    """Yield the places of runs of a series that follow one another: others, failed ones and gaps end a line."""

    def has(place: int) -> bool:
        run = trend.runs[place]
        return run.series == series and run.counts and line.values[place] is not None

    for inside, places in groupby(range(len(trend.runs)), has):
        if inside:
            yield list(places)


def _levels(trend: TrendDetails, line: LineDetails) -> Iterator[Path]:
    """Yield the means between changes, of series that have one."""
    drifts = line.drift is not None and line.drift.shown
    for series in sorted({trend.runs[point.after].series for point in line.points}):
        mine = [point for point in line.points if trend.runs[point.after].series == series]
        places = [place for place, run in enumerate(trend.runs) if run.series == series]
        ends = [float(places[0]), *(point.after - _HALF for point in mine), float(places[-1])]
        levels = [mine[0].from_level, *(point.to_level for point in mine)]
        for (begin, end), level in zip(pairwise(ends), levels, strict=True):
            if not (drifts and series == 0 and end == ends[-1]):  # there the slope is drawn instead
                yield Path([(begin, level), (end, level)], level=True)


def _changes(line: LineDetails, y: Axis, runs: int) -> Iterator[PlotMark]:
    """Yield the changes; those too near one another for a text on a phone have their mark alone."""
    places = sorted(point.after for point in line.points)
    near = {place for pair in pairwise(places) if pair[1] - pair[0] < _NEAR * runs for place in pair}
    for point in line.points:
        x = point.after - _HALF
        tone: Tone = TONES.get(point.mark, "")
        text = point.mark if point.after in near else f"{point.mark} {signed(point.to_level - point.from_level)}"
        yield Drop(x, y.low, y.high, text, tone, beside=True)


def _alerts(trend: TrendDetails, line: LineDetails, y: Axis) -> Iterator[PlotMark]:
    for alert in trend.alerts:
        if alert.measure != line.measure:
            continue
        began = trend.place(alert.began)
        begin = -1.0 if began is None else began - _HALF  # it began before the first run that is shown
        ended = None if alert.is_open or alert.ended is None else trend.place(alert.ended)
        end = len(trend.runs) - _HALF if ended is None else ended - _HALF
        if end > begin:
            yield Shade(max(begin, -_HALF), end, tone="bad")
            yield Label(max(begin, -_HALF) + 0.4, y.low, "alert", "above", "bad")


def _accepted(trend: TrendDetails, y: Axis) -> Iterator[PlotMark]:
    for change in trend.accepted:
        place = trend.place(change.run)
        if place is not None:
            yield Drop(place - _HALF, y.low, y.high)
            yield Label(place - _HALF, y.low + _ABOVE * (y.high - y.low), "◆ accepted", "above")
