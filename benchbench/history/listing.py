"""The runs of a store, one row each, with their first measures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from benchbench.comparison.comparable import rules
from benchbench.history import find
from benchbench.history.entry import ALL, Outline, Wanted
from benchbench.history.first_measures import first_measures
from benchbench.history.incomparable import incomparable

if TYPE_CHECKING:
    from benchbench.history.store import History

Order = Literal["recording", "time"]
SHOWN = 200  # runs in a table, where no limit is named
_NAMED = 5  # runs that a note names


@dataclass(frozen=True, slots=True)
class Row:
    """One run.

    `rules` are 8 digits of what its numbers depend on; `other_rules` says that the run before of that kind and name was
    measured otherwise, or on other data; `is_back` that the run recorded before it started later.
    """

    number: int
    id: str
    started: str
    name: str
    kind: str
    status: str
    data: str
    measures: Mapping[str, float | None]
    commit: str
    branch: str
    tags: Mapping[str, str]
    rules: str
    other_rules: bool
    is_back: bool
    source: str


@dataclass(frozen=True, slots=True)
class Listing:
    """What `history list` shows: so many runs, of which a table has the last ones."""

    store: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    runs: int


def listing(history: "History", wanted: Wanted = ALL, order: Order = "recording", whole: bool = True) -> Listing:
    """Return the runs that are wanted, the latest last.

    Parameters
    ----------
    history
        The store.
    wanted
        Which runs.
    order
        That of recording, or of the time at which they started.
    whole
        Whether all of them are rows; else those that a table shows, and no others are read in whole.
    """
    most = most_shown(wanted)
    with history.reading() as connection:
        found = find.outlines(connection, wanted)
        runs = ordered(found, order)
        shown = find.entries_of(connection, runs if whole else runs[-most:])
        measures = first_measures(connection, found, shown)
    unlike, back = _unlike(found), _back(found)
    of_series = {series: rules(signature) for series, signature in {one.series: one.signature for one in shown}.items()}
    rows = [
        Row(
            entry.number,
            entry.id,
            entry.started,
            entry.name,
            entry.kind,
            entry.status,
            entry.data,
            measures.get(entry.number, {}),
            entry.commit,
            entry.branch,
            dict(entry.tags),
            of_series[entry.series],
            entry.number in unlike,
            entry.number in back,
            entry.source,
        )
        for entry in shown
    ]
    notes = []
    if back and order == "recording":
        notes.append(
            f"{_numbered(sorted(back))} started before the run that was recorded before: the order is that of "
            "recording, and --order time is the other"
        )
    notes += incomparable(found)
    if len(found) > most:
        notes.append(said_of_last(most, len(found)))
    return Listing(history.place.shown, tuple(rows), tuple(notes), len(found))


def ordered(found: Sequence[Outline], order: Order) -> list[Outline]:
    """Return runs, which stand in the order of recording, in that or by their times."""
    return sorted(found, key=lambda one: (one.started, one.number)) if order == "time" else list(found)


def most_shown(wanted: Wanted) -> int:
    """Return how many runs a table has at most."""
    return wanted.limit or SHOWN


def said_of_last(shown: int, runs: int) -> str:
    """Return that a table has only the last runs."""
    return f"tables have the last {shown:,} of {runs:,} runs; --limit {runs} shows all"


def _unlike(found: Sequence[Outline]) -> set[int]:
    """Return the runs that may not be compared with the one before of their kind and name."""
    before: dict[tuple[str, str], str] = {}
    unlike = set()
    for one in found:
        if before.setdefault((one.kind, one.name), one.series) != one.series:
            unlike.add(one.number)
        before[one.kind, one.name] = one.series
    return unlike


def _back(found: Sequence[Outline]) -> set[int]:
    """Return the runs that started before the one that was recorded before them."""
    return {one.number for before, one in pairwise(found) if one.started < before.started}


def _numbered(numbers: Sequence[int]) -> str:
    named = ", ".join(f"#{one}" for one in numbers[:_NAMED])
    more = len(numbers) - _NAMED
    return f"{named} and {more:,} more" if more > 0 else named
