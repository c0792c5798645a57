"""`benchbench history check`."""

from typing import TYPE_CHECKING

import click

from benchbench.cli.common import cluster, seed
from benchbench.cli.history_options import alert_options, selection_options, store_option
from benchbench.cli.numbers import Number
from benchbench.cli.options import loudness
from benchbench.cli.parameters import Option
from benchbench.cli.project_file import Command
from benchbench.cli.reporting import Reporting, reporting
from benchbench.errors import InputError
from benchbench.tables.numbers import ALPHA, COUNT, DIFFERENCE

if TYPE_CHECKING:
    from benchbench.history.entry import Wanted


@click.command(cls=Command, name="check")
@selection_options
@click.option(
    "--run", metavar="RUN", help="The run to judge: its number or id. Later runs do not count.  [default: the latest]"
)
@click.option("--all", "every", is_flag=True, help="Check every series, and not only that of the newest run.")
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
@click.option(
    "--alpha",
    type=Number(ALPHA),
    default=0.05,
    show_default=True,
    help="Chance of any false alarm over all planned runs.",
)
@click.option(
    "--planned-runs",
    "planned",
    type=Number(COUNT),
    default=60,
    show_default=True,
    help="Runs that alpha is spent over, from the reference on.",
)
@click.option(
    "--margin",
    type=Number(DIFFERENCE),
    help="Least difference that matters: say whether a measure is not worse by more; of latency a share, as 0.1.",
)
@cluster
@seed(0)
@alert_options
@store_option
@reporting("Δ nDCG@10<-0.02", judges=True, name=None, record=False)
@loudness
def command(
    wanted: "Wanted",
    run: str | None,
    every: bool,
    measures: tuple[str, ...],
    alpha: float,
    planned: int,
    margin: float | None,
    cluster: str | None,
    seed: int,
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
    from benchbench.history.check.settings import CheckSettings
    from benchbench.history.store import open_history
    from benchbench.results.gates import parse_gate

    gates = [parse_gate(text) for text in report.fail_if]
    if run is not None and every:
        raise InputError("--run names one run and --all checks every series; give either")
    settings = CheckSettings(
        alpha, planned, margin, cluster, seed, every, tuple(read_targets(alerts, alert_token_env)), run, tuple(gates)
    )
    with open_history(store) as history:
        outcome = check(history, wanted, measures, settings)
    for sentence in outcome.undelivered:
        click.echo(sentence, err=True)
    report.describe(outcome)
    report.finish(outcome)
