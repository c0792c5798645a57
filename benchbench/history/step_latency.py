"""The latency of the requests of a load test, by step: the median of each block of consecutive requests.

A step may have millions of requests, and runs are compared by blocks of them (`history.check.latency_values`): so
blocks are what is kept.
"""

from collections.abc import Callable, Mapping

import numpy as np
import polars as pl

from benchbench.history.check.run_values import BLOCKS, block_values
from benchbench.kernels.arrays import F64

_COLUMNS = {"step", "number", "counted", "due", "end"}


def step_latency(tables: Mapping[str, Callable[[], pl.DataFrame]]) -> pl.DataFrame | None:
    """Return the latency of blocks of requests; None where the tables are not those of a load test.

    Parameters
    ----------
    tables
        `steps` has the name of each, and `requests` when each was due and ended, in seconds.

    Returns
    -------
    DataFrame
        `subject`, the step as the numbers' scopes have it; `first`, the number of the block's first request among those
        that count, from 0; `latency_ms`, the median of the block from the time that requests were due to their end,
        failed ones included, as in `p50`.
    """
    if not {"steps", "requests"} <= tables.keys():
        return None
    requests, steps = tables["requests"](), tables["steps"]()
    if not set(requests.columns) >= _COLUMNS or not {"step", "name"} <= set(steps.columns):
        return None
    order = [name for name in ("repeat", "number") if name in requests.columns]
    counted = requests.filter("counted").sort("step", *order)
    milliseconds = counted.select("step", ((pl.col("end") - pl.col("due")) * 1e3).alias("ms")).drop_nulls()
    of = {step: rows["ms"].to_numpy() for (step,), rows in milliseconds.group_by("step", maintain_order=True)}
    found = [_blocks(name, of[step]) for step, name in _names(steps).items() if step in of]
    return pl.concat(found) if found else None


def _names(steps: pl.DataFrame) -> dict[int, str]:
    """Return the name of each step; a load that was run again has `(2)` behind it, as in the scopes of numbers."""
    names: dict[int, str] = {}
    before: list[str] = []
    for step, name in steps.select("step", "name").iter_rows():
        before.append(name)
        times = before.count(name)
        names[step] = name if times == 1 else f"{name} ({times})"
    return names


def _blocks(subject: str, milliseconds: F64) -> pl.DataFrame:
    number = min(BLOCKS, len(milliseconds))
    firsts = [int(part[0]) for part in np.array_split(np.arange(len(milliseconds)), number)]
    return pl.DataFrame(
        {
            "subject": pl.Series([subject] * number, dtype=pl.String),
            "first": pl.Series(firsts, dtype=pl.Int64),
            "latency_ms": np.exp(block_values(milliseconds, number)),
        }
    )
