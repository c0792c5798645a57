"""The files of a data set: digested line by line, and written all together or not at all."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from benchbench.errors import InputError
from benchbench.formats.datasets.tiered import QUERIES
from benchbench.tables.hashing import content_digest

CARD = Path(QUERIES).with_suffix(".card.json").name


def check_free(out: Path, names: Iterable[str], replace: bool = False, option: str = "--out") -> None:
    """Raise InputError for files that exist already, unless they are to be replaced; `option` is what names them."""
    there = [out / name for name in names if os.path.lexists(out / name)]
    if there and not replace:
        exist, them = ("exists", "it") if len(there) == 1 else ("exist", "them")
        shown = " and ".join(map(str, there))
        raise InputError(f"{shown} {exist} already; --force replaces {them}, another {option} keeps {them}")
    for path in there:
        if path.is_dir():
            raise InputError(f"{path} is a folder, and no file can replace it; name another place with {option}")


@contextmanager
def together(
    out: Path, names: Iterable[str], replace: bool = False, option: str = "--out"
) -> Iterator[dict[str, Path]]:
    """Yield a temporary path per file name; the files get their names in `out`, made if need be, when the block ends.

    Existing files are replaced only with `replace`. An error leaves everything as it was; an error of the file system
    becomes an InputError.
    """
    names = tuple(names)
    check_free(out, names, replace, option)
    made = not out.exists()
    mark = f"{os.getpid()}-{os.urandom(4).hex()}"  # two processes that write here do not write into one another's
    try:
        out.mkdir(parents=True, exist_ok=True)
        parts = {name: _aside(out / name, mark, "partial") for name in names}
        try:
            for part in parts.values():
                part.parent.mkdir(exist_ok=True)
            yield parts
            check_free(out, names, replace, option)
            _place(out, parts, mark)
        finally:
            for part in parts.values():
                part.unlink(missing_ok=True)
                if part.parent != out and not any(part.parent.iterdir()):
                    part.parent.rmdir()
            if made and not any(out.iterdir()):
                out.rmdir()
    except OSError as error:
        raise InputError(f"cannot write {out}: {error.strerror}; name another place with {option}") from error


def _aside(path: Path, mark: str, kind: str) -> Path:
    """Return where a file stands before it has its name, and where one stands that it replaces."""
    return path.with_name(f".{path.name}.{mark}.{kind}")


def _place(out: Path, parts: dict[str, Path], mark: str) -> None:
    """Give all files their names. Files that had them are removed afterwards, and put back when one cannot be named."""
    old = {out / name: _aside(out / name, mark, "old") for name in parts}
    placed = []
    try:
        for name, part in parts.items():
            if os.path.lexists(out / name):
                (out / name).replace(old[out / name])
            placed.append(out / name)
            part.replace(out / name)
    except BaseException:
        for path in placed:
            path.unlink(missing_ok=True)
        for path, aside in old.items():
            if os.path.lexists(aside):
                aside.replace(path)
        raise
    for aside in old.values():
        aside.unlink(missing_ok=True)


class Digested:
    """A file of JSON lines that computes its digest while it is written."""

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
        """Return the digest of the lines, with the name of the hash."""
        return "xxh3-128:" + self._digest.hexdigest()
