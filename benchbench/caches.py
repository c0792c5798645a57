"""Where what takes time to make stays for the next process."""

import os
from collections.abc import Iterator
from pathlib import Path


def places(source: Path) -> Iterator[Path]:
    """Yield the folders that may keep what is made of a source file, the first choice first.

    Beside the source, as Python keeps bytecode; else in the folder of the user for such things.
    """
    yield source.with_name("__pycache__")
    home = os.path.expanduser("~/.cache")  # noqa: PTH111 - pathlib raises where there is no home
    for base in (os.environ.get("XDG_CACHE_HOME"), os.environ.get("LOCALAPPDATA"), home):
        if base and Path(base).is_absolute():
            yield Path(base) / "benchbench"
            return
