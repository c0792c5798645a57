"""`benchbench history list|summary`: runs of the store, one row each."""

from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from benchbench.cli.files import check_place, write
from benchbench.cli.history_options import By, Measures, Ordered, Store
from benchbench.cli.parameters import long_name, on_the_line
from benchbench.cli.screen import echo
from benchbench.cli.screen import output as printed_as
from benchbench.cli.signatures import Argument, described_command
from benchbench.errors import InputError
from benchbench.history.wanted import Wanted
from benchbench.report.draw import DATA, printed, rendered
from benchbench.results.settings import Opt

if TYPE_CHECKING:
    from benchbench.report.layout import Layout


@described_command("list")
def list_command(
    wanted: Wanted,
    order: Ordered = "recording",
    store: Store = None,
    *,
    output: Annotated[str, printed_as(*printed())],
    quiet: bool,
) -> None:
    """List the runs of the store, one row each, the latest last.

    Examples
    --------
    benchbench history list  # every run
    benchbench history list --name nightly  # of one name
    benchbench history list --since 2026-11-23  # since a day
    """
    from benchbench.history.listing import listing
    from benchbench.history.store import open_history
    from benchbench.report.layouts.history_list import listing_layout

    with open_history(store, write=False) as history:
        drawn = listing_layout(listing(history, wanted, order, whole=output in DATA))
    _print(drawn, output, quiet)


@described_command("summary")
def summary_command(
    context: click.Context,
    folders: Annotated[tuple[Path, ...], Argument("[FOLDER…]")] = (),
    measures: Measures = (),
    by: By = None,
    *,
    wanted: Wanted,
    order: Ordered = "recording",
    store: Store = None,
    html: Annotated[Path | None, Opt("Write a page that opens offline.")] = None,
    output: Annotated[str, printed_as(*printed())],
    quiet: bool,
) -> None:
    """Show runs beside one another, and what changed.

    A row per run, a column per measure, the best bold, on a terminal marked by `*`. Without FOLDER the runs of the
    store that the options choose; with FOLDERs the results folders in them, without a store.

    Examples
    --------
    benchbench history summary  # the latest of each name
    benchbench history summary --name nightly  # of one name
    benchbench history summary results/before results/after  # of folders
    """
    from benchbench.history.store import open_history
    from benchbench.history.summary import stored_summary
    from benchbench.report.layouts.history_list import summary_layout

    check_place("html", html)
    if folders:
        of_stores = {"store", "order", *(field.name for field in fields(Wanted))}
        for param in context.command.params:
            if param.name in of_stores and on_the_line(context, param.name):
                given = long_name(param)
                raise InputError(f"{given} chooses runs of the store, and FOLDERs are without one; give either")
        shown = _of_folders(folders, measures, by)
    else:
        with open_history(store, write=False) as history:
            shown = stored_summary(history, wanted, order, measures, by, whole=output in DATA)
    drawn = summary_layout(shown)
    if html is not None:
        write("html", html, rendered(None, drawn, "html"))
    _print(drawn, output, quiet)


def _print(drawn: "Layout", output: str, quiet: bool) -> None:
    """Print rows of runs, and notes on standard error where the format has none."""
    echo(None, drawn, output)
    for sentence in () if quiet or drawn.shows_notes(output) else drawn.notes:
        click.echo(f"Note: {sentence}", err=True)


def _of_folders(folders: tuple[Path, ...], measures: tuple[str, ...], by: str | None) -> Any:
    from dataclasses import replace

    from benchbench.history.folders import as_entries, folder_history, read_folders, results_within
    from benchbench.history.summary import summary

    results, damaged = read_folders(place for folder in folders for place in results_within(folder))
    if not results:
        raise damaged[0]
    with ExitStack() as stack:
        entries, numbers = as_entries(results)
        values: Any = None
        if by is not None:
            history, entries = stack.enter_context(folder_history(results))
            numbers, values = history.rows(entries), history.values
        labels = {entry.number: str(place) for entry, (place, _) in zip(entries, results, strict=True)}
        shown = summary(entries, numbers, values, measures, by, labels)
    return replace(shown, notes=(*shown.notes, *(f"left out: {problem}" for problem in damaged)))
