"""`benchbench history …`: each command is in a file of its own."""

import importlib

import click

from benchbench.cli.project_file import Group

_COMMANDS = ("add", "list", "show", "trend", "summary", "diff", "check", "accept", "delete", "export")


class _History(Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order in which they are used."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by its name."""
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"benchbench.cli.history_{cmd_name}").command
        return command


@click.group(cls=_History, name="history")
def command() -> None:
    """Results over time: stored, compared, gated, drawn."""
