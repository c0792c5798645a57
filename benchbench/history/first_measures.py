"""The first measures of many runs, which stand for the others in a list."""

from collections.abc import Mapping, Sequence

from benchbench.history.database import Connection
from benchbench.history.entry import Entry, Outline
from benchbench.history.numbers import rows_of
from benchbench.history.shown_measures import LEADING, leading_of

MEASURES = 3
_LOOKED_AT = 20  # kinds of runs, each on other data, whose first measures are looked up


def first_measures(
    connection: Connection, found: Sequence[Outline], shown: Sequence[Entry]
) -> dict[int, Mapping[str, float | None]]:
    """Return the first measures of runs that are shown, by their numbers, with their values.

    They are those of the latest of the runs that were found, for each kind of them.
    """
    wanted = _wanted(connection, found)
    numbers = [one.number for one in shown if one.kind in wanted]
    names = {name for of_kind in wanted.values() for name in of_kind}
    values: dict[int, dict[str, float | None]] = {}
    for of, measure, value in rows_of(connection, numbers, names, ("run", "measure", "value"), slices=False):
        values.setdefault(of, {}).setdefault(measure, value)
    return {
        one.number: {name: of_run[name] for name in [name for name in wanted[one.kind] if name in of_run][:MEASURES]}
        for one in shown
        if (of_run := values.get(one.number))
    }


def _wanted(connection: Connection, found: Sequence[Outline]) -> dict[str, list[str]]:
    """Return the first measures of the latest runs on each data, by kind."""
    latest = {(one.kind, one.data_digest): one for one in found}
    looked_at = sorted(latest.values(), key=lambda one: -one.number)[:_LOOKED_AT]
    wanted: dict[str, list[str]] = {}
    for one in looked_at:
        first = leading_of((row[1:] for row in rows_of(connection, [one.number], members=("run", *LEADING))), MEASURES)
        wanted[one.kind] = list(dict.fromkeys([*wanted.get(one.kind, []), *first]))
    return wanted
