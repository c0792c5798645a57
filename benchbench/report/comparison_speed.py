"""Charts of how fast systems are: by request, under load, and against how good they are."""

import math

import numpy as np

from benchbench.report import drawing
from benchbench.report.figures import Axis, Cell, Figure, Kind, Series, View, listed, milliseconds, number
from benchbench.significance.outcome import Outcome, System

MARKS = ("p50", "p99")  # of a load step


def latency(outcome: Outcome) -> Figure | None:
    """Return how long requests took, as the share of them that took at most so long."""
    series, rows, said = [], [], []
    marks = list(dict.fromkeys(mark for one in outcome.systems if one.speed for mark in one.speed.percentiles))
    for place, system in _placed(outcome):
        speed = system.speed
        if speed is None or len(speed.latencies) == 0:
            continue
        curve = [
            (max(x, 1e-3), y, f"{100 * y:.4g} % within {milliseconds(x)}") for x, y in drawing.ecdf(speed.latencies)
        ]
        kind: Kind = "step" if len(curve) == len(speed.latencies) else "curve"
        series.append(Series(system.name, place, kind, curve))
        known = [speed.percentiles.get(mark, float("nan")) for mark in marks]
        counts = [Cell(f"{n:,}", n) for n in (speed.batch_size, speed.concurrency, len(speed.latencies))]
        asked = Cell(f"{speed.queries_per_second:,.0f}", speed.queries_per_second)
        rows.append([Cell(system.name), *counts, asked, *(Cell(milliseconds(value), value) for value in known)])
        half, most = (float(np.quantile(speed.latencies, q, method="inverted_cdf")) for q in (0.5, 0.99))
        said.append((half, f"{system.name} {milliseconds(half)} and {milliseconds(most)}"))
    if not series:
        return None
    said.sort()
    batches = {one.speed.batch_size for one in outcome.systems if one.speed}
    unit = f"requests of {batches.pop()}" if len(batches) == 1 else "requests (batches differ, see the table)"
    sentence = f"Half of the {unit}, and 99 % of them, took at most: {listed([text for _, text in said])}."
    head = ("System", "Batch", "Concurrency", "Requests", "Queries/s", *marks)
    axes = Axis("milliseconds a request", "log"), Axis("share of requests", percent=True, zero=True)
    view = View("Share of requests answered within a time", sentence, head, rows, series)
    return Figure("latency", "Latency", (), [view], {"": 0}, *axes, nearest=True)


def load(outcome: Outcome) -> Figure | None:
    """Return latency against throughput, a line a system and batch size."""
    if not any(system.load for system in outcome.systems):
        return None
    head = ("System", "Load", "Batch", "Queries/s", "p50", "p99", "Failed")
    several = len({step.batch_size for system in outcome.systems for step in system.load}) > 1
    rows, lines = [], []
    for place, system in _placed(outcome):
        for step in system.load:
            times = [Cell(milliseconds(value), value) for value in (step.p50, step.p99)]
            rate = Cell(f"{step.queries_per_second:,.0f}", step.queries_per_second)
            counts = [Cell(f"{step.batch_size:,}", step.batch_size), rate]
            failed = Cell(f"{100 * step.errors:.3g} %", step.errors)
            rows.append([Cell(system.name), Cell(step.label), *counts, *times, failed])
        for size in dict.fromkeys(step.batch_size for step in system.load):
            name = f"{system.name}, batches of {size:,}" if several else system.name
            lines.append((name, place, [step for step in system.load if step.batch_size == size]))
    views = []
    for mark in MARKS:
        series, said = [], []
        for at, (name, place, steps) in enumerate(lines):
            points = [
                (
                    step.queries_per_second,
                    max(getattr(step, mark), 1e-3),
                    f"{step.label}: {step.queries_per_second:,.0f} queries/s, "
                    f"{mark} {milliseconds(getattr(step, mark))}"
                    + (f", {100 * step.errors:.3g} % failed" if step.errors else ""),
                )
                for step in steps
                if math.isfinite(getattr(step, mark))  # no request may have succeeded
            ]
            if not points:
                continue
            series.append(Series(name, at if several else place, "line", points))
            low, high = points[0], max(points)
            said.append(
                f"{name} goes from {milliseconds(low[1])} at {low[0]:,.0f} queries/s "
                f"to {milliseconds(high[1])} at {high[0]:,.0f}"
            )
        title = f"{mark} of a request, from the time it was due, by load step"
        views.append(View(title, f"{mark}: {'; '.join(said)}.", head, rows, series))
    axes = Axis("queries answered a second", zero=True), Axis("milliseconds a request", "log")
    return Figure("load", "Latency under load", ("mark",), views, {str(i): i for i in range(len(MARKS))}, *axes)


def front(outcome: Outcome) -> Figure | None:
    """Return quality against speed: every run and every load step, and those that none beats in both."""
    views = [_front(outcome, measure) for measure in outcome.comparison.paired.measures]
    if not any(len(view.rows) > 1 for view in views):
        return None
    axes = Axis("quality"), Axis("queries a second", "log")
    return Figure("front", "Quality against speed", ("measure",), views, {str(i): i for i in range(len(views))}, *axes)


def _front(outcome: Outcome, measure: str) -> View:
    points: list[tuple[float, float]] = []
    names: list[tuple[str, int, str]] = []
    for place, system in _placed(outcome):
        if system.speed is not None and system.speed.queries_per_second > 0:
            mean = outcome.comparison.estimate(measure, system.name).mean
            points.append((mean, system.speed.queries_per_second))
            names.append((system.name, place, "run"))
        for step in system.load:
            if measure in step.quality and step.queries_per_second > 0:
                points.append((step.quality[measure], step.queries_per_second))
                names.append((system.name, place, f"load {step.label}"))
    kept = drawing.front(points)
    told = [
        f"{what}: {measure} {number(x)}, {y:,.0f} queries/s" for (x, y), (*_, what) in zip(points, names, strict=True)
    ]
    series = [Series("on the front", -4, "front", [(*points[i], "") for i in kept])]
    for name, place in dict.fromkeys((name, place) for name, place, _ in names):
        kinds: tuple[tuple[Kind, bool], ...] = (("points", True), ("small", False))
        for kind, run in kinds:
            own = [i for i in range(len(points)) if names[i][:2] == (name, place) and (names[i][2] == "run") is run]
            series.append(Series(name, place, kind, [(*points[i], told[i]) for i in own]))
    rows = [
        [
            Cell(names[i][0]),
            Cell(names[i][2]),
            Cell(number(x), x),
            Cell(f"{y:,.0f}", y),
            Cell("yes" if i in kept else "no"),
        ]
        for i, (x, y) in enumerate(points)
    ]
    best = dict.fromkeys(names[i][0] for i in kept)
    behind = [system.name for system in outcome.systems if system.name not in best and (system.speed or system.load)]
    said = f"No other is both better and faster than {listed(list(best))}." if best else ""
    said += f" {listed(behind)}: always another at least as good and as fast." if behind else ""
    title = f"Mean {measure} against queries a second; up and to the right is better"
    return View(title, said.strip(), ("System", "Point", measure, "Queries/s", "On the front"), rows, series)


def _placed(outcome: Outcome) -> list[tuple[int, System]]:
    """Return the systems with their places in the palette, which are the same in all charts."""
    return [(outcome.comparison.paired.systems.index(system.name), system) for system in outcome.systems]
