"""Another package in our folder, and a limit of memory: a sentence each, and never a traceback."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from benchbench.cli import surroundings
from benchbench.errors import InputError


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return the folder of an installed package with a file and a room."""
    folder, listed = tmp_path / "benchbench", tmp_path / "benchbench_retrieval-0.1.0.dist-info"
    for one in (folder / "cli", folder / "__pycache__", listed):
        one.mkdir(parents=True)
    (folder / "__init__.py").write_text("x = 1\n")
    (listed / "RECORD").write_text(
        "../../../bin/benchbench,sha256=a,228\nbenchbench/__init__.py,sha256=b,6\nbenchbench/cli/main.py,sha256=c,7\n"
    )
    return folder


def test_our_own_files_are_not_mentioned(package: Path):
    assert surroundings.foreign_files(package) == ""


def test_files_of_another_package_are_named(package: Path):
    (package / "data").mkdir()
    said = surroundings.foreign_files(package)
    assert said.startswith(f"{package} has files of another package (data); uninstall `benchbench` and")


def test_an_overwritten_file_is_an_input_error(package: Path):
    (package / "__init__.py").write_bytes(b"")
    with pytest.raises(InputError, match=r"has files that benchbench-retrieval has otherwise \(__init__.py\)"):
        surroundings.foreign_files(package)


def test_a_file_that_is_gone_is_an_input_error(package: Path):
    (package / "__init__.py").unlink()
    with pytest.raises(InputError, match=r"\(__init__.py\)"):
        surroundings.foreign_files(package)


def test_a_checkout_and_what_cannot_be_read_say_nothing(package: Path, tmp_path: Path):
    (tmp_path / "benchbench_retrieval-0.1.0.dist-info" / "RECORD").write_text("benchbench_retrieval.pth,sha256=a,1\n")
    (package / "data").mkdir()
    assert surroundings.foreign_files(package) == ""
    assert surroundings.foreign_files(tmp_path / "nowhere" / "benchbench") == ""


def test_too_small_a_limit_of_memory_is_code_2_with_the_limit():
    limit = 100 << 20
    done = subprocess.run(
        [sys.executable, "-m", "benchbench", "--help"],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Error: memory is limited to 100 MB (ulimit -v), and 400 MB are needed\n"


def test_an_error_under_a_limit_names_it(monkeypatch: pytest.MonkeyPatch):
    assert surroundings.said_of_limit() == ""
    monkeypatch.setattr(resource, "getrlimit", lambda which: (1 << 30, 1 << 30))
    assert surroundings.said_of_limit() == "; memory is limited to 1,024 MB (ulimit -v)"


@pytest.mark.slow  # processes
def test_a_command_with_tables_is_refused_where_polars_would_abort_and_others_work():
    limit = 1 << 30
    done = [
        subprocess.run(
            [sys.executable, "-m", "benchbench", *command],
            capture_output=True,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        )
        for command in (["audit", "synthetic-cases"], ["audit", "--help"])
    ]
    assert [one.returncode for one in done] == [2, 0]
    assert done[0].stderr.startswith(
        "Error: memory is limited to 1,024 MB (ulimit -v), and what reads or writes tables"
    )
