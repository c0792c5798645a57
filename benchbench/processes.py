"""How another Python process is started, how many cores this one may use, and how it collects cycles."""

import math
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

PATIENCE = 50_000  # objects that the cycle collector waits for: modules and values are many, and have no cycles


def python(*arguments: str) -> list[str]:
    """Return the command of another Python process, which finds modules where this one does.

    `python -c` and `python -m` import from the working folder first, where a `types.py` of the user's would be taken
    for Python's own. The new process looks there only if this one does, as in a notebook.
    """
    looks_here = "" in sys.path or _working_folder() in sys.path
    return [sys.executable, *(() if looks_here else ("-P",)), *arguments]


def _working_folder() -> str | None:
    try:
        return os.getcwd()  # noqa: PTH109 # as sys.path has it: a text
    except FileNotFoundError:  # it was deleted
        return None


def usable_cores(root: Path = Path("/")) -> int:
    """Return how many cores this process may keep busy: by its affinity, and by the quotas of its control groups.

    A quota of one and a half cores keeps two threads busy part of the time, and counts as two.

    Parameters
    ----------
    root
        Where `proc` and `sys` are.
    """
    if hasattr(os, "process_cpu_count"):  # Python 3.13
        cores = os.process_cpu_count()
    else:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min([cores or 1, *map(math.ceil, _quotas(root))]))


def _quotas(root: Path) -> Iterator[float]:
    """Yield the cores that each control group above this process grants, where one has a quota."""
    mounts = root / "sys/fs/cgroup"
    with suppress(OSError, ValueError):
        for line in (root / "proc/self/cgroup").read_text(encoding="utf-8", errors="replace").splitlines():
            _, controllers, path = line.split(":", 2)
            if not controllers:
                yield from _granted(mounts, path, "cpu.max")
            elif "cpu" in controllers.split(","):
                for mount in {controllers, "cpu"}:
                    yield from _granted(mounts / mount, path, "cpu.cfs_quota_us", "cpu.cfs_period_us")


def _granted(mount: Path, path: str, *names: str) -> Iterator[float]:
    """Yield the quotas of a group and of those that it is in; a container may not see the outer ones."""
    group = PurePosixPath("/", path)
    for folder in (group, *group.parents):
        with suppress(OSError, ValueError):  # not there, or "max"
            written = [(mount / folder.relative_to("/") / name).read_text(encoding="ascii") for name in names]
            quota, period = map(int, " ".join(written).split())
            if quota > 0 and period > 0:
                yield quota / period
