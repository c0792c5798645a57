"""The notes of a record as facts: what failed, was skipped, cut or assumed stands always, of other notes three."""

from collections.abc import Iterable

from benchbench.report.blocks import Detail
from benchbench.results.record import Note

_OTHERS = 3  # that explain; more of them hide the ones that limit the numbers


def note_rows(notes: Iterable[Note]) -> list[tuple[str, str]]:
    """Return a row per sentence in the order of the notes; those that need `--verbose` are details."""
    rows: list[tuple[str, str]] = []
    others = 0
    for text, shown in {one.text: one.shown for one in notes}.items():
        others += shown == "first"
        hidden = shown == "verbose" or (shown == "first" and others > _OTHERS)
        rows.append(Detail("Note", text) if hidden else ("Note", text))
    return rows
