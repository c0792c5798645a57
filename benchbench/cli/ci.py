"""What a command with gates does for continuous integration: the files it writes, and how it ends."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchbench.cli.files import check_place, write
from benchbench.errors import GateError, InputError, TooManyFailuresError

if TYPE_CHECKING:
    from benchbench.report.ci import Case, Checked


@dataclass(frozen=True, slots=True)
class Files:
    """The files of `--junit` and `--summary`, where they were asked for."""

    junit: Path | None
    summary: Path | None

    def check(self, fail_if: Sequence[str]) -> None:
        """Refuse what cannot be written before anything is read or measured."""
        if self.junit is not None and not fail_if:
            raise InputError("--junit writes one test case per gate; name a gate with --fail-if")
        if self.junit is not None and self.junit == self.summary:
            raise InputError(f"--junit and --summary are both {self.junit}; name two files")
        check_place("junit", self.junit)
        check_place("summary", self.summary)

    def write(self, checked: "Checked") -> None:
        """Write JUnit's XML, and append Markdown."""
        from benchbench.report.ci import junit, section

        if self.junit is not None:
            write("junit", self.junit, junit(checked))
        if self.summary is not None:
            write("summary", self.summary, section(checked), append=True)


def end(cases: "Sequence[Case]") -> None:
    """Raise what the exit code is to be; too many failures come before gates, which rest on the answers."""
    broken, failed = ([one.said for one in cases if one.state == state] for state in ("broken", "failed"))
    if broken:
        raise TooManyFailuresError("; ".join([*broken, *failed]))
    if failed:
        raise GateError("; ".join(failed))
