"""The requests of each step as dots over time, and whether their latency rises.

A level cloud is a rate that can be held for ever. A rising one is a queue, whatever its p99 says.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchbench.kernels.arrays import F64, I64
from benchbench.loads.load_options import NEVER_SENT
from benchbench.measures.dots import drawn
from benchbench.results.reading import explained_reading, table
from benchbench.results.result import Result
from benchbench.significance.distributions import t_quantile

_MOST, _ALL = 2_000, 30_000  # dots of a step, and of a page
_FEWEST = 20  # counted requests; of fewer nobody can say whether they are level
_PARTS = 10  # of a step, of which each has one mean
_LEVEL = 0.95  # one-sided
_LEAST = 1.0  # milliseconds per second; less is level
_COLUMNS = ["step", "counted", "due", "end", "error"]

Dots = tuple[tuple[float, float], ...]  # seconds since the end of the warm-up, and milliseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestCloud:
    """The requests of a step, at the moments at which they were due.

    Attributes
    ----------
    counted, warm_up, failed
        Answered ones, those of the warm-up, and counted ones that failed: at most 2,000 of all, fewer of many steps.
    requests
        How many there are.
    growth
        Milliseconds by which latency rises per second (least squares over all counted requests); None of few requests.
    error
        Its standard error, from the means of ten parts of each repeat.
    level
        Whether latency keeps its height: `growth` is less than 1 ms per second, or no more than chance; None as
        `growth`.
    """

    counted: Dots
    warm_up: Dots
    failed: Dots
    requests: int
    growth: float | None
    error: float | None
    level: bool | None

    @property
    def drawn(self) -> int:
        """Return how many of the requests are dots."""
        return len(self.counted) + len(self.warm_up) + len(self.failed)


def stored_requests(result: Result) -> pl.DataFrame | None:
    """Return the requests of all steps; None where they were not stored."""
    folder: Path | None = getattr(result, "folder", None)
    if folder is None or "requests" not in result.tables():
        return None
    path = folder / "requests.parquet"
    with explained_reading(path, (OSError, pl.exceptions.PolarsError)):
        there = pl.scan_parquet(path, glob=False).collect_schema().names()
    if not set(_COLUMNS) <= set(there):
        return None
    frame = table(folder, "requests", [*_COLUMNS, *(["repeat"] if "repeat" in there else [])])
    return frame if "repeat" in there else frame.with_columns(repeat=pl.lit(1))


def clouds(result: Result, steps: int) -> list[RequestCloud] | None:
    """Return the cloud of each of so many steps; None where the requests were not stored."""
    frame = stored_requests(result)
    if frame is None:
        return None
    frame = frame.filter(~pl.col("error").fill_null("").str.starts_with(NEVER_SENT))  # which have no latency
    parts: dict[Any, pl.DataFrame] = frame.partition_by("step", as_dict=True)
    most = min(_MOST, _ALL // max(steps, 1))
    return [cloud(parts.get((number,), frame.clear()), most) for number in range(1, steps + 1)]


def cloud(requests: pl.DataFrame, most: int = _MOST) -> RequestCloud:
    """Return the cloud of a step.

    Parameters
    ----------
    requests
        `repeat`, `counted`, `due`, `end` and `error` of each.
    most
        How many are dots.
    """
    due, end = (requests[name].to_numpy() for name in ("due", "end"))
    counted, failed = requests["counted"].to_numpy(), requests["error"].is_not_null().to_numpy()
    times = (end - due) * 1e3
    which = drawn(times, most)
    growth, error, level = rising(due[counted], times[counted], requests["repeat"].to_numpy()[counted])

    def dots(chosen: I64) -> Dots:
        return tuple(zip(due[chosen].tolist(), times[chosen].tolist(), strict=True))

    return RequestCloud(
        counted=dots(which[counted[which] & ~failed[which]]),
        warm_up=dots(which[~counted[which]]),
        failed=dots(which[counted[which] & failed[which]]),
        requests=len(requests),
        growth=growth,
        error=error,
        level=level,
    )


def rising(due: F64, times: F64, repeats: Sequence[int] | I64) -> tuple[float | None, float | None, bool | None]:
    """Return by how much latency rises per second, the error of that, and whether it is level.

    Requests that follow one another wait in one queue, so that an error over single requests would be far too small:
    it is over the means of parts.

    Parameters
    ----------
    due
        Seconds.
    times
        Milliseconds.
    repeats
        Of the step, to which each request belongs; each has a height of its own.
    """
    if len(due) < _FEWEST:
        return None, None, None
    group = np.unique(np.asarray(repeats), return_inverse=True)[1]
    slope = _slope(due, times, group)
    if slope is None:
        return None, None, None
    width = (due.max() - due.min()) / _PARTS
    parts = np.minimum((due - due.min()) / width, _PARTS - 1).astype(np.int64) + _PARTS * group
    counts = np.bincount(parts)
    there = counts > 0
    mean_due, mean_times = (np.bincount(parts, values)[there] / counts[there] for values in (due, times))
    mean_of = np.flatnonzero(there) // _PARTS
    among, degrees = _slope(mean_due, mean_times, mean_of), len(mean_of) - int(group.max()) - 2
    if among is None or degrees < 1:
        return slope, None, slope < _LEAST
    x, y = _centred(mean_due, mean_of), _centred(mean_times, mean_of)
    error = float(np.sqrt(((y - among * x) ** 2).sum() / degrees / (x**2).sum()))
    return slope, error, slope < max(_LEAST, t_quantile(_LEVEL, degrees) * error)


def _slope(x: F64, y: F64, group: I64) -> float | None:
    """Return the slope that several lines share; None where there is no width."""
    x, y = _centred(x, group), _centred(y, group)
    square = float((x**2).sum())
    return float((x * y).sum()) / square if square > 0.0 else None


def _centred(values: F64, group: I64) -> F64:
    """Return values less the mean of their group."""
    means = np.bincount(group, values) / np.maximum(np.bincount(group), 1)
    rest: F64 = values - means[group]
    return rest
