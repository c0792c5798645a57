"""`benchbench history check`."""

from typing import TYPE_CHECKING, Any

import click

from benchbench.cli.history_options import alert_options, selection_options, store_option
from benchbench.cli.options import loudness
from benchbench.cli.parameters import Option
from benchbench.cli.project_file import Command
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.settings_options import settings_options
from benchbench.errors import InputError
from benchbench.history.check.settings import CheckSettings

if TYPE_CHECKING:
    from benchbench.history.entry import Wanted


@click.command(cls=Command, name="check")
@selection_options
@click.option(
    "-m",
    "--measure",
    "measures",
    cls=Option,
    listed=True,
    metavar="MEASURE,…",
    help="Measures to judge, which share alpha; latency is the median of requests.  [default: the few that lead, p50 "
    "and p99]",
)
@settings_options(CheckSettings)
@alert_options
@store_option
@reporting("Δ nDCG@10<-0.02", judges=True, name=None, record=False)
@loudness
def command(
    wanted: "Wanted",
    measures: tuple[str, ...],
    settings: dict[str, Any],
    alerts: tuple[str, ...],
    alert_token_env: str | None,
    store: str | None,
    report: Reporting,
) -> None:
    """Hold the latest run against the mean per query of runs before it, and fail when it is shown to be worse.

    The options that choose runs choose the series: that of the newest such run, of which all runs count. The reference
    are its first ten runs since the last accepted change (`benchbench history accept`); quiet runs join them, up to
    thirty, until the first alarm. The first check that sees the ten keeps them. Exit codes: 0 nothing is worse, 1
    something is, 2 bad input, 4 the latest run failed.
    """
    from benchbench.history.alerts.targets import read_targets
    from benchbench.history.check.run import check
    from benchbench.history.store import open_history
    from benchbench.results.gates import parse_gate

    if settings["run"] is not None and settings["every"]:
        raise InputError("--run names one run and --all checks every series; give either")
    targets = tuple(read_targets(alerts, alert_token_env))
    conditions = tuple(parse_gate(text) for text in report.fail_if)
    given = CheckSettings(**settings, alerts=targets, conditions=conditions)
    with open_history(store) as history:
        outcome = check(history, wanted, measures, given)
    for sentence in outcome.undelivered:
        click.echo(sentence, err=True)
    report.describe(outcome)
    report.finish(outcome)
