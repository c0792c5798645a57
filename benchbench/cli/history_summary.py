"""`benchbench history summary [FOLDER…]`."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbench.cli.history_list import order_option
from benchbench.cli.history_options import selection_options, store_option
from benchbench.cli.options import loudness, output_format
from benchbench.cli.parameters import PATH, Option, on_the_line
from benchbench.cli.project_file import Command
from benchbench.cli.screen import echo, screen_options
from benchbench.report.draw import DATA, printed

if TYPE_CHECKING:
    from benchbench.history.entry import Wanted
    from benchbench.history.listing import Order

_OF_STORES = ("run_name", "kind", "data", "tag", "commit", "since", "until", "signature", "limit", "store", "order")

measure_option = click.option(
    "-m",
    "--measure",
    "measures",
    cls=Option,
    listed=True,
    metavar="MEASURE,…",
    help="Measures as gates name them, such as nDCG@10 or p99; all: every one.  [default: the first ones]",
)


@click.command(cls=Command, name="summary")
@click.argument("folders", type=PATH, nargs=-1, metavar="[FOLDER…]")
@measure_option
@click.option("--by", metavar="COLUMN", help="Break down by slices of this column of the queries, such as a category.")
@selection_options
@order_option
@store_option
@output_format(*printed())
@screen_options
@loudness
@click.pass_context
def command(
    context: click.Context,
    folders: tuple[Path, ...],
    measures: tuple[str, ...],
    by: str | None,
    wanted: "Wanted",
    order: "Order",
    store: str | None,
    output: str,
    quiet: bool,
) -> None:
    """Show runs beside one another, and what changed.

    A row per run, a column per measure, the best bold, on a terminal marked by `*`. Without FOLDER the runs of the
    store that the options choose; with FOLDERs the results folders in them, without a store.
    """
    from benchbench.errors import InputError
    from benchbench.history.store import open_history
    from benchbench.history.summary import stored_summary
    from benchbench.report.layouts.history_summary import layout

    if folders:
        for name in _OF_STORES:
            if on_the_line(context, name):
                option = "--name" if name == "run_name" else f"--{name}"
                raise InputError(f"{option} chooses runs of the store, and FOLDERs are without one; give either")
        found = _of_folders(folders, measures, by)
    else:
        with open_history(store, write=False) as history:
            found = stored_summary(history, wanted, order, measures, by, whole=output in DATA)
    drawn = layout(found)
    echo(None, drawn, output)
    for sentence in () if quiet or drawn.shows_notes(output) else drawn.notes:
        click.echo(f"Note: {sentence}", err=True)


def _of_folders(folders: tuple[Path, ...], measures: tuple[str, ...], by: str | None) -> Any:
    from dataclasses import replace

    from benchbench.history.folders import as_entries, folder_history, read_folders, results_within
    from benchbench.history.numbers import StoredNumber
    from benchbench.history.summary import summary

    found, damaged = read_folders(place for folder in folders for place in results_within(folder))
    if not found:
        raise damaged[0]
    with ExitStack() as stack:
        entries, numbers = as_entries(found)
        values: Any = None
        if by is not None:
            history, entries = stack.enter_context(folder_history(found))
            numbers, values = [StoredNumber(*row) for row in history.rows(entries)], history.values
        labels = {entry.number: str(place) for entry, (place, _) in zip(entries, found, strict=True)}
        shown = summary(entries, numbers, values, measures, by, labels)
    return replace(shown, notes=(*shown.notes, *(f"left out: {problem}" for problem in damaged)))
