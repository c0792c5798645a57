"""The embedded service as a process beside a benchmark.

A process of its own, because a retriever in the client's process would compete with the client for the interpreter and
spoil the latencies. The command line forks it before it imports what only the client needs: both import the rest at
the same time, and what both need is imported once. Where a fork is not safe it is started as `benchbench serve`.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from importlib import import_module
from typing import IO, NamedTuple

from benchbench.errors import InputError
from benchbench.processes import python
from benchbench.retrieval.bm25_options import BM25Options
from benchbench.tables.names import PROJECT_FILE

_PATIENCE = 5.0  # seconds that the process has to end; its requests have four
_SHARED = ("aiohttp", "benchbench.formats.collection")  # imported before a fork: both processes need them
_LOOK = 0.005  # seconds between two looks whether it has ended

Command = Callable[[list[str]], None]


class Started(NamedTuple):
    """The embedded service, and what a reader of its results must know of its retriever."""

    url: str
    about: str


class _Forked:
    """A copy of this process that runs a command; its members are those of `subprocess.Popen`."""

    def __init__(self, arguments: list[str], command: Command) -> None:
        (theirs_in, ours_in), (ours_out, theirs_out), (ours_err, theirs_err) = (os.pipe() for _ in range(3))
        for stream in (sys.stdout, sys.stderr):
            stream.flush()  # else both processes write what waits there
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads: those of numpy's library may be forked
            self.pid = os.fork()
        if not self.pid:
            _become(arguments, command, (theirs_in, theirs_out, theirs_err), (ours_in, ours_out, ours_err))
        for theirs in (theirs_in, theirs_out, theirs_err):
            os.close(theirs)
        self.stdin: IO[bytes] = os.fdopen(ours_in, "wb")
        self.stdout: IO[bytes] = os.fdopen(ours_out, "rb")
        self.stderr: IO[bytes] = os.fdopen(ours_err, "rb")
        self._ended = False

    def poll(self) -> int | None:
        """Return None while it runs."""
        if not self._ended:
            self._ended = os.waitpid(self.pid, os.WNOHANG)[0] == self.pid
        return 0 if self._ended else None

    def terminate(self) -> None:
        """Ask it to end."""
        os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        os.kill(self.pid, signal.SIGKILL)


_Process = _Forked | subprocess.Popen[bytes]
_early: list[tuple[list[str], _Forked]] = []  # the one that was forked before it was asked for


def _become(arguments: list[str], command: Command, pipes: Sequence[int], others: Sequence[int]) -> None:
    """Run a command in the copy of a process, and end that."""
    code = 2
    try:
        os.setsid()  # Ctrl-C is for the client, which then ends its child
        for number, pipe in enumerate(pipes):
            os.dup2(pipe, number)
        for pipe in (*pipes, *others):
            os.close(pipe)
        # The streams of before may be of a file: they would seek in a pipe. Ours reads UTF-8, whatever the locale
        sys.stdin, sys.stdout, sys.stderr = (
            os.fdopen(number, mode, encoding="utf-8", errors="replace", closefd=False)
            for number, mode in enumerate(("r", "w", "w"))
        )
        os.environ[PROJECT_FILE] = ""  # the options are those of `arguments`
        command(arguments)
    except SystemExit as done:
        code = int(done.code or 0)
    finally:
        os._exit(code)


def begin(collection: Sequence[str], encoding: str | None, options: BM25Options, command: Command) -> None:
    """Fork the service of a collection, for a later `child_service` of the same arguments; or do nothing.

    A fork is safe while no other thread may hold a lock: before there is one of Python's, and before polars is
    imported, which starts some. Other systems than Linux promise less.

    Parameters
    ----------
    collection, encoding, options
        As `child_service` has them.
    command
        Runs the arguments of a command line in this process.
    """
    if sys.platform != "linux" or threading.active_count() > 1 or "polars" in sys.modules or _early:
        return
    for name in _SHARED:
        import_module(name)
    arguments = _arguments(collection, encoding, options)
    with contextlib.suppress(OSError):
        _early.append((arguments, _Forked(arguments, command)))


def _arguments(collection: Sequence[str], encoding: str | None, options: BM25Options) -> list[str]:
    coded = ["--encoding", encoding] if encoding else []
    return ["serve", *collection, "--until-eof", *options.arguments(), *coded]


@contextlib.asynccontextmanager
async def child_service(
    collection: Sequence[str], encoding: str | None, options: BM25Options
) -> AsyncIterator[Callable[[], Awaitable[Started]]]:
    """Serve a collection in a process of its own on a free loopback port; yield a function that waits for it.

    It ends with the block, and also when this process dies.

    Parameters
    ----------
    collection
        The arguments of `benchbench serve` that name it.
    encoding
        Of its files.
    options
        Of the retriever.
    """
    arguments = _arguments(collection, encoding, options)
    process: _Process = _early.pop()[1] if _early and _early[0][0] == arguments else _started(arguments)
    stdin, output, errors = process.stdin, process.stdout, process.stderr
    assert stdin is not None
    assert output is not None
    assert errors is not None

    async def ready() -> Started:
        url = (await asyncio.to_thread(output.readline)).decode().strip()
        if not url:
            message = (await asyncio.to_thread(errors.read)).decode(errors="replace").strip()
            raise InputError(f"the embedded service did not start: {message.removeprefix('Error: ')}")
        return Started(url, (await asyncio.to_thread(output.readline)).decode().strip())

    try:
        yield ready
    finally:
        if process.poll() is None:
            process.terminate()
        stdin.close()
        deadline = time.monotonic() + _PATIENCE
        while process.poll() is None:
            if time.monotonic() > deadline:
                process.kill()
            await asyncio.sleep(_LOOK)
        output.close()
        errors.close()


def _started(arguments: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        python("-m", "benchbench", *arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, PROJECT_FILE: ""},  # the options are those above
        start_new_session=True,  # Ctrl-C is for the client, which then ends its child
    )
