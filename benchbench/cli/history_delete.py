"""`benchbench history delete RUN…`."""

from typing import Annotated

import click

from benchbench.cli.history_options import Store
from benchbench.cli.signatures import Argument, described_command


@described_command("delete")
def command(runs: Annotated[tuple[str, ...], Argument("RUN…")], store: Store = None, *, quiet: bool) -> None:
    """Delete RUNs from the store.

    Their values per query go too, and nothing is asked. RUN is a number (12 or #12), or an id or its first 8
    characters. When one of them is no run, nothing is deleted. Results folders stay.
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
