"""The first measures of many runs, which stand for the others in a list."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from benchbench.history.database import among
from benchbench.history.entry import Entry
from benchbench.history.numbers import rows_of
from benchbench.history.shown_measures import LEADING, leading_of

if TYPE_CHECKING:
    from benchbench.history.store import History

MEASURES = 3
_LOOKED_AT = 20  # kinds of runs, each on other data, whose first measures are looked up
_Values = dict[int, dict[str, float | None]]  # by the number of a run, and by measure


def first_measures(history: "History", found: Sequence[Entry]) -> _Values:
    """Return the first measures of each run, by its number, with their values.

    Runs of one kind have them at the same places of their records, mostly: there they are looked up, which takes a
    tenth of the time. Only where a run has another measure its numbers are searched.
    """
    latest = {(one.kind, one.data_digest): one for one in found}
    looked_at = sorted(latest.values(), key=lambda one: -one.number)[:_LOOKED_AT]
    with history.reading() as connection:
        numbers = rows_of(connection, [one.number for one in looked_at], members=("run", *LEADING))
    wanted: dict[str, list[str]] = {}  # by kind
    places: dict[str, set[int]] = {}
    for one in looked_at:
        own = [row[1:] for row in numbers if row[0] == one.number]
        first = leading_of(own, MEASURES)
        wanted[one.kind] = list(dict.fromkeys([*wanted.get(one.kind, []), *first]))
        at = [place for place, (measure, _, part, _) in enumerate(own) if measure in first and part is None]
        places[one.kind] = {*places.get(one.kind, ()), *at}
    values = _at_places(history, found, places)
    searched = [
        one for one in found if one.kind in wanted and values.get(one.number, {}).keys().isdisjoint(wanted[one.kind])
    ]
    values |= _searched(history, searched, wanted)
    return {
        one.number: {
            name: of_run[name] for name in [name for name in wanted.get(one.kind, ()) if name in of_run][:MEASURES]
        }
        for one in found
        if (of_run := values.get(one.number))
    }


def _at_places(history: "History", found: Sequence[Entry], places: Mapping[str, set[int]]) -> _Values:
    """Return what runs have at some places of their records."""
    values: _Values = {}
    for kind, at in places.items():
        numbers, places_at = [one.number for one in found if one.kind == kind], sorted(at)
        sql = (
            "SELECT number.run, measure, value FROM run "
            f"JOIN number ON number.run = run.number AND number.place IN {among(places_at)} "
            "WHERE run.number + 0 BETWEEN ? AND ? AND run.kind = ? AND slice IS NULL"
        )  # + 0, so that SQLite begins with the runs
        with history.reading() as connection:
            for of, measure, value in connection.rows(sql, [*places_at, min(numbers), max(numbers), kind]):
                values.setdefault(of, {})[measure] = value
    return values


def _searched(history: "History", found: Sequence[Entry], wanted: Mapping[str, Sequence[str]]) -> _Values:
    names = {name for one in found for name in wanted[one.kind]}
    values: _Values = {}
    with history.reading() as connection:
        rows = rows_of(connection, [one.number for one in found], names, ("run", "measure", "value", "slice"))
    for of, measure, value, part in rows:
        if part is None:
            values.setdefault(of, {}).setdefault(measure, value)
    return values
