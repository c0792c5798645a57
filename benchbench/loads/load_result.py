"""A load test that came to its end, or was interrupted.

Its folder appears complete or not at all.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import polars as pl

from benchbench.loads.load_details import Highest, LoadDetails, RateSearch
from benchbench.loads.load_record import LIBRARIES, record_of
from benchbench.loads.load_settings import LoadSettings
from benchbench.loads.over_time import over_time_frame
from benchbench.loads.reference import ReferencePass
from benchbench.loads.step_result import Step, repeats_frame, steps_frame
from benchbench.results.environment import environment
from benchbench.results.folder import PartialFolder, Timed, explained, merge, write_parquet, write_result
from benchbench.results.reading import table
from benchbench.results.record import Record, plain
from benchbench.results.result import Result
from benchbench.results.signature import Signature
from benchbench.tables.groups import Groups

# Members that JSON has by the same name.
_SAME = ("url", "queries", "counts", "queries_without_label", "tasks", "interrupted", "assumed", "defaults")


@dataclass(frozen=True, repr=False, kw_only=True)
class LoadOutcome(Result):
    """A load test."""

    kind = "load"
    _lines_are = "steps"

    settings: LoadSettings
    url: str
    digest: str  # of the data set
    queries: int
    counts: dict[str, int]  # of the data set: queries, positives, what does not count
    queries_without_label: dict[str, int]  # by task
    signature: Signature
    tasks: tuple[str, ...]
    steps: list[Step]
    highest: list[Highest]
    interrupted: bool  # the steps are those that were finished
    began: float = field(default_factory=time.time)  # seconds since 1970
    groups: Groups | None = None  # of queries that belong together
    reference: ReferencePass | None = None  # the pass before the first step
    assumed: tuple[str, ...] = ()  # sentences on how hits were judged
    defaults: tuple[str, ...] = ()  # … and on what was done because nothing else was asked for

    @property
    def folder(self) -> Path | None:
        """Where its requests lie; None where nobody has stored them."""
        return self.__dict__.get("_folder")

    def lies_in(self, folder: Path) -> None:
        """Say where the requests lie, which are read from there from now on."""
        self.__dict__["_folder"] = folder

    def details(self) -> LoadDetails:
        """Return what JSON has beside the record."""
        condition, groups, reference = self.settings.find_max, self.groups, self.reference
        same = {name: getattr(self, name) for name in _SAME}
        return LoadDetails(
            **same,
            signature=str(self.signature),
            name=self.settings.name,
            data_digest=self.digest,
            loop="open" if self.settings.open_loop else "closed",
            reference=None if reference is None else reference.details(),
            steps=[step.details() for step in self.steps],
            find_max=None if condition is None else RateSearch(condition=condition, found=self.highest),
            cluster=groups.column if groups else "",
            clusters=groups.number if groups else 0,
        )

    def tables(self) -> Mapping[str, Callable[[], pl.DataFrame]]:
        """Return what makes each table: a row per step, per repeat of one, per stretch of time, per stored request."""
        if not self.steps:
            return {}
        tables = {"steps": lambda: steps_frame(self.steps)}
        over_time = [(step.load.title, step.over_time) for step in self.steps]
        if any(stretches for _, stretches in over_time):
            tables["over_time"] = lambda: over_time_frame(over_time)
        if any(len(step.repeats) > 1 for step in self.steps):
            tables["repeats"] = lambda: repeats_frame(self.steps)
        if self.folder is not None:
            tables["requests"] = partial(table, self.folder, "requests")
        return tables

    def to_record(self) -> Record:
        """Return the record; numbers have the step in their scope."""
        config = {"options": self.settings.shown(), **plain(environment(LIBRARIES))}
        return record_of(self.details(), config, self.began)

    def _lines(self) -> list[str]:
        """Return one line per step: throughput, latency and quality."""
        measure = f"{self.tasks[0]}.{self.details().leading}"
        shown = [
            ("{:,.0f} queries/s", "queries_per_second"),
            ("p50 {:,.1f} ms", "p50"),
            ("p99 {:,.1f} ms", "p99"),
            (f"{measure} {{:.3f}}", f"asked.{measure}"),
        ]
        return [
            f"{step.load.title}: {', '.join(form.format(step.values[name]) for form, name in shown)}"
            for step in self.steps
        ]


class LoadFolder(PartialFolder):
    """The folder of a load test; an interrupted one keeps the requests of the steps that were finished."""

    kind = "test"

    def __init__(self, place: Path | Timed) -> None:
        """Name the folder; nothing is written before `__enter__`."""
        super().__init__(place)
        self._steps = 0
        self._is_usable = False  # a request of a step was answered
        self._numbers: dict[str, int] = {}  # of steps by title

    def _prepare(self) -> None:
        (self.partial / "requests").mkdir()

    def _is_worth_keeping(self) -> bool:
        return self._is_usable

    def kept(self) -> str:
        """Return, as a part of a sentence, where the finished steps are."""
        return f"the requests of the steps that were finished are in {self.partial}"

    def append(self, step: Step, requests: pl.DataFrame) -> None:
        """Store the requests of a finished step; those of a repeat have the number of its first."""
        repeat = step.load.repeat
        self._is_usable = self._is_usable or requests["error"].has_nulls()
        if repeat == 1:
            self._steps += 1
            self._numbers[step.load.title] = self._steps
        number = self._numbers[step.load.title]
        numbered = requests.select(
            pl.lit(number, pl.Int64).alias("step"), pl.lit(repeat, pl.Int64).alias("repeat"), pl.all()
        )
        with explained(self.partial):
            write_parquet(numbered, self.partial / "requests" / f"{number:06}-{repeat:06}.parquet")

    def finish(self, result: LoadOutcome, pages: Callable[[], Mapping[str, str]]) -> None:
        """Write everything else, and give the folder its name unless the test was interrupted.

        Parameters
        ----------
        result
            With a finished step. Its requests are read from the folder from then on.
        pages
            Makes them, by the names of their files.
        """
        with explained(self.partial):
            merge(self.partial / "requests")
            result.lies_in(self.partial)
            write_result(self.partial, result, pages())
            if result.record.status != "interrupted":
                self._finish()
                result.lies_in(self.path)
