"""Lines of a trend with what is found in them: the latest value, changes and drift, in each series by itself."""

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
from msgspec.structs import replace

from benchbench.history.trend.trend_details import (
    CycleDetails,
    DriftDetails,
    LineDetails,
    PointDetails,
    TrendRunDetails,
)
from benchbench.history.trend.words import said_of_cycle, said_of_drift, said_of_point, tone_of, where_of
from benchbench.kernels.arrays import F64
from benchbench.results.headline import OPEN
from benchbench.significance.change_points import change_points, likeliest_step
from benchbench.significance.cycles import cycles
from benchbench.significance.drift import Drift, drift, shape

ALPHA = 0.01  # of change points and of drift, per measure
_LEAST = 3  # runs that a slope needs
_MOST = 1_000  # runs that it is taken over: it goes through all pairs


def found_in(line: LineDetails, runs: Sequence[TrendRunDetails]) -> LineDetails:
    """Return a line with its latest value, its changes and its drift.

    Changes are looked for in each series by itself, drift in the first series over the runs since its last change. A
    slow drift would be found as a staircase of changes: where `shape` tells that it is one, it is a drift over all runs
    and nothing else, and where the values leave that open, both are said.

    A cycle is known after two of its periods; changes and drift are looked for in what is left beside it.

    Runs without a value, and such as failed or were interrupted, are in none of it.
    """
    of_series = places_of(line, runs)
    counted = of_series.pop(0, [])
    values, turning = _beside_cycles(line, counted)
    slope = _slope(values)
    points, either = _points(line, runs, counted, values, slope)
    since = 0 if either or not points else counted.index(points[-1].after)
    drifted = _drift(line, runs, counted[since:], values[since:], _slope(values[since:]) if since else slope)
    for its in of_series.values():
        of_its, _ = _beside_cycles(line, its)
        points += _points(line, runs, its, of_its, _slope(of_its))[0]
    points.sort(key=lambda point: point.after)
    return replace(_latest(line, counted), points=points, drift=drifted, either=either, cycles=turning)


def latest_of(line: LineDetails, runs: Sequence[TrendRunDetails]) -> LineDetails:
    """Return a line with its latest value that counts, and its change since the run before that."""
    return _latest(line, places_of(line, runs).get(0, []))


def _latest(line: LineDetails, counted: Sequence[int]) -> LineDetails:
    latest = counted[-1] if counted else None
    before = counted[-2] if len(counted) > 1 else None
    change = None if latest is None or before is None else _value(line, latest) - _value(line, before)
    missing = sum(value is None for value in line.values)
    return replace(line, latest=latest, before=before, change=change, missing=missing)


def places_of(line: LineDetails, runs: Sequence[TrendRunDetails]) -> dict[int, list[int]]:
    """Return the places of the runs that count and have a value, by their series."""
    by_series: dict[int, list[int]] = {}
    for place, (run, value) in enumerate(zip(runs, line.values, strict=True)):
        if value is not None and run.counts:
            by_series.setdefault(run.series, []).append(place)
    return by_series


def _value(line: LineDetails, place: int) -> float:
    value = line.values[place]
    assert value is not None
    return value


def _values(line: LineDetails, places: Sequence[int]) -> F64:
    return np.array([_value(line, place) for place in places], np.float64)


def _beside_cycles(line: LineDetails, places: Sequence[int]) -> tuple[F64, list[CycleDetails]]:
    """Return values without their cycles, for a season is no chain of changes, and those cycles."""
    values = _values(line, places)
    turning, sums = cycles(values)
    return values - sums, [
        CycleDetails(
            cycle.period, cycle.amplitude, said_of_cycle(line.measure, cycle.period, cycle.amplitude, line.unit)
        )
        for cycle in turning
    ]


def _slope(values: F64) -> Drift:
    return drift(values[-_MOST:], ALPHA)


def _points(
    line: LineDetails, runs: Sequence[TrendRunDetails], places: Sequence[int], values: F64, slope: Drift
) -> tuple[list[PointDetails], bool]:
    """Return the changes of a series, none of one that drifts, and whether it may as well be a drift."""
    steps = change_points(values, ALPHA) or (likeliest_step(values, slope.p) if slope.p < ALPHA else [])
    moves = shape(values, steps, slope, ALPHA)
    points = []
    for step in steps if moves != "drift" else ():
        before, after = places[step.first - 1], places[step.first]
        points.append(
            PointDetails(
                before=before,
                after=after,
                earliest=places[step.earliest],
                latest=places[step.latest],
                from_level=step.before,
                to_level=step.after,
                p=step.p,
                mark=tone_of(step.after - step.before, line.better),
                said=said_of_point(line.measure, step.before, step.after, line.unit),
                where=where_of(runs[before], runs[after], runs[places[step.earliest]], runs[places[step.latest]]),
            )
        )
    return points, moves == "steps or drift"


def _drift(
    line: LineDetails, runs: Sequence[TrendRunDetails], places: Sequence[int], values: F64, slope: Drift
) -> DriftDetails | None:
    if len(places) < _LEAST:
        return None
    places, values = places[-_MOST:], values[-_MOST:]
    if not np.isfinite([slope.per_run, slope.low, slope.high, slope.p]).all():
        return None
    at = float(np.median(values - slope.per_run * np.arange(len(values))))
    shown = bool(slope.p < ALPHA and (slope.low > 0 or slope.high < 0))
    made = DriftDetails(
        **asdict(slope),
        first=places[0],
        at_first=at,
        at_last=at + slope.per_run * (len(values) - 1),
        shown=shown,
        mark=tone_of(slope.per_run, line.better) if shown else OPEN,
        said="",
    )
    return replace(made, said=said_of_drift(line.measure, made, line.unit, runs[places[0]], ALPHA))
