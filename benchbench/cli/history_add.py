"""`benchbench history add FOLDER…`."""

from pathlib import Path
from typing import Annotated

import click

from benchbench.cli.history_options import Store
from benchbench.cli.recording import Tags, tags_of
from benchbench.cli.signatures import Argument, described_command
from benchbench.tables.settings import Opt


@described_command("add")
def command(
    folders: Annotated[tuple[Path, ...], Argument("FOLDER…")],
    within: Annotated[
        bool, Opt("Add the results folders that lie in each FOLDER, at any depth.", flags=("--all",))
    ] = False,
    tags: Tags = (),
    store: Store = None,
    *,
    quiet: bool,
) -> None:
    """Add results FOLDERs of any kind to the store.

    They are added in the order in which they were measured. What is there already stays as it is. A folder that cannot
    be read is named, the others are added, and the exit code is 2.
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
