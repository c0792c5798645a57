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
    found: LoadDetails, options: LoadOptions, sizes: Sequence[Held], clouds: Sequence[Requests] | None
) -> Panels:
    """Return a chart per step: its requests, or where those were not stored, percentiles by stretches of time."""
    held = {place: one for one in sizes for place in (*one.places, *one.again)}
    points = [
        ms for one in clouds or () for dots in (one.counted, one.warm_up, one.failed) for _, ms in dots if ms > 0
    ] or [value for step in found.steps for part in step.over_time for value in (part.p50, part.p99) if value]
    axis = log_axis(min(points, default=1.0), max(points, default=10.0))
    powers = [tick for tick in axis.ticks if log10(tick[0]).is_integer()]
    axis = axis._replace(ticks=powers if len(powers) > 1 else axis.ticks)
    panels = []
    for place, step in enumerate(found.steps):
        one = None if clouds is None else clouds[place]
        marks: list[PlotMark] = []
        limit = held[place].limit if place in held and (held[place].gate or options.trace is None) else None
        if limit is not None and axis.low < limit < axis.high:
            marks.append(Rule(limit))
        if one is not None:
            marks += [Cloud(one.warm_up, muted=True), Cloud(one.counted), Cloud(one.failed, crosses=True)]
            ends = [at for dots in (one.counted, one.failed, one.warm_up) for at, _ in dots]
        else:
            for repeat in sorted({part.repeat for part in step.over_time}):
                for name in ("p50", "p99"):
                    line = [(part.begin + part.seconds / 2, value) for part in step.over_time
                            if part.repeat == repeat and (value := getattr(part, name))]  # fmt: skip
                    marks.append(Path(line, thin=name == "p50"))
            ends = [part.begin + part.seconds for part in step.over_time]
        trend, tone = _trend(found, held.get(place), place, step, one)
        end = time_axis(max([options.duration if options.trace is None else 0.0, *ends]))
        x = Axis(min([0.0, *ends]), end.high, end.ticks[:: max(1, len(end.ticks) // 2)])
        words = f"Latency over {end.high:,.3g} seconds at {step.name}: {trend}"
        panels.append(Panel(title_of(found, step), trend, [Plot(words, x, axis, marks, _HEIGHT, _MARGIN)], tone=tone))
    left = sum(one.requests - one.drawn for one in clouds or ())
    note = f"Not all requests are drawn: {left:,} that were not among the slowest are left out." if left else ""
    if options.trace is not None:
        panels += [_came(step) for step in found.steps if len(step.over_time) > 1]
    return Panels(panels, min(4, len(panels)), note)


def _came(step: StepDetails) -> Panel:
    """Return how many requests of a trace were due per second, over time."""
    line = [(part.begin + part.seconds / 2, part.rate) for part in step.over_time]
    end, top = step.over_time[-1].begin + step.over_time[-1].seconds, max(rate for _, rate in line)
    low, high = min(rate for _, rate in line), top
    words = f"Between {low:,.3g} and {high:,.3g} requests were due per second"
    plot = Plot(words, time_axis(end), count_axis(top * 1.1), [Path(line)], _HEIGHT, _MARGIN)
    return Panel("Requests due per second", f"{words}, in stretches of {step.over_time[0].seconds:g} s.", [plot])


def title_of(found: LoadDetails, step: StepDetails) -> str:
    """Return what a step is called, with its batch size where there are several."""
    load, _, batch = step.name.rpartition(", batch ")
    sizes = {one.values.get("batch_size") for one in found.steps}
    load = load.replace("concurrency ", "") + " in flight" if load.startswith("concurrency ") else load
    return f"{load}, batch {batch}" if len(sizes) > 1 else load


def _trend(
    found: LoadDetails, held: Held | None, place: int, step: StepDetails, requests: Requests | None
) -> tuple[str, Tone]:
    """Return whether latency keeps its height in a step, in words."""
    refused = held is not None and (place in held.reasons or bool(step.broke))
    if requests is not None and requests.growth is not None and not requests.level:
        growth = time(requests.growth)
        return (f"✕ +{growth} a second", "bad") if refused else (f"+{growth} a second", "")
    failed = step.values.get("failed_requests")
    if failed and refused:
        return f"✕ {failed:,.0f} of {step.values.get('requests') or 0:,.0f} failed", "bad"
    left = step.values.get("backlog_end") or 0.0
    if refused and step.saturation == "beyond":
        return f"✕ {left:,.0f} requests were left", "bad"
    level = requests is not None and requests.level
    if found.loop == "closed" or not refused:
        return ("✓ level", "good") if level and not refused else (_half(step), "")
    return ("✕ level, but not held" if level else "✕ not held"), "bad"


def _half(step: StepDetails) -> str:
    p50 = step.values.get("p50")
    return "" if p50 is None else f"p50 {time(p50)}"
