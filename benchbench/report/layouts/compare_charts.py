"""The charts of the page of a comparison, each with a sentence.

How good systems are by rank cut-off; how fast, by request, under load, and against how good.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import numpy as np

import benchbench.significance.drawing as drawing
from benchbench.comparison.compare_result import CompareDetails, LoadStep
from benchbench.comparison.headline import dominated
from benchbench.comparison.speed import FEWEST
from benchbench.kernels.arrays import F64
from benchbench.report.blocks import Table
from benchbench.report.layouts.compare_tables import load_table
from benchbench.report.layouts.page_scales import log_axis, value_axis
from benchbench.report.page_blocks import (
    Axis,
    Dot,
    Folded,
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
from benchbench.results.figures import count, estimate, share, time, value
from benchbench.significance.letters import MANY
from benchbench.tables.shared_messages import and_joined, counted

_HEIGHT = 300
_LEAST = 1e-3  # milliseconds of a logarithmic scale


def charts(
    details: CompareDetails, whole: CompareDetails, latencies: Mapping[str, F64], start: int = 0
) -> list[PageBlock]:
    """Return the sections with charts, in the measure at `start`; means by cut-off are of the `whole` comparison."""
    of_few = [] if len(details.names) >= MANY else front(details, latencies)
    panels = [*of_few, *_latency(details, latencies), *load_panels(details.loads, details.names)]
    caution = "Load tests are drawn and not tested: differences may be chance." if details.loads else ""
    speed: list[PageBlock] = [Section("speed", "Speed", "Speed", caution), Panels(panels)] if panels else []
    return [*speed, *_cutoffs(whole, start)]


def _cutoffs(details: CompareDetails, start: int) -> list[PageBlock]:
    """Return means by rank cut-off, for measures that were taken at several."""
    families = drawing.cutoffs(details.measures)
    family_of = {measure: place for place, members in enumerate(families.values()) for _, measure in members}
    views: list[tuple[Sequence[int], Sequence[Pair]]] = []
    for place, (family, members) in enumerate(families.items()):
        measures = [at for at, measure in enumerate(details.measures) if family_of.get(measure, 0) == place]
        views.append((measures, [_by_cutoff(details, family, members)]))
    title = "Score by rank cut-off"
    return [Section("cutoffs", title, title), Views("m", views, start)] if views else []


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
    table = Table(["System", *(name for _, name in members)], rows, "l" + "r" * len(members))
    words = _leaders(details, members)
    plot = Plot(f"{title}. {words}", x, value_axis(values), marks, _HEIGHT)
    legend = list(enumerate(details.names))
    return Pair([Panels([Panel(title, words, [plot], legend=legend, name="cutoffs")])], [table])


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


def _latency(details: CompareDetails, latencies: Mapping[str, F64]) -> list[Panel]:
    """Return how long requests took, as the share of them that took at most so long; nothing of few requests."""
    marks: list[PlotMark] = []
    legend, halves, ends = {}, [], []
    for place, name in enumerate(details.names):
        times = latencies.get(name, np.empty(0))
        if name not in details.speed_of or len(times) < FEWEST:
            continue
        curve = [(max(x, _LEAST), y) for x, y in drawing.ecdf(times)]
        if len(curve) == len(times):  # each request is a step
            curve = [point for (x, y), below in zip(curve, [0.0, *(y for _, y in curve)], strict=False)
                     for point in ((x, below), (x, y))]  # fmt: skip
        marks.append(Path(curve, series=place))
        legend[place] = name
        ends += [curve[0][0], curve[-1][0]]
        half = float(np.quantile(times, 0.5, method="inverted_cdf"))
        halves.append((half, f"{name} {time(half)}"))
    if len(legend) < 2:
        return []
    batches = {details.speed_of[name].batch_size for name in legend.values()}
    unit = counted(batches.pop(), "query") if len(batches) == 1 else "batches of different sizes"
    words = f"Median request ({unit}): {and_joined([text for _, text in sorted(halves)])}."
    x = log_axis(min(ends), max(ends), "time of a request")
    y = Axis(0.0, 1.0, [(fifth / 5, f"{20 * fifth} %") for fifth in range(6)])
    title = "Share of requests answered within a time"
    plot = Plot(f"{title}. {words}", x, y, marks, _HEIGHT)
    return [Panel(title, words, [plot], legend=list(legend.items()), name="requests")]


def load_panels(loads: Mapping[str, Sequence[LoadStep]], names: Sequence[str]) -> list[Panel]:
    """Return latencies by the rate that was offered, or by requests in flight, a line per system and batch size.

    Steps in which every request failed have no latency.

    Parameters
    ----------
    loads
        The steps of some systems.
    names
        All systems, in the order that decides how they look.
    """
    several = len({step.batch_size for steps in loads.values() for step in steps}) > 1
    lines: list[tuple[str, int, Sequence[LoadStep]]] = []
    silent = {step.offered for steps in loads.values() for step in steps if step.errors == 1.0 and step.offered}
    failed = f" Not drawn: {and_joined([count(rate) for rate in sorted(silent)])}, where every request failed."
    for system, every in loads.items():
        for size in dict.fromkeys(step.batch_size for step in every):
            name = f"{system}, batches of {size:,}" if several else system
            steps = [step for step in every if step.batch_size == size and step.errors != 1.0]
            lines.append((name, len(lines) if several else names.index(system), steps))
    return [panel for mark in ("p50", "p99") if (panel := _by_load(lines, mark, failed if silent else ""))]


def _by_load(lines: Sequence[tuple[str, int, Sequence[LoadStep]]], mark: str, failed: str) -> Panel | None:
    marks: list[PlotMark] = []
    legend, levels, times = {}, [], []
    is_open = any(step.offered is not None for _, _, steps in lines for step in steps)
    for name, place, steps in lines:
        dots = []
        for step in steps:
            late, level = getattr(step, mark), step.offered if is_open else step.in_flight
            if late is not None and level is not None:
                lost = f", {share(step.errors)} failed" if step.errors else ""
                hint = f"{name}: {step.label}: {mark} {time(late)}{lost}"
                dots.append(Dot(level, max(late, _LEAST), hint=hint, series=place, full=step.sustained))
        if dots:
            marks += [Path([(dot.x, dot.y) for dot in dots], series=place), *dots]
            legend[place] = name
            levels += [dot.x for dot in dots]
            times += [dot.y for dot in dots]
    if not times:
        return None
    below = "offered queries per second" if is_open else "requests in flight"
    x = log_axis(min(levels), max(levels), below, lambda level: f"{level:,.6g}")
    title = f"{mark} under load"
    words = (
        "Filled: the service keeps up; hollow: it does not." if is_open else "From sending to the end of the answer."
    )
    plot = Plot(f"{title}, by {below}: {'; '.join(dot.hint for dot in marks if isinstance(dot, Dot))}.", x,
                log_axis(min(times), max(times), f"{mark} of a request"), marks, _HEIGHT)  # fmt: skip
    return Panel(title, words + failed, [plot], legend=list(legend.items()), name=f"load-{mark}")


def speed_tables(details: CompareDetails) -> list[Folded]:
    """Return the numbers of what the charts of speed show: of runs, and of the steps of load tests."""
    folded = []
    if speeds := details.speed_of:
        marks = list(dict.fromkeys(mark for speed in speeds.values() for mark in speed.latency_ms))
        rows = [
            [name, *map(count, (speed.batch_size, speed.concurrency, speed.queries_per_second)),
             *(time(speed.latency_ms.get(mark)) for mark in marks)]
            for name, speed in speeds.items()
        ]  # fmt: skip
        head = ["System", "Batch", "Concurrency", "Queries/s", *marks]
        folded.append(
            Folded("Speed", "of requests as they were sent", [Table(head, rows, "l" + "r" * (len(head) - 1))])
        )
    if details.loads:
        folded.append(Folded("Load steps", "latencies from the time a request was due", [load_table(details.loads)]))
    return folded


def front(details: CompareDetails, latencies: Mapping[str, F64]) -> list[Panel]:
    """Return quality against speed as a chart for each measure; nothing where speeds of fewer than two are compared."""
    points = [_rated(details, measure, latencies) for measure in details.measures]
    if len(details.speed_of) < 2 or min(map(len, points)) < 2:
        return []
    plots = [_front_plot(measure, dots) for measure, dots in zip(details.measures, points, strict=True)]
    words = "Up and to the right is better. Lines are intervals; dashed joins the best means."
    return [Panel("Quality against speed", words + _hollow(chain(*points)), plots, "m", name="front")]


def _rated(details: CompareDetails, measure: str, latencies: Mapping[str, F64]) -> list[Dot]:
    """Return the points of each system: its run with intervals, and small ones of load steps that it keeps up with."""
    dots, behind = [], dominated(details, measure)
    for place, name in enumerate(details.names):
        if (speed := details.speed_of.get(name)) and (rate := speed.queries_per_second):
            estimate = details.estimate(measure, name)
            left, right = drawing.ends(estimate)
            low, high = drawing.rate_ends(rate, latencies.get(name))
            hint = f"{name}: run: {measure} {value(estimate.mean)}, {rate:,.0f} queries/s"
            better = behind.get(name, "")
            hint += f"; measurably worse and slower than {better}" if better else ""
            dot = Dot(estimate.mean, rate, name, low, high, hint=hint, series=place, full=not better)
            dots.append(dot._replace(left=left, right=right))
        for step in details.loads.get(name, ()):
            quality, rate = step.quality.get(measure), step.queries_per_second
            if quality is not None and rate and step.sustained:
                hint = f"{name}: load {step.label}: {measure} {value(quality)}, {rate:,.0f} queries/s"
                dots.append(Dot(quality, rate, hint=hint, small=True, series=place))
    return dots


def _hollow(dots: Iterable[Dot]) -> str:
    kinds = list(dots)
    has_one = any(not dot.full and not dot.small for dot in kinds)
    words = " Hollow: measurably worse and slower than another." if has_one else ""
    return words + " Small: rates of load tests that are kept up with." * any(dot.small for dot in kinds)


def _front_plot(measure: str, dots: Sequence[Dot]) -> Plot:
    """Return the chart; dashed, the means of runs that no other beats in both."""
    runs = [dot for dot in dots if not dot.small]
    line = Path(
        [(runs[at].x, runs[at].y) for at in drawing.front([(dot.x, dot.y) for dot in runs])], dashed=True, thin=True
    )
    ends = [end for dot in dots for end in (dot.x, dot.left, dot.right) if end is not None]
    rates = [end for dot in dots for end in (dot.y, dot.low, dot.high) if end is not None] or [1.0]
    x = value_axis(ends, measure, 0.0)
    y = log_axis(min(rates), max(rates), "queries per second", lambda rate: f"{rate:,.6g}")
    words = f"Queries per second against mean {measure}; up and to the right is better."
    return Plot(f"{words} {'; '.join(dot.hint for dot in runs)}.", x, y, [line, *dots], _HEIGHT)
