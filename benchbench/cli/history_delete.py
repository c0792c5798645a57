"""`benchbench history delete RUN…`."""

import click

from benchbench.cli.history_options import store_option
from benchbench.cli.options import loudness
from benchbench.cli.project_file import Command


@click.command(cls=Command, name="delete")
@click.argument("runs", nargs=-1, required=True, metavar="RUN…")
@store_option
@loudness
def command(runs: tuple[str, ...], store: str | None, quiet: bool) -> None:
    """Delete RUNs from the store, with their values per query; nothing is asked.

    RUN is a number (12 or #12), or an id or its first 8 characters. When one of them is no run, nothing is deleted.
    Results folders stay.
    """
    from benchbench.errors import InputError, visible
    from benchbench.history.store import open_history

    with open_history(store) as history:
        found = {}
        for one in runs:
            entry = history.one(one)
            if not (one.strip().removeprefix("#").isdecimal() or entry.id.startswith(one.strip())):
                raise InputError(
                    f"{visible(one, 60)!r} is a name, or latest; delete takes numbers or ids, such as #{entry.number}"
                )
            found[entry.number] = entry
        deleted = history.delete(list(found.values()))
    if not quiet:
        for entry in found.values():
            click.echo(visible(f"Deleted #{entry.number}: {entry.name}, {entry.kind}, {entry.started}"), err=True)
        if deleted < len(found):
            click.echo(f"{len(found) - deleted} of them had been deleted meanwhile", err=True)
