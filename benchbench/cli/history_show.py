"""`benchbench history show RUN`."""

from typing import Annotated

from benchbench.cli.history_options import Store
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.show import gates_of
from benchbench.cli.signatures import Argument, described_command


@described_command("show")
def command(
    run: Annotated[str, Argument()],
    store: Store = None,
    *,
    report: Annotated[Reporting, reporting("nDCG@10<0.4", out=None, name=None, record=False)],
) -> None:
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
