"""How long tests take: the slowest files of each run, and a first tier in which none takes longer than it may.

Files are listed by wall-clock time. A test is held to the seconds of a core that its set-up and its call take, those of
processes that have ended included: that is no clock, so that others on the machine decide little. Under load they take
more all the same, and a test is held to the limit only where the load average says that nothing but these tests runs,
and where BENCHBENCH_PACE=1 asks for it; otherwise the tests that take longer are listed.
"""

import os
from collections import defaultdict

import pytest

from benchbench.processes import usable_cores

SECONDS = 3.0  # of a core
FILES = 10
LONG = (  # files that begin, the longest of either tier first: a worker has all tests of a file
    "tests/report/layouts/test_compare_browser.py",
    "tests/docs/test_every_block_runs.py",
    "tests/test_golden.py",
    "tests/docs/test_site.py",
    "tests/test_main_job.py",
    "tests/test_action.py",
    "tests/cli/test_resume.py",
    "tests/test_pytest_plugin.py",
    "tests/audit/test_source.py",
    "tests/test_additions.py",
    "tests/answers/citations/test_grammars.py",
    "tests/history/test_check.py",
    "tests/cli/test_run_command.py",
    "tests/test_faults.py",
    "tests/test_experiment.py",
    "tests/answers/judges/test_attacks.py",
    "tests/loads/test_load_test.py",
    "tests/cli/test_profile_command.py",
    "tests/test_as_trec_eval.py",
    "tests/cli/test_answers_command.py",
    "tests/cli/test_protocol_command.py",
    "tests/cli/test_screen.py",
    "tests/profile/test_scoring_speed.py",
    "tests/answering/test_scoring.py",
    "tests/cli/test_imports.py",
    "tests/judging/test_relevance.py",
    "tests/cli/test_load_command.py",
    "tests/judging/test_killed.py",
    "tests/cli/test_main.py",
    "tests/client/test_two_paths.py",
    "tests/history/test_store.py",
    "tests/loads/test_blocks.py",
    "tests/report/layouts/test_compare_page.py",
    "tests/chat/test_chat_session.py",
    "tests/test_left_out.py",
    "tests/test_targets.py",
    "tests/formats/test_qrels_runs.py",
    "tests/runs/test_folder.py",
    "tests/loads/test_window.py",
    "tests/test_house.py",
)
IN_A_BROWSER = (  # files that open pages in one: a single worker starts it, and has them all
    "tests/report/layouts/test_audit_browser.py",
    "tests/report/layouts/test_cards_browser.py",
    "tests/report/layouts/test_compare_browser.py",
    "tests/report/layouts/test_compare_cail.py",
    "tests/report/layouts/test_evaluate_page.py",
    "tests/report/layouts/test_history_check_browser.py",
    "tests/report/layouts/test_history_pages_browser.py",
    "tests/report/layouts/test_history_trend_browser.py",
    "tests/report/layouts/test_load_browser.py",
    "tests/report/layouts/test_nuggets.py",
    "tests/report/layouts/test_run_browser.py",
    "tests/report/render/test_html.py",
    "tests/report/test_violations.py",
)
ALLOWED = {  # a test (or the beginning of its name) of the first tier that takes longer, and why
    "tests/test_pytest_plugin.py::test_each_number_its_bound_and_the_verdict_are_shown_and_recorded": "a pytest",
    "tests/test_house.py::test_imports_go_down_and_never_between_rooms_of_one_floor": "parses every module",
}


PROPERTY = "core_seconds"
_BEGAN = pytest.StashKey[float]()


def began(item: pytest.Item) -> None:
    """Keep the seconds of a core that this process had used before a test."""
    item.stash[_BEGAN] = _used()


def add_used(item: pytest.Item, report: pytest.TestReport) -> None:
    """Add to the report of a call, and to those after it, the seconds of a core that the test has used."""
    if report.when == "call" and _BEGAN in item.stash:
        used = (PROPERTY, _used() - item.stash[_BEGAN])
        item.user_properties.append(used)  # as `--junitxml` writes them once the test is over
        report.user_properties.append(used)


def _used() -> float:
    return sum(os.times()[:4])  # of this process and of those that it has waited for


class Pace:
    """Of a run of pytest: its slowest files, and its tests that take too long for the tier they are in."""

    def __init__(self, workers: int) -> None:
        """Take the number of processes that run tests at a time."""
        self.busy = workers + usable_cores()  # a test may start a browser, or a process
        self.seconds: dict[str, float] = defaultdict(float)
        self.late: list[tuple[float, str]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the time of a phase to its test, and hold it to the limit once it has been called."""
        self.seconds[report.nodeid] += report.duration
        if report.when == "call" and "slow" not in report.keywords and report.nodeid.startswith("tests/"):
            spent = next((seconds for name, seconds in report.user_properties if name == PROPERTY), 0.0)
            if spent > SECONDS and os.getloadavg()[0] <= self.busy and not _allowed(report.nodeid):
                self.late.append((spent, report.nodeid))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail a run that is right, and too slow."""
        if self.late and os.environ.get("BENCHBENCH_PACE") == "1" and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the slowest files, and what is too slow."""
        files: dict[str, float] = defaultdict(float)
        for name, spent in self.seconds.items():
            files[name.split("::")[0]] += spent
        slowest = sorted(files.items(), key=lambda one: one[1], reverse=True)[:FILES]
        if len(files) > FILES:
            terminalreporter.section(f"slowest files, of {sum(files.values()):,.0f} s")
            for name, spent in slowest:
                terminalreporter.line(f"{spent:7.1f} s  {name}")
        for spent, name in sorted(self.late, reverse=True):
            terminalreporter.line(
                f"{spent:7.1f} s  {name}: a test of the first tier has {SECONDS:g} s of a core; make it smaller, mark "
                "it `slow`, or say in tests/pace.py why it takes longer"
            )


def _allowed(name: str) -> bool:
    return any(name.startswith(one) for one in ALLOWED)
