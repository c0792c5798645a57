"""The notes of a record as facts: what failed, was skipped, cut or assumed stands always, of other notes three."""

from collections.abc import Iterable

from benchbench.report.blocks import Detail
from benchbench.results.record import Note
from benchbench.tables.shared_messages import and_joined

_OTHERS = 3  # that explain; more of them hide the ones that limit the numbers


def note_rows(notes: Iterable[Note]) -> list[tuple[str, str]]:
    """Return a row per sentence in the order of the notes; those that need `--verbose` are details."""
    rows: list[tuple[str, str]] = []
    others = 0
    for text, shown in {note.text: note.shown for note in notes}.items():
        others += shown == "first"
        hidden = shown == "verbose" or (shown == "first" and others > _OTHERS)
        rows.append(Detail("Note", text) if hidden else ("Note", text))
    return rows


def scoped_notes(notes: Iterable[Note]) -> list[Note]:
    """Return notes as sentences that say what they are of, where that is not everything: one of several things once."""
    scopes: dict[tuple[str, str], list[str]] = {}
    for note in notes:
        scopes.setdefault((note.text, note.shown), []).append(", ".join(note.scope.values()))
    return [
        Note(text=": ".join(filter(None, (and_joined(list(dict.fromkeys(named))), text))), shown=shown)  # type: ignore[arg-type]
        for (text, shown), named in scopes.items()
    ]
