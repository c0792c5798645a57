"""The charts of the page of a load test over the offered rate, or over the requests in flight."""

from collections.abc import Iterator, Sequence
from math import inf
from typing import NamedTuple

from benchbench.loads.details import LoadDetails, LoadOptions, StepDetails
from benchbench.loads.rates_held import Held, load_of
from benchbench.measures.default_list import leading
from benchbench.report.layouts.page_scales import count_axis, log_axis, share_axis, time_tick, value_text
from benchbench.report.page_blocks import (
    Axis,
    Dot,
    Drop,
    Label,
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
from benchbench.results.figures import time
from benchbench.tables.shared_messages import counted

FEW = 100  # requests: of fewer, p99 is the slowest
_WIDE = 20.0  # how many times the lowest rate the highest is, above which the scale is logarithmic
_MARGIN = 50  # pixels for the texts of vertical scales, so that charts below one another share the horizontal one
_APART = 0.24  # of the height of a chart; texts that are nearer stand in one
_BESIDE = 22  # pixels between the bars of two batch sizes
_LOW, _HIGH = 132, 240  # pixels


class Rates(NamedTuple):
    """What the four charts share: the steps, what is held, and the horizontal scale."""

    found: LoadDetails
    sizes: Sequence[Held]
    x: Axis
    shade: Sequence[Shade]
    closed: bool

    def of(self, one: Held) -> list[tuple[float, StepDetails]]:
        """Return the steps of a batch size by their rates."""
        return [(load_of(self.found.steps[place]) or 0.0, self.found.steps[place]) for place in one.places]

    def again(self, one: Held) -> list[tuple[float, StepDetails]]:
        """Return the steps whose load was run again later."""
        return [(load_of(self.found.steps[place]) or 0.0, self.found.steps[place]) for place in one.again]

    def rate(self, place: int | None) -> float | None:
        """Return the rate of a step."""
        return None if place is None else load_of(self.found.steps[place])

    @property
    def several(self) -> bool:
        """Say that there are several batch sizes."""
        return len(self.sizes) > 1


def rates_of(found: LoadDetails, sizes: Sequence[Held]) -> Rates:
    """Return what the four charts share."""
    closed = found.loop == "closed"
    loads = sorted({load_of(found.steps[place]) or 0.0 for one in sizes for place in (*one.places, *one.again)})
    ticks = [(one, f"{one:,.4g}") for one in loads]
    name = "requests in flight" if closed else "requests per second, offered"
    low, high = loads[0], loads[-1]
    if low > 0 and high > _WIDE * low:
        x = Axis(low * 0.8, high * 1.25, ticks, "log", name)
    else:
        x = Axis(0.0, high * 1.06, ticks, "linear", name)
    held, refused = _knee(found, sizes)
    shade = []
    if refused is not None:
        begin = x.low if held is None else held
        shade = [Shade(begin, refused, fades=held is not None), Shade(refused, x.high)]
    return Rates(found, sizes, x, shade, closed)


def _knee(found: LoadDetails, sizes: Sequence[Held]) -> tuple[float | None, float | None]:
    """Return from which rate to which the shade grows; of several batch sizes, where the last falls behind."""
    if any(one.refused is None for one in sizes):
        return None, None
    last = max(sizes, key=lambda one: load_of(found.steps[one.refused or 0]) or 0.0)
    held = None if last.held is None else load_of(found.steps[last.held])
    return held, load_of(found.steps[last.refused or 0])


def is_few(step: StepDetails) -> bool:
    """Say that p99 of a step is its slowest request."""
    return (step.values.get("requests") or 0.0) < FEW


def of_part(found: LoadDetails, step: StepDetails) -> bool:
    """Say that a step asked a part of the queries only."""
    return (step.values.get("queries_asked") or inf) < found.queries


def four(rates: Rates, options: LoadOptions) -> Panels:
    """Return latency and, below it, quality; what gets done and, below it, what was late or failed."""
    return Panels([_latency(rates), _answered(rates), _quality(rates), _late(rates, options)], 2, _said(rates))


def _said(rates: Rates) -> str:
    """Return what is hollow, and what holding a rate means."""
    steps = [step for one in rates.sizes for _, step in rates.of(one)]
    said = []
    if any(one.again for one in rates.sizes):
        said.append("a load that was run again later: to confirm it, or since the client may have been the limit")
    if any(is_few(step) for step in steps):
        said.append(f"p99 of fewer than {FEW} requests, which is the slowest")
    if any(of_part(rates.found, step) for step in steps):
        said.append("quality over a part of the queries, which no other step should be compared with")
    hollow = f"Hollow: {'; '.join(said)}. " if said else ""
    if rates.closed:
        return hollow.strip()
    if rates.found.find_max is not None:
        return (
            f"{hollow}Held: {rates.found.find_max.condition}; no request fails unless that says how many may; the "
            "backlog does not grow."
        )
    return (
        f"{hollow}Held: at least 98 % of what is due is answered, no request fails unless a gate says how many may, "
        "p99 is within the limit, which is the gate’s or else the next of 1, 2, 5, 10 … above the p99 of what is kept "
        "up with, and all lower rates are held."
    )


def _plot(rates: Rates, said: str, y: Axis, marks: Sequence[PlotMark], height: int) -> Plot:
    return Plot(said, rates.x, y, [*rates.shade, *marks], height, _MARGIN)


def _batch(rates: Rates, one: Held, name: str) -> str:
    """Return the name of a line, with its batch size where there are several."""
    return f"{name}, batch {one.batch_size}".strip(", ") if rates.several else name


def _at(rates: Rates, load: float) -> str:
    return f"{load:,.6g} in flight" if rates.closed else f"{load:,.6g} per second"


def _latency(rates: Rates) -> Panel:
    marks: list[PlotMark] = []
    said, times = [], []
    for place, one in enumerate(rates.sizes):
        for name in ("p50", "p99"):
            points = [(load, value) for load, step in rates.of(one) if (value := step.values.get(name))]
            times += [value for _, value in points]
            marks.append(Path(points, dashed=place > 0, thin=name == "p50"))
        marks += _line_names(rates, one)
        for load, step in rates.of(one):
            marks += _times(rates, one, load, step)
            both = [f"{name} {time(value)}" for name in ("p50", "p99") if (value := step.values.get(name))]
            said.append(f"{_batch(rates, one, _at(rates, load))}: {', '.join(both)}")
        for load, step in rates.again(one):
            value = step.values.get("p99")
            told = f"{_at(rates, load)}, run again later: p99 {time(value or 0.0)}"
            marks += [Dot(load, value, hollow=True, told=told)] if value else []
    limits = {one.limit: _batch(rates, one, f"{time_tick(one.limit)} limit") for one in rates.sizes if one.limit}
    marks += [Rule(limit, text, last=bool(rates.shade)) for limit, text in limits.items()]
    axis = log_axis(min([*(0.7 * one for one in times), *limits], default=1.0), max([*times, *limits], default=10.0))
    words = f"Latency by {rates.x.name}. {'; '.join(said)}"
    note = f"From the moment a request was due. Logarithmic.{' Thick p99, thin p50.' if rates.several else ''}"
    return Panel("Latency, p50 and p99", note, [_plot(rates, words, axis, marks, _HIGH)])


def _line_names(rates: Rates, one: Held) -> Iterator[Label]:
    """Yield what lines are called, where no other text stands: p50 and p99, or the batch size of both."""
    named = list(zip(one.places, rates.of(one), strict=True))
    taken = () if rates.several or len(one.places) < 3 else (one.held, one.refused)
    for place, (load, step) in named if rates.several else reversed(named):
        p50, p99 = step.values.get("p50"), step.values.get("p99")
        if place in taken or not p50 or not p99:
            continue
        yield Label(load, p99, f"batch {one.batch_size}" if rates.several else "p99", "above")
        if not rates.several:
            yield Label(load, p50, "p50", "below")
        return


def _times(rates: Rates, one: Held, load: float, step: StepDetails) -> Iterator[Dot | Label]:
    p50, p99 = step.values.get("p50"), step.values.get("p99")
    if p50:
        yield Dot(load, p50, small=True, told=f"{_batch(rates, one, _at(rates, load))}: p50 {time(p50)}")
    if not p99:
        return
    text = ""
    tone: Tone = ""
    if not rates.several and load == rates.rate(one.held):
        text = f"{time(p99)} at {load:,.4g}"
    elif not rates.several and load == rates.rate(one.refused):
        text, tone = f"✕ {time(p99)} at {load:,.4g}", "bad"
    few = is_few(step)
    told = f"{_batch(rates, one, _at(rates, load))}: {'slowest' if few else 'p99'} {time(p99)}"
    yield Dot(load, p99, hollow=few, tone=tone, told=told)
    if text:
        yield Label(load, p99, text, "left", tone)


def _answered(rates: Rates) -> Panel:
    marks: list[PlotMark] = []
    said, largest = [], 0.0
    for place, one in enumerate(rates.sizes):
        points = [(load, step.values.get("requests_per_second") or 0.0) for load, step in rates.of(one)]
        largest = max(largest, *(done for _, done in points))
        marks.append(Path(points, _batch(rates, one, "") if rates.several else "", dashed=place > 0))
        refused = {rates.rate(place) for place in one.reasons}
        lost = [(load, done) for load, done in points if load in refused and done < 0.98 * load]
        for load, done in () if rates.several else lost:
            text = f"✕ asked {load:,.4g}, answers {done:,.3g}" if (load, done) == lost[-1] else ""
            marks.append(Drop(load, done, load, text, "bad"))
        marks += [Dot(load, done, told=f"{_at(rates, load)}: answers {done:,.4g}") for load, done in points]
        said += [f"{_batch(rates, one, _at(rates, load))}: {done:,.3g} answered" for load, done in points]
    top = rates.x.high
    if not rates.closed:
        low = rates.x.low
        marks.insert(0, Path([(low, low), (top, top)], dashed=True, thin=True))
        knee = _knee(rates.found, rates.sizes)
        if not rates.several and knee[0] is not None and knee[1] is not None:
            middle = (knee[0] * knee[1]) ** 0.5 if rates.x.scale == "log" else sum(knee) / 2  # type: ignore[arg-type]
            text = f"the knee: between {knee[0]:,.4g} and {knee[1]:,.4g}"
            marks.append(Drop(middle, rates.x.low, top, text, beside=True))
    if rates.x.scale == "log" and not rates.closed:
        axis = Axis(rates.x.low, top, rates.x.ticks, "log")
    else:
        axis = count_axis(largest * 1.06 if rates.closed else top)
    note = (
        "What gets done with so many in flight."
        if rates.closed
        else ("On the dashed line the service keeps up; the gap beneath is what queues.")
    )
    words = f"Answered requests per second by {rates.x.name}. {'; '.join(said)}"
    return Panel("Answered requests per second", note, [_plot(rates, words, axis, marks, _HIGH)])


def _quality(rates: Rates) -> Panel:
    found = rates.found
    name = leading_of(found)
    largest = max(
        (step.values.get(f"asked.{task}.{name}") or 0.0 for task in found.tasks for step in found.steps), default=0.0
    )
    axis = share_axis(largest * 1.25) if largest <= 1.0 else count_axis(largest * 1.25)
    marks: list[PlotMark] = []
    top = 1.0 if largest <= 1.0 else 0.0
    said, ends = [], []
    for task in found.tasks:
        for place, one in enumerate(rates.sizes):
            measured = [(load, step, value) for load, step in rates.of(one)
                        if (value := step.values.get(f"asked.{task}.{name}")) is not None]  # fmt: skip
            whole = [(load, value) for load, step, value in measured if not of_part(found, step)]
            marks.append(Path(whole, dashed=place > 0, thin=task != found.tasks[0]))
            for load, step, value in measured:
                told = f"{_batch(rates, one, _at(rates, load))}: {task} {value_text(value, top)}"
                if of_part(found, step):
                    told += f", of {step.values['queries_asked']:,.0f} of {found.queries:,} queries"
                marks.append(Dot(load, value, hollow=of_part(found, step), small=True, told=told))
                said.append(told)
            if measured and place == 0:
                load, _, value = measured[0]
                ends.append((value, f"{task} {value_text(value, top)}", load))
    marks += _texts(ends, axis)
    lost = any(step.values.get("failed_requests") for step in found.steps)
    note = "Over all queries asked; one that failed counts as 0." if lost else "Over all queries asked. None failed."
    return Panel(f"Quality, {name}", note, [_plot(rates, "; ".join(said), axis, marks, _LOW)])


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


def leading_of(found: LoadDetails) -> str:
    """Return the measure that leads, of the first task."""
    front = f"asked.{found.tasks[0]}."
    names = [name.removeprefix(front) for step in found.steps[:1] for name in step.values if name.startswith(front)]
    return leading(names)


def _late(rates: Rates, options: LoadOptions) -> Panel:
    said: list[str] = []
    stems: list[Stem] = []
    failures = 0.0
    for place, one in enumerate(rates.sizes):
        middle = round(_BESIDE * (place - (len(rates.sizes) - 1) / 2))
        for load, step in rates.of(one):
            requests, late, failed = (step.values.get(name) or 0.0 for name in ("requests", "late", "failed_requests"))
            failures += failed
            counts: list[tuple[float, str, Tone, int]] = [(failed, "failed", "bad", 5)]
            if not rates.closed:
                counts.insert(0, (late, "sent late", "", -5))
            for count, word, tone, aside in counts:
                if count and requests:
                    text = f"{count:,.0f} of {requests:,.0f} {word}"
                    stems.append(Stem(load, count / requests, text, tone, middle + aside))
                    said.append(f"{_batch(rates, one, _at(rates, load))}: {text}")
    worst = max(stems, key=lambda stem: (stem.tone, stem.y), default=None)
    marks = [stem if stem is worst else stem._replace(text="") for stem in stems]
    both = "failed" if rates.closed else "late or failed"
    words = f"Share of requests {both}. {'; '.join(said) or 'None at any step'}"
    note = ""
    if not rates.closed:
        note = (f"Late: sent more than 10 ms after it was due, as when all {options.max_in_flight:,} places in flight "
                "were taken. ")  # fmt: skip
    note += f"{counted(round(failures), 'request')} failed." if failures else "None failed."
    title = "Failed" if rates.closed else "Sent late, or failed"
    axis = Axis(0.0, 1.0, [(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")])
    return Panel(title, note, [_plot(rates, words, axis, marks, _LOW)])
