"""`benchbench history export FILE.parquet`."""

from typing import Annotated

import click

from benchbench.cli.history_options import Runs, Store
from benchbench.cli.options import Force
from benchbench.cli.signatures import File, described_command
from benchbench.tables.settings import Opt


@described_command("export")
def command(
    file: File,
    values: Annotated[bool, Opt("Write the values per query, a row per run, query and measure.")] = False,
    *,
    wanted: Runs,
    store: Store = None,
    force: Force = False,
    quiet: bool,
) -> None:
    """Write runs of the store to one Parquet FILE.

    It has a row per run and number, with what is known of the run. The file appears when it is complete.
    """
    from benchbench.errors import InputError
    from benchbench.history.export import export_values, numbers_with_runs
    from benchbench.history.store import open_history
    from benchbench.prepare.files import together
    from benchbench.results.folder import write_parquet

    if file.suffix != ".parquet":
        raise InputError(f"{file} is written as Parquet; give it a name that ends in .parquet")
    missing: list[str] = []
    with open_history(store, write=False) as history, together(file.parent, [file.name], force, "name") as parts:
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
