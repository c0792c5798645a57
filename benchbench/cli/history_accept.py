"""`benchbench history accept`."""

import getpass
import os
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from benchbench.cli.history_options import alert_options, selection_options, store_option
from benchbench.cli.options import loudness, output_format
from benchbench.cli.project_file import Command
from benchbench.cli.screen import echo, screen_options
from benchbench.errors import InputError
from benchbench.report.draw import printed

if TYPE_CHECKING:
    from benchbench.history.entry import Wanted


@click.command(cls=Command, name="accept")
@click.argument("run", required=False)
@click.option("--reason", metavar="TEXT", help="What changed, and why that was meant.")
@click.option("--accepted-by", metavar="NAME", help="Who accepts it.  [default: $GITHUB_ACTOR, or the user's name]")
@click.option("--list", "listed", is_flag=True, help="List the changes that were accepted.")
@click.option("--undo", is_flag=True, help="Take the latest one of the series back.")
@selection_options
@alert_options
@store_option
@output_format(*printed())
@screen_options
@loudness
def command(
    run: str | None,
    reason: str | None,
    accepted_by: str | None,
    listed: bool,
    undo: bool,
    wanted: "Wanted",
    alerts: tuple[str, ...],
    alert_token_env: str | None,
    store: str | None,
    output: str,
    quiet: bool,
) -> None:
    """Accept a change that was meant: a new reference is made of the ten runs from RUN on, with a new budget of alpha.

    RUN is a number, an id, `latest` or a name. Without it, it is the run with which the open alert of the series began,
    or where none is open the latest run. Open alerts of the series end. Until ten runs are there, `history check`
    answers that there is too little data.
    """
    from benchbench.history.alerts.targets import read_targets
    from benchbench.history.check import accepting
    from benchbench.history.check.accepted import accepted
    from benchbench.history.store import open_history
    from benchbench.report.layouts import history_accept

    if listed and undo:
        raise InputError("--list shows the accepted changes, and --undo takes one back; give either")
    if (listed or undo) and reason is not None:
        raise InputError(f"--reason is of a change that is accepted, and not of {'--list' if listed else '--undo'}")
    if not listed and not undo and reason is None:
        raise InputError("--reason TEXT is missing: it says what changed, for those who look at the history later")
    told = read_targets(alerts, alert_token_env)
    with open_history(store, write=not listed) as history:
        if listed:
            keys = None if run is None else [history.one(run).series]
            series = {one.key: one for one in history.series(wanted)}
            found = [one for one in accepted(history, keys) if one.series in series]
            drawn = history_accept.listing(found, series)
        elif undo:
            drawn = history_accept.undone(accepting.undo(history, run, wanted))
        else:
            who = accepted_by if accepted_by is not None else _user()
            drawn = history_accept.accepted(accepting.accept(history, run, reason or "", who, wanted, told))
    echo(None, drawn, output)


def _user() -> str:
    """Return who works here."""
    if os.environ.get("GITHUB_ACTOR"):
        return os.environ["GITHUB_ACTOR"]
    with suppress(OSError, KeyError, ImportError):
        return getpass.getuser()
    return ""
