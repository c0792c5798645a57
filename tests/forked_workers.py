"""Worker processes that begin as copies of one that has imported what they need.

Each is a process of its own, with its pipes, its memory, its environment and its end, and does what any worker does.
What is spared are its imports, which take a second of a core. `client/test_workers.py`, `client/test_process_pool.py`
and the tests of commands as processes have workers that start by themselves.
"""

import contextlib
import ctypes
import functools
import gc
import importlib
import os
import pickle
import socket
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

_SHARED = (  # without polars, which starts threads: only a process without them is safe to copy
    "benchbench.answering.scoring",
    "benchbench.client.process_pool",
    "benchbench.kernels._policy",
    "benchbench.loads.process_pool",
)
_SET_CHILD_SUBREAPER = 36  # of prctl: orphans become children of this process
_MOST = 1 << 17  # bytes of a message


@pytest.fixture(autouse=True)
def forked_workers() -> Iterator[None]:
    """Let workers of this process be copies; imported by a file, it holds for all of its tests."""
    with pytest.MonkeyPatch.context() as patch:
        if sys.platform == "linux":
            both = SimpleNamespace(Popen=_Copy, PIPE=subprocess.PIPE)
            patch.setattr("benchbench.client.workers.subprocess", both)
        yield


class _Copy(subprocess.Popen[bytes]):
    """A copy of the template, where another process would be started."""

    def _execute_child(self, *given: Any) -> None:
        theirs = given[10], given[13]  # where it reads and writes
        self.pid = _copied((*theirs, 2))
        self._child_created = True
        for pipe in theirs:
            os.close(pipe)


def _copied(streams: tuple[int, ...]) -> int:
    """Return the process number of a new copy with these standard streams, which is a child of this process."""
    _, template = _template()
    with _adopting():
        socket.send_fds(template, [pickle.dumps((dict(os.environ), str(Path.cwd())))], streams)
        process = int(template.recv(_MOST))
        assert template.recv(_MOST) == b"an orphan"
    return process


@contextlib.contextmanager
def _adopting() -> Iterator[None]:
    """Be the parent of orphans among the descendants of this process while the block lasts."""
    library = ctypes.CDLL(None)
    library.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        library.prctl(_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


@functools.cache
def _template() -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start the process that is copied; it ends when its socket does, with this process at the latest."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])}
    command = [sys.executable, "-c", f"import forked_workers; forked_workers.serve({theirs.fileno()})"]
    with theirs:
        return subprocess.Popen(command, pass_fds=[theirs.fileno()], env=environment, cwd="/"), ours


def serve(number: int) -> None:
    """Make copies of this process as long as somebody asks for them."""
    warnings.simplefilter("ignore", DeprecationWarning)  # of threads: those of numpy's library may be forked
    for name in _SHARED:
        importlib.import_module(name)
    assert "polars" not in sys.modules
    gc.freeze()
    with socket.socket(fileno=number) as asking:
        while True:
            message, streams, _, _ = socket.recv_fds(asking, _MOST, 3)
            if not message:
                return
            between = os.fork()  # it ends before the copy, which then has no parent
            if not between:
                process = os.fork()
                if not process:
                    asking.close()
                    _work(streams, *pickle.loads(message))
                asking.send(str(process).encode())
                os._exit(0)
            os.waitpid(between, 0)
            for stream in streams:
                os.close(stream)
            asking.send(b"an orphan")


def _work(streams: list[int], environment: dict[str, str], folder: str) -> None:
    from benchbench.client.workers import main

    try:
        os.setsid()
        for place, stream in enumerate(streams):
            os.dup2(stream, place)
            os.close(stream)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        sys.stdin = os.fdopen(0)
        main()
    finally:
        os._exit(1)
