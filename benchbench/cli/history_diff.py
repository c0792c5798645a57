"""`benchbench history diff A B`."""

from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any

from benchbench.cli.history_options import Measures, Store
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.signatures import Argument, Fields, described_command
from benchbench.history.diff.settings import DiffSettings

if TYPE_CHECKING:
    from benchbench.history.diff.run import Stored


@described_command("diff")
def command(
    first: Annotated[str, Argument()],
    second: Annotated[str, Argument()],
    measures: Measures = (),
    *,
    settings: Annotated[dict[str, Any], Fields(DiffSettings)],
    store: Store = None,
    report: Annotated[
        Reporting, reporting("Δ nDCG@10 < -0.01 and p nDCG@10 < 0.05", out=None, name=None, record=False)
    ],
) -> None:
    """Say how run SECOND differs from run FIRST.

    Both values, the difference, its interval and p of each measure, and the queries that moved. Each of the two is a
    results folder, or a run of the store: a number (12 or #12), an id or its first 8 characters, a name (its latest
    run), or `latest`. Measures whose values per query are stored are tested as `benchbench compare` tests them, each by
    itself; of the others only the numbers are shown.
    """
    from functools import partial

    from benchbench.history.diff.run import diff
    from benchbench.results.gates import as_gates, parse_gate
    from benchbench.significance.settings import TESTS

    given = DiffSettings(measures=measures, **settings)
    with ExitStack() as stack:
        found = diff(_stored(first, store, stack), _stored(second, store, stack), given)
    report.describe(found, as_gates(report.fail_if, partial(parse_gate, tests=TESTS)))
    report.finish(found)


def _stored(selector: str, store: str | None, stack: ExitStack) -> "Stored":
    """Return a run of the store, or a results folder as one."""
    from pathlib import Path

    from benchbench.history.diff.run import Stored
    from benchbench.history.folders import folder_history
    from benchbench.history.store import open_history
    from benchbench.stored import load

    is_selector = selector.removeprefix("#").isdecimal() or selector == "latest"
    if not is_selector and Path(selector).is_dir():
        history, (entry,) = stack.enter_context(folder_history([(Path(selector), load(selector))]))
        return Stored(history, entry, str(Path(selector)))
    opened = stack.enter_context(open_history(store, write=False))
    entry = opened.one(selector)
    return Stored(opened, entry, f"#{entry.number}")
