"""The folder of scores whose answers or verdicts cost money: each line is written as soon as it has come."""

import contextlib
from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, BinaryIO, ClassVar

import orjson

from benchbench.results.folder import PartialFolder, Timed, explained, write_result
from benchbench.scores.result import ScoresResult

_NO_PAGES: Mapping[str, str] = MappingProxyType({})


class ReceivingFolder(PartialFolder):
    """A folder with files that grow while lines come. An interrupted one is kept where any of them is of use."""

    files: ClassVar[tuple[str, ...]] = ()
    noun: ClassVar[str] = "answer"  # what a line is

    def __init__(self, place: Path | Timed) -> None:
        """Name the folder; nothing is written before `__enter__`."""
        super().__init__(place)
        self._usable = 0  # lines that are of use: those that have not failed

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the files, and do what `PartialFolder` does."""
        self._close()
        super().__exit__(kind, error, trace)

    def kept(self) -> str:
        """Return where the lines are that had come, as part of a sentence."""
        many = self._usable
        those = f"the {self.noun} that had come is" if many == 1 else f"the {many:,} {self.noun}s that had come are"
        return f"{those} in {self._place_of_lines()}"

    def _place_of_lines(self) -> str:
        return str(self.partial)

    def _prepare(self) -> None:
        self._open: dict[str, BinaryIO] = {name: (self.partial / name).open("w+b") for name in self.files}

    def _is_worth_keeping(self) -> bool:
        return bool(self._usable)

    def _append(self, name: str, lines: bytes) -> None:
        """Write lines; they are in the file when this returns."""
        with explained(self.partial):
            self._open[name].write(lines)
            self._open[name].flush()

    def _append_row(self, name: str, row: Mapping[str, Any]) -> None:
        """Write a row as a line of JSON."""
        self._append(name, orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))

    def finish(self, outcome: ScoresResult, pages: Mapping[str, str] = _NO_PAGES) -> None:
        """Make of the lines what they are to be, write the other files, and give a complete folder its name.

        Parameters
        ----------
        outcome
            What was measured.
        pages
            Further files for people, by their names.
        """
        with explained(self.partial):
            self._conclude(outcome)
            self._close()
            write_result(self.partial, outcome, pages)
            if outcome.complete:
                self._finish()

    @abstractmethod
    def _conclude(self, outcome: Any) -> None:
        """Make of the lines what they are to be, such as tables."""

    def _close(self) -> None:
        for file in self._open.values():
            with contextlib.suppress(OSError):  # `_append` has reported a full disk
                file.close()
