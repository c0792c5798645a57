"""`benchbench history check`."""

from typing import Annotated, Any

import click

from benchbench.cli.history_options import Alerts, Runs, Store
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.signatures import Fields, described_command
from benchbench.errors import InputError
from benchbench.history.check.settings import CheckSettings
from benchbench.tables.settings import Opt


@described_command("check")
def command(
    wanted: Runs,
    measures: Annotated[
        tuple[str, ...],
        Opt(
            "Measures to judge, which share alpha; latency is the median of requests.",
            flags=("-m", "--measure"),
            default="the few that lead, p50 and p99",
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
    """
    from benchbench.history.check.run import check
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
