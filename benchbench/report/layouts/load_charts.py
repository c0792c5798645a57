"""The charts of the page of a load test: over the offered rate or requests in flight, and of each step over time."""

from collections.abc import Iterator, Sequence
from math import log10
from typing import NamedTuple

from benchbench.loads.clouds import RequestCloud
from benchbench.loads.latency_heat import HeatCell
from benchbench.loads.load_details import FEW, LoadDetails, LoadOptions, StepDetails
from benchbench.loads.rates_held import Held
from benchbench.report.layouts.load_steps import alike
from benchbench.report.layouts.load_words import title_of, trend
from benchbench.report.layouts.page_scales import count_axis, log_axis, share_axis, time_axis, time_tick, value_text
from benchbench.report.page_blocks import (
    Axis,
    Cloud,
    Dot,
    Drop,
    Heat,
    Label,
    PageBlock,
    Panel,
    Panels,
    Path,
    Plot,
    PlotMark,
    Rule,
    Shade,
    Stem,
    Tone,
)
from benchbench.results.figures import estimate, rounded, time

_WIDE = 10.0  # how many times the lowest rate the highest is, above which the scale is logarithmic
_MARGIN = 58  # pixels for the texts of vertical scales, so that charts below one another share the horizontal one
_APART = 0.24  # of the height of a chart; texts that are nearer stand in one
_BESIDE = 22  # pixels between the bars of two batch sizes
_LOW, _HIGH = 132, 240  # pixels
_BETWEEN = 0.04  # of the width of a step, that stays free on each of its sides
_DONE, _FAILED = "requests_per_second", "failed_requests"


class Rates(NamedTuple):
    """What the four charts share: the steps, what is held, and the horizontal scale."""

    load: LoadDetails
    sizes: Sequence[Held]
    x: Axis
    shade: Sequence[Shade]

    @property
    def closed(self) -> bool:
        """Say that the scale is of requests in flight."""
        return self.load.loop == "closed"

    @property
    def several(self) -> bool:
        """Say that there are several batch sizes."""
        return len(self.sizes) > 1

    def batch(self, size: Held, name: str = "") -> str:
        """Return the name of a line, with its batch size where there are several."""
        return f"{name}, batch {size.batch_size}".strip(", ") if self.several else name

    def at(self, size: Held, step: StepDetails) -> str:
        """Return what a step is called in words."""
        return self.batch(size, f"{step.level:,.6g} {'in flight' if self.closed else 'per second'}")

    def panel(
        self, name: str, title: str, note: str, words: str, y: Axis, marks: Sequence[PlotMark], height: int
    ) -> Panel:
        """Return a chart over the scale that all share."""
        return Panel(title, note, [Plot(words, self.x, y, [*self.shade, *marks], height, _MARGIN)], name=name)


def rates_of(load: LoadDetails, sizes: Sequence[Held]) -> Rates:
    """Return what the four charts share."""
    levels = sorted({step.level for size in sizes for step in (*size.steps, *size.again)})
    ticks = [(level, f"{level:,.4g}") for level in levels]
    name = "requests in flight" if load.loop == "closed" else "requests per second, offered"
    low, high = levels[0], levels[-1]
    if high > _WIDE * low:
        x = Axis(low * 0.8, high * 1.25, ticks, "log", name)
    else:
        x = Axis(0.0, high * 1.06, ticks, "linear", name)
    held, refused = _knee(sizes)
    shade = []
    if refused is not None:
        shade = [Shade(x.low if held is None else held, refused, fades=held is not None), Shade(refused, x.high)]
    return Rates(load, sizes, x, shade)


def _knee(sizes: Sequence[Held]) -> tuple[float | None, float | None]:
    """Return from which rate to which the shade grows; of several batch sizes, where the last falls behind."""
    ends = [(size.refused.level, size) for size in sizes if size.refused is not None]
    if len(ends) < len(sizes):
        return None, None
    refused, last = max(ends, key=lambda end: end[0])
    return None if last.held is None else last.held.level, refused


def four(rates: Rates, options: LoadOptions) -> Panels:
    """Return latency and what gets done; below them quality, and what was late or failed, where these change."""
    panels = [_latency(rates), _answered(rates)]
    if not alike(rates.load) or any(_is_part(rates.load, step) for step in rates.load.steps):
        panels.append(_quality(rates))
    if any(step.number("late") + step.number(_FAILED) for size in rates.sizes for step in size.steps):
        panels.append(_late(rates, options))
    return Panels(panels, 2, _said(rates))


def _said(rates: Rates) -> str:
    """Return what is hollow, and what holding a rate means."""
    steps = [step for size in rates.sizes for step in size.steps]
    hollow_ones = []
    if any(size.again for size in rates.sizes):
        hollow_ones.append(
            "a load that was run again later: to confirm it, or since the client may have been the limit"
        )
    if any(step.is_few for step in steps):
        hollow_ones.append(f"the slowest of fewer than {FEW} requests")
    if any(_is_part(rates.load, step) for step in steps):
        hollow_ones.append("quality over a part of the queries, which no other step should be compared with")
    hollow = f"Hollow: {'; '.join(hollow_ones)}. " if hollow_ones else ""
    if rates.closed:
        return hollow.strip()
    if rates.load.find_max is not None:
        return (
            f"{hollow}A rate is sustained where {rates.load.find_max.condition} holds, no request fails unless that "
            "says how many may, and the backlog does not grow."
        )
    return (
        f"{hollow}A rate is sustained where at least 98 % of the requests due are answered, none fails unless a gate "
        "allows it, and gates on speed pass, there and at all lower rates."
    )


def _latency(rates: Rates) -> Panel:
    marks: list[PlotMark] = []
    texts, times = [], []
    for place, size in enumerate(rates.sizes):
        for is_slow in (False, True):
            both = [(step.level, size.slow(step) if is_slow else step.number("p50")) for step in size.steps]
            points = [(level, value) for level, value in both if value]
            times += [value for _, value in points]
            marks.append(Path(points, dashed=place > 0, thin=not is_slow))
        marks += _line_names(rates, size)
        for step in size.steps:
            marks += _times(rates, size, step)
            known = {"p50": step.number("p50"), size.slow_name(step): size.slow(step)}
            told = ", ".join(f"{name} {time(value)}" for name, value in known.items() if value)
            texts.append(f"{rates.at(size, step)}: {told or 'nothing answered'}")
        for step in size.again:
            told = f"{rates.at(size, step)}, run again later: {size.slow_name(step)} {time(size.slow(step))}"
            marks += [Dot(step.level, value, hollow=True, hint=told)] if (value := size.slow(step)) else []
    none = [] if rates.several else [step.level for step in rates.sizes[0].steps if step.answered_none]
    limits = {size.limit: rates.batch(size, f"{time_tick(size.limit)} limit") for size in rates.sizes if size.limit}
    marks += [Rule(limit, text, last=bool(rates.shade)) for limit, text in limits.items()]
    axis = log_axis(min([*(0.7 * ms for ms in times), *limits], default=1.0), max([*times, *limits], default=10.0))
    marks += [Label(level, axis.low, f"none at {level:,.4g}", "left", "bad") for level in none[:1]]
    words = f"Latency by {rates.x.name}. {'; '.join(texts)}"
    tail = rates.sizes[0].tail
    since = "From sending to the end of the answer" if rates.closed else "From the moment a request was due"
    note = f"{since}. Logarithmic.{f' Thick {tail}, thin p50.' if rates.several else ''}"
    return rates.panel("latency", f"Latency, p50 and {tail}", note, words, axis, marks, _HIGH)


def _line_names(rates: Rates, size: Held) -> Iterator[Label]:
    """Yield what lines are called, where no other text stands: p50 and the slow one, or the batch size of both."""
    taken = () if rates.several or len(size.steps) < 3 else (size.held, size.refused)
    for step in size.steps if rates.several else reversed(size.steps):
        p50, slow = step.number("p50"), size.slow(step)
        if p50 and slow and not any(step is other for other in taken):
            yield Label(step.level, slow, rates.batch(size) or size.tail, "above")
            if not rates.several:
                yield Label(step.level, p50, "p50", "below")
            return


def _times(rates: Rates, size: Held, step: StepDetails) -> Iterator[Dot | Label]:
    p50, slow, at = step.number("p50"), size.slow(step), rates.at(size, step)
    if p50:
        yield Dot(step.level, p50, small=True, hint=f"{at}: p50 {time(p50)}")
    if not slow:
        return
    tone: Tone = "bad" if step is size.refused and not rates.several else ""
    told = f"{at}: {size.slow_name(step)} {time(slow)}"
    yield Dot(step.level, slow, hollow=step.is_few, tone=tone, hint=told)
    if not rates.several and (step is size.held or step is size.refused):
        yield Label(step.level, slow, f"{'✕ ' if tone else ''}{time(slow)} at {step.level:,.4g}", "left", tone)


def _answered(rates: Rates) -> Panel:
    marks: list[PlotMark] = []
    texts = []
    for place, size in enumerate(rates.sizes):
        known = [step for step in size.steps if not step.answered_none]
        marks.append(Path([(step.level, step.number(_DONE)) for step in known], rates.batch(size), dashed=place > 0))
        lost = [step for step in known if size.why(step) and step.number(_DONE) < 0.98 * step.level]
        for step in () if rates.several else lost:
            text = f"✕ {step.number(_DONE):,.3g} of {step.level:,.4g}" if step is lost[-1] else ""
            marks.append(Drop(step.level, step.number(_DONE), step.level, text, "bad"))
        texts += [f"{rates.at(size, step)}: none answered" for step in size.steps if step.answered_none]
        for step in known:
            low, high = step.intervals.get(_DONE, (None, None))
            told = f"{rates.at(size, step)}: {estimate(step.number(_DONE), low, high, shown=rounded)} answered"
            dot = Dot(step.level, step.number(_DONE), hint=told)
            marks.append(dot._replace(low=low, high=high) if rates.closed else dot)
            texts.append(told)
    low, top = rates.x.low, rates.x.high
    if rates.closed:
        ends = [(step.number(_DONE), *step.intervals.get(_DONE, ())) for size in rates.sizes for step in size.steps]
        axis = count_axis(max(map(max, ends)) * 1.06)
        note = "With 95 % intervals where there are enough requests."
    else:
        is_log = rates.x.scale == "log"
        axis = Axis(low, top, rates.x.ticks, "log") if is_log else count_axis(top)
        note = f"Dashed: all are answered. The gap to it: requests that queue.{' Logarithmic.' if is_log else ''}"
        marks.insert(0, Path([(low, low), (top, top)], dashed=True, thin=True))
    words = f"Answered requests per second by {rates.x.name}. {'; '.join(texts)}"
    return rates.panel("answered", "Answered requests per second", note, words, axis, marks, _HIGH)


def _quality(rates: Rates) -> Panel:
    load, name = rates.load, rates.load.leading
    largest = max((step.number(f"answered.{task}.{name}") for task in load.tasks for step in load.steps), default=0.0)
    axis = share_axis(largest * 1.25) if largest <= 1.0 else count_axis(largest * 1.25)
    marks: list[PlotMark] = []
    top = 1.0 if largest <= 1.0 else 0.0
    texts, ends = [], []
    for task in load.tasks:
        for place, size in enumerate(rates.sizes):
            measured = [(step, value) for step in size.steps
                        if (value := step.values.get(f"answered.{task}.{name}")) is not None
                        and step.number("queries_answered")]  # fmt: skip
            whole = [(step.level, value) for step, value in measured if not _is_part(load, step)]
            marks.append(Path(whole, dashed=place > 0, thin=task != load.tasks[0]))
            for step, value in measured:
                told = f"{rates.at(size, step)}: {task} {value_text(value, top)}"
                if _is_part(load, step):
                    told += f", of {_covered(step):,.0f} of {load.queries:,} queries"
                marks.append(Dot(step.level, value, hollow=_is_part(load, step), small=True, hint=told))
                texts.append(told)
            if measured and place == 0:
                step, value = measured[0]
                of_task = f"{task} " if len(load.tasks) > 1 else ""
                ends.append((value, f"{of_task}{value_text(value, top)}", step.level))
    marks += _texts(ends, axis)
    note = "Without queries that failed." if load.total(_FAILED) else "Over all queries asked. None failed."
    return rates.panel("quality", f"Quality of answers, {name}", note, "; ".join(texts), axis, marks, _LOW)


def _is_part(load: LoadDetails, step: StepDetails) -> bool:
    """Say that a part of the queries only was answered in a step."""
    return 0 < _covered(step) < load.queries


def _covered(step: StepDetails) -> float:
    return min(step.number("queries_asked"), step.number("queries_answered"))


def _texts(ends: list[tuple[float, str, float]], axis: Axis) -> Iterator[Label]:
    """Yield what lines are called where they begin; of those near each other in one text, above the highest."""
    groups: list[list[tuple[float, str, float]]] = []
    for end in sorted(ends, reverse=True):
        if groups and groups[-1][-1][0] - end[0] < _APART * (axis.high - axis.low):
            groups[-1].append(end)
        else:
            groups.append([end])
    for group in groups:
        yield Label(group[0][2], group[0][0], ", ".join(text for _, text, _ in group), "above")


def _late(rates: Rates, options: LoadOptions) -> Panel:
    texts: list[str] = []
    stems: list[Stem] = []
    shown: list[tuple[str, str, Tone, int]] = [(_FAILED, "failed", "bad", 5)]
    both, title, note = "failed", "Failed", ""
    if not rates.closed:
        shown.insert(0, ("late", "sent late", "", -5))
        both, title = "late or failed", "Sent late, or failed"
        note = (f"Blue: sent more than 10 ms late, as when all {options.max_in_flight:,} places in flight are taken. "
                "Red: failed, or never sent.")  # fmt: skip
    for place, size in enumerate(rates.sizes):
        middle = round(_BESIDE * (place - (len(rates.sizes) - 1) / 2))
        for step in size.steps:
            requests = step.number("requests")
            for name, word, tone, aside in shown if requests else ():
                if count := step.number(name):
                    text = f"{count:,.0f} of {requests:,.0f} {word}"
                    stems.append(Stem(step.level, count / requests, "", tone, middle + aside))
                    texts.append(f"{rates.at(size, step)}: {text}")
    words = f"Share of requests {both}. {'; '.join(texts) or 'None at any step'}"
    axis = Axis(0.0, 1.0, [(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")])
    return rates.panel("late", title, note, words, axis, stems, _LOW)


_TIME_SIZE = 124, 54  # pixels


def over_time(
    load: LoadDetails,
    options: LoadOptions,
    sizes: Sequence[Held],
    clouds: Sequence[RequestCloud] | None,
    heat: Sequence[Sequence[HeatCell]] | None,
) -> list[PageBlock]:
    """Return the spread of latency, and a chart per step: its requests, or where those were not stored, percentiles."""
    held = {id(step): size for size in sizes for step in (*size.steps, *size.again)}
    points = [
        ms for cloud in clouds or () for xy in (cloud.counted, cloud.warm_up, cloud.failed) for _, ms in xy if ms > 0
    ] or [value for step in load.steps for part in step.over_time for value in (part.p50, part.p99) if value]
    axis = log_axis(min(points, default=1.0), max(points, default=10.0))
    spread = [] if heat is None else [Panels([_spread(load, options, sizes, heat, axis)], 1)]
    powers = [tick for tick in axis.ticks if log10(tick[0]).is_integer()]
    axis = axis._replace(ticks=powers if len(powers) > 1 else axis.ticks)
    panels = []
    for place, step in enumerate(load.steps):
        cloud = None if clouds is None else clouds[place]
        marks: list[PlotMark] = []
        size = held.get(id(step))
        limit = None if size is None else size.limit
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
        change, tone = trend(load, size, step, cloud)
        end = time_axis(max([options.duration if options.trace is None else 0.0, *ends]))
        low, ticks = min([0.0, *ends]), end.ticks[:: max(1, len(end.ticks) // 2)]
        if low < 0.0 and options.trace is None:  # a step begins with its warm-up
            low = min(low, -options.warm_up)
            ticks = [(-options.warm_up, f"−{options.warm_up:g} s"), *ticks]
        x = Axis(low, end.high, ticks)
        words = f"Latency over {end.high:,.3g} seconds at {step.name}: {change}"
        title, plot = title_of(load, step), Plot(words, x, axis, marks, *_TIME_SIZE)
        panels.append(Panel(title, change, [plot], tone=tone, name=f"time-{title}"))
    sent, drawn = (sum(getattr(cloud, name) for cloud in clouds or ()) for name in ("requests", "drawn"))
    moment = "due" if load.loop == "open" else "sent"
    note = f"A dot is a request at the moment it was {moment}; grey: warm-up, not counted." if clouds else ""
    note += " A cross failed." if any(cloud.failed for cloud in clouds or ()) else ""
    note += f" Not all requests are drawn: {sent - drawn:,} of {sent:,} are not, none of the slowest." * (sent > drawn)
    if options.trace is not None:
        panels += [_came(step) for step in load.steps if len(step.over_time) > 1]
    columns = 3 if len(panels) % 4 == 1 and len(panels) > 1 else min(4, len(panels))  # so that none stands alone
    return [*spread, Panels(panels, columns, note)]


def _spread(
    load: LoadDetails, options: LoadOptions, sizes: Sequence[Held], heat: Sequence[Sequence[HeatCell]], y: Axis
) -> Panel:
    """Return the shares of requests by latency over time, the steps side by side."""
    several = len({step.values.get("batch_size") for step in load.steps}) > 1
    cells, names = [], []
    for place, (step, spread) in enumerate(zip(load.steps, heat, strict=True)):
        for cell in spread:
            begin, end = (place + _BETWEEN + (1 - 2 * _BETWEEN) * at for at in (cell.begin, cell.end))
            cells.append((begin, end, cell.low, cell.high, cell.share))
        size = f" ({step.number('batch_size'):,.0f})" if several else ""
        mark = " ✕" if any(each.why(step) for each in sizes if step in each.steps) and load.loop == "open" else ""
        names.append((place + 0.5, f"{step.level:,.4g}{size}{mark}" if options.trace is None else title_of(load, step)))
    what = "requests in flight" if load.loop == "closed" else "requests per second, offered"
    what = f"{what}{' (queries a request)' if several else ''}" if options.trace is None else ""
    x = Axis(0.0, len(load.steps), names, name=what)
    limits = {size.limit for size in sizes if size.limit}
    rules = [Rule(limit) for limit in limits if y.low < limit < y.high]
    title = "Latency of answered requests, over time within each step"
    words = "Time runs from left to right in each step. Darker: a larger share of the requests of that moment."
    words += " Logarithmic, so a queue that grows may look level. ✕: not sustained." if load.loop == "open" else ""
    plot = Plot(f"{title}. {words}", x, y, [Heat(cells), *rules], _HIGH, _MARGIN)
    return Panel(title, words, [plot], name="spread")


def _came(step: StepDetails) -> Panel:
    """Return how many requests of a trace were due per second, over time."""
    line = [(part.begin + part.seconds / 2, part.rate) for part in step.over_time]
    end, top = step.over_time[-1].begin + step.over_time[-1].seconds, max(rate for _, rate in line)
    low, high = min(rate for _, rate in line), top
    words = f"Between {low:,.3g} and {high:,.3g} requests were due per second"
    plot = Plot(words, time_axis(end), count_axis(top * 1.1), [Path(line)], *_TIME_SIZE)
    stretches = f"{words}, in stretches of {step.over_time[0].seconds:g} s."
    return Panel("Requests due per second", stretches, [plot], name="due")
