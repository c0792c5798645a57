"""`benchbench history trend`."""

from typing import TYPE_CHECKING

import click

from benchbench.cli.history_list import order_option
from benchbench.cli.history_options import selection_options, store_option
from benchbench.cli.numbers import Number
from benchbench.cli.options import loudness
from benchbench.cli.parameters import Option
from benchbench.cli.project_file import Command
from benchbench.cli.reporting import Reporting, reporting
from benchbench.report.draw import DATA
from benchbench.tables.numbers import COUNT

if TYPE_CHECKING:
    from benchbench.history.entry import Wanted
    from benchbench.history.trend.details import Order


@click.command(cls=Command, name="trend")
@store_option
@selection_options
@click.option(
    "-m",
    "--measure",
    "measures",
    cls=Option,
    listed=True,
    help="Measures as gates name them: gold.nDCG@10, p50.  [default: what each task leads with, and latency]",
)
@click.option("--by", metavar="COLUMN", help="Break down by slices of this column of the queries, such as a category.")
@order_option
@click.option("--last", type=Number(COUNT), help="Only the last so many runs, in that order.  [default: all]")
@reporting("low gold.nDCG@10<0.4", "change gold.nDCG@10<-0.02", "drift gold.nDCG@10<-0.001", name=None, record=False)
@loudness
def command(
    store: str | None,
    wanted: "Wanted",
    measures: tuple[str, ...],
    by: str | None,
    order: "Order",
    last: int | None,
    report: Reporting,
) -> None:
    """Show how the measures of one name have moved from run to run: what changed and when, drift, alerts.

    Of several names, that of the newest run is shown; --name chooses. Changes of level and drift are looked for among
    runs that are comparable: same data, same rules; others are drawn apart.

    Gates see the latest value (nDCG@10), its change since the run before (change nDCG@10) and its slope (drift
    nDCG@10). To fail when something got worse by more than chance, use `benchbench history check`.
    """
    from benchbench.history.store import open_history
    from benchbench.history.trend.run import trend
    from benchbench.history.trend.trend_record import gate_names

    whole = report.output in DATA or report.html is not None or report.out is not None
    with open_history(store, write=False) as history:
        found = trend(history, wanted, measures, by=by, order=order, last=last, whole=whole)
    gates = report.gates(gate_names(found.found))
    report.describe(found, gates)
    report.finish(found)
