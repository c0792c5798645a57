"""`benchbench history check|accept`: is the latest run worse, and was that meant."""

import getpass
import os
from contextlib import suppress
from typing import Annotated, Any

import click

from benchbench.cli.history_options import Alerts, Store
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.screen import echo
from benchbench.cli.screen import output as printed_as
from benchbench.cli.signatures import Argument, Fields, described_command
from benchbench.errors import InputError
from benchbench.history.check_settings import CheckSettings
from benchbench.history.wanted import Wanted
from benchbench.report.draw import printed
from benchbench.results.settings import Opt


@described_command("check")
def check_command(
    wanted: Wanted,
    measures: Annotated[
        tuple[str, ...],
        Opt(
            "Measures to judge, which share alpha.",
            flags=("-m", "--measure"),
            default="what leads",
            metavar="MEASURE,…",
        ),
    ] = (),
    *,
    settings: Annotated[dict[str, Any], Fields(CheckSettings)],
    alerts: Alerts,
    store: Store = None,
    report: Annotated[Reporting, reporting("Δ nDCG@10<-0.02", judges=True, name=None, record=False)],
) -> None:
    """Hold the latest run against the mean per query of runs before it, and fail when it is shown to be worse.

    The options that choose runs choose the series: that of the newest such run, of which all runs count. The reference
    are its first ten runs since the last accepted change (`benchbench history accept`); quiet runs join them, up to
    thirty, until the first alarm. The first check that sees the ten keeps them. Exit codes: 0 nothing is worse, 1
    something is, 2 bad input, 4 the latest run failed.

    Examples
    --------
    benchbench history check  # is the latest run worse?
    benchbench history check --name nightly  # of one name
    benchbench history check --alert stderr  # tell somebody
    """
    from benchbench.history.check.check_run import check
    from benchbench.history.store import open_history
    from benchbench.results.gates import parse_gate

    if settings["run"] is not None and settings["every"]:
        raise InputError("--run names one run and --all checks every series; give either")
    conditions = tuple(parse_gate(text) for text in report.fail_if)
    given = CheckSettings(**settings, alerts=alerts, conditions=conditions)
    with open_history(store) as history:
        outcome = check(history, wanted, measures, given)
    for sentence in outcome.undelivered:
        click.echo(sentence, err=True)
    report.describe(outcome)
    report.finish(outcome)


@described_command("accept")
def accept_command(
    run: Annotated[str | None, Argument()] = None,
    reason: Annotated[str | None, Opt("What changed, and why that was meant.", metavar="TEXT")] = None,
    accepted_by: Annotated[
        str | None, Opt("Who accepts it.", default="$GITHUB_ACTOR, or the user's name", metavar="NAME")
    ] = None,
    listed: Annotated[bool, Opt("List the changes that were accepted.", flags=("--list",))] = False,
    undo: Annotated[bool, Opt("Take the latest one of the series back.")] = False,
    *,
    wanted: Wanted,
    told: Alerts,
    store: Store = None,
    output: Annotated[str, printed_as(*printed())],
) -> None:
    """Accept a change that was meant: a new reference is made of the ten runs from RUN on, with a new budget of alpha.

    RUN is a number, an id, `latest` or a name. Without it, it is the run with which the open alert of the series began,
    or where none is open the latest run. Open alerts of the series end. Until ten runs are there, `history check`
    answers that there is too little data.

    Examples
    --------
    benchbench history accept  # the change of the open alert was meant
    benchbench history accept 26  # from this run on
    benchbench history accept latest --name nightly  # of one name
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
            by_key = {series.key: series for series in history.series(wanted)}
            changes = [change for change in accepted(history, keys) if change.series in by_key]
            drawn = history_accept.listing(changes, by_key)
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
