"""Each tool in its own process: the twelve means, and they are ours."""

import json

import pytest

from benchbench.profile import peers, tools
from benchbench.profile.workload import write

PACKAGES = {"benchbench": "benchbench", "pytrec_eval": "pytrec_eval", "ir_measures": "ir_measures"}


@pytest.fixture
def files(tmp_path):
    qrels, run = tmp_path / "w.qrels", tmp_path / "w.run"
    write(20, 10, 10, 7, qrels, run)
    return str(qrels), str(run)


def told(capsys, *arguments):
    peers.main(*arguments)
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("tool", PACKAGES)
def test_a_tool_prints_the_twelve_means_that_we_find(capsys, files, tool):
    pytest.importorskip(PACKAGES[tool], reason=f"{tool} is not installed")
    ours, theirs = told(capsys, "benchbench", *files), told(capsys, tool, *files)
    assert set(theirs["means"]) == set(peers.MEASURES)
    assert theirs["means"] == pytest.approx(ours["means"], abs=1e-6)
    assert theirs["seconds"] == []


def test_again_times_further_evaluations_in_the_same_process(capsys, files):
    value = told(capsys, "benchbench", *files, "--again")
    assert len(value["seconds"]) >= 1
    assert all(seconds > 0 for seconds in value["seconds"])


def test_what_a_child_prints_is_read_back(capsys, files):
    peers.main("benchbench", *files)
    assert list(tools.printed(capsys.readouterr().out)) == list(peers.MEASURES)
