"""The folder of a load test: it appears complete or not at all."""

import shutil
from pathlib import Path
from types import TracebackType
from typing import Any

import polars as pl

from benchbench.client.journal import explained
from benchbench.errors import InputError, InterruptedRunError
from benchbench.load.result import Step
from benchbench.load_test import Outcome, Settings
from benchbench.report.folder import pretty, write_parquet
from benchbench.report.load import summary, text
from benchbench.report.summary import environment

_LIBRARIES = ("aiohttp", "hdrhistogram", "numpy", "orjson", "polars")


class LoadFolder:
    """A folder written aside as `NAME.partial` and renamed when all steps are there.

    Used as a context: an error removes what was written; an interruption keeps the `.partial` folder, with
    the finished steps in it.
    """

    def __init__(self, path: Path) -> None:
        """Name the folder; nothing is written before `__enter__`."""
        self.path = path
        self.partial = path.with_name(path.name + ".partial")
        self._steps = 0

    def __enter__(self) -> "LoadFolder":
        """Make the `.partial` folder, so that a place that cannot be written to is known before the first step."""
        if self.path.exists():
            raise InputError(f"--out {self.path} exists already; name another folder")
        if self.partial.exists():
            raise InputError(f"{self.partial} is what an interrupted test has left; remove it or name another --out")
        with explained(self.partial):
            (self.partial / "requests").mkdir(parents=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove what a failed test left."""
        if kind is not None and not issubclass(kind, InterruptedRunError):
            shutil.rmtree(self.partial, ignore_errors=True)

    def append(self, step: Step, requests: pl.DataFrame) -> None:
        """Store the requests of a finished step."""
        self._steps += 1
        numbered = requests.select(pl.lit(self._steps, pl.Int64).alias("step"), pl.all())
        with explained(self.partial):
            write_parquet(numbered, self.partial / "requests" / f"{self._steps:06}.parquet")

    def finish(self, outcome: Outcome) -> None:
        """Write everything else, and give the folder its name unless the test was interrupted."""
        with explained(self.partial):
            if outcome.steps:
                write_parquet(_steps_frame(outcome), self.partial / "steps.parquet")
                pl.scan_parquet(self.partial / "requests" / "*.parquet").sink_parquet(self.partial / "requests.parquet")
                (self.partial / "load_summary.txt").write_text(text(outcome), encoding="utf-8")
            shutil.rmtree(self.partial / "requests")
            for name, value in (("config", _config(outcome.settings)), ("summary", summary(outcome))):
                (self.partial / f"{name}.json").write_bytes(pretty(value))
            if not outcome.interrupted:
                self.partial.rename(self.path)


def _steps_frame(outcome: Outcome) -> pl.DataFrame:
    """Return one row a step, in the order of the `step` column of the requests."""
    rows = [{"step": number, "name": step.load.title, **step.values} for number, step in enumerate(outcome.steps, 1)]
    frame = pl.DataFrame(rows)
    return frame.with_columns(pl.selectors.float().fill_nan(None))


def _config(settings: Settings) -> dict[str, Any]:
    """Return every option in force, versions and host; no secret."""
    criteria = settings.criteria
    return {
        "options": {
            **settings.service.shown(),
            "retry_for": 0.0,
            "retries": 0,
            "dataset": str(settings.dataset.queries),
            "rate": settings.rates,
            "concurrency": () if settings.open_loop else settings.concurrencies,
            "batch_size": settings.batch_sizes,
            "duration": settings.duration,
            "warm_up": settings.warm_up,
            "arrivals": settings.arrivals,
            "seed": settings.seed,
            "max_in_flight": settings.max_in_flight,
            "workers": settings.workers,
            "top_k": settings.top_k,
            "find_max": settings.find_max.text if settings.find_max else None,
            "fail_if": [gate.text for gate in settings.fail_if],
            "tasks": criteria.tasks,
            "cutoffs": criteria.cutoffs,
        },
        **environment(_LIBRARIES),
    }
