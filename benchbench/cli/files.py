"""The files that a command writes besides its results: checked before the work, whole afterwards."""

import os
from collections.abc import Iterator
from pathlib import Path

import click

from benchbench.errors import InputError
from benchbench.tables.whole_files import write_whole


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
    for given in _given():
        if given is not path and is_same_file(given, path):
            raise InputError(f"--{option} {path} is also given as a file to read or write; name another file")


def is_same_file(one: Path, other: Path) -> bool:
    """Say that two names are of one file; pipes and devices take from several."""
    if other.exists():
        return other.is_file() and one.exists() and one.samefile(other)
    return os.path.realpath(one) == os.path.realpath(other)


def _given() -> Iterator[Path]:
    """Yield every file and folder that the command line names."""
    context = click.get_current_context(silent=True)
    for name, value in context.params.items() if context else ():
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, Path) or (name == "dataset" and isinstance(one, str)):
                yield Path(one) if isinstance(one, str) else one


def write(option: str, path: Path, text: str, append: bool = False) -> None:
    """Write a file completely or not at all, or append to it; a pipe or a device is written to directly."""
    content = text.encode(errors="replace")
    if not append:
        write_whole(path, content, f"--{option} ")
        return
    try:
        with path.open("ab") as file:
            file.write(content)
    except OSError as error:
        raise InputError(f"--{option} {path} cannot be written: {error.strerror}") from None
