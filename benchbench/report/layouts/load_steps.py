"""The charts of the page of a load test over time: one per step."""

from collections.abc import Sequence
from math import log10

from benchbench.loads.clouds import Cloud as Requests
from benchbench.loads.details import LoadDetails, LoadOptions, StepDetails
from benchbench.loads.rates_held import Held
from benchbench.report.layouts.page_scales import count_axis, log_axis, time_axis
from benchbench.report.page_blocks import Axis, Cloud, Panel, Panels, Path, Plot, PlotMark, Rule, Tone
from benchbench.results.figures import time

_HEIGHT, _MARGIN = 124, 54  # pixels


def over_time(
    load: LoadDetails, options: LoadOptions, sizes: Sequence[Held], clouds: Sequence[Requests] | None
) -> Panels:
    """Return a chart per step: its requests, or where those were not stored, percentiles by stretches of time."""
    held = {id(step): size for size in sizes for step in (*size.steps, *size.again)}
    points = [
        ms for cloud in clouds or () for xy in (cloud.counted, cloud.warm_up, cloud.failed) for _, ms in xy if ms > 0
    ] or [value for step in load.steps for part in step.over_time for value in (part.p50, part.p99) if value]
    axis = log_axis(min(points, default=1.0), max(points, default=10.0))
    powers = [tick for tick in axis.ticks if log10(tick[0]).is_integer()]
    axis = axis._replace(ticks=powers if len(powers) > 1 else axis.ticks)
    panels = []
    for place, step in enumerate(load.steps):
        cloud = None if clouds is None else clouds[place]
        marks: list[PlotMark] = []
        size = held.get(id(step))
        limit = size.limit if size is not None and (size.gate or options.trace is None) else None
        if limit is not None and axis.low < limit < axis.high:
            marks.append(Rule(limit))
        if cloud is not None:
            marks += [Cloud(cloud.warm_up, muted=True), Cloud(cloud.counted), Cloud(cloud.failed, crosses=True)]
            ends = [at for dots in (cloud.counted, cloud.failed, cloud.warm_up) for at, _ in dots]
        else:
            for repeat in sorted({part.repeat for part in step.over_time}):
                for name in ("p50", "p99"):
                    line = [(part.begin + part.seconds / 2, value) for part in step.over_time
                            if part.repeat == repeat and (value := getattr(part, name))]  # fmt: skip
                    marks.append(Path(line, thin=name == "p50"))
            ends = [part.begin + part.seconds for part in step.over_time]
        trend, tone = _trend(load, size, step, cloud)
        end = time_axis(max([options.duration if options.trace is None else 0.0, *ends]))
        x = Axis(min([0.0, *ends]), end.high, end.ticks[:: max(1, len(end.ticks) // 2)])
        words = f"Latency over {end.high:,.3g} seconds at {step.name}: {trend}"
        panels.append(Panel(title_of(load, step), trend, [Plot(words, x, axis, marks, _HEIGHT, _MARGIN)], tone=tone))
    left = sum(cloud.requests - cloud.drawn for cloud in clouds or ())
    note = f"Not all requests are drawn: {left:,} that were not among the slowest are left out." if left else ""
    if options.trace is not None:
        panels += [_came(step) for step in load.steps if len(step.over_time) > 1]
    return Panels(panels, min(4, len(panels)), note)


def _came(step: StepDetails) -> Panel:
    """Return how many requests of a trace were due per second, over time."""
    line = [(part.begin + part.seconds / 2, part.rate) for part in step.over_time]
    end, top = step.over_time[-1].begin + step.over_time[-1].seconds, max(rate for _, rate in line)
    low, high = min(rate for _, rate in line), top
    words = f"Between {low:,.3g} and {high:,.3g} requests were due per second"
    plot = Plot(words, time_axis(end), count_axis(top * 1.1), [Path(line)], _HEIGHT, _MARGIN)
    return Panel("Requests due per second", f"{words}, in stretches of {step.over_time[0].seconds:g} s.", [plot])


def title_of(load: LoadDetails, step: StepDetails) -> str:
    """Return what a step is called, with its batch size where there are several."""
    name, _, batch = step.name.rpartition(", batch ")
    sizes = {other.values.get("batch_size") for other in load.steps}
    name = name.replace("concurrency ", "") + " in flight" if name.startswith("concurrency ") else name
    return f"{name}, batch {batch}" if len(sizes) > 1 else name


def _trend(load: LoadDetails, size: Held | None, step: StepDetails, requests: Requests | None) -> tuple[str, Tone]:
    """Return whether latency keeps its height in a step, in words."""
    refused = size is not None and bool(size.why(step) or step.broke)
    if requests is not None and requests.growth is not None and not requests.level:
        growth = time(requests.growth)
        return (f"✕ +{growth} a second", "bad") if refused else (f"+{growth} a second", "")
    if refused and (failed := step.number("failed_requests")):
        return f"✕ {failed:,.0f} of {step.number('requests'):,.0f} failed", "bad"
    if refused and step.saturation == "beyond":
        return f"✕ {step.number('backlog_end'):,.0f} requests were left", "bad"
    level = requests is not None and requests.level
    if load.loop == "closed" or not refused:
        p50 = step.values.get("p50")
        return ("✓ level", "good") if level and not refused else ("" if p50 is None else f"p50 {time(p50)}", "")
    return ("✕ level, but not held" if level else "✕ not held"), "bad"
