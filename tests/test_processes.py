"""Another Python process finds modules where this one does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchbench.processes import python

PRINT = ("-c", "import mine; print('found')")


def printed(folder: Path, *arguments: str) -> str:
    done = subprocess.run(python(*arguments), cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def test_a_module_of_the_working_folder_is_imported_only_where_this_process_imports_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "mine.py").touch()
    monkeypatch.chdir(tmp_path)
    elsewhere = [path for path in sys.path if path not in ("", os.getcwd())]  # noqa: PTH109
    monkeypatch.setattr(sys, "path", elsewhere)
    assert printed(tmp_path, *PRINT) == "ModuleNotFoundError: No module named 'mine'"
    for here in ("", str(tmp_path)):
        monkeypatch.setattr(sys, "path", [here, *elsewhere])
        assert printed(tmp_path, *PRINT) == "found"


def test_a_working_folder_that_is_gone_is_not_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    assert python() == [sys.executable, "-P"]
