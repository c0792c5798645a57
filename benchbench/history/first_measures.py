"""The first measures of many runs, which stand for the others in a list."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from benchbench.history.entry import Entry
from benchbench.history.shown_measures import leading

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
    numbers = history.numbers(looked_at)
    wanted: dict[str, list[str]] = {}  # by kind
    places: dict[str, set[int]] = {}
    for one in looked_at:
        own = numbers.filter(pl.col("run") == one.number).with_row_index("place")
        first = leading(own, MEASURES)
        wanted[one.kind] = list(dict.fromkeys([*wanted.get(one.kind, []), *first]))
        at = own.filter(pl.col("measure").is_in(first), pl.col("slice").is_null())["place"].to_list()
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
    import sqlalchemy as sa

    from benchbench.history.schema import number, run

    values: _Values = {}
    for kind, at in places.items():
        numbers = [one.number for one in found if one.kind == kind]
        joined = run.join(number, (number.c.run == run.c.number) & number.c.place.in_(sorted(at)))
        select = (
            sa.select(number.c.run, number.c.measure, number.c.value)
            .select_from(joined)
            .where(
                (run.c.number + 0).between(min(numbers), max(numbers)),  # + 0: SQLite begins with the runs
                run.c.kind == kind,
                number.c.slice.is_(None),
            )
        )
        with history.reading() as connection:
            for of, measure, value in connection.execute(select).cursor.fetchall():
                values.setdefault(of, {})[measure] = value
    return values


def _searched(history: "History", found: Sequence[Entry], wanted: Mapping[str, Sequence[str]]) -> _Values:
    names = {name for one in found for name in wanted[one.kind]}
    frame = history.numbers(found, names).filter(pl.col("slice").is_null())
    values: _Values = {}
    for of, measure, value in frame.select("run", "measure", "value").iter_rows():
        values.setdefault(of, {}).setdefault(measure, value)
    return values
