"""`benchbench history export FILE.parquet`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchbench.cli.history_options import selection_options, store_option
from benchbench.cli.options import force, loudness
from benchbench.cli.parameters import PATH
from benchbench.cli.project_file import Command

if TYPE_CHECKING:
    from benchbench.history.entry import Wanted


@click.command(cls=Command, name="export")
@click.argument("file", type=PATH)
@click.option("--values", is_flag=True, help="Write the values per query, a row per run, query and measure.")
@selection_options
@store_option
@force
@loudness
def command(file: Path, values: bool, wanted: "Wanted", store: str | None, force: bool, quiet: bool) -> None:
    """Write runs of the store to one Parquet FILE: a row per run and number, with what is known of the run.

    The file appears when it is complete.
    """
    from benchbench.errors import InputError
    from benchbench.history.export import export_values, numbers_with_runs
    from benchbench.history.store import open_history
    from benchbench.prepare.files import together
    from benchbench.results.folder import write_parquet

    if file.suffix != ".parquet":
        raise InputError(f"{file} is written as Parquet; give it a name that ends in .parquet")
    missing: list[str] = []
    with (
        open_history(store, write=False) as history,
        together(file.parent, [file.name], force, "name") as parts,
    ):
        found = history.entries(wanted)
        if values:
            rows, missing = export_values(history, found, parts[file.name])
        else:
            frame = numbers_with_runs(history, found)
            rows = frame.height
            write_parquet(frame, parts[file.name])
    if quiet:
        return
    for sentence in missing:
        click.echo(f"Note: {sentence}", err=True)
    click.echo(f"{rows:,} rows of {len(found):,} runs in {file}", err=True)
