"""Which tools there are to measure."""

import os
from itertools import pairwise

import pytest

from benchbench.errors import InputError
from benchbench.processes import python
from benchbench.profile import tools
from benchbench.profile.peers import MEASURES

LISTED = [
    *(f"{name}_{k}" for name in ("P", "recall", "success") for k in (3, 5, 10)),
    "ndcg_cut_10",
    "recip_rank",
    "map",
]


@pytest.fixture
def trec_eval(tmp_path, monkeypatch):
    """Put a stand-in on PATH that prints as trec_eval 10 does, every mean 0.25, and its version to standard error."""
    listing = "\\n".join(f"{name:<22}\\tall\\t0.2500" for name in sorted(LISTED))
    file = tmp_path / "trec_eval"
    file.write_text(
        f'#!/bin/sh\nif [ "$1" = -v ]; then echo "trec_eval version 10.0" >&2; else printf "{listing}\\n"; fi\n'
    )
    file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return file


def test_our_own_row_is_the_command_that_people_use():
    command = tools.ours().command
    start = tuple(python("-m", "benchbench", "score"))
    assert command[: len(start)] == start
    assert [word for before, word in pairwise(command) if before == "-m"][1:] == list(MEASURES)


def test_without_names_every_peer_that_is_installed_is_taken(monkeypatch, trec_eval):
    monkeypatch.setattr(tools, "installed", lambda package: "1.0" if package == "ranx" else None)
    assert [(tool.name, tool.version) for tool in tools.peers()] == [("ranx", "1.0"), ("trec_eval", "10.0")]


def test_named_peers_come_once_each_as_they_were_named(monkeypatch, trec_eval):
    monkeypatch.setattr(tools, "installed", lambda package: "1.0")
    assert [tool.name for tool in tools.peers(["trec_eval", "ranx", "ranx"])] == ["trec_eval", "ranx"]


@pytest.mark.parametrize(("name", "way"), [("pytrec_eval", "pip install pytrec-eval-terrier"), ("trec_eval", "PATH")])
def test_a_named_peer_that_is_not_installed_is_an_input_error(monkeypatch, tmp_path, name, way):
    monkeypatch.setattr(tools, "installed", lambda package: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert tools.peers() == []
    with pytest.raises(InputError, match=way):
        tools.peers([name])


def test_trec_eval_has_a_looser_tolerance_since_it_prints_four_decimals(trec_eval):
    (tool,) = tools.peers(["trec_eval"])
    assert tool.command[0] == str(trec_eval)
    assert tool.again is None
    assert tool.tolerance == pytest.approx(5.1e-5)
    listing = "".join(f"{name}\tall\t0.{i:04}\n" for i, name in enumerate(LISTED))
    assert tool.means(listing) == {name: i / 10_000 for i, name in enumerate(MEASURES)}


def test_a_trec_eval_that_says_no_version_is_measured_all_the_same(trec_eval):
    trec_eval.write_text("#!/bin/sh\n")
    assert tools.peers(["trec_eval"])[0].version is None
