"""How fast the service answered, from the records of the attempts.

Conventions
-----------
A request's latency runs from the sending of its first attempt to the end of its last one, waits between
attempts included. Failed requests count with the others. A percentile is an observed value (the smallest
that at least that share of the requests does not exceed).
"""

from dataclasses import dataclass

import numpy as np
import polars as pl

PERCENTILES = (50.0, 90.0, 95.0, 99.0)


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds per request, not per query, and rates over the time from first sending to last end."""

    requests: int
    attempts: int
    failed_attempts: int
    bytes: int
    seconds: float
    queries_per_second: float  # of queries that were scored
    mean: float
    percentiles: dict[str, float]  # "p50" …
    max: float


def latency(attempts: pl.DataFrame, scored_queries: int) -> Latency:
    """Return the latency of all requests; `attempts` as `client.attempts.attempt_frame` gives them."""
    requests = attempts.group_by("first_query").agg(milliseconds=(pl.col("end").max() - pl.col("sent").min()) * 1e3)
    milliseconds = requests["milliseconds"].to_numpy()
    seconds = float(attempts["end"].to_numpy().max() - attempts["sent"].to_numpy().min())
    marks = np.percentile(milliseconds, PERCENTILES, method="inverted_cdf")
    return Latency(
        requests=len(requests),
        attempts=len(attempts),
        failed_attempts=len(attempts) - attempts["error"].null_count(),
        bytes=int(attempts["bytes"].sum()),
        seconds=seconds,
        queries_per_second=scored_queries / seconds,
        mean=float(milliseconds.mean()),
        percentiles={f"p{p:g}": float(mark) for p, mark in zip(PERCENTILES, marks, strict=True)},
        max=float(milliseconds.max()),
    )
