"""How deep relevant documents stand: recall and precision by depth, precision by recall, the rank of the first one."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from benchbench.report.blocks import Table
from benchbench.report.layouts.page_scales import share_axis
from benchbench.report.page_blocks import Area, Axis, Bar, Bars, Dot, Folded, Label, Panel, Path, Plot, PlotMark
from benchbench.results.figures import estimate, value
from benchbench.runs.page_depth import Depth, Point
from benchbench.tables.shared_messages import counted

FEWEST = 3  # hits: of fewer there is no curve
_TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)
_HEIGHT = 250
_LOW, _HIGH = 0.15, 0.85  # of the scale: a text below a lower point, or above a higher one, would leave it
_ONE_EACH = 0.9  # share of queries with one relevant document from which precision is the same at every recall


def depth_panels(depth: Depth) -> list[Panel]:
    """Return charts of recall by depth, of precision by depth, and of precision by recall, as far as they are known."""
    shown = sorted({1, *([10] if depth.hits > 10 else []), depth.hits})
    ticks = [
        (float(tick), f"{tick:,}") for tick in sorted({*(tick for tick in _TICKS if tick < depth.hits), depth.hits})
    ]
    axis = Axis(1.0, float(depth.hits), ticks, "log", "first hits")
    queries, alone = len(depth.relevant), int((depth.relevant == 1).sum())
    recall = {int(where): value(mean, 3) for where, mean, *_ in depth.recall}
    precision = {int(where): value(mean, 3) for where, mean, *_ in depth.precision}
    first = min(10, depth.hits)
    words = f"Share of the relevant documents found: {recall[first]} in the first {first} hits"
    words += f", {recall[depth.hits]} in the first {depth.hits:,}." if depth.hits > first else "."
    panels = [_panel("Recall by depth", words, depth.recall, axis, shown)]
    words = f"Share of relevant hits: {precision[1]} at the first place, {precision[first]} in the first {first}."
    has_one_each = alone >= _ONE_EACH * queries
    if has_one_each:
        some = f"{alone:,} of {counted(queries, 'query')} {_have(alone)} one relevant document"
        largest = value(float(np.minimum(depth.relevant, first).mean()) / first, 3)
        words += f" No more than {largest} is possible in the first {first}: {some}."
    panels.append(_panel("Precision by depth", words, depth.precision, axis, shown))
    if has_one_each:
        return panels
    best, last = (value(depth.by_recall[place][1], 3) for place in (0, -1))
    words = f"Interpolated precision: {best} at recall 0, {last} at recall 1. "
    words += "A query that never reaches a recall counts as 0 there."
    x = Axis(0.0, 1.0, [(step / 4, f"{step / 4:g}") for step in range(5)], name="recall")
    return [*panels, _panel("Precision by recall", words, depth.by_recall, x, (0.0, 1.0))]


def _panel(title: str, words: str, curve: Sequence[Point], x: Axis, shown: Sequence[float]) -> Panel:
    band = [(where, low, high) for where, _, low, high in curve if low is not None and high is not None]
    texts = [f"{where:g}: {estimate(mean, low, high, 3)}" for where, mean, low, high in curve]
    dots = [Dot(*point[:2], small=True, hint=text) for point, text in zip(curve, texts, strict=True)]
    rises = curve[-1][1] > curve[0][1]
    labels = [
        Label(where, mean, value(mean, 3), _side(mean, where == curve[0][0]) if rises else "above")
        for where, mean, *_ in curve
        if where in shown
    ]
    marks: list[PlotMark] = [Area(band), Path([point[:2] for point in curve]), *dots, *labels]
    plot = Plot(f"{title}: {'; '.join(texts)}", x, share_axis(1.0), marks, _HEIGHT)
    return Panel(title, words, [plot], name=title.lower().replace(" ", "-"))


def _side(height: float, is_first: bool) -> Literal["left", "above", "below"]:
    """Return on which side of a point of a rising curve a text is clear of its line, the axis and the upper end."""
    if is_first:
        return "above" if height < _LOW else "below"
    return "below" if height > _HIGH else "left"


def depth_table(depth: Depth) -> Folded:
    """Return the numbers of the charts."""
    curves = (
        ("First hits", "Recall", depth.recall),
        ("First hits", "Precision", depth.precision),
        ("Recall", "Precision", depth.by_recall),
    )
    tables = [
        Table(head, [[f"{where:g}", estimate(mean, low, high, 3)] for where, mean, low, high in curve], "rr")
        for *head, curve in curves
    ]
    return Folded("Recall and precision", "the numbers of the curves, with 95 % intervals", tables)


def rank_bars(depth: Depth) -> Bars:
    """Return how many queries have their first relevant document at which rank; a bar filters the list."""
    edges, counts = depth.edges, depth.counts
    which = "first document of the best grade" if depth.graded else "first relevant document"
    bars = [Bar(counts[0], "✕", "no answer", 0, "bad")] if counts[0] else []
    for place, (before, last) in enumerate(zip((0, *edges), edges, strict=False), 1):
        name = f"{last:,}" if last == before + 1 else f"{before + 1:,}–{last:,}"
        bars.append(Bar(counts[place], name, f"{which} at rank {name.replace('–', ' to ')}", place))
    none = len(edges) + 1
    bars.append(Bar(counts[none], "none", f"{which} not in the first {depth.hits:,}", none, "zero"))
    queries = counted(len(depth.ranks), "query")
    some = f"{counts[1]:,} of {queries}"
    rest = f", {counts[none]:,} {_have(counts[none])} none in the first {depth.hits:,}."
    if not counts[none]:
        rest = f", all within the first {depth.hits:,}."
    return Bars([f"Rank of the {which}"], [["", some, f" in first place{rest}"]], [bars], "", "", "rank")


def _have(number: int) -> str:
    return "has" if number == 1 else "have"
