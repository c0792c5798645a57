"""What of its settings and versions a run has otherwise than the run before it in its series."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from benchbench.errors import visible
from benchbench.history.entry import Entry
from benchbench.history.trend.trend_details import ChangedDetails
from benchbench.results.circumstances import Circumstances, circumstances

if TYPE_CHECKING:
    from benchbench.history.store import Store

MOST = 8  # changes of a run that are listed
_AT_ONCE = 200  # records in memory
_LONGEST = 80  # characters of a value
_OWN = {"name", "out", "started", "finished"}  # what each run has for itself


def changes_of(
    history: "Store", chosen: Sequence[Entry], places: Iterable[int]
) -> dict[int, tuple[list[ChangedDetails], int]]:
    """Return, of the runs at some places, what each has otherwise, as many as are listed, and how many more there are.

    The first run of a series has nothing otherwise.
    """
    wanted = set(places)
    before: dict[int, int] = {}  # place -> that of the run before in its series
    latest: dict[str, int] = {}
    for place, entry in enumerate(chosen):
        if place in wanted and entry.series in latest:
            before[place] = latest[entry.series]
        latest[entry.series] = place
    read = sorted({*before, *before.values()})
    known: dict[int, Circumstances] = {}
    of_places: dict[int, tuple[list[ChangedDetails], int]] = {}
    for place, its in zip(read, _circumstances(history, [chosen[place] for place in read]), strict=True):
        known[place] = its
        if place not in before:
            continue
        its_before = known[before[place]]
        changes = [] if its_before == its else changed(_texts(its_before), _texts(its))
        of_places[place] = changes[:MOST], max(0, len(changes) - MOST)
    return of_places


def _circumstances(history: "Store", runs: Sequence[Entry]) -> Iterator[Circumstances]:
    """Yield those of each run; one that was deleted meanwhile has none."""
    from benchbench.history.adding import stored_json
    from benchbench.history.database import among

    for begin in range(0, len(runs), _AT_ONCE):
        numbers = [run.number for run in runs[begin : begin + _AT_ONCE]]
        with history.reading() as connection:
            sql = f"SELECT number, record FROM run WHERE number IN {among(numbers)}"
            blobs: dict[int, bytes] = dict(connection.rows(sql, numbers))
        for number in numbers:
            yield stored_json(blobs[number], circumstances) if number in blobs else Circumstances()


def _texts(known: Circumstances) -> dict[str, str]:
    """Return settings, versions and the machine of a record as texts by name."""
    given, environment = json.loads(bytes(known.settings)), json.loads(bytes(known.environment))
    settings = {name: setting.get("value") for name, setting in given.items() if name not in _OWN}
    versions = {f"version of {name}": value for name, value in environment.get("versions", {}).items()}
    host = {f"machine: {name}": value for name, value in environment.get("host", {}).items()}
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
