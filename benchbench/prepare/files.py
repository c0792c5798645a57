"""The files of a data set as they are written: digested line by line, and there together or not at all."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from benchbench.errors import InputError
from benchbench.tables.hashing import content_digest


@contextmanager
def together(out: Path, names: Iterable[str]) -> Iterator[dict[str, Path]]:
    """Yield a path aside for each file name; the files get their names in `out`, made if need be, when the block ends.

    An error leaves nothing behind; one of the file system becomes an InputError.
    """
    made = not out.exists()
    try:
        out.mkdir(parents=True, exist_ok=True)
        parts = {name: out / f".{name}.partial" for name in names}
        try:
            yield parts
            for name, part in parts.items():
                part.replace(out / name)
        finally:
            for part in parts.values():
                part.unlink(missing_ok=True)
            if made and not any(out.iterdir()):
                out.rmdir()
    except OSError as error:
        raise InputError(f"cannot write {out}: {error.strerror}; name another place with --out") from error


class Digested:
    """A file that is written a line of JSON at a time and knows its digest."""

    def __init__(self, path: Path) -> None:
        """Name the file; it is opened as a context."""
        self._path = path
        self._digest = content_digest()
        self.place = 0

    def __enter__(self) -> "Digested":
        """Open it."""
        self._file = self._path.open("wb", buffering=1 << 20)
        return self

    def __exit__(self, *error: object) -> None:
        """Close it, with all of it on the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def write(self, value: Any) -> None:
        """Append a line."""
        line = orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
        self._digest.update(line)
        self.place += len(line)
        self._file.write(line)

    def digest(self) -> str:
        """Return the digest of what was written, named."""
        return "xxh3-128:" + self._digest.hexdigest()
