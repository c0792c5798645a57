"""`benchbench history add FOLDER…`."""

from pathlib import Path

import click

from benchbench.cli.history_options import store_option
from benchbench.cli.options import loudness
from benchbench.cli.parameters import PATH
from benchbench.cli.project_file import Command
from benchbench.cli.recording import tag_option, tags_of


@click.command(cls=Command, name="add")
@click.argument("folders", type=PATH, nargs=-1, required=True, metavar="FOLDER…")
@click.option("--all", "within", is_flag=True, help="Add the results folders that lie in each FOLDER, at any depth.")
@tag_option
@store_option
@loudness
def command(folders: tuple[Path, ...], within: bool, tags: tuple[str, ...], store: str | None, quiet: bool) -> None:
    """Add results FOLDERs of any kind to the store, in the order in which they were measured.

    What is there already stays as it is. A folder that cannot be read is named, the others are added, and the exit code
    is 2.
    """
    from benchbench.errors import InputError
    from benchbench.history.folders import read_folders, results_within
    from benchbench.history.store import open_history

    given = tags_of(tags)
    places = [place for folder in folders for place in results_within(folder)] if within else list(folders)
    found, damaged = read_folders(places)
    count = {True: 0, False: 0}  # new, and there already
    if found:
        with open_history(store, create=True) as history:
            for place, result in found:
                try:
                    entry, is_new = history.add(result, tags=given, source=str(place.absolute()))
                except InputError as problem:
                    if not str(problem).startswith(str(place)):
                        raise  # it is the store's
                    damaged.append(problem)
                    continue
                count[is_new] += 1
                if not quiet:
                    click.echo(f"{'Added' if is_new else 'Already there'} as #{entry.number}: {place}", err=True)
            if not quiet:
                already = f", {count[False]:,} already there" if count[False] else ""
                click.echo(f"{count[True]:,} added to {history.place.shown}{already}", err=True)
    if damaged:
        others = f"; the other {sum(count.values()):,} are in the store" if sum(count.values()) else ""
        raise InputError("; ".join(map(str, damaged)) + others)
