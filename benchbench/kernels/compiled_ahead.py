"""The first command after installation: a second process compiles some of the kernels that it needs.

The two share the folder of compiled kernels. What is not there when it is needed is compiled where it is needed.
"""

import contextlib
import importlib
import pickle
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from benchbench.kernels._jit import would_keep
from benchbench.processes import python, usable_cores

_MAIN = """
import gc, pickle, sys
gc.disable()
with sys.stdin.buffer as jobs:
    while jobs.peek(1):
        pickle.load(jobs)()
"""

_Process = subprocess.Popen[bytes]
_early: list[_Process] = []  # the one that was started before its other jobs were known


def begin(kernel: Any, module: str, function: str) -> None:
    """Start the other process with one job, for a later `compiled_ahead` of the same kernel.

    It compiles while this one still imports. It ends after that job if this one ends before `compiled_ahead`.
    """
    process = None if _early else _started(kernel)
    if process is not None:
        _early.append(process)
        _send(process, (partial(_call, module, function),))


def _call(module: str, function: str) -> None:
    getattr(importlib.import_module(module), function)()


@contextlib.contextmanager
def compiled_ahead(kernel: Any, *jobs: Callable[[], object]) -> Iterator[Callable[[], object]]:
    """Call what compiles some kernels in another process, while the block compiles others.

    No process is started where this would be for nothing: `kernel`, one of them, is on disk, or nothing can be kept
    there, or one processor would do the work of both. What goes wrong in the other process is left to this one.

    Parameters
    ----------
    kernel
        Stands for all.
    jobs
        Functions of modules, or partial ones.

    Yields
    ------
    Callable
        Waits for the other process; it is ended with the block.
    """
    process = _early.pop() if _early else _started(kernel)
    if process is None:
        yield lambda: None
        return
    assert process.stdin is not None
    try:
        _send(process, jobs)
        with contextlib.suppress(OSError):
            process.stdin.close()

        from benchbench.kernels._helpers import without_collections  # imports numba

        with without_collections():
            yield process.wait
    finally:
        process.kill()
        process.wait()


def _started(kernel: Any) -> _Process | None:
    if usable_cores() < 2 or not would_keep(kernel):
        return None
    try:
        return subprocess.Popen(
            python("-c", _MAIN),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the process that started it, which then ends it
        )
    except OSError:
        return None


def _send(process: _Process, jobs: tuple[Callable[[], object], ...]) -> None:
    assert process.stdin is not None
    with contextlib.suppress(OSError):  # it may have died
        process.stdin.write(b"".join(map(pickle.dumps, jobs)))
        process.stdin.flush()
