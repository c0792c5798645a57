"""Requests at the times of a recorded trace."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchbench.errors import InputError, visible
from benchbench.formats.trace import read_trace
from benchbench.kernels.arrays import F64, I64
from benchbench.results.ranges import SECONDS
from benchbench.tables.queries import Queries

_SHOWN = 60  # characters of a query


@dataclass(frozen=True, eq=False)
class Trace:
    """When requests are due, and for which queries."""

    name: str  # of its file
    speed: float  # how many seconds of the trace are one of the replay
    times: F64  # seconds of the replay since its first request, ascending
    queries: I64 | None = None  # of the data set, one per request; None where the trace names none


def replayed(path: Path | str, speed: float, queries: Queries) -> Trace:
    """Read a trace.

    Parameters
    ----------
    path
        As `formats.trace.read_trace` reads it.
    speed
        How many times as fast it is replayed.
    queries
        The data set. A query of the trace is one of them, by id or else by its text.

    Raises
    ------
    InputError
        A file that cannot be read, or a query that the data set has not; with file and line.
    """
    path = Path(path)
    rows = read_trace(path)
    seconds = np.array([row.seconds for row in rows])
    order = np.argsort(seconds, kind="stable")
    named = [row for row in rows if row.query is not None]
    if named and len(named) < len(rows):
        bare = next(row for row in rows if row.query is None)
        raise InputError(
            f"{path}, line {bare.line}: it names no query, and line {named[0].line} does; name one in every line or in "
            "none"
        )
    numbers = None
    if named:
        ids = {identity: number for number, identity in enumerate(queries.ids)}
        texts = {text: number for number, text in enumerate(queries.texts)}
        asked = []
        for row in named:
            number = (ids if row.by_id else texts).get(row.query or "")
            if number is None:
                kind = "query" if row.by_id else "query with the text"
                raise InputError(
                    f"{path}, line {row.line}: the data set has no {kind} {visible(row.query or '', _SHOWN)}"
                )
            asked.append(number)
        numbers = np.array(asked, np.int64)[order]
    with np.errstate(over="ignore"):
        times = (seconds[order] - seconds[order[0]]) / speed
    if times[-1] > SECONDS.high:
        raise InputError(
            f"{path} lasts {times[-1]:,.6g} s at --speed {speed:g}, and {SECONDS.high:,} s can be replayed; times are "
            "in seconds"
        )
    return Trace(path.name, speed, times, numbers)
