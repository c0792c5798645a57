"""Which requests of a step carried queries that the load test had not sent before.

A service with a cache answers a repeated query faster than one that it sees for the first time.
"""

import numpy as np
import polars as pl

from benchbench.kernels.arrays import Bools
from benchbench.loads.batches import Batches
from benchbench.loads.latency import Histogram

_CHUNK = 8192  # requests that are looked at together
SHOWN = (50.0, 99.0)  # percentiles of both kinds of request


def with_new(requests: pl.DataFrame, batches: Batches, seen: Bools) -> pl.DataFrame:
    """Return requests with a column `new_queries`: how many of the queries were sent for the first time.

    Parameters
    ----------
    requests
        Of `recorder.Rows.frame`.
    batches
        Of the step.
    seen
        Of each query of the data set, whether it was sent before; those of this step are marked.
    """
    order = np.argsort(requests["due"].to_numpy(), kind="stable")
    numbers = requests["number"].to_numpy()
    new = np.zeros(len(requests), np.int64)
    for begin in range(0, len(order), _CHUNK):
        if seen.all():
            break
        rows = order[begin : begin + _CHUNK]
        queries = batches.rows[batches.of_all(numbers[rows])]
        asked, first = np.unique(queries, return_index=True)
        fresh = first[~seen[asked]]
        np.add.at(new, rows[fresh // queries.shape[1]], 1)
        seen[asked] = True
    return requests.with_columns(pl.Series("new_queries", new))


def asked_values(counted: pl.DataFrame, batch_size: int) -> dict[str, float]:
    """Return how many of the counted requests had new queries, and the latencies of those and of all others."""
    new = int(counted["new_queries"].sum())
    values = {
        "queries_new": float(new),
        "queries_repeated": float(batch_size * len(counted) - new),
        "new_requests": float((counted["new_queries"] > 0).sum()),
    }
    for kind, part in (
        ("new", counted.filter(pl.col("new_queries") > 0)),
        ("repeated", counted.filter(pl.col("new_queries") == 0)),
    ):
        histogram = Histogram()
        histogram.record((part["end"] - part["due"]).to_numpy())
        percentiles = histogram.percentiles(*SHOWN)
        values |= {f"{kind}_p{percent:g}": value for percent, value in zip(SHOWN, percentiles, strict=True)}
    return values
