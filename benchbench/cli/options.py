"""Options that several commands share."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., Any])


def loudness(command: _Command) -> _Command:
    """Add `--quiet` and `--verbose`; the command receives `quiet` (verbose is read where errors are shown)."""
    command = click.option("-v", "--verbose", is_flag=True, expose_value=False, help="Show tracebacks.")(command)
    return click.option("-q", "--quiet", is_flag=True, help="No progress, no notes on standard error.")(command)


encoding = click.option(
    "--encoding", metavar="NAME", help="Encoding of the input, e.g. gb18030. UTF encodings are detected."
)


def output_format(*names: str) -> Callable[[_Command], _Command]:
    """Add `--format` with the named formats; the first is the default."""
    return click.option(
        "--format", "output", type=click.Choice(names), default=names[0], show_default=True, help="What to print."
    )
