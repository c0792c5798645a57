"""Charts of latency: how many requests were answered within which time, and each request when it was sent."""

from benchbench.measures.latency import Latency
from benchbench.report.layouts.page_scales import log_axis, time_axis
from benchbench.report.page_blocks import (
    Axis,
    Cloud,
    Dot,
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
from benchbench.runs.page_numbers import Speed
from benchbench.tables.shared_messages import counted

FEW = 100  # requests: of fewer, p99 is the slowest
_CURVE = 20  # requests: of fewer, each is drawn
_SHARES = ((0.5, "50 %"), (0.9, "90 %"), (0.95, "95 %"), (0.99, "99 %"), (0.999, "99.9 %"), (0.9999, "99.99 %"))


def speed_section(speed: Speed, latency: Latency) -> list[PageBlock]:
    """Return the section on latency: by share of requests, and of each request when it was sent."""
    times = [ms for _, ms in (*speed.curve, *speed.dots, *speed.crosses)]
    axis = log_axis(min(times), max(times))
    marks = latency.percentiles
    text = f"Half of the requests took {time(marks['p50'])} or less"
    if speed.requests >= _CURVE:
        text += f", 19 of 20 {time(marks['p95'])} or less"
    text += f", the slowest {time(latency.max)}. From sending a request to the end of its answer, retries included."
    if speed.failed_fast:
        text += (
            f" Failed requests count too: {speed.failed_fast:,} of them took under a quarter of the median, which "
            "makes the service look faster than it is."
        )
    return [
        Section("speed", "Speed", "Speed", text),
        Panels([_curve(speed, marks, latency.max, axis), _over_time(speed, marks["p50"], axis)], 2),
    ]


def _curve(speed: Speed, marks: dict[str, float], slowest: float, axis: Axis) -> Panel:
    count = speed.requests
    few = count < _CURVE
    ends = Axis(0.0, 1 - 0.4 / count, [tick for tick in _SHARES if tick[0] <= 1 - 0.5 / count], "nines")
    points: list[PlotMark] = [Dot(x, y) for x, y in speed.curve] if few else [Path(speed.curve)]
    named = [(0.5, "p50"), (0.95, "p95"), (0.99, "p99")]
    shown = [mark for mark in named if mark[0] <= 1 - 1 / count] if not few else []
    dots = [Dot(x, marks[name], f"{name} {time(marks[name])}", hollow=True) for x, name in shown]
    text = "; ".join(f"{100 * x:g} % within {time(marks[name])}" for x, name in named if not few)
    words = f"Share of requests answered within a time. {text}{'; ' if text else ''}slowest {time(slowest)}"
    note = "The scale widens to the right: from 90 to 99 % takes as much room as from 0 to 90 %."
    if count < FEW:
        note += f" With {counted(count, 'request')}, p99 is the slowest one."
    plot = Plot(words, ends, axis, [*points, *dots])
    return Panel("Share of requests answered within this time", "", [plot], note=note, name="latency")


def _over_time(speed: Speed, half: float, axis: Axis) -> Panel:
    points = (*speed.dots, *speed.crosses)
    end = max([at for at, _ in points] + [speed.slowest[0]])
    drawn = len(points)
    marks: list[PlotMark] = [
        Rule(half),
        Cloud(speed.dots),
        Cloud(speed.crosses, crosses=True),
        Dot(*speed.slowest, f"slowest {time(speed.slowest[1])}"),
    ]
    note = "Dashed: p50. Both charts share one logarithmic scale."
    if speed.crosses:
        note += " A cross is a request that failed."
    if drawn < speed.requests:
        note += f" {drawn:,} of {speed.requests:,} requests are drawn, the slow ones first."
    words = f"{counted(speed.requests, 'request')} over {end:.3g} seconds, {speed.failed:,} of them failed"
    words += f"; slowest {time(speed.slowest[1])} after {speed.slowest[0]:.3g} seconds"
    plot = Plot(words, time_axis(end * 1.02), axis, marks)
    return Panel("When: each request at the moment it was sent", "", [plot], note=note, name="requests")
