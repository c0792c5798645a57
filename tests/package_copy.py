"""Copies of the package, to which a test adds something, and commands with them."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

from benchbench.kernels import _cache

PROJECT = Path(__file__).parents[1]


def copied(folder: Path, *rooms: str) -> Path:
    """Copy parts of the project, without what is compiled of its kernels."""
    for name in rooms:
        shutil.copytree(PROJECT / name, folder / name, ignore=shutil.ignore_patterns("benchbench-*"))
    return folder


def ran(project: Path, *command: object) -> "subprocess.CompletedProcess[str]":
    """Run a command with a copy of the package, in the folder above it."""
    environment = {**os.environ, "PYTHONPATH": str(project), "NUMBA_CACHE_DIR": str(project / "compiled")}
    return subprocess.run(
        [sys.executable, *map(str, command)], cwd=project, env=environment, capture_output=True, encoding="utf-8"
    )


def keep_compiled(project: Path, *without: str) -> None:
    """Keep for the copy what is compiled already of all kernels but some."""
    changed = (f"*.{name}-*" for name in without)
    ignored = shutil.ignore_patterns(*changed, "*.????????????????")  # these are being written
    with patch.object(_cache, "__file__", project / "benchbench" / "kernels" / "_cache.py"):
        folder = project / "compiled" / f"{_cache._PREFIX}{_cache._digest()}"
    for kept in _cache.FOLDERS:
        shutil.copytree(kept, folder, ignore=ignored, dirs_exist_ok=True)


def put_before(path: Path, additions: Sequence[tuple[str, str]]) -> None:
    """Write a file anew with what is added to it."""
    text = path.read_text(encoding="utf-8")
    for there, added in additions:
        assert text.count(there) == 1, there
        text = text.replace(there, added + there)
    path.write_text(text, encoding="utf-8")
