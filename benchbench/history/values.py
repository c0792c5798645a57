"""Values per query beside the store: a Parquet file per run, written whole or not at all."""

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from benchbench.errors import InputError
from benchbench.history.per_query import COLUMN, LATENCY, ORDER, QUERY, REQUEST, VALUE, PerQuery
from benchbench.history.place import TABLES
from benchbench.results.folder import write_parquet
from benchbench.results.reading import explained_reading
from benchbench.tables.hashing import content_digest

_PLAIN = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,99}")


@dataclass(frozen=True)
class RunValues:
    """Values per query of one run.

    Attributes
    ----------
    queries
        String, unique.
    values
        Float64 per measure, named as the numbers are; null where a query has no value. What failed and counts as 0 in
        the mean is 0 here.
    columns
        String columns to group and slice by; there may be none.
    latency
        `query`, `latency_ms`, `request` (the number of the first query that it carried, from 0), and `subject` (of
        several targets: which; empty where there is one only), in the order in which requests were sent. Without rows
        where the result has no latency per query. Of a load test it is a row per block of requests, with the step as
        its subject, and `query` is null.
    why
        Why the data set's own columns are not there; empty where they are.
    """

    queries: pl.Series
    values: pl.DataFrame
    columns: pl.DataFrame
    latency: pl.DataFrame
    why: str = ""


def file_name(identity: str) -> str:
    """Return the name of the file of a record with this id, which may be any text."""
    plain = identity if _PLAIN.fullmatch(identity) else content_digest(identity.encode(errors="replace")).hexdigest()
    return f"{plain}.parquet"


def write_values(values: PerQuery, path: Path) -> int:
    """Write the file, whole or not at all, and return its size in bytes; InputError where that is not possible."""
    about = json.dumps({"table": values.table, "columns": dict(values.columns), "why": values.why})
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            write_parquet(values.frame, partial, {"benchbench": about})
            with partial.open("rb") as written:
                os.fsync(written.fileno())
            size = partial.stat().st_size
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        advice = f"free some space, or name another folder in {TABLES}"
        raise InputError(f"cannot write values per query to {path.parent}: {error.strerror}; {advice}") from None
    return size


def read_values(path: Path) -> RunValues:
    """Return what a file has; InputError where it cannot be read."""
    frame, about = _read(path), _about(path)
    rows = frame.filter(pl.col(QUERY).is_not_null())
    return RunValues(
        rows[QUERY], _part(rows, VALUE), _part(rows, COLUMN).cast(pl.String), _latency(frame), about["why"]
    )


def table_of(path: Path) -> tuple[str, Callable[[], pl.DataFrame]] | None:
    """Return the name of the table that a file can give back whole, and what reads it; None where there is none."""
    about = _about(path)
    if not about["table"]:
        return None
    columns = about["columns"]
    return about["table"], lambda: _read(path).select(pl.col(stored).alias(name) for name, stored in columns.items())


def _read(path: Path) -> pl.DataFrame:
    with explained_reading(path, (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException)):
        return pl.read_parquet(path, glob=False)


def _about(path: Path) -> dict[str, Any]:
    errors = (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException, KeyError, ValueError)
    with explained_reading(path, errors):
        about: dict[str, Any] = json.loads(pl.read_parquet_metadata(path)["benchbench"])
        return about


def _part(frame: pl.DataFrame, front: str) -> pl.DataFrame:
    return frame.select(
        pl.col(column).alias(column.removeprefix(front)) for column in frame.columns if column.startswith(front)
    )


def _latency(frame: pl.DataFrame) -> pl.DataFrame:
    schema = {"query": pl.String, "latency_ms": pl.Float64, "request": pl.Int64, "subject": pl.String}
    parts = [pl.DataFrame(schema=schema)]
    for subject in (column.removeprefix(LATENCY) for column in frame.columns if column.startswith(LATENCY)):
        is_known = f"{ORDER}{subject}" in frame.columns
        its = frame.sort(f"{ORDER}{subject}", nulls_last=True, maintain_order=True) if is_known else frame
        request = pl.col(f"{REQUEST}{subject}") if is_known else pl.lit(None, pl.Int64)
        latency = pl.col(f"{LATENCY}{subject}")
        parts.append(
            its.select(
                pl.col(QUERY).alias("query"),
                latency.alias("latency_ms"),
                request.alias("request"),
                pl.lit(subject).alias("subject"),
            )
        )
    return pl.concat(parts).drop_nulls("latency_ms")
