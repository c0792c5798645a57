"""The charts of the page of a comparison, each with a sentence, and a table of its numbers beside it.

How good systems are by rank cut-off; how fast, by request, under load, and against how good.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import numpy as np

import benchbench.significance.drawing as drawing
from benchbench.comparison.compare_result import CompareDetails, ComparedSystem, LoadStep
from benchbench.comparison.headline import dominated
from benchbench.kernels.arrays import F64
from benchbench.report.blocks import Table
from benchbench.report.layouts.page_scales import count_axis, log_axis, value_axis
from benchbench.report.page_blocks import (
    Axis,
    Choice,
    Dot,
    Option,
    PageBlock,
    Pair,
    Panel,
    Panels,
    Path,
    Plot,
    PlotMark,
    Section,
    Views,
)
from benchbench.results.figures import NOTHING, count, estimate, time, value
from benchbench.significance.letters import MANY
from benchbench.tables.shared_messages import and_joined

_MARKS = ("p50", "p99")  # of a load step
_HEIGHT = 300
_LEAST = 1e-3  # milliseconds of a logarithmic scale

View = tuple[Sequence[int], Pair]


def charts(details: CompareDetails, whole: CompareDetails, latencies: Mapping[str, F64]) -> list[PageBlock]:
    """Return the sections with charts; means by cut-off are those of the `whole` comparison."""
    front = [] if len(details.names) >= MANY else _front_section(details, latencies)
    return [*front, *_cutoffs(whole), *_latency(details, latencies), *_load(details)]


def _section(link: str, heading: str, key: str, views: Sequence[View], choice: Choice | None = None) -> list[PageBlock]:
    options = [(places, [pair]) for places, pair in views]
    first = choice.first if choice is not None else 0
    return [Section(link, heading, heading, choice=choice), Views(key, options, first)]


def _view(
    name: str,
    title: str,
    words: str,
    x: Axis,
    y: Axis,
    marks: Sequence[PlotMark],
    legend: Mapping[int, str],
    table: Table,
) -> Pair:
    """Return a chart with its numbers beside it."""
    plot = Plot(f"{title}. {words}", x, y, marks, _HEIGHT)
    return Pair([Panels([Panel(title, words, [plot], legend=list(legend.items()), name=name)])], [table])


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    return Table(head, rows, "l" + "r" * (len(head) - 1), title)


def _cutoffs(details: CompareDetails) -> list[PageBlock]:
    """Return means by rank cut-off, for measures that were taken at several."""
    families = drawing.cutoffs(details.measures)
    family_of = {measure: place for place, members in enumerate(families.values()) for _, measure in members}
    views = []
    for place, (family, members) in enumerate(families.items()):
        measures = [at for at, measure in enumerate(details.measures) if family_of.get(measure, 0) == place]
        views.append((measures, _by_cutoff(details, family, members)))
    return _section("cutoffs", "Score by rank cut-off", "m", views) if views else []


def _by_cutoff(details: CompareDetails, family: str, members: Sequence[tuple[int, str]]) -> Pair:
    apart = min(0.03, 0.5 / len(details.names))
    marks: list[PlotMark] = []
    rows, values = [], []
    for place, system in enumerate(details.names):
        estimates = [details.estimate(measure, system) for _, measure in members]
        at = [n + 0.5 + apart * (place - (len(details.names) - 1) / 2) for n in range(len(estimates))]
        means = [estimate(point.mean, point.low, point.high) for point in estimates]
        marks.append(Path([(x, point.mean) for x, point in zip(at, estimates, strict=True)], series=place))
        for middle, point, mean in zip(at, estimates, means, strict=True):
            hint = f"{system}: {point.measure} {mean}"
            marks.append(Dot(middle, point.mean, "", point.low, point.high, hint=hint, series=place))
            values += [point.mean, *drawing.ends(point)]
        rows.append([system, *means])
    cutoffs = [f"{cutoff:,}" for cutoff, _ in members]
    every = -(-len(cutoffs) // 12)
    x = Axis(0.0, len(cutoffs), [(n + 0.5, text) for n, text in enumerate(cutoffs)][::every], name="rank cut-off")
    title = f"Mean {family} at {and_joined(cutoffs)}, with intervals"
    table = _table(title, ["System", *(name for _, name in members)], rows)
    legend = dict(enumerate(details.names))
    return _view("cutoffs", title, _leaders(details, members), x, value_axis(values), marks, legend, table)


def _leaders(details: CompareDetails, members: Sequence[tuple[int, str]]) -> str:
    leads: dict[str, list[str]] = {}
    for cutoff, measure in members:
        best = max((details.estimate(measure, name) for name in details.names), key=lambda e: e.mean)
        leads.setdefault(best.system, []).append(f"{cutoff:,}")
    cutoff, measure = members[-1]
    order = sorted((details.estimate(measure, name) for name in details.names), key=lambda e: -e.mean)
    if len(leads) == 1:
        words = f"{order[0].system} leads at every cut-off"
    else:
        words = "; ".join(f"{name} leads at {and_joined(at)}" for name, at in leads.items())
    against = and_joined([f"{value(estimate.mean)} ({estimate.system})" for estimate in order[1:3]])
    return f"{words}; at {cutoff:,} it is {value(order[0].mean)} ({order[0].system}) against {against}."


def _latency(details: CompareDetails, latencies: Mapping[str, F64]) -> list[PageBlock]:
    """Return how long requests took, as the share of them that took at most so long."""
    marks: list[PlotMark] = []
    legend, rows, halves, ends = {}, [], [], []
    percentiles = list(
        dict.fromkeys(mark for system in details.systems if system.speed for mark in system.speed.latency_ms)
    )
    for place, system in _placed(details):
        speed, times = system.speed, latencies.get(system.name, np.empty(0))
        if speed is None or not len(times):
            continue
        curve = [(max(x, _LEAST), y) for x, y in drawing.ecdf(times)]
        if len(curve) == len(times):  # each request is a step
            curve = [point for (x, y), below in zip(curve, [0.0, *(y for _, y in curve)], strict=False)
                     for point in ((x, below), (x, y))]  # fmt: skip
        marks.append(Path(curve, series=place))
        legend[place] = system.name
        ends += [curve[0][0], curve[-1][0]]
        counts = [count(n) for n in (speed.batch_size, speed.concurrency, len(times), speed.queries_per_second)]
        rows.append([system.name, *counts, *(time(speed.latency_ms.get(mark)) for mark in percentiles)])
        half, most = (float(np.quantile(times, q, method="inverted_cdf")) for q in (0.5, 0.99))
        halves.append((half, f"{system.name} {time(half)} and {time(most)}"))
    if not marks:
        return []
    batches = {system.speed.batch_size for system in details.systems if system.speed}
    unit = f"requests of {batches.pop()}" if len(batches) == 1 else "requests (batches differ, see the table)"
    sentence = (
        f"Half of the {unit}, and 99 % of them, took at most: {and_joined([text for _, text in sorted(halves)])}."
    )
    title = "Share of requests answered within a time"
    head = ("System", "Batch", "Concurrency", "Requests", "Queries/s", *percentiles)
    x = log_axis(min(ends), max(ends), "time of a request")
    y = Axis(0.0, 1.0, [(share / 5, f"{20 * share} %") for share in range(6)])
    pair = _view("requests", title, sentence, x, y, marks, legend, _table(title, head, rows))
    return _section("latency", "Latency", "", [((0,), pair)])


def _load(details: CompareDetails) -> list[PageBlock]:
    """Return latency against throughput, one line per system and batch size."""
    if not any(system.load for system in details.systems):
        return []
    several = len({step.batch_size for system in details.systems for step in system.load}) > 1
    rows: list[list[str]] = []
    lines: list[tuple[str, int, Sequence[LoadStep]]] = []
    for place, system in _placed(details):
        for step in system.load:
            values = [count(step.batch_size), count(step.queries_per_second), time(step.p50), time(step.p99)]
            rows.append([system.name, step.label, *values, _failed(step)])
        for size in dict.fromkeys(step.batch_size for step in system.load):
            name = f"{system.name}, batches of {size:,}" if several else system.name
            steps = [step for step in system.load if step.batch_size == size]
            lines.append((name, len(lines) if several else place, steps))
    head = ("System", "Load", "Batch", "Queries/s", "p50", "p99", "Failed")
    choice = Choice("mark", "Latency", [Option(mark) for mark in _MARKS], len(_MARKS) - 1)
    views = [((place,), _by_load(lines, mark, head, rows)) for place, mark in enumerate(_MARKS)]
    return _section("load", "Latency under load", "mark", views, choice)


def _by_load(
    lines: Sequence[tuple[str, int, Sequence[LoadStep]]],
    mark: str,
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
) -> Pair:
    marks: list[PlotMark] = []
    legend, words, rates, times = {}, [], [1.0], []
    for name, place, steps in lines:
        dots = list(_points(name, place, steps, mark))
        if not dots:
            continue
        marks += [Path([(dot.x, dot.y) for dot in dots], series=place), *dots]
        legend[place] = name
        rates += [dot.x for dot in dots]
        times += [dot.y for dot in dots]
        first, last = dots[0], max(dots, key=lambda dot: (dot.x, dot.y))
        goes = f"{name} goes from {time(first.y)} at {first.x:,.0f} queries/s to {time(last.y)} at {last.x:,.0f}"
        words.append(goes)
    title = f"{mark} per request, from the time it was due, by load step"
    x = count_axis(1.06 * max(rates))._replace(name="queries answered per second")
    y = log_axis(min(times, default=1.0), max(times, default=1.0))
    return _view("load", title, f"{mark}: {'; '.join(words)}.", x, y, marks, legend, _table(title, head, rows))


def _points(name: str, place: int, steps: Iterable[LoadStep], mark: str) -> Iterable[Dot]:
    """Yield the steps with a latency, for no request may have succeeded."""
    for step in steps:
        late, rate = getattr(step, mark), step.queries_per_second
        if late is not None and rate is not None:
            failed = f", {_failed(step)} failed" if step.errors else ""
            hint = f"{name}: {step.label}: {rate:,.0f} queries/s, {mark} {time(late)}{failed}"
            yield Dot(rate, max(late, _LEAST), hint=hint, series=place)


def front(details: CompareDetails, latencies: Mapping[str, F64]) -> list[Panel]:
    """Return quality against speed as a chart for each measure; nothing of systems without a speed."""
    points = [_rated(details, measure, latencies) for measure in details.measures]
    if min(map(len, points)) < 2:
        return []
    plots = [_front_plot(details, measure, dots)[0] for measure, dots in zip(details.measures, points, strict=True)]
    words = "Up and to the right is better. Lines are intervals; dashed joins the best means."
    return [Panel("Quality against speed", words + _hollow(chain(*points)), plots, "m", name="front")]


def _front_section(details: CompareDetails, latencies: Mapping[str, F64]) -> list[PageBlock]:
    """Return quality against speed: every run and every load step, and the front that no other beats in both."""
    points = [_rated(details, measure, latencies) for measure in details.measures]
    if not any(len(point) > 1 for point in points):
        return []
    views = [([at], _against(details, details.measures[at], dots)) for at, dots in enumerate(points)]
    return _section("front", "Quality against speed", "m", views)


def _rated(details: CompareDetails, measure: str, latencies: Mapping[str, F64]) -> list[Dot]:
    """Return the points of each system: its run with intervals, and small ones of its load steps."""
    dots, behind = [], dominated(details, measure)
    for place, system in _placed(details):
        if system.speed and (rate := system.speed.queries_per_second):
            estimate = details.estimate(measure, system.name)
            left, right = drawing.ends(estimate)
            low, high = drawing.rate_ends(rate, latencies.get(system.name))
            hint = f"{system.name}: run: {measure} {value(estimate.mean)}, {rate:,.0f} queries/s"
            better = behind.get(system.name, "")
            hint += f"; measurably worse and slower than {better}" if better else ""
            dot = Dot(estimate.mean, rate, system.name, low, high, hint=hint, series=place, full=not better)
            dots.append(dot._replace(left=left, right=right))
        for step in system.load:
            quality, rate = step.quality.get(measure), step.queries_per_second
            if quality is not None and rate:
                name = f"load {step.label}"
                hint = f"{system.name}: {name}: {measure} {value(quality)}, {rate:,.0f} queries/s"
                dots.append(Dot(quality, rate, name, hint=hint, small=True, series=place))
    return dots


def _hollow(dots: Iterable[Dot]) -> str:
    has_one = any(not dot.full and not dot.small for dot in dots)
    return " Hollow: measurably worse and slower than another." if has_one else ""


def _front_plot(details: CompareDetails, measure: str, dots: Sequence[Dot]) -> tuple[Plot, list[int]]:
    """Return the chart, and which of the dots no other beats in both means."""
    kept = drawing.front([(dot.x, dot.y) for dot in dots])
    line = Path([(dots[place].x, dots[place].y) for place in kept], dashed=True, thin=True)
    marks: list[PlotMark] = [line, *(dot._replace(text="") if dot.small else dot for dot in dots)]
    ends = [end for dot in dots for end in (dot.x, dot.left, dot.right) if end is not None]
    rates = [end for dot in dots for end in (dot.y, dot.low, dot.high) if end is not None] or [1.0]
    x = value_axis(ends, measure, 0.0)
    y = log_axis(min(rates), max(rates), shown=lambda rate: f"{rate:,.6g}")
    said = "; ".join(dot.hint for dot in dots if not dot.small)
    words = f"Mean {measure} against queries per second; up and to the right is better. {said}."
    return Plot(words, x, y, marks, _HEIGHT), kept


def _against(details: CompareDetails, measure: str, dots: Sequence[Dot]) -> Pair:
    names = [details.names[dot.series or 0] for dot in dots]
    plot, kept = _front_plot(details, measure, dots)
    rows = [
        [name, "run" if not dot.small else dot.text, value(dot.x), count(dot.y), "yes" if place in kept else "no"]
        for place, (name, dot) in enumerate(zip(names, dots, strict=True))
    ]
    best = list(dict.fromkeys(names[place] for place in kept))
    words = f"No other mean is both better and faster than {and_joined(best)}. Lines are intervals." if best else ""
    words += _hollow(dots)
    title = f"Mean {measure} against queries per second; up and to the right is better"
    table = _table(title, ("System", "Point", measure, "Queries/s", "On the front"), rows)
    return Pair([Panels([Panel(title, words, [plot], name="front")])], [table])


def _placed(details: CompareDetails) -> list[tuple[int, ComparedSystem]]:
    """Return the systems with their places, which decide how they look in all charts."""
    return [(details.names.index(system.name), system) for system in details.systems]


def _failed(step: LoadStep) -> str:
    return NOTHING if step.errors is None else f"{100 * step.errors:.3g} %"
