"""`benchbench history show RUN`."""

import click

from benchbench.cli.history_options import store_option
from benchbench.cli.options import loudness
from benchbench.cli.project_file import Command
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.show import gates_of


@click.command(cls=Command, name="show")
@click.argument("run")
@store_option
@reporting("nDCG@10<0.4", out=None, name=None, record=False)
@loudness
def command(run: str, store: str | None, report: Reporting) -> None:
    """Show a stored RUN as its command did, in any format.

    RUN is a number (12 or #12), an id or its first 8 characters, a name (its latest run), or `latest`. Gates are
    checked against the stored numbers.
    """
    from benchbench.history.store import open_history
    from benchbench.report.draw import layout
    from benchbench.results.verdict import end

    with open_history(store, write=False) as history:
        result = history.result(history.one(run))
    gates = gates_of(result, report)
    report.show(result, layout(result))
    end(gates)
