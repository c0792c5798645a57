"""`benchbench history list`."""

from typing import TYPE_CHECKING

import click

from benchbench.cli.history_options import selection_options, store_option
from benchbench.cli.options import loudness, output_format
from benchbench.cli.parameters import Choice
from benchbench.cli.project_file import Command
from benchbench.cli.screen import echo, screen_options
from benchbench.report.draw import DATA, printed

if TYPE_CHECKING:
    from benchbench.history.entry import Wanted
    from benchbench.history.listing import Order

order_option = click.option(
    "--order",
    type=Choice(["recording", "time"]),
    default="recording",
    show_default=True,
    help="Order in which runs were recorded, or in which they started.",
)


@click.command(cls=Command, name="list")
@selection_options
@order_option
@store_option
@output_format(*printed())
@screen_options
@loudness
def command(wanted: "Wanted", order: "Order", store: str | None, output: str, quiet: bool) -> None:
    """List the runs of the store, one row each, the latest last."""
    from benchbench.history.listing import listing
    from benchbench.history.store import open_history
    from benchbench.report.layouts.history_list import layout

    with open_history(store, write=False) as history:
        drawn = layout(listing(history, wanted, order, whole=output in DATA))
    echo(None, drawn, output)
    for sentence in () if quiet or drawn.shows_notes(output) else drawn.notes:
        click.echo(f"Note: {sentence}", err=True)
