"""`benchbench history add|delete|export`: what goes into the store, and out of it."""

from pathlib import Path
from typing import Annotated

import click

from benchbench.cli.history_options import Store
from benchbench.cli.options import Force
from benchbench.cli.recording import Tags, tags_of
from benchbench.cli.signatures import Argument, File, described_command
from benchbench.errors import InputError, visible
from benchbench.history.wanted import Wanted
from benchbench.results.settings import Opt


@described_command("add")
def add_command(
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
    from benchbench.history.folders import read_folders, results_within
    from benchbench.history.store import open_history

    given = tags_of(tags)
    places = [place for folder in folders for place in results_within(folder)] if within else list(folders)
    results, damaged = read_folders(places)
    count = {True: 0, False: 0}  # new, and there already
    if results:
        with open_history(store, create=True) as history:
            for place, result in results:
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


@described_command("delete")
def delete_command(runs: Annotated[tuple[str, ...], Argument("RUN…")], store: Store = None, *, quiet: bool) -> None:
    """Delete RUNs from the store.

    Their values per query go too, and nothing is asked. RUN is a number (12 or #12), or an id or its first 8
    characters. When one of them does not exist, nothing is deleted. Results folders stay.
    """
    from benchbench.history.store import open_history

    with open_history(store) as history:
        entries = {}
        for selector in runs:
            entry = history.one(selector)
            if not (selector.strip().removeprefix("#").isdecimal() or entry.id.startswith(selector.strip())):
                shown = visible(selector, 60)
                raise InputError(
                    f"{shown!r} is a name, or latest; delete takes numbers or ids, such as #{entry.number}"
                )
            entries[entry.number] = entry
        deleted = history.delete(list(entries.values()))
    if not quiet:
        for entry in entries.values():
            click.echo(visible(f"Deleted #{entry.number}: {entry.name}, {entry.kind}, {entry.started}"), err=True)
        if deleted < len(entries):
            click.echo(f"{len(entries) - deleted} of them had been deleted meanwhile", err=True)


@described_command("export")
def export_command(
    file: File,
    values: Annotated[bool, Opt("Write the values per query.")] = False,
    *,
    wanted: Wanted,
    store: Store = None,
    force: Force = False,
    quiet: bool,
) -> None:
    """Write runs of the store to one Parquet FILE.

    It has a row per run and number, with what is known of the run. The file appears when it is complete.

    Examples
    --------
    benchbench history export history.jsonl  # all runs
    benchbench history export history.csv --values  # the values per query
    benchbench history export history.jsonl --name nightly  # of one name
    """
    from benchbench.history.export import export_values, numbers_with_runs
    from benchbench.history.store import open_history
    from benchbench.prepare.files import together
    from benchbench.results.folder import write_parquet

    if file.suffix != ".parquet":
        raise InputError(f"{file} is written as Parquet; give it a name that ends in .parquet")
    missing: list[str] = []
    with open_history(store, write=False) as history, together(file.parent, [file.name], force, "name") as parts:
        entries = history.entries(wanted)
        if values:
            rows, missing = export_values(history, entries, parts[file.name])
        else:
            frame = numbers_with_runs(history, entries)
            rows = frame.height
            write_parquet(frame, parts[file.name])
    if quiet:
        return
    for sentence in missing:
        click.echo(f"Note: {sentence}", err=True)
    click.echo(f"{rows:,} rows of {len(entries):,} runs in {file}", err=True)
