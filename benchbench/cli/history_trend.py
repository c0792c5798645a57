"""`benchbench history trend`."""

from typing import Annotated

from benchbench.cli.history_options import By, Ordered, Runs, Store
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.signatures import described_command
from benchbench.report.draw import DATA
from benchbench.tables.numbers import COUNT
from benchbench.tables.settings import Opt


@described_command("trend")
def command(
    store: Store = None,
    *,
    wanted: Runs,
    measures: Annotated[
        tuple[str, ...],
        Opt(
            "Measures as gates name them: gold.nDCG@10, p50.",
            flags=("-m", "--measure"),
            default="what each task leads with, and latency",
        ),
    ] = (),
    by: By = None,
    order: Ordered = "recording",
    last: Annotated[int | None, Opt("Only the last so many runs, in that order.", COUNT, default="all")] = None,
    report: Annotated[
        Reporting,
        reporting(
            "low gold.nDCG@10<0.4", "change gold.nDCG@10<-0.02", "drift gold.nDCG@10<-0.001", name=None, record=False
        ),
    ],
) -> None:
    """Show how the measures of one name have moved from run to run: what changed and when, drift, alerts.

    Of several names, that of the newest run is shown; --name chooses. Changes of level and drift are looked for among
    runs that are comparable: same data, same rules; others are drawn apart.

    Gates see the latest value (nDCG@10), its change since the run before (change nDCG@10) and its slope (drift
    nDCG@10). To fail when something got worse by more than chance, use `benchbench history check`.
    """
    from benchbench.history.store import open_history
    from benchbench.history.trend.details import gate_names
    from benchbench.history.trend.run import trend

    whole = report.output in DATA or report.html is not None or report.out is not None
    with open_history(store, write=False) as history:
        found = trend(history, wanted, measures, by=by, order=order, last=last, whole=whole)
    gates = report.gates(gate_names(found.found))
    report.describe(found, gates)
    report.finish(found)
