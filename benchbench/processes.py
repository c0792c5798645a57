"""How another Python process is started, and how a process collects cycles."""

import os
import sys

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
