"""What the page of a comparison draws, each with its sentence and its table in words.

How good systems are, by rank cut-off and by single queries; how fast, by request, under load, and against how good;
and the slices.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

import benchbench.significance.drawing as drawing
from benchbench.comparison.compare_result import CompareDetails, LoadStep, System
from benchbench.kernels.arrays import F64
from benchbench.results.figures import NOTHING, count, estimate, time, value
from benchbench.tables.shared_messages import and_joined

Kind = Literal["line", "curve", "step", "points", "small", "whisker", "front", "bar"]
MARKS = ("p50", "p99")  # of a load step


@dataclass(frozen=True, slots=True)
class Series:
    """One thing to draw; those of one name go by one button of the legend."""

    name: str
    style: int  # place in the palette; -1, -2, -3 are lost, equal, won
    kind: Kind
    points: Sequence[tuple[float, float, str]]  # x, y, what a tooltip says


@dataclass(frozen=True, slots=True)
class View:
    """What a chart shows for one choice of measure and pair."""

    title: str
    sentence: str  # the chart in words
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    series: Sequence[Series] = ()
    ticks: Sequence[str] = ()  # names of 0, 1, 2, … on the x axis, where it has no numbers


@dataclass(frozen=True, slots=True)
class ChartAxis:
    """One axis."""

    name: str
    scale: Literal["value", "log", "ticks"] = "value"
    percent: bool = False
    zero: bool = False  # whether it starts at 0


@dataclass(frozen=True, slots=True)
class Figure:
    """A section of the page: a chart with its table, or (without axes) a table alone."""

    id: str
    heading: str
    by: tuple[Literal["measure", "pair", "mark"], ...]  # what chooses among the views
    views: Sequence[View]
    chosen: Mapping[str, int]  # "0", "0.2": places of what was chosen -> place in views
    x: ChartAxis | None = None
    y: ChartAxis | None = None
    nearest: bool = False  # a pointer asks for the nearest of each series, not for the one it is on
    hidden: tuple[str, ...] = ()  # series that wait for their button

    def start(self, chosen: Mapping[str, int]) -> View:
        """Return the view that is shown first."""
        return self.views[self.chosen.get(".".join(str(chosen[key]) for key in self.by), 0)]


def cutoffs(details: CompareDetails) -> Figure | None:
    """Return means by rank cut-off, for measures that were taken at several."""
    families = drawing.cutoffs(details.measures)
    if not families:
        return None
    views = [_cutoffs(details, family, members) for family, members in families.items()]
    of = {measure: i for i, members in enumerate(families.values()) for _, measure in members}
    chosen = {str(m): of.get(measure, 0) for m, measure in enumerate(details.measures)}
    axes = ChartAxis("rank cut-off", "ticks"), ChartAxis("mean")
    return Figure("cutoffs", "Score by rank cut-off", ("measure",), views, chosen, *axes, nearest=True)


def _cutoffs(details: CompareDetails, family: str, members: Sequence[tuple[int, str]]) -> View:
    apart = min(0.03, 0.5 / len(details.names))
    series, rows = [], []
    for s, system in enumerate(details.names):
        found = [details.estimate(measure, system) for _, measure in members]
        at = [i + apart * (s - (len(details.names) - 1) / 2) for i in range(len(found))]
        means = [estimate(one.mean, one.low, one.high) for one in found]
        ends = [(x, y, "") for x, one in zip(at, found, strict=True) for y in drawing.ends(one)]
        points = [(x, one.mean, f"{one.measure} {mean}") for x, one, mean in zip(at, found, means, strict=True)]
        series += [Series(system, s, "whisker", ends), Series(system, s, "line", points)]
        rows.append([system, *means])
    ticks = [f"{cutoff:,}" for cutoff, _ in members]
    title = f"Mean {family} at {and_joined(ticks)}, with intervals"
    return View(title, _leaders(details, members), ["System", *(name for _, name in members)], rows, series, ticks)


def _leaders(details: CompareDetails, members: Sequence[tuple[int, str]]) -> str:
    leads: dict[str, list[str]] = {}
    for cutoff, measure in members:
        best = max((details.estimate(measure, name) for name in details.names), key=lambda e: e.mean)
        leads.setdefault(best.system, []).append(f"{cutoff:,}")
    cutoff, measure = members[-1]
    order = sorted((details.estimate(measure, name) for name in details.names), key=lambda e: -e.mean)
    if len(leads) == 1:
        said = f"{order[0].system} leads at every cut-off"
    else:
        said = "; ".join(f"{name} leads at {and_joined(at)}" for name, at in leads.items())
    against = and_joined([f"{value(one.mean)} ({one.system})" for one in order[1:3]])
    return f"{said}; at {cutoff:,} it is {value(order[0].mean)} ({order[0].system}) against {against}."


def latency(details: CompareDetails, latencies: Mapping[str, F64]) -> Figure | None:
    """Return how long requests took, as the share of them that took at most so long."""
    series, rows, said = [], [], []
    marks = list(dict.fromkeys(mark for one in details.systems if one.speed for mark in one.speed.latency_ms))
    for place, system in _placed(details):
        speed, times = system.speed, latencies.get(system.name, np.empty(0))
        if speed is None or not len(times):
            continue
        curve = [(max(x, 1e-3), y, f"{100 * y:.4g} % within {time(x)}") for x, y in drawing.ecdf(times)]
        series.append(Series(system.name, place, "step" if len(curve) == len(times) else "curve", curve))
        counts = [count(n) for n in (speed.batch_size, speed.concurrency, len(times), speed.queries_per_second)]
        rows.append([system.name, *counts, *(time(speed.latency_ms.get(mark)) for mark in marks)])
        half, most = (float(np.quantile(times, q, method="inverted_cdf")) for q in (0.5, 0.99))
        said.append((half, f"{system.name} {time(half)} and {time(most)}"))
    if not series:
        return None
    batches = {one.speed.batch_size for one in details.systems if one.speed}
    unit = f"requests of {batches.pop()}" if len(batches) == 1 else "requests (batches differ, see the table)"
    took = and_joined([text for _, text in sorted(said)])
    sentence = f"Half of the {unit}, and 99 % of them, took at most: {took}."
    head = ("System", "Batch", "Concurrency", "Requests", "Queries/s", *marks)
    axes = ChartAxis("milliseconds per request", "log"), ChartAxis("share of requests", percent=True, zero=True)
    view = View("Share of requests answered within a time", sentence, head, rows, series)
    return Figure("latency", "Latency", (), [view], {"": 0}, *axes, nearest=True)


def load(details: CompareDetails) -> Figure | None:
    """Return latency against throughput, one line per system and batch size."""
    if not any(system.load for system in details.systems):
        return None
    head = ("System", "Load", "Batch", "Queries/s", "p50", "p99", "Failed")
    several = len({step.batch_size for system in details.systems for step in system.load}) > 1
    rows, lines = [], []
    for place, system in _placed(details):
        for step in system.load:
            values = [count(step.batch_size), count(step.queries_per_second), time(step.p50), time(step.p99)]
            rows.append([system.name, step.label, *values, _failed(step)])
        for size in dict.fromkeys(step.batch_size for step in system.load):
            name = f"{system.name}, batches of {size:,}" if several else system.name
            lines.append((name, place, [step for step in system.load if step.batch_size == size]))
    views = []
    for mark in MARKS:
        series, said = [], []
        for at, (name, place, steps) in enumerate(lines):
            points = list(_points(steps, mark))
            if not points:
                continue
            series.append(Series(name, at if several else place, "line", points))
            low, high = points[0], max(points)
            said.append(
                f"{name} goes from {time(low[1])} at {low[0]:,.0f} queries/s to {time(high[1])} at {high[0]:,.0f}"
            )
        title = f"{mark} per request, from the time it was due, by load step"
        views.append(View(title, f"{mark}: {'; '.join(said)}.", head, rows, series))
    axes = ChartAxis("queries answered per second", zero=True), ChartAxis("milliseconds per request", "log")
    return Figure("load", "Latency under load", ("mark",), views, {str(i): i for i in range(len(MARKS))}, *axes)


def _points(steps: Iterable[LoadStep], mark: str) -> Iterator[tuple[float, float, str]]:
    """Yield the steps with a latency, for no request may have succeeded."""
    for step in steps:
        late, rate = getattr(step, mark), step.queries_per_second
        if late is not None and rate is not None:
            failed = f", {_failed(step)} failed" if step.errors else ""
            yield rate, max(late, 1e-3), f"{step.label}: {rate:,.0f} queries/s, {mark} {time(late)}{failed}"


def front(details: CompareDetails) -> Figure | None:
    """Return quality against speed: every run and every load step, and those that none beats in both."""
    views = [_front(details, measure) for measure in details.measures]
    if not any(len(view.rows) > 1 for view in views):
        return None
    axes = ChartAxis("quality"), ChartAxis("queries per second", "log")
    return Figure("front", "Quality against speed", ("measure",), views, {str(i): i for i in range(len(views))}, *axes)


def _front(details: CompareDetails, measure: str) -> View:
    points: list[tuple[float, float]] = []
    names: list[tuple[str, int, str]] = []
    for place, system in _placed(details):
        rates = [(step.quality.get(measure), step.queries_per_second, f"load {step.label}") for step in system.load]
        if system.speed:
            rates = [(details.estimate(measure, system.name).mean, system.speed.queries_per_second, "run"), *rates]
        for quality, rate, what in rates:
            if quality is not None and rate:
                points.append((quality, rate))
                names.append((system.name, place, what))
    kept = drawing.front(points)
    labels = [
        f"{what}: {measure} {value(x)}, {y:,.0f} queries/s" for (x, y), (*_, what) in zip(points, names, strict=True)
    ]
    series = [Series("on the front", -4, "front", [(*points[i], "") for i in kept])]
    for name, place in dict.fromkeys((name, place) for name, place, _ in names):
        kinds: tuple[tuple[Kind, bool], ...] = (("points", True), ("small", False))
        for kind, run in kinds:
            own = [i for i in range(len(points)) if names[i][:2] == (name, place) and (names[i][2] == "run") is run]
            series.append(Series(name, place, kind, [(*points[i], labels[i]) for i in own]))
    rows = [
        [names[i][0], names[i][2], value(x), count(y), "yes" if i in kept else "no"] for i, (x, y) in enumerate(points)
    ]
    best = dict.fromkeys(names[i][0] for i in kept)
    behind = [system.name for system in details.systems if system.name not in best and (system.speed or system.load)]
    said = f"No other is both better and faster than {and_joined(list(best))}." if best else ""
    said += f" {and_joined(behind)}: another is at least as good and as fast." if behind else ""
    title = f"Mean {measure} against queries per second; up and to the right is better"
    return View(title, said.strip(), ("System", "Point", measure, "Queries/s", "On the front"), rows, series)


def _placed(details: CompareDetails) -> list[tuple[int, System]]:
    """Return the systems with their places in the palette, which are the same in all charts."""
    return [(details.names.index(system.name), system) for system in details.systems]


def _failed(step: LoadStep) -> str:
    return NOTHING if step.errors is None else f"{100 * step.errors:.3g} %"
