"""Tools measured in turn."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace

import pytest
from cases import first_of

from benchbench.errors import BenchbenchError
from benchbench.profile import scoring_speed, tools
from benchbench.profile.peers import MEASURES
from benchbench.profile.scoring_speed import ScoringWorkload, ToolRow, measure
from benchbench.profile.tools import Tool, printed

WORKLOAD = ScoringWorkload(20, 10, 10)


def stand_in(name: str, code: str = "", mean: float = 0.5) -> Tool:
    """Return a tool that runs some code and prints the same value for every mean."""
    said = json.dumps({"means": dict.fromkeys(MEASURES, mean), "seconds": [0.25]})
    command = (sys.executable, "-c", f"{code}\nprint({said!r})")
    return Tool(name=name, package=name, version="1.0", command=command, means=printed, again=command)


def rows_of(compared: list[Tool], rounds: int = 1, **options: float) -> Sequence[ToolRow]:
    return measure(WORKLOAD, compared, rounds, **options).measured.tools


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """Keep what the process writes to its temporary folder where a test can look."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def unread(monkeypatch):
    """Write no workload, for tools that read none."""
    monkeypatch.setattr(scoring_speed, "_written", lambda workload, stem: ("qrels", "run"))


@pytest.mark.slow  # the tool is measured in processes of its own
def test_benchbench_itself_is_a_row_that_agrees_with_itself(temporary):
    profile = measure(WORKLOAD, [tools.ours()], rounds=1)
    (ours,) = profile.measured.tools
    assert (ours.tool, ours.failure, ours.agrees) == ("benchbench", None, True)
    assert ours.largest_difference <= 1e-12
    assert (profile.measured.workload.queries, profile.measured.workload.measures) == (20, MEASURES)
    assert list(temporary.iterdir()) == []


@pytest.mark.usefixtures("unread")
def test_each_tool_has_a_row_with_medians_ratios_and_the_figures_of_each_round(temporary):
    profile = measure(WORKLOAD, [stand_in("ours"), stand_in("other")], rounds=3)
    ours, other = profile.measured.tools
    assert (ours.whole_process_ratio, ours.second_evaluation_ratio, ours.peak_ratio) == (1.0, 1.0, 1.0)
    assert len(ours.rounds) == len(other.rounds) == profile.measured.rounds == 3
    assert other.second_evaluation_s == 0.25
    assert other.second_evaluation_ratio == 0.25 / ours.second_evaluation_s
    assert other.whole_process_ratio == other.whole_process_s / ours.whole_process_s
    assert sorted(one.whole_process_s for one in other.rounds)[1] == other.whole_process_s
    assert profile.measured.machine.versions["other"] == "1.0"
    assert list(temporary.iterdir()) == []


@pytest.mark.usefixtures("unread")
def test_the_record_has_every_option_by_the_name_that_the_command_has_for_it():
    settings = measure(WORKLOAD, [stand_in("ours"), stand_in("other")], 1, timeout=30.0).record.settings
    assert {name: one.value for name, one in settings.items()} == {
        "limit": 20,
        "depth": 10,
        "judged": 10,
        "seed": 7,
        "repeat": 1,
        "peers": ["other"],
        "timeout": 30.0,
    }


@pytest.mark.usefixtures("unread")
def test_means_that_are_not_ours_are_reported_and_no_error():
    rows = rows_of([stand_in("a"), stand_in("b", mean=0.5 + 9e-7), stand_in("c", mean=0.75)])
    assert [row.agrees for row in rows] == [True, True, False]
    just = replace(stand_in("just", mean=0.75), tolerance=0.25)
    assert rows_of([stand_in("ours"), just])[1].agrees
    assert rows[2].largest_difference == 0.25
    assert rows[2].whole_process_s > 0


@pytest.mark.usefixtures("unread")
def test_a_mean_that_is_no_number_does_not_agree():
    assert rows_of([stand_in("a"), stand_in("b", mean=float("nan"))])[1].agrees is False


@pytest.mark.parametrize(
    ("code", "reason"),
    first_of(
        ("raise RuntimeError('numba is too old')", "RuntimeError: numba is too old"),
        ("import os; os.kill(os.getpid(), 9)", "killed"),
        ("print('not JSON')", "not the means"),
        ("print('{\"means\": {}}'); raise SystemExit", "not the means"),
        ("import os, sys; '--again' in sys.argv and os.abort()", "SIGABRT"),
        first=2,
    ),
)
@pytest.mark.usefixtures("unread")
def test_a_peer_that_fails_is_a_row_with_its_reason_and_the_others_go_on(code, reason):
    ours, failed, other = rows_of([stand_in("ours"), stand_in("bad", code), stand_in("good")], 2)
    assert reason in failed.failure
    assert "\n" not in failed.failure
    assert (failed.whole_process_s, failed.second_evaluation_s, failed.agrees, failed.rounds) == (None, None, None, ())
    assert other.failure is ours.failure is None
    assert len(other.rounds) == 2


@pytest.mark.usefixtures("unread")
def test_a_tool_that_failed_is_not_tried_again(tmp_path):
    count = f"from pathlib import Path; Path({str(tmp_path / 'count')!r}).open('a').write('x'); raise SystemExit(1)"
    measure(WORKLOAD, [stand_in("ours"), stand_in("bad", count)], 3)
    assert (tmp_path / "count").read_text() == "x"


@pytest.mark.usefixtures("unread")
def test_a_tool_that_does_not_end_is_killed():
    forever = stand_in("forever", "import threading; threading.Event().wait()")
    assert rows_of([stand_in("ours"), forever], timeout=2.0)[1].failure == "still running after 2 s"


@pytest.mark.usefixtures("unread")
def test_where_we_fail_ourselves_the_peers_have_figures_and_no_ratios():
    ours, other = rows_of([stand_in("ours", "raise SystemExit('broken')"), stand_in("other")])
    assert ours.failure == "broken"
    assert other.whole_process_s > 0
    assert (other.whole_process_ratio, other.peak_ratio, other.agrees, other.largest_difference) == (None,) * 4


@pytest.mark.usefixtures("unread")
def test_a_tool_without_a_second_evaluation_has_none():
    _, other = rows_of([stand_in("ours"), replace(stand_in("other"), again=None)])
    assert other.agrees
    assert (other.second_evaluation_s, other.second_evaluation_ratio) == (None, None)


@pytest.mark.usefixtures("unread")
def test_tools_run_in_turn_and_progress_tells():
    steps: list[tuple[int, int, str]] = []
    measure(WORKLOAD, [stand_in("a"), stand_in("b")], 2, progress=lambda *step: steps.append(step))
    assert [doing for _, _, doing in steps] == ["workload", "a", "b", "a", "b", "a", "b", ""]
    assert [done for done, _, _ in steps] == [0, 0, 1, 2, 3, 4, 5, 6]
    assert {total for _, total, _ in steps} == {6}


@pytest.mark.slow  # processes
def test_a_workload_that_cannot_be_written_is_one_sentence(monkeypatch, temporary):
    monkeypatch.setattr(scoring_speed, "_SMALL", ScoringWorkload(-1, 0, 0))
    with pytest.raises(BenchbenchError, match="workload cannot be written") as error:
        measure(WORKLOAD, [stand_in("ours")], 1)
    assert "\n" not in str(error.value)
    assert list(temporary.iterdir()) == []


@pytest.mark.usefixtures("unread")
def test_an_interrupt_leaves_no_files(temporary):
    def interrupt(done: int, total: int, doing: str) -> None:
        if doing == "b":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure(WORKLOAD, [stand_in("a"), stand_in("b")], 1, progress=interrupt)
    assert list(temporary.iterdir()) == []


@pytest.mark.slow  # a process
def test_what_starts_the_children_imports_nothing_heavy():
    """Linux counts its memory as theirs."""
    code = "import sys, benchbench.cli.profile, benchbench.profile.scoring_speed; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "polars", "numba", "rich", "aiohttp"} & set(done.stdout.split())
