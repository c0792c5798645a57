"""`benchbench history list`."""

from typing import Annotated

import click

from benchbench.cli.history_options import Ordered, Runs, Store
from benchbench.cli.screen import echo
from benchbench.cli.screen import output as printed_as
from benchbench.cli.signatures import described_command
from benchbench.report.draw import DATA, printed


@described_command("list")
def command(
    wanted: Runs,
    order: Ordered = "recording",
    store: Store = None,
    *,
    output: Annotated[str, printed_as(*printed())],
    quiet: bool,
) -> None:
    """List the runs of the store, one row each, the latest last."""
    from benchbench.history.listing import listing
    from benchbench.history.store import open_history
    from benchbench.report.layouts.history_list import listing_layout

    with open_history(store, write=False) as history:
        drawn = listing_layout(listing(history, wanted, order, whole=output in DATA))
    echo(None, drawn, output)
    for sentence in () if quiet or drawn.shows_notes(output) else drawn.notes:
        click.echo(f"Note: {sentence}", err=True)
