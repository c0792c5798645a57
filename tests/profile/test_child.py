"""A process that is measured from outside."""

import subprocess
import sys

import pytest

from benchbench.profile.child import run


def python(code: str, timeout: float = 60.0):
    return run([sys.executable, "-c", code], timeout)


def test_a_process_that_ends_well_leaves_its_output_its_time_and_its_memory():
    ended = python("print('twelve')")
    assert (ended.output, ended.failure) == ("twelve\n", None)
    assert ended.seconds > 0
    assert ended.peak_mb > 1


@pytest.mark.slow  # processes
def test_memory_is_that_of_this_child_and_not_the_most_of_all():
    """Asked by a small process, since what starts a child counts as the child's until it has begun."""
    code = (
        "import sys; from benchbench.profile.child import run\n"
        "print(*(run([sys.executable, '-c', c], 60).peak_mb for c in ('bytearray(500_000_000)', 'pass')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    large, small = map(float, done.stdout.split())
    assert large > 500 > small


def test_the_last_line_of_standard_error_says_why_a_process_failed():
    assert python("raise ValueError('no such run')").failure == "ValueError: no such run"
    assert python("raise SystemExit(3)").failure == "exit code 3"


def test_a_signal_is_named():
    assert python("import os; os.kill(os.getpid(), 15)").failure == "ended by SIGTERM"
    assert "out of memory" in python("import os; os.kill(os.getpid(), 9)").failure


def test_a_process_that_does_not_end_is_killed_after_the_timeout():
    assert python("import threading; threading.Event().wait()", timeout=0.01).failure == "still running after 0.01 s"


def test_a_command_that_cannot_be_started_is_a_failure(tmp_path):
    assert "No such file" in run([str(tmp_path / "none")], 60.0).failure
