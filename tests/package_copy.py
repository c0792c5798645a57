"""Copies of the package, to which a test adds something, and commands with them."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchbench.kernels import _native

PROJECT = Path(__file__).parents[1]


def copied(folder: Path, *rooms: str) -> Path:
    """Copy parts of the project, with the library of kernels, which is used unless they are changed."""
    for name in rooms:
        shutil.copytree(PROJECT / name, folder / name, ignore=shutil.ignore_patterns("benchbench-*", "compiled"))
    if _native.COMPILED.is_dir():
        shutil.copytree(_native.COMPILED, folder / "benchbench" / "kernels" / "compiled")
    return folder


def ran(project: Path, *command: object) -> "subprocess.CompletedProcess[str]":
    """Run a command with a copy of the package, in the folder above it."""
    environment = {**os.environ, "PYTHONPATH": str(project), "NUMBA_CACHE_DIR": str(project / "machine code")}
    return subprocess.run(
        [sys.executable, *map(str, command)], cwd=project, env=environment, capture_output=True, encoding="utf-8"
    )


def put_before(path: Path, additions: Sequence[tuple[str, str]]) -> None:
    """Write a file anew with what is added to it."""
    text = path.read_text(encoding="utf-8")
    for there, added in additions:
        assert text.count(there) == 1, there
        text = text.replace(there, added + there)
    path.write_text(text, encoding="utf-8")
