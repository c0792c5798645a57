"""`benchbench history accept`."""

import getpass
import os
from contextlib import suppress
from typing import Annotated

from benchbench.cli.history_options import Alerts, Runs, Store
from benchbench.cli.screen import echo
from benchbench.cli.screen import output as printed_as
from benchbench.cli.signatures import Argument, described_command
from benchbench.errors import InputError
from benchbench.report.draw import printed
from benchbench.tables.settings import Opt


@described_command("accept")
def command(
    run: Annotated[str | None, Argument()] = None,
    reason: Annotated[str | None, Opt("What changed, and why that was meant.", metavar="TEXT")] = None,
    accepted_by: Annotated[
        str | None, Opt("Who accepts it.", default="$GITHUB_ACTOR, or the user's name", metavar="NAME")
    ] = None,
    listed: Annotated[bool, Opt("List the changes that were accepted.", flags=("--list",))] = False,
    undo: Annotated[bool, Opt("Take the latest one of the series back.")] = False,
    *,
    wanted: Runs,
    told: Alerts,
    store: Store = None,
    output: Annotated[str, printed_as(*printed())],
) -> None:
    """Accept a change that was meant: a new reference is made of the ten runs from RUN on, with a new budget of alpha.

    RUN is a number, an id, `latest` or a name. Without it, it is the run with which the open alert of the series began,
    or where none is open the latest run. Open alerts of the series end. Until ten runs are there, `history check`
    answers that there is too little data.
    """
    from benchbench.history.alerts.rows import accepted
    from benchbench.history.check import accepting
    from benchbench.history.store import open_history
    from benchbench.report.layouts import history_accept

    if listed and undo:
        raise InputError("--list shows the accepted changes, and --undo takes one back; give either")
    if (listed or undo) and reason is not None:
        raise InputError(f"--reason is of a change that is accepted, and not of {'--list' if listed else '--undo'}")
    if not listed and not undo and reason is None:
        raise InputError("--reason TEXT is missing: it says what changed, for those who look at the history later")
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
