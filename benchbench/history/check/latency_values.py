"""Latency as values that runs can be compared by: blocks of consecutive requests.

Latencies of requests that follow one another are alike, so that a request is no unit; a block of them is. Runs of one
series send the same queries in the same order. So the block at the same place in two runs carries the same queries, and
the two are a pair, as the values of a query in two runs are. A block's value is the logarithm of its median latency:
latencies are skewed, and a service that became slower did so by a factor.
"""

import numpy as np
import polars as pl

from benchbench.kernels.arrays import F64

NAME = "p50"
NAMES = ("p50", "latency")  # under which people ask for it
UNIT = "ms"
BLOCKS = 24  # so that flips of their signs reach the level of one test: 2^-23 is below 0.05 / 240
_LEAST = 1e-3  # milliseconds: what a clock can tell


def latency_names(latency: pl.DataFrame) -> dict[str, str]:
    """Return the subjects that have latencies of requests, by the name of the measure: `p50`, `old.p50` of a target.

    Parameters
    ----------
    latency
        As `Values.latency` has it; rows whose request is not known have no place in the order, and are left out.
    """
    if latency.is_empty():
        return {}
    subjects = latency.filter(pl.col("request").is_not_null())["subject"].unique(maintain_order=True)
    return {f"{one}.{NAME}".lstrip("."): one for one in subjects}


def requests(latency: pl.DataFrame, subject: str) -> F64:
    """Return the milliseconds of each request of a subject, in the order of the queries that they carried.

    That is the order in which they were sent, but for those that were under way together; and the same in each run.

    Parameters
    ----------
    latency
        `latency_ms`, `request` and `subject` per query: queries of one request share all three.
    subject
        Whose; empty where there is one only.
    """
    if latency.is_empty():
        return np.empty(0)
    rows = latency.filter(pl.col("subject") == subject).drop_nulls(["latency_ms", "request"])
    found: F64 = rows.unique("request", keep="first", maintain_order=True).sort("request")["latency_ms"].to_numpy()
    return found[np.isfinite(found)]


def block_values(milliseconds: F64, blocks: int) -> F64:
    """Return the logarithm of the median latency of each block; NaN of blocks without a request.

    Parameters
    ----------
    milliseconds
        Of requests, in order.
    blocks
        How many; each has as many requests as the others, or one more.
    """
    parts = np.array_split(np.log(np.maximum(milliseconds, _LEAST)), blocks)
    return np.array([np.median(part) if len(part) else np.nan for part in parts])
