"""What every worker needs is made once before they start: rewritten assertions, and compiled kernels.

Each worker imports all files of tests. Rewriting their assertions is more than half of what that takes, so that three
workers would do three times what fits into one file each; the same holds for kernels that nobody has compiled yet. What
is made here is what pytest and numba keep on disk. Where that cannot be, workers do it themselves, as without this.
"""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.assertion import rewrite

from benchbench.kernels import _native
from benchbench.processes import usable_cores

TESTS = Path(__file__).parent


def prepare(config: pytest.Config) -> None:
    """Make what the workers of a whole run would make at the same time."""
    with _compiling():
        children = [_rewriting(config, part) for part in range(usable_cores())]
        for child in children:
            os.waitpid(child, 0)


@contextlib.contextmanager
def _compiling() -> Iterator[None]:
    """Build the library of kernels in a process of its own, if there is none of these sources."""
    if _native.is_built() or not os.access(_native.HERE, os.W_OK):
        yield
        return
    command = [sys.executable, "-m", "benchbench.kernels.build"]
    with subprocess.Popen(command, cwd=_native.HERE.parents[1], stdout=subprocess.DEVNULL):
        yield


def _rewriting(config: pytest.Config, part: int) -> int:
    """Rewrite a part of the files in a process of its own; return its number."""
    child = os.fork()
    if child == 0:
        try:
            for path in sorted(TESTS.rglob("test_*.py"))[part :: usable_cores()]:
                _rewrite(config, path)
        finally:  # nothing of pytest ends here; whatever went wrong, the workers rewrite the rest
            os._exit(0)
    return child


def _rewrite(config: pytest.Config, path: Path) -> None:
    """Keep a file as pytest rewrites it, where pytest looks for it."""
    folder = rewrite.get_cache_dir(path)
    kept = folder / (path.stem + rewrite.PYC_TAIL)
    if rewrite._read_pyc(path, kept) is None and rewrite.try_makedirs(folder):
        source, code = rewrite._rewrite_test(path, config)
        rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, source, kept)
