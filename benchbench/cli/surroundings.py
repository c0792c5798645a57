"""What around the program makes it fail: files of another package in its folder, and too small a limit of memory."""

# pathlib is not imported: it would take a tenth of the time of `--help`, and each command comes by here
import os
import sys
from typing import TYPE_CHECKING

from benchbench.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

_LEAST = 400 << 20  # bytes of address space; numpy and LLVM do not load in 300 MB, and end the process with code 1
_TABLES, _PER_CORE = 1_600 << 20, 32 << 20  # polars aborts the process, or waits for ever, in less; measured on 2 cores
_DISTRIBUTION = "benchbench_retrieval-"  # begins the name of the folder whose RECORD lists our files


def check() -> str:
    """Return a sentence on foreign files in the package's folder; empty where there are none.

    Raises
    ------
    InputError
        Where another package has overwritten ours, or memory is limited to less than any command needs.
    """
    limit = memory_limit()
    if limit is not None and limit < _LEAST:
        raise InputError(f"memory is limited to {_megabytes(limit)} (ulimit -v), and {_megabytes(_LEAST)} are needed")
    if limit is not None:
        sys.meta_path.insert(0, Guard(limit))
    return foreign_files(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120


class Guard:
    """Refuses to import polars where memory is limited to less than it needs."""

    def __init__(self, limit: int) -> None:
        """Keep the limit, in bytes of address space."""
        self._limit, self._least = limit, _TABLES + _PER_CORE * (os.cpu_count() or 1)

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Leave a module to the usual finders; InputError for polars without the memory."""
        if name == "polars" and self._limit < self._least:
            raise InputError(
                f"memory is limited to {_megabytes(self._limit)} (ulimit -v), and what reads or writes tables needs "
                f"{_megabytes(self._least)} on this machine"
            )


def memory_limit() -> int | None:
    """Return the bytes of address space that this process may have; None without a limit."""
    try:
        import resource
    except ImportError:  # there are no limits on Windows
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if limit == resource.RLIM_INFINITY else limit


def said_of_limit() -> str:
    """Return what an error says of the limit of memory, which may be why it came; empty without a limit."""
    limit = memory_limit()
    return "" if limit is None else f"; memory is limited to {_megabytes(limit)} (ulimit -v)"


def foreign_files(package: "str | Path") -> str:
    """Return a sentence on files in an installed package's folder that are not ours; empty where none is known.

    The package `benchbench` of PyPI has the same import name, and pip installs both into one folder.

    Raises
    ------
    InputError
        Where it has overwritten a file of ours, such as `__init__.py`: then nothing works.
    """
    around, folder = os.path.split(package)
    try:
        beside = [one.path for one in os.scandir(around) if one.name.startswith(_DISTRIBUTION)]
        listed = ""
        if len(beside) == 1:
            with open(f"{beside[0]}/RECORD", encoding="utf-8") as record:  # noqa: PTH123
                listed = record.read()
        found = {one.name: one.stat().st_size for one in os.scandir(package)} if listed else {}
    except OSError:
        return ""
    own: dict[str, str] = {}  # name in the folder -> size of a file
    for line in listed.splitlines():
        path, _, rest = line.partition(",")
        name, *inside = path.removeprefix(f"{folder}/").split("/")
        if path.startswith(f"{folder}/"):
            own[name] = "" if inside else rest.rpartition(",")[2]
    if not own:  # a checkout, or installed with -e
        return ""
    changed = sorted(name for name, size in own.items() if size and size != str(found.get(name)))
    foreign = sorted(found.keys() - own.keys() - {"__pycache__"})
    remedy = "uninstall `benchbench` and `benchbench-retrieval`, and install the latter again"
    if changed:
        raise InputError(
            f"{package} has files that benchbench-retrieval has otherwise ({', '.join(changed)}); {remedy}"
        )
    return f"{package} has files of another package ({', '.join(foreign)}); {remedy}" if foreign else ""


def _megabytes(number: int) -> str:
    return f"{number >> 20:,} MB"
