"""`benchbench history …`: a module of commands is imported when one of them is called."""

import importlib

import click

from benchbench.cli.project_file import Group

_MODULES = {  # by command, in the order in which they are used
    "add": "store",
    "list": "runs",
    "show": "reports",
    "trend": "reports",
    "summary": "runs",
    "diff": "reports",
    "check": "gates",
    "accept": "gates",
    "delete": "store",
    "export": "store",
}


class _History(Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order in which they are used."""
        return list(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by its name."""
        if cmd_name not in _MODULES:
            return None
        module = importlib.import_module(f"benchbench.cli.history_{_MODULES[cmd_name]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command


@click.group(cls=_History, name="history")
def command() -> None:
    """Results over time: stored, compared, gated, drawn."""
