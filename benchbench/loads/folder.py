"""The folder of a load test: it appears complete or not at all."""

from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl

from benchbench.loads.load_result import LoadOutcome
from benchbench.loads.step_result import Step
from benchbench.results.folder import PartialFolder, Timed, explained, merge, write_parquet, write_result


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
