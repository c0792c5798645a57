"""What a stored run has otherwise than another: tags, commit, data, settings, versions and machine."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from benchbench.errors import visible
from benchbench.history.changed import KINDS, MOST, ChangedDetails, ChangeKind
from benchbench.history.entry import Entry
from benchbench.results.circumstances import Circumstances, circumstances

if TYPE_CHECKING:
    from benchbench.history.store import Store

_AT_ONCE = 200  # records in memory
_LONGEST = 80  # characters of a value
_OWN = {"name", "out", "started", "finished"}  # what each run has for itself


class Known(NamedTuple):
    """A stored run with its tags, and the settings, versions and machine of its record."""

    entry: Entry  # which may have been read in brief
    tags: Mapping[str, str]
    circumstances: Circumstances

    def of_entry(self) -> dict[tuple[ChangeKind, str], str]:
        """Return its tags, commit, branch and data as texts, by kind and name."""
        entry = self.entry
        known: dict[tuple[ChangeKind, str], str] = {
            **{("tag", f"tag {name}"): value for name, value in self.tags.items() if name not in ("commit", "branch")},
            ("commit", "commit"): entry.commit,
            ("commit", "branch"): entry.branch,
            ("data", "data"): entry.data,
            ("data", "data digest"): entry.data_digest,
        }
        return {name: visible(value, _LONGEST) for name, value in known.items() if value}

    def of_record(self) -> dict[tuple[ChangeKind, str], str]:
        """Return its settings, versions and machine as texts, by kind and name."""
        given, environment = (
            json.loads(bytes(its)) for its in (self.circumstances.settings, self.circumstances.environment)
        )
        settings = {("setting", name): setting.get("value") for name, setting in given.items() if name not in _OWN}
        versions = {("version", f"version of {name}"): it for name, it in environment.get("versions", {}).items()}
        host = {("machine", f"machine: {name}"): it for name, it in environment.get("host", {}).items()}
        known: dict[Any, Any] = {**settings, **versions, **host}
        return {name: _text(value) for name, value in known.items()}


def differences(before: Known, after: Known) -> list[ChangedDetails]:
    """Return what a run has otherwise than another: tags first, then commit, data, settings, versions, machine."""
    is_same = before.circumstances == after.circumstances  # to the byte, as those of most runs: nothing to be read
    return [its for its in beside(before, after, not is_same) if its.before != its.after]


def beside(before: Known, after: Known, with_record: bool = True) -> list[ChangedDetails]:
    """Return the circumstances of two runs in the same order, those too that are alike."""
    old, new = before.of_entry(), after.of_entry()
    if with_record:
        old, new = old | before.of_record(), new | after.of_record()
    return [
        ChangedDetails(name, old.get((kind, name), ""), new.get((kind, name), ""), kind)
        for kind, name in sorted(dict.fromkeys([*new, *old]), key=lambda key: KINDS.index(key[0]))
    ]


def changes_of(
    history: "Store", chosen: Sequence[Entry], places: Iterable[int]
) -> dict[int, tuple[list[ChangedDetails], int]]:
    """Return, of the runs at some places, what each has otherwise, as many as are listed, and how many more there are.

    It is held against the run before it in its series; the first has nothing otherwise. Commits have a place of their
    own, and are not among it.
    """
    wanted = set(places)
    before: dict[int, int] = {}  # place -> that of the run before in its series
    latest: dict[str, int] = {}
    for place, entry in enumerate(chosen):
        if place in wanted and entry.series in latest:
            before[place] = latest[entry.series]
        latest[entry.series] = place
    read = sorted({*before, *before.values()})
    known: dict[int, Known] = {}
    of_places: dict[int, tuple[list[ChangedDetails], int]] = {}
    for place, its in zip(read, known_of(history, [chosen[place] for place in read]), strict=True):
        known[place] = its
        if place in before:
            changes = [change for change in differences(known[before[place]], its) if change.kind != "commit"]
            of_places[place] = changes[:MOST], max(0, len(changes) - MOST)
    return of_places


def known_of(history: "Store", runs: Sequence[Entry]) -> Iterator[Known]:
    """Yield what is known of each run; of one that was deleted meanwhile, neither tags nor circumstances."""
    from benchbench.history.adding import stored_json
    from benchbench.history.database import among

    for begin in range(0, len(runs), _AT_ONCE):
        some = runs[begin : begin + _AT_ONCE]
        numbers = [run.number for run in some]
        tags = defaultdict[int, dict[str, str]](dict)
        with history.reading() as connection:
            sql = f"SELECT number, record FROM run WHERE number IN {among(numbers)}"
            blobs: dict[int, bytes] = dict(connection.rows(sql, numbers))
            sql = f"SELECT run, name, value FROM tag WHERE run IN {among(numbers)} ORDER BY run, place"
            for number, name, value in connection.rows(sql, numbers):
                tags[number][name] = value
        for run in some:
            blob = blobs.get(run.number)
            yield Known(run, tags[run.number], Circumstances() if blob is None else stored_json(blob, circumstances))


def _text(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, list | tuple):
        return visible(", ".join(map(str, value)), _LONGEST)
    return visible(str(value), _LONGEST)
