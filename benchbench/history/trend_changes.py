"""What of its settings and versions a run has otherwise than the run before it in its series."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from benchbench.errors import visible
from benchbench.history.entry import Entry
from benchbench.history.trend_details import ChangedDetails
from benchbench.results.record import Record

if TYPE_CHECKING:
    from benchbench.history.store import History

MOST = 8  # changes of a run that are listed
_LONGEST = 80  # characters of a value
_OWN = {"name", "out", "started", "finished"}  # what each run has for itself


def changes_of(history: "History", chosen: Sequence[Entry]) -> list[tuple[list[ChangedDetails], int]]:
    """Return, of each run, what it has otherwise, as many as are listed, and how many more there are."""
    known: dict[str, Mapping[str, str]] = {}
    found: list[tuple[list[ChangedDetails], int]] = []
    for entry in chosen:
        mine = facts_of(history.record(entry))
        before = known.get(entry.series)
        all_of_it = [] if before is None else changed(before, mine)
        found.append((all_of_it[:MOST], max(0, len(all_of_it) - MOST)))
        known[entry.series] = mine
    return found


def facts_of(record: Record) -> dict[str, str]:
    """Return settings, versions and the machine of a record as texts, by name."""
    settings = {name: one.value for name, one in record.settings.items() if name not in _OWN}
    host = {f"machine: {name}": value for name, value in record.environment.host.items()}
    versions = {f"version of {name}": value for name, value in record.environment.versions.items()}
    return {name: _text(value) for name, value in {**settings, **versions, **host}.items()}


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> list[ChangedDetails]:
    """Return what is otherwise in `after`, settings first."""
    return [
        ChangedDetails(name, before.get(name, ""), after.get(name, ""))
        for name in dict.fromkeys([*after, *before])
        if before.get(name) != after.get(name)
    ]


def _text(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, list | tuple):
        return visible(", ".join(map(str, value)), _LONGEST)
    return visible(str(value), _LONGEST)
