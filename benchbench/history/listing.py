"""The runs of a store, one row each, with their first measures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from benchbench.comparison.comparable import rules
from benchbench.history.comparability import incomparable
from benchbench.history.entry import Entry
from benchbench.history.measure_names import leading
from benchbench.history.wanted import ALL, Wanted
from benchbench.tables.shared_messages import few

if TYPE_CHECKING:
    from benchbench.history.store import Store

Order = Literal["recording", "time"]
SHOWN = 200  # runs in a table, where no limit is named
_OF_ENTRY = ("number", "id", "started", "name", "kind", "status", "data", "commit", "branch", "source")  # of a row
_MEASURES = 3  # of a run
_LOOKED_AT = 20  # kinds of runs, each on other data, whose first measures are looked up


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRun:
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
    rows: tuple[ListedRun, ...]
    notes: tuple[str, ...]
    runs: int


def listing(history: "Store", wanted: Wanted = ALL, order: Order = "recording", whole: bool = True) -> Listing:
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
    entries = history.entries(wanted, whole=False)
    runs = ordered(entries, order)
    shown = history.in_whole(runs if whole else runs[-most:])
    measures = _first_measures(history, entries, shown)
    unlike = _unlike(entries)
    back = {run.number for before, run in pairwise(entries) if run.started < before.started}
    of_series = {series: rules(signature) for series, signature in {run.series: run.signature for run in shown}.items()}
    rows = [
        ListedRun(
            **{name: getattr(entry, name) for name in _OF_ENTRY},
            tags=dict(entry.tags),
            measures=measures[entry.number],
            rules=of_series[entry.series],
            other_rules=entry.number in unlike,
            is_back=entry.number in back,
        )
        for entry in shown
    ]
    notes = []
    if back and order == "recording":
        runs_back = few([f"#{number}" for number in sorted(back)])
        notes.append(
            f"{runs_back} started before the run that was recorded before: the order is that of recording, and --order "
            "time is the other"
        )
    notes += incomparable(entries)
    if len(entries) > most:
        notes.append(said_of_last(most, len(entries)))
    return Listing(history.place.shown, tuple(rows), tuple(notes), len(entries))


def ordered(entries: Sequence[Entry], order: Order) -> list[Entry]:
    """Return runs, which stand in the order of recording, in that or by their times."""
    return sorted(entries, key=lambda run: (run.started, run.number)) if order == "time" else list(entries)


def most_shown(wanted: Wanted) -> int:
    """Return how many runs a table has at most."""
    return wanted.limit or SHOWN


def said_of_last(shown: int, runs: int) -> str:
    """Return that a table has only the last runs."""
    return f"tables have the last {shown:,} of {runs:,} runs; --limit {runs} shows all"


def _unlike(entries: Sequence[Entry]) -> set[int]:
    """Return the runs that may not be compared with the run before of their kind and name."""
    before: dict[tuple[str, str], str] = {}
    unlike = set()
    for run in entries:
        if before.setdefault((run.kind, run.name), run.series) != run.series:
            unlike.add(run.number)
        before[run.kind, run.name] = run.series
    return unlike


def _first_measures(
    history: "Store", entries: Sequence[Entry], shown: Sequence[Entry]
) -> dict[int, Mapping[str, float | None]]:
    """Return the first measures of runs that are shown, by their numbers, with their values.

    They are those of the latest of the runs that were found, for each kind of them.
    """
    wanted = _wanted(history, entries)
    names = {name for of_kind in wanted.values() for name in of_kind}
    lines = history.lines([run for run in shown if run.kind in wanted], names)
    measures: dict[int, Mapping[str, float | None]] = {}
    for run in shown:
        of_run = [name for name in wanted.get(run.kind, ()) if run.number in lines.get(name, ())]
        measures[run.number] = {name: lines[name][run.number].value for name in of_run[:_MEASURES]}
    return measures


def _wanted(history: "Store", entries: Sequence[Entry]) -> dict[str, list[str]]:
    """Return the first measures of the latest runs on each data, by kind."""
    latest = {(run.kind, run.data_digest): run for run in entries}
    looked_at = sorted(latest.values(), key=lambda run: -run.number)[:_LOOKED_AT]
    wanted: dict[str, list[str]] = {}
    for run in looked_at:
        first = leading(history.rows([run]), _MEASURES)
        wanted[run.kind] = list(dict.fromkeys([*wanted.get(run.kind, []), *first]))
    return wanted
