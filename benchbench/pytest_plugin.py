"""The pytest plugin: measurements in tests.

It gives tests the fixture `benchbench`, the marker of the same name to those that use it, and a section at the end that
shows each number that was asserted about, its bound and the verdict. Nothing of benchbench is imported before a test
uses the fixture.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

if TYPE_CHECKING:
    from benchbench.experiment import Outcome
    from benchbench.measures.scores import Scores
    from benchbench.results.result import Result
    from benchbench.tables.qrels_runs import QrelsTable, RunTable

_PROPERTY = "benchbench "  # begins the names of properties of a test, in JUnit as well
_Result = TypeVar("_Result", bound="Result")


class Benchbench:
    """What a test measures with; results that it returns have `assert_at_least` and `assert_at_most`."""

    def __init__(self) -> None:
        """Begin with no results."""
        self.results: list[Result] = []

    def run(self, dataset: Any, url: str | None = None, **settings: Any) -> "Outcome":
        """Measure a service, or without `url` the embedded retriever; the settings are those of `benchbench.Settings`.

        Raises
        ------
        BenchbenchError
            As `benchbench.run`.
        """
        __tracebackhide__ = True
        import benchbench as bb

        given = settings if url is None else {"url": url, **settings}
        try:
            return self._kept(bb.run(bb.Settings(dataset, **given)))
        except bb.BenchbenchError as error:
            raise error.with_traceback(None) from None

    def score(
        self, qrels: "str | Path | QrelsTable", run: "str | Path | RunTable", measures: Any, **options: Any
    ) -> "Scores":
        """Score a run, or a run file, against judgments, or a file of them; options are those of `benchbench.evaluate`.

        Raises
        ------
        InputError
            As `benchbench.evaluate`, or when a file cannot be read.
        """
        __tracebackhide__ = True
        import benchbench as bb

        try:
            judgments = bb.Qrels.from_file(qrels) if isinstance(qrels, str | Path) else qrels
            ranked = bb.Run.from_file(run) if isinstance(run, str | Path) else run
            return self._kept(bb.evaluate(judgments, ranked, measures, **options))
        except bb.BenchbenchError as error:
            raise error.with_traceback(None) from None

    def load(self, folder: str | Path) -> "Result":
        """Return the result that a folder holds; InputError as from `benchbench.load`."""
        __tracebackhide__ = True
        import benchbench as bb

        try:
            return self._kept(bb.load(folder))
        except bb.BenchbenchError as error:
            raise error.with_traceback(None) from None

    def _kept(self, result: _Result) -> _Result:
        self.results.append(result)
        return result


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("benchbench")
    group.addoption(
        "--benchbench-record", action="store_true", help="Record what tests measure in the store of benchbench history."
    )
    group.addoption(
        "--benchbench-store",
        metavar="STORE",
        help="The store: a file, or a URL of PostgreSQL.  [default: as benchbench history has it]",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker; a store without anything to record is a slip."""
    config.addinivalue_line("markers", "benchbench: the test uses the fixture benchbench; set by its plugin")
    if config.getoption("--benchbench-store") is not None and not config.getoption("--benchbench-record"):
        raise pytest.UsageError("--benchbench-store says where --benchbench-record records; give both")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests that use the fixture, so that `-m "not benchbench"` leaves them out."""
    if "benchbench" in getattr(item, "fixturenames", ()):
        item.add_marker("benchbench")


@pytest.fixture(name="benchbench")
def _benchbench(request: pytest.FixtureRequest) -> Iterator[Benchbench]:
    """Measure retrieval in a test: `benchbench.run`, `.score`, `.load`; their results have `assert_at_least`."""
    measured = Benchbench()
    yield measured
    for result in measured.results:
        for assertion in result.asserted:
            line = f"{'passed' if assertion.passed else 'failed'}: {assertion.sentence}"
            # JUnit has them, and xdist sends them
            request.node.user_properties.append((_PROPERTY + assertion.name, line))
    if measured.results and request.config.getoption("--benchbench-record"):
        _record(measured.results, request.node.nodeid, request.config.getoption("--benchbench-store"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show each number that was asserted about, by test."""
    shown: dict[str, list[str]] = {}
    for report in chain.from_iterable(terminalreporter.stats.values()):
        if isinstance(report, pytest.TestReport) and report.when == "teardown":
            lines = [str(text) for name, text in report.user_properties if str(name).startswith(_PROPERTY)]
            shown.setdefault(report.nodeid, []).extend(lines)
    if not any(shown.values()):
        return
    terminalreporter.section("benchbench")
    for test, lines in sorted(shown.items()):
        if lines:
            terminalreporter.write_line(test)
        for line in lines:
            terminalreporter.write_line(f"  {line}", red=line.startswith("failed"))


def _record(results: "Sequence[Result]", test: str, address: str | None) -> None:
    """Add results to the store, named and tagged after their test; the error of a store is that of the test."""
    from benchbench.errors import BenchbenchError
    from benchbench.history.git import git_tags
    from benchbench.history.store import open_history
    from benchbench.results.reading import Loaded

    __tracebackhide__ = True
    tags = git_tags()
    try:
        with open_history(address, create=True) as history:
            for result in results:
                if not isinstance(result, Loaded):
                    result.describe(name=test)
                history.add(result, tags={**tags, "test": test})
    except BenchbenchError as error:
        pytest.fail(f"benchbench: {error}", pytrace=False)
