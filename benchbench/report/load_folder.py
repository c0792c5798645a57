"""The folder of a load test: it appears complete or not at all."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from benchbench.load.result import Step
from benchbench.load_test import Outcome
from benchbench.report.folder import merge, pretty, write_parquet
from benchbench.report.load import summary, text
from benchbench.report.summary import environment
from benchbench.results.folder import PartialFolder, Timed, explained

_LIBRARIES = ("aiohttp", "hdrhistogram", "numpy", "orjson", "polars")


class LoadFolder(PartialFolder):
    """The folder of a load test; an interrupted one keeps the requests of the steps that were finished."""

    kind = "test"

    def __init__(self, place: Path | Timed) -> None:
        """Name the folder; nothing is written before `__enter__`."""
        super().__init__(place)
        self._steps = 0

    def _prepare(self) -> None:
        (self.partial / "requests").mkdir()

    def _is_worth_keeping(self) -> bool:
        return self._steps > 0

    def kept(self) -> str:
        """Return, as a part of a sentence, where the finished steps are."""
        return f"the requests of the steps that were finished are in {self.partial}"

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
                merge(self.partial / "requests")
                (self.partial / "load_summary.txt").write_text(text(outcome), encoding="utf-8")
            else:
                (self.partial / "requests").rmdir()
            for name, value in (("config", _config(outcome)), ("summary", summary(outcome))):
                (self.partial / f"{name}.json").write_bytes(pretty(value))
            if not outcome.interrupted:
                self._finish()


def _steps_frame(outcome: Outcome) -> pl.DataFrame:
    """Return one row a step, in the order of the `step` column of the requests."""
    rows = [{"step": number, "name": step.load.title, **step.values} for number, step in enumerate(outcome.steps, 1)]
    frame = pl.DataFrame(rows)
    return frame.with_columns(pl.selectors.float().fill_nan(None))


def _config(outcome: Outcome) -> dict[str, Any]:
    """Return every option in force, versions and host; no secret."""
    settings = outcome.settings
    collection = settings.dataset.collection
    return {
        "options": {
            **settings.service.shown(),
            "retry_for": 0.0,
            "retries": 0,
            "name": settings.name,
            "dataset": str(settings.dataset.queries),
            "collection": None if collection is None else str(collection),
            "encoding": settings.encoding,
            "skip_bad_lines": settings.skip_bad_lines,
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
            "criteria": asdict(settings.criteria),
        },
        "data_digest": outcome.digest,
        **environment(_LIBRARIES),
    }
