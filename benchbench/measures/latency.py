"""How fast the service answered, from the records of the attempts.

Conventions
-----------
A request's latency runs from the sending of its first attempt to the end of its last one, waits between
attempts included. A query that was asked page after page has one latency, from the first page to the end of the last:
the client's reading of the pages between is in it. Failed requests count with the others. A percentile is an observed
value (the smallest that at least that share of the requests does not exceed).
"""

import math
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    import polars as pl

PERCENTILES = (50.0, 90.0, 95.0, 99.0)
BEYOND = 10  # requests above a percentile, without which it is marked as resting on too few
FEW = 30  # latencies: those of fewer were mostly sent at once, in the warm-up, and say nothing about a service


class Latency(Struct, frozen=True, kw_only=True):
    """Milliseconds per request, not per query, and rates over the time from first sending to last end.

    Each page of a query is one of the `requests`, and all of them together have one latency.
    """

    requests: int
    attempts: int
    failed_attempts: int
    bytes: int
    seconds: float
    queries_per_second: float  # of queries that were scored
    mean: float
    percentiles: dict[str, float]  # "p50" …
    max: float
    further_pages: int = 0  # requests for further pages of a query, which have no latency of their own

    @property
    def timed(self) -> int:
        """Return how many latencies there are."""
        return self.requests - self.further_pages

    @property
    def too_few(self) -> bool:
        """Say that there are too few latencies to say anything about speed."""
        return self.timed < FEW

    @property
    def known(self) -> dict[str, float]:
        """Return the percentiles that rest on enough requests."""
        if self.too_few:
            return {}
        return {name: mark for name, mark in self.percentiles.items() if enough(float(name[1:]), self.timed)}


def enough(percent: float, requests: float) -> bool:
    """Say whether a percentile of so many requests has ten above it."""
    return round(requests * (100.0 - percent) / 100.0, 6) >= BEYOND


def needed(percent: float) -> int:
    """Return of how many requests a percentile has ten above it."""
    return math.ceil(round(BEYOND * 100.0 / (100.0 - percent), 6))


def latency(attempts: "pl.DataFrame", scored_queries: int) -> Latency:
    """Return the latency of all requests; `attempts` as `client.attempts.attempt_frame` gives them."""
    import numpy as np  # for those who measure, and not for readers of what was measured
    import polars as pl

    requests = attempts.group_by("first_query").agg(milliseconds=(pl.col("end").max() - pl.col("sent").min()) * 1e3)
    milliseconds = requests["milliseconds"].to_numpy()
    seconds = float(attempts["end"].to_numpy().max() - attempts["sent"].to_numpy().min())
    marks = np.percentile(milliseconds, PERCENTILES, method="inverted_cdf")
    pages = int(attempts.select(pl.struct("first_query", "page").n_unique()).item())
    return Latency(
        requests=pages,
        attempts=len(attempts),
        failed_attempts=len(attempts) - attempts["error"].null_count(),
        bytes=int(attempts["bytes"].sum()),
        seconds=seconds,
        queries_per_second=scored_queries / seconds,
        mean=float(milliseconds.mean()),
        percentiles={f"p{p:g}": float(mark) for p, mark in zip(PERCENTILES, marks, strict=True)},
        max=float(milliseconds.max()),
        further_pages=pages - len(requests),
    )
