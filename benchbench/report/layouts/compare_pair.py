"""Two systems query by query: the values of one against those of the other, and the differences in order."""

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.report.layouts.page_scales import value_axis
from benchbench.report.page_blocks import Area, Axis, Dot, Label, Panel, Path, Plot, PlotMark, Tone
from benchbench.results.figures import value
from benchbench.significance.drawing import Point
from benchbench.tables.paired import Paired
from benchbench.tables.shared_messages import counted

_BETTER: Tone = "good"
_WORSE: Tone = "bad"
_HEIGHT = 300
_CELLS = 40  # of a scale: of more different points, near ones share a circle
_DISTINCT = 400  # points that are drawn where they are
_SMALLEST, _LARGEST = 2.6, 20.0  # pixels of the radius of one query, and of the most
_BARS = 240  # that have room: of more queries, quantiles
_ROOM = 0.06  # of the scales on each side, so that the largest circles cover no tick
_EQUAL = 0.24  # of the width: one box for all queries with equal values


def pair_panels(paired: Paired, place: int, pair: tuple[str, str], tie: float) -> list[Panel]:
    """Return both charts in a measure; values that differ by at most `tie` are equal.

    Parameters
    ----------
    paired
        The values of the queries.
    place
        That of the measure.
    pair
        The baseline and the system.
    tie
        Of the settings.
    """
    measure, (baseline, system) = paired.measures[place], pair
    first, second = paired.of(measure, baseline), paired.of(measure, system)
    moves = second - first
    moves[np.abs(moves) <= tie + paired.rounding[place]] = 0.0
    return [_scatter(measure, pair, first, second, moves), _sorted(measure, pair, moves)]


def _scatter(measure: str, pair: tuple[str, str], first: F64, second: F64, moves: F64) -> Panel:
    baseline, system = pair
    points = np.stack([first, np.where(moves == 0.0, first, second)], axis=1)
    if len(np.unique(points, axis=0)) > _DISTINCT:
        low, width = float(points.min()), float(np.ptp(points)) or 1.0
        points = low + np.round((points - low) / width * _CELLS) / _CELLS * width
    places, counts = np.unique(points, axis=0, return_counts=True)
    dots: list[PlotMark] = []
    for (x, y), queries in sorted(zip(places.tolist(), counts.tolist(), strict=True), key=lambda each: -each[1]):
        radius = min(_SMALLEST * queries**0.5, _LARGEST)
        hint = f"{counted(queries, 'query')}: {baseline} {value(x)}, {system} {value(y)}"
        dots.append(Dot(x, y, tone=_BETTER if y > x else _WORSE if y < x else "", hint=hint, radius=radius))
    scale = value_axis([float(points.min()), float(points.max())], "", 0.0)
    ends = scale.low, scale.high
    room = _ROOM * (ends[1] - ends[0])
    scale = scale._replace(low=ends[0] - room, high=ends[1] + room)
    marks: list[PlotMark] = [
        Path([(ends[0], ends[0]), (ends[1], ends[1])], dashed=True, thin=True),
        *dots,
        Label(ends[0], ends[1], "▲ better", "below", _BETTER),
    ]
    words = f"{measure} of each query: {system} upwards, {baseline} to the right"
    plot = Plot(words, scale._replace(name=f"{baseline} →"), scale._replace(name=f"{system} ↑"), marks, _HEIGHT)
    how = "Green: better, red: worse, blue: equal. Larger circles are more queries."
    return Panel("One against the other", how, [plot], name="scatter")


def _sorted(measure: str, pair: tuple[str, str], moves: F64) -> Panel:
    """Return the differences in order, as two areas with the equal ones between them."""
    baseline, system = pair
    lost, won = np.sort(moves[moves < 0]), np.sort(moves[moves > 0])
    equal = len(moves) - len(lost) - len(won)
    box = _EQUAL / (1 - _EQUAL) * max(len(lost) + len(won), 1) if equal else 0.0
    areas = [(lost, 0.0, _WORSE), (won, len(lost) + box, _BETTER)]
    marks: list[PlotMark] = [
        Area([(x, min(y, 0.0), max(y, 0.0)) for x, y in _steps(part, begin)], tone=tone)
        for part, begin, tone in areas
        if len(part)
    ]
    if equal:
        marks.append(Label(len(lost) + box / 4, 0.0, f"{equal:,} equal", "above"))
    y = value_axis([float(moves.min()), float(moves.max()), 0.0], f"Δ {measure}", 0.0)
    x = Axis(0.0, len(lost) + box + len(won), [], name="queries")
    counts = f"{counted(len(lost), 'query')} worse, {equal:,} equal, {len(won):,} better"
    words = f"{system} minus {baseline} in {measure}: {counts}."
    return Panel("Differences, sorted", words, [Plot(words, x, y, marks, _HEIGHT)], name="differences")


def _steps(values: F64, begin: float) -> list[Point]:
    """Return the outline of bars side by side; of very many, each stands for as many queries."""
    shown = min(len(values), _BARS)
    wide = len(values) / shown
    heights = [float(values[int((place + 0.5) * wide)]) for place in range(shown)]
    return [(begin + (place + side) * wide, height) for place, height in enumerate(heights) for side in (0, 1)]
