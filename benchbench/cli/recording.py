"""`--record`: a result goes into the store of results, once it lies in a folder or nowhere else."""

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from benchbench.cli.history_options import Store
from benchbench.cli.options import new_results, pairs
from benchbench.cli.parameters import on_the_line
from benchbench.errors import BenchbenchError, InputError, InterruptedRunError, said_by
from benchbench.results.settings import HISTORY, Opt, in_section

if TYPE_CHECKING:
    from benchbench.results.result import Result

Tags = Annotated[
    tuple[str, ...],
    Opt(
        "Goes with the result, such as model=v2.",
        flags=("--tag",),
        metavar="NAME=VALUE",
        is_repeated=True,
    ),
]


class Recording:
    """Where a result is recorded; None stands for the usual place."""

    def __init__(self, store: str | None) -> None:
        """Take the place."""
        self.store = store

    def check(self) -> None:
        """Refuse a store that cannot be written or is of a newer benchbench, before anything is measured.

        One that is not there yet is made when there is a result.
        """
        from benchbench.history.place import place_of
        from benchbench.history.store import open_history

        place = place_of(self.store)
        for path in (place.tables, place.file):
            if path is not None and not path.exists():
                above = next(one for one in path.parents if one.exists())
                if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
                    raise InputError(f"--store {place.shown}: {path} cannot be made in {above}; name another place")
        if place.file is None or place.file.exists():
            with open_history(self.store, create=True) as history, history.transaction():
                pass  # nothing is written; a store that cannot be refuses it

    def keep(self, results: "Sequence[tuple[Result, Path | None]]", quiet: bool) -> BenchbenchError | None:
        """Record results, each with the folder in which it lies.

        Returns
        -------
        BenchbenchError or None
            Why one could not be recorded, and how to add it later. What lies in no folder was written to one for that.
        """
        missing = list(results)
        try:
            from benchbench.history.store import open_history
            from benchbench.stored import load

            with open_history(self.store, create=True) as history:
                for result, folder in results:
                    stored = result if folder is None else load(folder)  # with tables that were written as they came
                    entry, _ = history.add(stored, source="" if folder is None else str(folder.absolute()))
                    missing.pop(0)
                    if not quiet:
                        click.echo(f"Recorded as #{entry.number} in {history.place.shown}", err=True)
        except KeyboardInterrupt:
            return InterruptedRunError(self._missed(missing, "interrupted"))
        except Exception as problem:  # whatever it is, what was measured is still there to be shown
            return InputError(self._missed(missing, said_by(problem)))
        return None

    def _missed(self, results: "Sequence[tuple[Result, Path | None]]", why: str) -> str:
        """Return in a sentence why results are not recorded, where they lie, and what adds them."""
        from benchbench.results.folder import save

        folders = []
        for result, folder in results:
            try:
                folders.append(str(folder or save(result, new_results(result.record.kind))))
            except (InputError, OSError) as problem:
                return f"the result is not recorded: {why}; nor can it be kept in a folder: {said_by(problem)}"
        where = [] if self.store is None else ["--store", "URL" if "://" in self.store else self.store]
        add = shlex.join(["benchbench", "history", "add", *folders, *where])
        return f"the result is not recorded: {why}; it lies in {' and '.join(folders)}, and `{add}` adds it later"


def tags_of(given: tuple[str, ...]) -> dict[str, str]:
    """Return tags by their names; InputError for what is none, or is given twice."""
    return pairs(given, "--tag")


@in_section(HISTORY)
def recording(
    record: Annotated[bool, Opt("Keep the result in the history too.")] = False,
    store: Store = None,
    tags: Tags = (),
) -> tuple[Recording | None, Mapping[str, str]]:
    """Return where a result is recorded, and its tags: those given, and with `--record` what git says.

    Raises
    ------
    InputError
        For a tag that is none, and a `--store` for nothing.
    """
    given = tags_of(tags)
    if not record:
        if on_the_line(click.get_current_context(), "store"):
            raise InputError("--store says where --record keeps the result; add --record")
        return None, given
    from benchbench.history.git import git_tags

    return Recording(store), {**git_tags(), **given}
