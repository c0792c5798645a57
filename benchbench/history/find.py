"""Finding runs: conditions in SQL, and entries of what was found."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from benchbench.comparison.comparable import rules
from benchbench.errors import InputError, visible
from benchbench.history.adding import storable
from benchbench.history.database import Connection, Row, among
from benchbench.history.entry import NO_TAGS, Entry, Outline, Series, Wanted
from benchbench.results.record import utc
from benchbench.results.signature import short

_LEAST_COMMIT, LEAST_ID = 4, 8  # characters of a prefix
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_SHORT = re.compile(r"[0-9a-f]{8}")
_COLUMNS = [*(name for name in Entry.__slots__ if name not in ("tags", "values")), "values_file"]
_OF_SERIES = ("kind", "name", "data", "data_digest", "signature")  # as its latest run has them
_AT_ONCE = 10_000  # runs that a statement names
_Condition = tuple[str, list[Any]]  # SQL, and its values


def entries(connection: Connection, wanted: Wanted, tagged: bool = True) -> list[Entry]:
    """Return the runs that are wanted, in the order of recording; InputError for a wish that cannot be read.

    Unless they are `tagged` they have no tags, and take half the time.
    """
    return by(connection, *_condition(connection, wanted), wanted.limit, tagged)


def outlines(connection: Connection, wanted: Wanted) -> list[Outline]:
    """Return the same of the runs, in outline: that takes a fifth of the time."""
    return [
        Outline(*row)
        for row in reversed(_rows(connection, Outline._fields, *_condition(connection, wanted), wanted.limit))
    ]


def entries_of(connection: Connection, found: Sequence[Outline]) -> list[Entry]:
    """Return the entries of runs, in the order in which they are given."""
    numbers = [one.number for one in found]
    by_number = {
        one.number: one
        for first in range(0, len(numbers), _AT_ONCE)
        for some in [numbers[first : first + _AT_ONCE]]
        for one in by(connection, f"number IN {among(some)}", some)
    }
    return [by_number[number] for number in numbers]


def by(
    connection: Connection,
    condition: str = "",
    values: Sequence[Any] = (),
    limit: int | None = None,
    tagged: bool = True,
) -> list[Entry]:
    """Return the runs that a condition holds for, the latest so many, in the order of recording; all without one."""
    rows = _rows(connection, _COLUMNS, condition, values, limit)
    if not rows:
        return []
    tags = _tags(connection, rows[-1][0], rows[0][0]) if tagged else {}
    return [_entry(row, tags.get(row[0], NO_TAGS)) for row in reversed(rows)]


def _rows(
    connection: Connection, columns: Sequence[str], condition: str, values: Sequence[Any], limit: int | None
) -> list[Row]:
    """Return these columns of the runs that a condition holds for, the latest first."""
    where = f"WHERE {condition}" if condition else ""
    latest = "" if limit is None else f"LIMIT {limit:d}"
    names = ", ".join(f'"{name}"' for name in columns)
    return connection.rows(f"SELECT {names} FROM run {where} ORDER BY number DESC {latest}", values)


def _entry(row: Sequence[Any], tags: Mapping[str, str]) -> Entry:
    *columns, source, values = row
    return Entry(*columns, tags, source, values)  # type: ignore[call-arg] # mypy does not count a list


def series_of(found: Iterable[Entry]) -> list[Series]:
    """Return runs by what they may be compared with, the series of the newest run first."""
    by_key: dict[str, list[Entry]] = defaultdict(list)
    for one in found:
        by_key[one.series].append(one)
    newest = sorted(by_key.values(), key=lambda runs: -runs[-1].number)
    return [
        Series(key=runs[-1].series, entries=tuple(runs), **{name: getattr(runs[-1], name) for name in _OF_SERIES})
        for runs in newest
    ]


def _tags(connection: Connection, first: int, last: int) -> dict[int, dict[str, str]]:
    found: dict[int, dict[str, str]] = {}
    sql = "SELECT run, name, value FROM tag WHERE run BETWEEN ? AND ? ORDER BY run, place"
    for number, name, value in connection.rows(sql, [first, last]):
        found.setdefault(number, {})[name] = value
    return found


def _condition(connection: Connection, wanted: Wanted) -> _Condition:
    """Return what must hold of the runs that are wanted; InputError for a wish that cannot be read."""
    conditions = list(_conditions(connection, wanted))
    if wanted.limit is not None and wanted.limit < 1:
        raise InputError(f"--limit {wanted.limit} is below 1")
    sql = " AND ".join(f"({condition})" for condition, _ in conditions)
    return sql, [value for _, values in conditions for value in values]


def _conditions(connection: Connection, wanted: Wanted) -> Iterable[_Condition]:
    if wanted.name:
        yield "name = ?", [storable(wanted.name)]
    if wanted.kind:
        yield "kind = ?", [storable(wanted.kind)]
    if wanted.data:
        data = storable(wanted.data)
        sql, values = _begins("data_digest", data) if len(data) >= LEAST_ID else ("data_digest = ?", [data])
        yield f"data = ? OR {sql}", [data, *values]
    for name, value in wanted.tags.items():
        yield "number IN (SELECT run FROM tag WHERE name = ? AND value = ?)", [storable(name), storable(value)]
    if wanted.commit:
        if len(wanted.commit) < _LEAST_COMMIT:
            raise InputError(f"--commit {visible(wanted.commit)} has fewer than {_LEAST_COMMIT} characters")
        yield _begins('"commit"', storable(wanted.commit))
    if wanted.since:
        yield "started >= ?", [_moment("--since", wanted.since)[0]]
    if wanted.until:
        moment, is_day = _moment("--until", wanted.until)
        yield f"started {'<' if is_day else '<='} ?", [moment]
    if wanted.signature:
        known = _signatures(connection, storable(wanted.signature))
        yield f"signature IN {among(known)}", known


def _begins(column: str, prefix: str) -> _Condition:
    return f"substr({column}, 1, {len(prefix)}) = ?", [prefix]


def _signatures(connection: Connection, wanted: str) -> list[str]:
    if not _SHORT.fullmatch(wanted):
        return [wanted]
    known = (one for (one,) in connection.rows("SELECT DISTINCT signature FROM run"))
    return [one for one in known if wanted in (one, short(one), rules(one))]


def _moment(option: str, text: str) -> tuple[str, bool]:
    """Return a time as the store has it, and whether a whole day was named; of `--until` then the end of that."""
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InputError(
            f"{option} {visible(text, 40)} is no date or time, such as 2026-11-23 or 2026-11-23T18:30"
        ) from None
    is_day = _DATE.fullmatch(text.strip()) is not None
    found = found if found.tzinfo else found.replace(tzinfo=UTC)
    if is_day and option == "--until":
        found += timedelta(days=1)
    return utc(found.timestamp()), is_day


def column_of(connection: Connection, entry: Entry, column: str) -> Any:
    """Return a column of a run; InputError when it has been deleted since."""
    found = connection.value(f"SELECT {column} FROM run WHERE id = ?", [entry.id])
    if found is None:
        raise InputError(f"run {entry.number} is not in the history any more")
    return found
