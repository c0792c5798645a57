"""`benchbench history show|trend|diff`: one run, how runs of one name moved, and how two runs differ."""

from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any

from benchbench.cli.history_options import By, Measures, Ordered, Store
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.show import gates_of
from benchbench.cli.signatures import Argument, Fields, described_command
from benchbench.history.check_settings import DiffSettings
from benchbench.history.wanted import Wanted
from benchbench.report.draw import DATA
from benchbench.results.ranges import COUNT
from benchbench.results.settings import Opt

if TYPE_CHECKING:
    from benchbench.history.diff.diff_run import StoredRun


@described_command("show")
def show_command(
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


@described_command("trend")
def trend_command(
    store: Store = None,
    *,
    wanted: Wanted,
    measures: Annotated[
        tuple[str, ...],
        Opt(
            "Measures, such as gold.nDCG@10 or p50.",
            flags=("-m", "--measure"),
            default="what leads",
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

    Examples
    --------
    benchbench history trend  # how measures moved
    benchbench history trend --name nightly --html trend.html  # one name, as a page
    benchbench history trend -m nDCG@10  # one measure
    """
    from benchbench.history.store import open_history
    from benchbench.history.trend.trend_run import trend
    from benchbench.results.gates import as_gates

    whole = report.output in DATA or report.html is not None or report.out is not None
    with open_history(store, write=False) as history:
        shown = trend(history, wanted, measures, by=by, order=order, last=last, whole=whole)
    report.describe(shown, as_gates(report.fail_if))
    report.finish(shown)


@described_command("diff")
def diff_command(
    first: Annotated[str, Argument()],
    second: Annotated[str, Argument()],
    measures: Measures = (),
    *,
    settings: Annotated[dict[str, Any], Fields(DiffSettings)],
    store: Store = None,
    report: Annotated[Reporting, reporting("Δ nDCG@10<-0.01", out=None, name=None, record=False)],
) -> None:
    """Say how run SECOND differs from run FIRST.

    Both values, the difference, its interval and p of each measure, and the queries that moved. Each of the two is a
    results folder, or a run of the store: a number (12 or #12), an id or its first 8 characters, a name (its latest
    run), or `latest`. Measures whose values per query are stored are tested as `benchbench compare` tests them, each by
    itself; of the others only the numbers are shown.

    Examples
    --------
    benchbench history diff 25 26  # what changed between two runs
    benchbench history diff results/before results/after  # between two folders
    benchbench history diff 25 26 --changed nDCG@10  # every query that changed
    """
    from functools import partial

    from benchbench.history.diff.diff_run import diff
    from benchbench.results.gates import as_gates, parse_gate
    from benchbench.significance.comparison_settings import TESTS

    given = DiffSettings(measures=measures, **settings)
    with ExitStack() as stack:
        difference = diff(_stored(first, store, stack), _stored(second, store, stack), given)
    report.describe(difference, as_gates(report.fail_if, partial(parse_gate, tests=TESTS)))
    report.finish(difference)


def _stored(selector: str, store: str | None, stack: ExitStack) -> "StoredRun":
    """Return a run of the store, or a results folder as one."""
    from pathlib import Path

    from benchbench.history.diff.diff_run import StoredRun
    from benchbench.history.folders import folder_history
    from benchbench.history.store import open_history
    from benchbench.stored import load

    is_selector = selector.removeprefix("#").isdecimal() or selector == "latest"
    if not is_selector and Path(selector).is_dir():
        history, (entry,) = stack.enter_context(folder_history([(Path(selector), load(selector))]))
        return StoredRun(history, entry, str(Path(selector)))
    opened = stack.enter_context(open_history(store, write=False))
    entry = opened.one(selector)
    return StoredRun(opened, entry, f"#{entry.number}")
