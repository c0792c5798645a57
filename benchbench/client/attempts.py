"""Requests as data: one row per attempt, failed ones included."""

import polars as pl

from benchbench.client.search import BatchResult

_SCHEMA = {
    "first_query": pl.Int64,
    "queries": pl.Int64,
    "page": pl.Int64,
    "attempt": pl.Int64,
    "due": pl.Float64,
    "sent": pl.Float64,
    "first_byte": pl.Float64,
    "end": pl.Float64,
    "bytes": pl.Int64,
    "status": pl.Int64,
    "error": pl.String,
}


def attempt_frame(batches: list[BatchResult]) -> pl.DataFrame:
    """Return the attempts of some batches.

    `first_query` (from 0) and `queries` say which queries the request carried, and `page` which page of hits it asked
    for; `attempt` counts through all pages. Times are those of the attempts; `first_byte` is null when none came. A
    complete answer that could not be used (a protocol error) is an error of its last attempt.
    """
    rows = [
        (
            batch.first,
            batch.count,
            attempt.page,
            number,
            batch.due,
            attempt.sent,
            attempt.first_byte,
            attempt.end,
            attempt.bytes,
            attempt.status,
            attempt.error or (batch.failure if number == len(batch.attempts) else None),
        )
        for batch in batches
        for number, attempt in enumerate(batch.attempts, 1)
    ]
    frame = pl.DataFrame(rows, schema=_SCHEMA, orient="row")
    return frame.with_columns(pl.col("first_byte").fill_nan(None))
