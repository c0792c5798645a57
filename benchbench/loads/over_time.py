"""Latency within a step, over time: drifts and stalls that percentiles of the whole step hide."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import polars as pl

from benchbench.measures.latency import enough

_MOST = 60  # stretches of a step
_FEWEST = 20.0  # requests of a stretch, on average
_ROUND = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """The counted requests that were due in a stretch of time; None where there is no number."""

    repeat: int  # of the step, from 1
    begin: float  # seconds since the end of the warm-up
    seconds: float
    requests: int  # due in it
    failed: int
    rate: float  # requests due per second
    p50: float | None  # milliseconds from the due time, failed requests included
    p99: float | None
    max: float | None
    few: bool  # p99 has fewer than ten requests above it


def over_time(counted: pl.DataFrame, duration: float, repeat: int) -> list[Stretch]:
    """Return a step by stretches of the same round length, at most 60 of them.

    Parameters
    ----------
    counted
        Counted rows of `recorder.Rows.frame`.
    duration
        Seconds that are measured.
    repeat
        Of the step, from 1.
    """
    least = max(duration / _MOST, duration * _FEWEST / len(counted))
    length = next((seconds for seconds in _ROUND if seconds >= least), duration)
    parts = max(1, math.ceil(round(duration / length, 6)))
    due = counted["due"].to_numpy()
    place = np.clip(np.floor(due / length), 0, parts - 1).astype(np.int64)
    milliseconds = (counted["end"].to_numpy() - due) * 1e3
    failed = counted["error"].is_not_null().to_numpy()
    stretches = []
    for part in range(parts):
        there = place == part
        some = milliseconds[there]
        seconds = min(length, duration - part * length)
        p50, p99 = np.percentile(some, (50, 99), method="inverted_cdf").tolist() if len(some) else (None, None)
        stretches.append(
            Stretch(
                repeat=repeat,
                begin=part * length,
                seconds=seconds,
                requests=len(some),
                failed=int(failed[there].sum()),
                rate=len(some) / seconds,
                p50=p50,
                p99=p99,
                max=float(some.max()) if len(some) else None,
                few=not enough(99.0, len(some)),
            )
        )
    return stretches


def over_time_frame(steps: Sequence[tuple[str, Sequence[Stretch]]]) -> pl.DataFrame:
    """Return one row per stretch of each step; `step` is its place, from 1, and `name` what it is called."""
    rows = [
        {"step": step, "name": name, **asdict(part)} for step, (name, parts) in enumerate(steps, 1) for part in parts
    ]
    return pl.DataFrame(rows, infer_schema_length=None)
