"""What of its settings and versions a run has otherwise than the run before it in its series."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from benchbench.errors import visible
from benchbench.history.entry import Entry
from benchbench.history.trend.details import ChangedDetails

if TYPE_CHECKING:
    from benchbench.history.store import Store

MOST = 8  # changes of a run that are listed
_AT_ONCE = 200  # records in memory
_LONGEST = 80  # characters of a value
_OWN = {"name", "out", "started", "finished"}  # what each run has for itself


class _Environment(msgspec.Struct):
    versions: dict[str, Any] = {}
    host: dict[str, Any] = {}


class _Facts(msgspec.Struct, frozen=True):
    """What of a record may be otherwise from run to run, as JSON: mostly it is that of the run before to the byte."""

    settings: msgspec.Raw = msgspec.Raw(b"{}")
    environment: msgspec.Raw = msgspec.Raw(b"{}")


def changes_of(history: "Store", chosen: Sequence[Entry]) -> list[tuple[list[ChangedDetails], int]]:
    """Return, of each run, what it has otherwise, as many as are listed, and how many more there are."""
    known: dict[str, _Facts] = {}
    found: list[tuple[list[ChangedDetails], int]] = []
    for entry, mine in zip(chosen, _facts(history, chosen), strict=True):
        before = known.get(entry.series, mine)
        all_of_it = [] if before == mine else changed(_texts(before), _texts(mine))
        found.append((all_of_it[:MOST], max(0, len(all_of_it) - MOST)))
        known[entry.series] = mine
    return found


def _facts(history: "Store", chosen: Sequence[Entry]) -> Iterator[_Facts]:
    """Yield the facts of each run; one that was deleted meanwhile has none."""
    from benchbench.history.adding import stored_json
    from benchbench.history.database import among

    for begin in range(0, len(chosen), _AT_ONCE):
        numbers = [entry.number for entry in chosen[begin : begin + _AT_ONCE]]
        with history.reading() as connection:
            sql = f"SELECT number, record FROM run WHERE number IN {among(numbers)}"
            blobs: dict[int, bytes] = dict(connection.rows(sql, numbers))
        for number in numbers:
            yield stored_json(blobs[number], _Facts) if number in blobs else _Facts()


def _texts(facts: _Facts) -> dict[str, str]:
    """Return settings, versions and the machine of a record as texts by name."""
    given = msgspec.json.decode(facts.settings, type=dict[str, dict[str, Any]])
    environment = msgspec.json.decode(facts.environment, type=_Environment)
    settings = {name: one.get("value") for name, one in given.items() if name not in _OWN}
    versions = {f"version of {name}": value for name, value in environment.versions.items()}
    host = {f"machine: {name}": value for name, value in environment.host.items()}
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
