"""Charts of latency: within which time requests were answered, each when it was sent, and by the value of its query."""

from benchbench.measures.latency import Latency
from benchbench.report.layouts.page_scales import log_axis, time_axis
from benchbench.report.page_blocks import (
    Axis,
    Cloud,
    Dot,
    Label,
    PageBlock,
    Panel,
    Panels,
    Path,
    Plot,
    PlotMark,
    Rule,
    Section,
)
from benchbench.results.figures import time
from benchbench.runs.page import QueryPage
from benchbench.runs.page_numbers import ByValue, Speed
from benchbench.tables.shared_messages import counted

_SHARES = ((0.5, "50 %"), (0.9, "90 %"), (0.99, "99 %"), (0.999, "99.9 %"), (0.9999, "99.99 %"))
_SCATTER = 0.618034  # of a whole: places that follow one another by it are spread evenly
_HEIGHT = 250


def speed_section(speed: Speed, latency: Latency, page: QueryPage | None) -> list[PageBlock]:
    """Return the section on latency: by share of requests, of each when it was sent, by the value of queries."""
    times = [ms for _, ms in (*speed.curve, *speed.dots, *speed.crosses)]
    axis = log_axis(min(times), max(times))
    text = "From sending a request to the end of its answer, retries included."
    if speed.failed_fast:
        text += (
            f" Failed requests count too: {speed.failed_fast:,} of them took under a quarter of the median, which "
            "makes the service look faster than it is."
        )
    panels = [_curve(speed, latency, axis), _over_time(speed, latency.percentiles["p50"], axis)]
    if page is not None and page.by_value is not None:
        panels.append(_by_value(page.by_value, page.views[0].measure, axis))
    return [
        Section("speed", "Speed", "Speed", f"{text} The scale of latencies is logarithmic."),
        Panels(panels, len(panels)),
    ]


def _curve(speed: Speed, latency: Latency, axis: Axis) -> Panel:
    count, marks = speed.requests, latency.percentiles
    ends = Axis(
        0.0, 1 - 0.4 / count, [tick for tick in _SHARES if tick[0] <= 1 - 0.5 / count], "nines", "share of requests"
    )
    first, *rest = latency.known
    few = not rest
    points: list[PlotMark] = [Cloud(speed.curve) if few else Path(speed.curve)]
    shown = [] if few else [first, rest[-1]]
    dots = [Dot(float(name[1:]) / 100, marks[name], f"{name} {time(marks[name])}", hollow=True) for name in shown]
    text = "; ".join(f"{name[1:]} % within {time(marks[name])}" for name in shown)
    words = f"Share of requests answered within a time. {text}{'; ' if text else ''}slowest {time(latency.max)}"
    note = "The scale widens to the right: 90 to 99 % is as wide as 0 to 90 %."
    if few:
        note = f"A dot is a request; {count:,} are too few for percentiles."
    plot = Plot(words, ends, axis, [*points, *dots], _HEIGHT)
    return Panel("Share of requests answered within this time", note, [plot], name="latency")


def _over_time(speed: Speed, half: float, axis: Axis) -> Panel:
    points = (*speed.dots, *speed.crosses)
    end = max([at for at, _ in points] + [speed.slowest[0]])
    drawn = len(points)
    marks: list[PlotMark] = [
        Rule(half),
        Cloud(speed.dots),
        Cloud(speed.crosses, crosses=True),
        Dot(*speed.slowest, f"slowest {time(speed.slowest[1])}", hollow=True),
    ]
    note = "Dashed: the median."
    if speed.crosses:
        note += " A cross is a request that failed."
    if drawn < speed.requests:
        note += f" {drawn:,} of {speed.requests:,} requests are drawn, the slow ones first."
    words = f"{counted(speed.requests, 'request')} over {end:.3g} seconds, {speed.failed:,} of them failed"
    words += f"; slowest {time(speed.slowest[1])} after {speed.slowest[0]:.3g} seconds"
    x = time_axis(end * 1.02)._replace(name="time since the start")
    return Panel("Each request when it was sent", note, [Plot(words, x, axis, marks, _HEIGHT)], name="requests")


def _by_value(found: ByValue, measure: str, axis: Axis) -> Panel:
    marks: list[PlotMark] = []
    ticks, words = [], []
    for place, part in enumerate(found.parts):
        ticks.append((place + 0.5, part.name))
        words.append(f"{part.name}: {counted(part.queries, 'query')}, median {time(part.median)}")
        marks.append(
            Cloud([(place + 0.15 + 0.7 * (n * _SCATTER % 1), ms) for n, ms in enumerate(part.drawn)], muted=True)
        )
        marks.append(Path([(place + 0.1, part.median), (place + 0.9, part.median)]))
        marks.append(Label(place + 0.3, axis.high / 1.5, time(part.median), "above"))
    text = "Lines and numbers: medians."
    if found.correlation is not None:
        r, low_r, high_r = (f"{number:.3f}".replace("-", "−") for number in found.correlation)
        way = f"Queries with {'high' if found.correlation[1] > 0 else 'low'} {measure} take longer"
        if found.correlation[1] <= 0 <= found.correlation[2]:
            way = "Latency does not depend measurably on quality"
        text = f"{way}: rank correlation {r} ({low_r} to {high_r}). {text}"
    drawn = sum(len(part.drawn) for part in found.parts)
    if drawn < sum(part.queries for part in found.parts):
        text += f" {drawn:,} queries are drawn."
    x = Axis(0.0, float(len(found.parts)), ticks, name=f"{measure} of the query")
    plot = Plot("; ".join(words), x, axis, marks, _HEIGHT)
    return Panel("Latency by quality", text, [plot], name="latency-by-quality")
