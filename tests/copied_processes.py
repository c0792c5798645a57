"""Processes of Python that begin as copies of one that has imported what they need.

Each is a process of its own, with its streams, its memory, its environment, its session and its end, and does what any
process with its command does. What is spared are its imports, which take a second of a core. The embedded service, the
workers and the commands of `command_line.process` begin so; tests whose point is how a process begins ask for
`fresh_processes`.
"""

import atexit
import contextlib
import ctypes
import functools
import gc
import importlib
import os
import pickle
import runpy
import socket
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

_STARTING = ("benchbench.client.workers", "benchbench.serve.child")  # modules that start processes which are copied
_SHARED = (  # without polars, which starts threads: only a process without them is safe to copy
    "aiohttp.web",
    "benchbench.answering.asking",
    "benchbench.answering.scoring",
    "benchbench.cli.load",
    "benchbench.cli.run",
    "benchbench.cli.serve",
    "benchbench.client.process_pool",
    "benchbench.client.service",
    "benchbench.formats.collection",
    "benchbench.judging.answer_run",
    "benchbench.kernels.measure",
    "benchbench.loads.process_pool",
    "benchbench.serve.app",
    "jinja2",
    "sqlite3",
)
_READ_AT_THE_START = ("PYTHON", "NUMBA", "LC_", "LANG", "OPENBLAS", "OMP", "XDG", "HOME", "TMP")  # of the environment
_ENVIRONMENT: dict[str, str] = {}  # of the process that runs tests, when it starts
_SET_CHILD_SUBREAPER = 36  # of prctl: orphans become children of this process
_MOST = 1 << 17  # bytes of a message


def install() -> None:
    """Let the package start copies; other systems than Linux promise less."""
    _ENVIRONMENT.update(os.environ)
    if sys.platform == "linux":
        for name in _STARTING:
            vars(importlib.import_module(name))["subprocess"] = SimpleNamespace(Popen=Popen, PIPE=subprocess.PIPE)


@pytest.fixture
def fresh_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let processes begin by themselves."""
    for name in _STARTING:
        monkeypatch.setattr(f"{name}.subprocess", subprocess)


class Popen(subprocess.Popen[Any]):
    """A process that begins as a copy, where that is the same, and by itself where not."""

    def _execute_child(self, command: Any, *given: Any) -> None:
        program, begun, passed, folder, environment = _program(command), given[1], given[3], given[4], given[5]
        if program is None or begun is not None or passed or not _starts_alike(environment):
            super()._execute_child(command, *given)  # type: ignore[misc]
            return
        streams = given[9], given[12], given[14]  # where it reads and writes; where this process does for -1
        theirs = tuple(own if one == -1 else one for own, one in enumerate(streams))
        told = program, dict(os.environ if environment is None else environment), str(folder or Path.cwd()), given[20]
        self.pid = _copied(theirs, told)
        self._child_created = True
        self._close_pipe_fds(*given[9:15])  # type: ignore[attr-defined]


def run(command: list[str], **options: Any) -> "subprocess.CompletedProcess[Any]":
    """Run a process to its end, as `subprocess.run` does with what it says captured."""
    given = options.pop("input", None)
    streams = {"stdin": subprocess.DEVNULL if given is None else subprocess.PIPE, "stdout": subprocess.PIPE}
    with Popen(command, stderr=subprocess.PIPE, **streams, **options) as process:
        output, errors = process.communicate(given, timeout=60)
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def _program(command: Any) -> list[str] | None:
    """Return what a command has this Python run, from -c or -m on; None where it is another, or has options."""
    words = [os.fspath(word) for word in command] if isinstance(command, list) else []
    rest = words[2:] if words[1:2] == ["-P"] else words[1:]
    return rest if words[:1] == [sys.executable] and rest[:1] in (["-c"], ["-m"]) else None


def _starts_alike(environment: dict[str, str] | None) -> bool:
    """Say whether what a process reads of its environment when it starts is as it was for the template."""
    asked = os.environ if environment is None else environment
    return _read_at_the_start(asked) == _read_at_the_start(_ENVIRONMENT)


def _read_at_the_start(environment: Any) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(_READ_AT_THE_START)}


def _copied(streams: tuple[int, ...], told: Any) -> int:
    """Return the process number of a new copy with these standard streams, which is a child of this process."""
    _, template = _template()
    with _adopting():
        socket.send_fds(template, [pickle.dumps(told)], streams)
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
    path = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})"
    code = f"{path}; import copied_processes; copied_processes.serve({theirs.fileno()})"
    with theirs:
        command, inherited = [sys.executable, "-P", "-c", code], [theirs.fileno()]
        process = subprocess.Popen(command, pass_fds=inherited, env=_ENVIRONMENT, cwd="/")
    atexit.register(process.wait)
    atexit.register(ours.close)  # before, for it makes the process end
    return process, ours


def serve(number: int) -> None:
    """Make copies of this process as long as somebody asks for them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads: those of numpy's library may be forked
        for name in _SHARED:
            importlib.import_module(name)
        assert "polars" not in sys.modules
        gc.freeze()
        with socket.socket(fileno=number) as asking:
            asked = _next_copy(asking)
    if asked is not None:
        _become(*asked)


def _next_copy(asking: socket.socket) -> Any:
    """Return what a copy is to do in the copy, and None at the end in the process that is copied."""
    while True:
        message, streams, _, _ = socket.recv_fds(asking, _MOST, 3)
        if not message:
            return None
        between = os.fork()  # it ends before the copy, which then has no parent
        if not between:
            process = os.fork()
            if not process:
                return streams, *pickle.loads(message)
            asking.send(str(process).encode())
            os._exit(0)
        os.waitpid(between, 0)
        for stream in streams:
            os.close(stream)
        asking.send(b"an orphan")


def _become(streams: list[int], program: list[str], environment: dict[str, str], folder: str, alone: bool) -> None:
    """Do what a process with this program does, to its end."""
    if alone:
        os.setsid()
    for place, stream in enumerate(streams):
        os.dup2(stream, place)
        os.close(stream)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.stdin, sys.stdout = os.fdopen(0), os.fdopen(1, "w")
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace")
    sys.path[0] = folder  # as -m and -c have it
    sys.argv = [program[0], *program[2:]]
    if program[0] == "-m":
        runpy.run_module(program[1], run_name="__main__", alter_sys=True)
    else:
        exec(program[1], {"__name__": "__main__"})
