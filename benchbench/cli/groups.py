"""Groups of commands, which name the nearest command to one that is misspelt."""

import click


class Commands(click.Group):
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
