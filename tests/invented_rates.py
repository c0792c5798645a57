"""Load tests that nobody held, of any loop, rates and sizes, with the requests of each step in a folder."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import invented_load
import numpy as np
import polars as pl

from benchbench.load_test import LoadOutcome
from benchbench.loads.load_details import Highest
from benchbench.loads.over_time import over_time
from benchbench.loads.step import Load
from benchbench.loads.step_result import Step
from benchbench.measures.gate_names import as_gates

NAN = float("nan")
SECONDS, WARM_UP = 10.0, 2.0


def step(rate: float, p99: float, done: float | None = None, failed: int = 0, size: int = 4, **more: Any) -> Step:
    """Return a step with an offered rate, or with so many `in_flight`."""
    in_flight = more.pop("in_flight", None)
    done = rate if done is None else done
    first = invented_load.step(rate, failed)
    requests = round(SECONDS * (done if in_flight else rate))
    values = {name: value for name, value in first.values.items() if not name.startswith(("asked.", "answered."))}
    values |= {
        "batch_size": float(size),
        "rate": NAN if in_flight else rate,
        "concurrency": float(in_flight) if in_flight else NAN,
        "requests": float(requests),
        "error_rate": failed / requests,
        "requests_per_second": done,
        "queries_per_second": size * done,
        "offered_per_second": NAN if in_flight else rate,
        "dispatched_per_second": NAN if in_flight else rate,
        "backlog_growth": NAN if in_flight else rate - done - failed / SECONDS,
        "backlog_end": max(SECONDS * (rate - done), 0.0),
        "p50": p99 / 8,
        **dict.fromkeys(("p90", "p95", "p99"), p99),
        "max": 1.2 * p99,
        "queries_answered": 12.0,
    }
    for task, value in (("gold", 0.05), ("article", 0.4)):
        values |= {f"asked.{task}.nDCG@10": value * (1 - failed / requests), f"answered.{task}.nDCG@10": value}
    values |= more.pop("values", {})
    load = Load(
        batch_size=size,
        rate=None if in_flight else rate,
        places=in_flight or 256,
        warm_up=WARM_UP,
        duration=SECONDS,
        patience=10.0,
    )
    state = None if in_flight else "below" if done > 0.98 * rate else "beyond"
    return replace(first, load=load, values=values, saturation=more.pop("state", state), **more)


SATURATED = (step(10.0, 69.0), step(70.0, 176.0), step(80.0, 1540.0, 73.0), step(100.0, 7400.0, 67.0))


def outcome(folder: Path, steps: Sequence[Step] = SATURATED, stored: bool = True, **more: Any) -> LoadOutcome:
    """Return a test of those steps, with gates where `fail_if` has some; one that is `stored` has its requests."""
    whole = invented_load.outcome(folder / "data")
    gates, condition, best = as_gates(more.pop("fail_if", ())), more.pop("find_max", None), more.pop("highest", [])
    loads = [one.load for one in steps]
    rates = () if condition else tuple(dict.fromkeys(one.rate for one in loads if one.rate is not None))
    settings = replace(
        whole.settings,
        rates=rates,
        concurrencies=tuple(dict.fromkeys(one.places for one in loads)),
        batch_sizes=tuple(dict.fromkeys(one.batch_size for one in loads)),
        duration=SECONDS,
        warm_up=WARM_UP,
        find_max=condition,
        name=more.pop("name", "bm25"),
        **more.pop("settings", {}),
    )
    frames = [requests(one, number) for number, one in enumerate(steps, 1)]
    drawn = [
        replace(one, checked=one.check(gates), over_time=over_time(frame.filter("counted"), SECONDS, 1))
        for one, frame in zip(steps, frames, strict=True)
    ]
    result = replace(whole, settings=settings, steps=drawn, tasks=("gold", "article"), highest=best, **more)
    if stored:
        folder.mkdir(exist_ok=True)
        pl.concat(frames).write_parquet(folder / "requests.parquet")
        result.lies_in(folder)
    return result


def highest(rate: float | None, refused: float) -> Highest:
    """Return the end of a search."""
    return Highest(batch_size=4, rate=rate, limited_by_client=False, refused=refused, reasons=("p99 is too much",))


def requests(step: Step, number: int) -> pl.DataFrame:
    """Return the requests of a step: those of a service that falls behind wait longer and longer."""
    random = np.random.default_rng(number)
    rate = step.load.rate or step.values["requests_per_second"]
    due = np.arange(-WARM_UP, SECONDS, 1.0 / rate)
    behind = max(0.0, 1.0 - step.values["requests_per_second"] / rate)
    times = step.values["p50"] * random.lognormal(0.0, 0.5, len(due)) + 1e3 * behind * (due + WARM_UP)
    failed = np.zeros(len(due), bool)
    failed[np.flatnonzero(due >= 0)[: round(step.values["failed_requests"])]] = True
    errors = pl.Series(["HTTP 503: busy" if one else None for one in failed], dtype=pl.String)
    return pl.DataFrame(
        {"step": number, "repeat": 1, "counted": due >= 0.0, "due": due, "end": due + times / 1e3, "error": errors}
    )
