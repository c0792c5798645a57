"""The page of several services, which is that of their comparison."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchbench.results.result import Result

_MOST = 50_000  # queries; comparing more takes longer than a page is worth


def compared_targets(result: "Result", folder: Path) -> "Result | None":
    """Return the comparison, None for any other result, and where the services cannot be compared.

    Parameters
    ----------
    result
        What was measured.
    folder
        Where the folders of the services lie.
    """
    if result.record.kind != "targets" or (result.record.data.queries or 0) > _MOST:
        return None
    from benchbench.comparison.folders import compare_results
    from benchbench.errors import InputError
    from benchbench.report.layouts.notes import scoped_notes

    urls = {subject.name: subject.source for subject in result.record.subject}
    names = tuple(urls)
    try:
        found = compare_results([folder / name for name in names], names=names)
    except InputError:
        return None
    systems = tuple(replace(one, source=urls[one.name]) for one in found.systems)
    said = [note.text for note in scoped_notes(result.record.notes) if note.shown != "verbose"]
    found = replace(found, systems=systems, notes=tuple(dict.fromkeys((*found.notes, *said))))
    found.describe(gates=list(result.record.gates))
    return found
