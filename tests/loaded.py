"""Load tests of the small data set, each over as soon as its requests are sent."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import data_sets
import numpy as np
import orjson
import polars as pl
import virtual_time

from benchbench.client.descriptions import profile
from benchbench.client.service import Service
from benchbench.experiment import Outcome as RunOutcome
from benchbench.formats.datasets.locate import locate
from benchbench.load_test import LoadOutcome, LoadSettings, run
from benchbench.loads.driver import Post, loop_ticks
from benchbench.loads.recorder import ReceivedAnswers
from benchbench.loads.step import Load, run_step
from benchbench.loads.step_result import Step

SOON = 0.01  # seconds


def settings(data: Path, url: str, timeout: float = 60.0, **options: Any) -> LoadSettings:
    service = Service(url, profile("benchbench"), timeout=timeout, connections=16)
    chosen = {"duration": SOON, "warm_up": 0.0, "batch_sizes": (4,), "max_in_flight": 16, "reference": False, **options}
    return LoadSettings(locate(str(data)), service, **chosen)


def loaded(data: Path, url: str, **options: Any) -> LoadOutcome:
    return run(settings(data, url, **options))


def rounds(queries_a_request: int, times: int = 1) -> dict[str, Any]:
    """Return the options of a step that asks each query so many times."""
    requests = times * data_sets.QUERIES // queries_a_request
    return {"rates": (requests / SOON,), "batch_sizes": (queries_a_request,)}


def measures(step: Step, over: str) -> dict[str, float]:
    return {name.removeprefix(f"{over}."): value for name, value in step.values.items() if name.startswith(f"{over}.")}


def expected(data: Path, url: str) -> dict[str, float]:
    """Return what a run measures."""
    return named(data_sets.outcome(data, url))


def named(outcome: RunOutcome) -> dict[str, float]:
    return {f"{one.task}.{one.measure}": one.value for one in outcome.estimates}


def write_card(data: Path) -> None:
    cards = {task: {f"c{n}": 8 for n in range(data_sets.QUERIES)} for task in ("accusation", "article", "imprisonment")}
    (data / "tiered.card.json").write_bytes(orjson.dumps({"relevant": cards}))


def held(data: Path, url: str, **options: Any) -> tuple[list[Step], list[pl.DataFrame]]:
    """Return the steps and their requests."""
    frames: list[pl.DataFrame] = []
    outcome = run(settings(data, url, **options), lambda step, requests: frames.append(requests))
    return outcome.steps, frames


def driven(load: Load, post: Post, payloads: Sequence[bytes] = (b"ab",)) -> tuple[pl.DataFrame, dict[str, float]]:
    """Hold a step in virtual time; return its requests, and how the client was."""

    async def work() -> tuple[pl.DataFrame, dict[str, float]]:
        with ReceivedAnswers() as answers:
            rows, health = await run_step(load, payloads, post, answers, virtual_time.now, ticks=loop_ticks)
            return rows.frame(np.arange(len(payloads)), load.batch_size, {}), health.figures()

    return virtual_time.run(work())
