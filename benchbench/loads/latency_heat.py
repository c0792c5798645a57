"""How latency spreads over time within each step of a load test: shares of requests, in cells of a grid.

A cell is a stretch of time of a step and a stretch of latency. The stretches of latency are equally wide on a
logarithmic scale, and the same for all steps. Shares that climb from stretch to stretch are a queue.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl

from benchbench.loads.clouds import stored_requests
from benchbench.results.result import Result

_HEIGHTS = 24  # stretches of latency
_WIDTHS, _LEAST_WIDTHS, _MOST_WIDTHS = 120, 4, 30  # stretches of time of all steps together, and of each
_PER_WIDTH = 10  # requests of a stretch of time: the shares of fewer say nothing
_FEWEST = 100  # answered requests of a step; where no step has so many, their dots show more than cells would


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatCell:
    """Requests of a step whose latency is alike, within a stretch of its time.

    Attributes
    ----------
    begin, end
        Of the stretch of time: 0 is the beginning of the step, 1 its end.
    low, high
        Of the stretch of latency, in milliseconds.
    share
        Of the answered requests of the stretch of time, over 0 and up to 1.
    """

    begin: float
    end: float
    low: float
    high: float
    share: float


def latency_heat(result: Result, steps: int) -> list[list[HeatCell]] | None:
    """Return the cells of each of so many steps; None where the requests were not stored, or where they are few."""
    frame = stored_requests(result)
    if frame is None:
        return None
    frame = frame.filter(pl.col("counted") & pl.col("error").is_null() & (pl.col("end") > pl.col("due")))
    if not any(size >= _FEWEST for size in frame["step"].value_counts()["count"]):
        return None
    times = np.log10((frame["end"] - frame["due"]).to_numpy() * 1e3)
    low = float(times.min())
    height = max(float(times.max()) - low, 1e-3) / _HEIGHTS
    rows = np.minimum((times - low) / height, _HEIGHTS - 1).astype(np.int64)
    most = min(max(_WIDTHS // steps, _LEAST_WIDTHS), _MOST_WIDTHS)
    first, last = pl.col("due").min().over("step"), pl.col("due").max().over("step")
    share = (pl.col("due") - first) / pl.max_horizontal(last - first, pl.lit(1e-9))
    cells = (
        frame.with_columns(widths=(pl.len().over("step") // _PER_WIDTH).clip(1, most).cast(pl.Int64), row=rows)
        .with_columns(at=(share * pl.col("widths")).cast(pl.Int64).clip(0, pl.col("widths") - 1))
        .group_by("step", "widths", "at", "row")
        .len()
        .with_columns(share=pl.col("len") / pl.col("len").sum().over("step", "at"))
        .sort("step", "at", "row")
    )
    made: list[list[HeatCell]] = [[] for _ in range(steps)]
    for step, widths, at, row, part in cells.select("step", "widths", "at", "row", "share").iter_rows():
        ends = (10.0 ** (low + height * end) for end in (row, row + 1))
        cell = HeatCell(begin=at / widths, end=(at + 1) / widths, low=next(ends), high=next(ends), share=part)
        made[step - 1].append(cell)
    return made
