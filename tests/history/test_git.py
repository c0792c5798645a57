"""What git and the environment say of the commit; the commands' own tests see a repository."""

import os
from pathlib import Path

import pytest

from benchbench.history.git import git_tags

SAID = """# branch.oid 0123456789abcdef
# branch.head topic/one
# branch.upstream origin/topic/one
# branch.ab +1 -0
1 .M N... 100644 100644 100644 aaaa bbbb file
"""


def fake_git(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Put a program in the place of git."""
    program = folder / "git"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_status_is_asked_once_and_read(tmp_path, monkeypatch):
    (tmp_path / "said").write_text(SAID)
    fake_git(tmp_path, monkeypatch, f'echo "$GIT_OPTIONAL_LOCKS $@" >> {tmp_path}/asked; cat {tmp_path}/said')
    assert git_tags(environment={}) == {"commit": "0123456789abcdef", "branch": "topic/one", "dirty": "yes"}
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked == ["0 -c core.fsmonitor=false status --porcelain=v2 --branch --untracked-files=no"]


def test_a_repository_without_commits_has_a_branch_only(tmp_path, monkeypatch):
    fake_git(tmp_path, monkeypatch, "printf '# branch.oid (initial)\\n# branch.head main\\n'")
    assert git_tags(environment={}) == {"branch": "main"}


def test_a_git_that_hangs_is_ended_and_the_environment_says(tmp_path, monkeypatch):
    fake_git(tmp_path, monkeypatch, f"exec cat {tmp_path}/pipe")
    os.mkfifo(tmp_path / "pipe")
    assert git_tags(0.2, {"GITHUB_SHA": "abc", "GITHUB_REF_NAME": "main"}) == {"commit": "abc", "branch": "main"}


@pytest.mark.parametrize("script", ["exit 128", "printf '\\377\\376'", ":"])
def test_a_git_that_fails_or_says_nothing_is_no_complaint(tmp_path, monkeypatch, script):
    fake_git(tmp_path, monkeypatch, script)
    assert git_tags(environment={"CI_COMMIT_SHA": "abc", "CI_COMMIT_REF_NAME": ""}) == {"commit": "abc"}
