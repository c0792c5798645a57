"""The first command after installation: a second process compiles some of the kernels that it needs.

The two share the folder of compiled kernels. What is not there when it is needed is compiled where it is needed.
"""

import contextlib
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

from benchbench.kernels._cache import would_keep
from benchbench.tables.cores import usable_cores

_MAIN = "import pickle, sys; [job() for job in pickle.load(sys.stdin.buffer)]"


@contextlib.contextmanager
def compiled_ahead(kernel: Any, *jobs: Callable[[], object]) -> Iterator[Callable[[], None]]:
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
    if usable_cores() < 2 or not would_keep(kernel):
        yield lambda: None
        return
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", _MAIN],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the process that started it, which then ends it
        )
    except OSError:
        yield lambda: None
        return
    assert process.stdin is not None
    try:
        with contextlib.suppress(OSError), process.stdin:  # it may have died
            process.stdin.write(pickle.dumps(jobs))

        def wait() -> None:
            process.wait()

        yield wait
    finally:
        process.kill()
        process.wait()
