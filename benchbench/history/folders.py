"""Results folders, many at a time: found below a folder, and read in the order in which they were measured."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchbench.errors import InputError
from benchbench.history.adding import rows_of
from benchbench.history.entry import Entry, StoredNumber
from benchbench.history.store import Store, open_history
from benchbench.results.folder import PARTIAL, RECORD, SUMMARY
from benchbench.results.result import Result
from benchbench.stored import load


def results_within(folder: Path) -> list[Path]:
    """Return the results folders that a folder has at any depth, itself included, by name.

    Parts of a result that have a folder of their own within it, such as the targets of a run, are not listed, nor are
    unfinished folders and hidden ones.

    Raises
    ------
    InputError
        When there is none.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder" if folder.exists() else f"{folder} does not exist")
    folders = []
    for place, below, files in os.walk(folder):
        if RECORD in files or SUMMARY in files:
            folders.append(Path(place))
            below.clear()
        below[:] = sorted(name for name in below if not name.startswith(".") and not name.endswith(PARTIAL))
    if not folders:
        raise InputError(f"{folder} has no results folder in it: none has a {RECORD} or {SUMMARY}")
    return folders


def read_folders(folders: Iterable[Path]) -> tuple[list[tuple[Path, Result]], list[InputError]]:
    """Return the results of folders in the order of time, each folder once, and why others could not be read."""
    results: dict[Path, tuple[Path, Result]] = {}
    problems = []
    for folder in folders:
        try:
            results.setdefault(folder.resolve(), (folder, load(folder)))
        except InputError as problem:
            problems.append(problem)
    return sorted(results.values(), key=lambda placed: (placed[1].record.started, placed[1].record.id)), problems


def as_entries(results: Sequence[tuple[Path, Result]]) -> tuple[list[Entry], list[StoredNumber]]:
    """Return results as a store would have them, numbered from 1, without one: entries, and the numbers of all."""
    entries, numbers = list[Entry](), list[StoredNumber]()
    for run, (place, result) in enumerate(results, 1):
        rows = rows_of(result, {}, str(place))
        known = {name: value for name, value in rows.run.items() if name in Entry._fields}
        tags = {tag["name"]: tag["value"] for tag in rows.tags}
        entries.append(Entry(number=run, tags=tags, values="", **known))
        numbers += [StoredNumber(run, *(row[name] for name in StoredNumber._fields[1:])) for row in rows.numbers]
    return entries, numbers


@contextmanager
def folder_history(results: Sequence[tuple[Path, Result]]) -> Iterator[tuple[Store, list[Entry]]]:
    """Yield a store of its own with results in it, which is gone afterwards, and their entries in the given order."""
    with TemporaryDirectory() as folder, open_history(Path(folder) / "history.db", create=True) as history:
        yield history, [history.add(result, source=str(place))[0] for place, result in results]
