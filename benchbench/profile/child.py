"""A command in its own process: time, memory, output, and why it failed."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from typing import IO, NamedTuple

from benchbench.errors import said_by
from benchbench.tables.names import PROJECT_FILE


class EndedProcess(NamedTuple):
    """What is left of a process; `failure` is one line, or None."""

    seconds: float
    peak_mb: float
    output: str
    failure: str | None


def run(command: Sequence[str], timeout: float) -> EndedProcess:
    """Run a command to its end, or kill it.

    Parameters
    ----------
    command
        The words of the command. Its standard input is empty.
    timeout
        Seconds after which it is killed.

    Returns
    -------
    EndedProcess
        Wall seconds from before its start to after its exit, and the most memory it had at once in 10^6 bytes.
        Linux counts the memory of the starting process before the new program takes over, so a peak below that
        of this process (some 20 MB) cannot be seen: what starts children must stay small.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        started = time.perf_counter()
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, env={**os.environ, PROJECT_FILE: ""}
            )
        except OSError as error:
            return EndedProcess(0.0, 0.0, "", said_by(error))
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        alarm = threading.Timer(timeout, end)
        try:
            alarm.start()
            _, status, usage = os.wait4(process.pid, 0)  # of this child alone; RUSAGE_CHILDREN is a maximum of all
            seconds = time.perf_counter() - started
            process.returncode = os.waitstatus_to_exitcode(status)
        finally:
            alarm.cancel()
            if process.returncode is None:
                process.kill()
                process.wait()
        failure = f"still running after {timeout:g} s" if late.is_set() else _failure(process.returncode, _text(errors))
        unit = 1 if sys.platform == "darwin" else 1024
        return EndedProcess(seconds, usage.ru_maxrss * unit / 1e6, _text(output), failure)


def _failure(code: int, errors: str) -> str | None:
    if code == 0:
        return None
    if code == -signal.SIGKILL:
        return "killed, probably because the system ran out of memory"
    if code < 0:
        return f"ended by {signal.Signals(-code).name}"
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    return lines[-1] if lines else f"exit code {code}"


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")
