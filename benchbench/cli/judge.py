"""`benchbench judge relevance|answers|nuggets|agreement`: each command is in a file of its own."""

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from benchbench.cli.project_file import Group

_COMMANDS = ("relevance", "answers", "nuggets", "agreement")


class _Judges(Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order in which they are used."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by its name."""
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"benchbench.cli.judge_{cmd_name}").command
        return command


def named(runs: Sequence[Path], *ways: Callable[[Path], str]) -> dict[str, Path]:
    """Return runs by name: the first way of naming them that tells them apart."""
    from benchbench.comparison.run_names import run_names

    return dict(zip(run_names((), [list(map(way, runs)) for way in ways]), runs, strict=True)) if runs else {}


@click.group(cls=_Judges, name="judge")
def command() -> None:
    """Labels and verdicts by a language model, and how far to trust them."""
