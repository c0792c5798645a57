"""`benchbench help COMMAND`: its help, and for some a guide: examples with what they print."""

from pathlib import Path
from typing import Annotated

import click

from benchbench.cli.signatures import Argument, described_command

GUIDES = Path(__file__).with_name("guides")  # a file per command: command lines behind `$ `, and what they printed


@described_command("help")
def command(words: Annotated[tuple[str, ...], Argument("[COMMAND…]")] = ()) -> None:
    """Show the help of a command; of `run` with a guide: examples and what they print."""
    context = click.get_current_context().find_root()
    for word in words:
        group = context.command
        found = group.get_command(context, word) if isinstance(group, click.Group) else None
        if found is None:
            raise click.UsageError(f"No such command '{word}'", context)
        context = click.Context(found, info_name=word, parent=context)
    click.echo(context.get_help(), color=context.color)
    guide = GUIDES / f"{'-'.join(words)}.txt"
    if words and guide.is_file():
        click.echo(f"\n{guide.read_text(encoding='utf-8')}", nl=False)
