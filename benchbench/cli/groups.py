"""Groups of commands, which name the nearest command to one that is misspelt."""

import importlib
from collections.abc import Mapping
from typing import Any

import click


class Group(click.Group):
    """A group that names the nearest of its commands when it has none of that name."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the line names; click.UsageError where there is none."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            near = difflib.get_close_matches(args[0], self.list_commands(ctx), 1)
            if near and "Did you mean" not in error.message and not args[0].startswith("-"):
                raise click.UsageError(f"{error.message.rstrip('.')} (did you mean {near[0]}?)", ctx) from None
            raise


class LateGroup(Group):
    """A group whose commands are imported when they are called."""

    def __init__(self, *arguments: Any, places: Mapping[str, str], **attributes: Any) -> None:
        """Keep where commands are: `module:function` of this package by command, in the order in which they are listed.

        The rest are the arguments of a group.
        """
        super().__init__(*arguments, **attributes)
        self._places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by its name."""
        if cmd_name not in self._places:
            return None
        module, function = self._places[cmd_name].split(":")
        command: click.Command = getattr(importlib.import_module(f"benchbench.cli.{module}"), function)
        return command
