"""What a command with gates does for continuous integration: the files it writes, and how it ends."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

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
            try:
                with self.summary.open("a", encoding="utf-8", errors="replace") as file:
                    file.write(section(checked))
            except OSError as error:
                raise InputError(f"--summary {self.summary} cannot be written: {error.strerror}") from None


def end(cases: "Sequence[Case]") -> None:
    """Raise what the exit code is to be; too many failures come before gates, which rest on the answers."""
    broken, failed = ([one.said for one in cases if one.state == state] for state in ("broken", "failed"))
    if broken:
        raise TooManyFailuresError("; ".join([*broken, *failed]))
    if failed:
        raise GateError("; ".join(failed))


def check_place(option: str, path: Path | None) -> None:
    """Refuse a file that cannot be written, as far as that can be seen."""
    if path is None:
        return
    if path.is_dir():
        raise InputError(f"--{option} {path} is a folder; name a file")
    if not path.parent.is_dir():
        raise InputError(f"--{option} {path}: there is no folder {path.parent}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InputError(f"--{option} {path} cannot be written")
    for given in _given() if path.is_file() else ():
        if given is not path and given.exists() and given.samefile(path):
            raise InputError(f"--{option} {path} is also given as a file to read or write; name another file")


def _given() -> Iterator[Path]:
    """Yield every file and folder that the command line names."""
    context = click.get_current_context(silent=True)
    for name, value in context.params.items() if context else ():
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, Path) or (name == "dataset" and isinstance(one, str)):
                yield Path(one) if isinstance(one, str) else one


def write(option: str, path: Path, text: str) -> None:
    """Write a file whole, or not at all; what is no file, a pipe or a device, is written to."""
    is_stream = path.exists() and not path.is_file()
    place = path if is_stream else path.with_name(f".{path.name}.{os.getpid()}")
    try:
        place.write_text(text, encoding="utf-8", errors="replace")
        if not is_stream:
            place.replace(path)
    except OSError as error:
        if not is_stream:
            place.unlink(missing_ok=True)
        raise InputError(f"--{option} {path} cannot be written: {error.strerror}") from None
