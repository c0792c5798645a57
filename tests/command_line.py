"""The command line as a person meets it: in this process, or in one of its own."""

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple
from unittest.mock import patch

import click
import copied_processes
import polars  # noqa: F401  # where it is imported, no service of a command is forked from the process of the tests
import pytest

from benchbench.cli.main import cli, main


class Said(NamedTuple):
    """What a command left behind: exit code, standard output, standard error."""

    code: int
    output: str
    errors: str


WIDE = "1000"  # columns, where a test sets no others: no sentence is broken


def said(capsys: pytest.CaptureFixture[str], *arguments: object, given: bytes | None = None) -> Said:
    """Run a command in this process, on a terminal as wide as its sentences are long; `given` is standard input."""
    capsys.readouterr()
    with (
        patch.dict(os.environ, {"COLUMNS": os.environ.get("COLUMNS", WIDE)}),
        patch("sys.stdin", sys.stdin if given is None else io.TextIOWrapper(io.BytesIO(given))),
        pytest.raises(SystemExit) as end,
    ):
        main([str(one) for one in arguments])
    return Said(int(end.value.code or 0), *capsys.readouterr())


def process(*arguments: object, **options: Any) -> "subprocess.Popen[str]":
    """Start a command in a process of its own, a copy (`copied_processes`), with pipes for what it says."""
    command = [sys.executable, "-m", "benchbench", *map(str, arguments)]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return copied_processes.Popen(command, text=True, encoding="utf-8", **streams)


def ended_without_a_reader(*arguments: object) -> Said:
    """Run a command in a process of its own whose standard output nobody reads any more."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        with process(*arguments, stdout=writing) as ended:
            errors = ended.communicate(timeout=60)[1]
    finally:
        os.close(writing)
    return Said(ended.returncode, "", errors)


def sentence(errors: str) -> str:
    """Return the one sentence that standard error holds; anything beside it is a failure."""
    assert errors.startswith("Error: ")
    assert errors.count("\n") == 1
    return errors.removeprefix("Error: ").rstrip("\n")


def _commands(group: click.Command = cli, names: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Yield the commands of a group, and of the groups in it, by the words that call them."""
    if not isinstance(group, click.Group):
        yield " ".join(names), group
        return
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None
        yield from _commands(found, (*names, name))


COMMANDS = dict(_commands())
