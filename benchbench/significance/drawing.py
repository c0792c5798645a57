"""The arithmetic of drawing: curves thinned, the points that none beats. No result is made here."""

import math
from collections.abc import Sequence

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.significance.mean_intervals import mean_interval
from benchbench.significance.result import PairedDifference, SliceDifference, SystemMean

Point = tuple[float, float]
THINNED = 240  # points of a curve


def ecdf(ascending: F64, most: int = THINNED) -> list[Point]:
    """Return (value, share of the values that are at most it): all steps, or so many with both ends."""
    count = len(ascending)
    if count == 0:
        return []
    tail = count - 1 - np.unique(np.geomspace(1, count, most // 2).astype(np.int64) - 1)  # p99 and p99.9 stay
    even = np.linspace(0, count - 1, most // 2).astype(np.int64)
    chosen = np.arange(count) if count <= most else np.union1d(even, tail)
    return [(float(ascending[i]), float((i + 1) / count)) for i in chosen]


def front(points: Sequence[Point]) -> list[int]:
    """Return which points no other beats: none is as great in one number and greater in the other. By x."""
    order = sorted(range(len(points)), key=lambda i: (-points[i][0], -points[i][1]))
    kept: list[int] = []
    best = -math.inf
    for i in order:
        if points[i][1] > best or (kept and points[i] == points[kept[-1]]):
            kept.append(i)
            best = points[i][1]
    return kept[::-1]


def ends(estimate: SystemMean | PairedDifference | SliceDifference) -> Point:
    """Return the ends of an interval; where it has none it is drawn as the mean."""
    return (
        estimate.mean if estimate.low is None else estimate.low,
        estimate.mean if estimate.high is None else estimate.high,
    )


def rate_ends(rate: float, milliseconds: F64 | None) -> tuple[float | None, float | None]:
    """Return the ends of queries per second: with so many requests in flight, as the mean latency has an interval.

    Requests count as independent; a slow minute makes the interval too narrow.
    """
    if milliseconds is None or len(milliseconds) < 2:
        return None, None
    mean = float(milliseconds.mean())
    found = mean_interval(len(milliseconds), mean, float(np.square(milliseconds - mean).sum()), None)
    if found.low is None or found.high is None or found.low <= 0.0:
        return None, None
    return rate * mean / found.high, rate * mean / found.low


def cutoffs(measures: Sequence[str]) -> dict[str, list[tuple[int, str]]]:
    """Return the families of measures that differ in their rank cut-off alone: (cut-off, measure), ascending."""
    families: dict[str, list[tuple[int, str]]] = {}
    for measure in measures:
        family, at, cutoff = measure.rpartition("@")
        if at and cutoff.isdecimal():
            families.setdefault(family, []).append((int(cutoff), measure))
    return {family: sorted(members) for family, members in families.items() if len(members) > 1}
