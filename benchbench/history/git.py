"""Which commit was measured: of the repository of the current folder, or as a CI system says."""

import os
import subprocess
from collections.abc import Mapping

COMMIT, BRANCH, DIRTY = "commit", "branch", "dirty"  # names of tags
_PATIENCE = 5.0  # seconds; a repository on a network drive may take long
_STATUS = ("git", "-c", "core.fsmonitor=false", "status", "--porcelain=v2", "--branch", "--untracked-files=no")
_COMMITS = ("GITHUB_SHA", "CI_COMMIT_SHA")  # environment of GitHub and GitLab
_BRANCHES = ("GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME")  # the first is that of a pull request


def git_tags(patience: float = _PATIENCE, environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the tags `commit`, `branch` and `dirty` of the current folder, those of them that are known.

    Parameters
    ----------
    patience
        Seconds that git may take. After that, or without git or a repository, the environment says.
    environment
        Variables; by default those of the process.

    Returns
    -------
    dict[str, str]
        `dirty` is `yes` where files that git knows have changed; files that it does not know, such as results, are not
        looked at. A head without a branch, as CI systems check it out, has the branch of the environment.
    """
    environment = os.environ if environment is None else environment
    tags = _of_status(_status(patience))
    for tag, names in ((COMMIT, _COMMITS), (BRANCH, _BRANCHES)):
        if tag not in tags and (value := next((environment[name] for name in names if environment.get(name)), "")):
            tags[tag] = value
    return tags


def _status(patience: float) -> str:
    """Return what git says of the current folder; nothing where it cannot."""
    try:
        done = subprocess.run(
            _STATUS,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=patience,
            check=False,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},  # the index stays as it is
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode(errors="replace") if done.returncode == 0 else ""


def _of_status(text: str) -> dict[str, str]:
    """Return the tags that the lines of `git status --porcelain=v2 --branch` give."""
    tags: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith("# branch.oid "):
            commit = line.removeprefix("# branch.oid ")
            tags |= {} if commit == "(initial)" else {COMMIT: commit}
        elif line.startswith("# branch.head "):
            branch = line.removeprefix("# branch.head ")
            tags |= {} if branch == "(detached)" else {BRANCH: branch}
        elif line.startswith(("1 ", "2 ", "u ")):  # changed, renamed, unmerged
            tags[DIRTY] = "yes"
    return tags
