"""`benchbench history summary [FOLDER…]`."""

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import click

from benchbench.cli.history_options import By, Measures, Ordered, Runs, Store
from benchbench.cli.parameters import on_the_line
from benchbench.cli.screen import echo
from benchbench.cli.screen import output as printed_as
from benchbench.cli.signatures import Argument, described_command
from benchbench.report.draw import DATA, printed

_OF_STORES = ("run_name", "kind", "data", "tag", "commit", "since", "until", "signature", "limit", "store", "order")


@described_command("summary")
def command(
    context: click.Context,
    folders: Annotated[tuple[Path, ...], Argument("[FOLDER…]")] = (),
    measures: Measures = (),
    by: By = None,
    *,
    wanted: Runs,
    order: Ordered = "recording",
    store: Store = None,
    output: Annotated[str, printed_as(*printed())],
    quiet: bool,
) -> None:
    """Show runs beside one another, and what changed.

    A row per run, a column per measure, the best bold, on a terminal marked by `*`. Without FOLDER the runs of the
    store that the options choose; with FOLDERs the results folders in them, without a store.
    """
    from benchbench.errors import InputError
    from benchbench.history.store import open_history
    from benchbench.history.summary import stored_summary
    from benchbench.report.layouts.history_list import summary_layout

    if folders:
        for name in _OF_STORES:
            if on_the_line(context, name):
                option = "--name" if name == "run_name" else f"--{name}"
                raise InputError(f"{option} chooses runs of the store, and FOLDERs are without one; give either")
        found = _of_folders(folders, measures, by)
    else:
        with open_history(store, write=False) as history:
            found = stored_summary(history, wanted, order, measures, by, whole=output in DATA)
    drawn = summary_layout(found)
    echo(None, drawn, output)
    for sentence in () if quiet or drawn.shows_notes(output) else drawn.notes:
        click.echo(f"Note: {sentence}", err=True)


def _of_folders(folders: tuple[Path, ...], measures: tuple[str, ...], by: str | None) -> Any:
    from dataclasses import replace

    from benchbench.history.folders import as_entries, folder_history, read_folders, results_within
    from benchbench.history.summary import summary

    found, damaged = read_folders(place for folder in folders for place in results_within(folder))
    if not found:
        raise damaged[0]
    with ExitStack() as stack:
        entries, numbers = as_entries(found)
        values: Any = None
        if by is not None:
            history, entries = stack.enter_context(folder_history(found))
            numbers, values = history.rows(entries), history.values
        labels = {entry.number: str(place) for entry, (place, _) in zip(entries, found, strict=True)}
        shown = summary(entries, numbers, values, measures, by, labels)
    return replace(shown, notes=(*shown.notes, *(f"left out: {problem}" for problem in damaged)))
