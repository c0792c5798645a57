"""Finding runs: conditions in SQL, and entries of what was found."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from benchbench.comparison.comparable import rules
from benchbench.errors import InputError, visible
from benchbench.history.adding import storable
from benchbench.history.entry import NO_TAGS, Entry, Series, Wanted
from benchbench.history.schema import run, tag
from benchbench.results.record import utc
from benchbench.results.signature import short

_LEAST_COMMIT, LEAST_ID = 4, 8  # characters of a prefix
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_SHORT = re.compile(r"[0-9a-f]{8}")
_COLUMNS = (
    *(run.c.number, run.c.id, run.c.kind, run.c.name, run.c.status, run.c.started, run.c.finished, run.c.added),
    *(run.c.series, run.c.signature, run.c.data, run.c.data_digest, run.c.commit, run.c.branch),
)


def entries(connection: sa.Connection, wanted: Wanted) -> list[Entry]:
    """Return the runs that are wanted, in the order of recording; InputError for a wish that cannot be read."""
    conditions = list(_conditions(connection, wanted))
    if wanted.limit is not None and wanted.limit < 1:
        raise InputError(f"--limit {wanted.limit} is below 1")
    return by(connection, sa.and_(sa.true(), *conditions), wanted.limit)


def by(connection: sa.Connection, condition: sa.ColumnElement[bool], limit: int | None = None) -> list[Entry]:
    """Return the runs that a condition holds for, the latest so many, in the order of recording."""
    select = sa.select(*_COLUMNS, run.c.source, run.c.values_file).where(condition).order_by(run.c.number.desc())
    rows = connection.execute(select.limit(limit)).cursor.fetchall()  # the driver's: SQLAlchemy's take as long again
    if not rows:
        return []
    tags = _tags(connection, rows[-1][0], rows[0][0])
    return [_entry(row, tags.get(row[0], NO_TAGS)) for row in reversed(rows)]


def _entry(row: Sequence[Any], tags: Mapping[str, str]) -> Entry:
    *columns, source, values = row
    return Entry(*columns, tags, source, values)  # type: ignore[call-arg] # mypy does not count a list


def series_of(found: Iterable[Entry]) -> list[Series]:
    """Return runs by what they may be compared with, the series of the newest run first."""
    by_key: dict[str, list[Entry]] = defaultdict(list)
    for one in found:
        by_key[one.series].append(one)
    newest = sorted(by_key.values(), key=lambda of: -of[-1].number)
    return [
        Series(last.series, last.kind, last.name, last.data, last.data_digest, last.signature, tuple(of))
        for of in newest
        for last in [of[-1]]
    ]


def _tags(connection: sa.Connection, first: int, last: int) -> dict[int, dict[str, str]]:
    found: dict[int, dict[str, str]] = {}
    select = sa.select(tag.c.run, tag.c.name, tag.c.value).where(tag.c.run.between(first, last))
    rows = connection.execute(select.order_by(tag.c.run, tag.c.place)).cursor.fetchall()
    for number, name, value in rows:
        found.setdefault(number, {})[name] = value
    return found


def _conditions(connection: sa.Connection, wanted: Wanted) -> Iterable[sa.ColumnElement[bool]]:
    if wanted.name:
        yield run.c.name == storable(wanted.name)
    if wanted.kind:
        yield run.c.kind == storable(wanted.kind)
    if wanted.data:
        data = storable(wanted.data)
        digest = run.c.data_digest == data
        if len(data) >= LEAST_ID:
            digest = _begins(run.c.data_digest, data)
        yield sa.or_(run.c.data == data, digest)
    for name, value in wanted.tags.items():
        of = sa.select(tag.c.run).where(tag.c.name == storable(name), tag.c.value == storable(value))
        yield run.c.number.in_(of)
    if wanted.commit:
        if len(wanted.commit) < _LEAST_COMMIT:
            raise InputError(f"--commit {visible(wanted.commit)} has fewer than {_LEAST_COMMIT} characters")
        yield _begins(run.c.commit, storable(wanted.commit))
    if wanted.since:
        yield run.c.started >= _moment("--since", wanted.since)[0]
    if wanted.until:
        moment, is_day = _moment("--until", wanted.until)
        yield run.c.started < moment if is_day else run.c.started <= moment
    if wanted.signature:
        yield run.c.signature.in_(_signatures(connection, storable(wanted.signature)))


def _begins(column: sa.ColumnElement[str], prefix: str) -> sa.ColumnElement[bool]:
    return sa.func.substr(column, 1, len(prefix)) == prefix


def _signatures(connection: sa.Connection, wanted: str) -> list[str]:
    if not _SHORT.fullmatch(wanted):
        return [wanted]
    known = connection.execute(sa.select(run.c.signature).distinct()).scalars()
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


def row_of(connection: sa.Connection, entry: Entry, column: sa.Column[Any]) -> Any:
    """Return a column of a run; InputError when it has been deleted since."""
    found = connection.execute(sa.select(column).where(run.c.id == entry.id)).scalar()
    if found is None:
        raise InputError(f"run {entry.number} is not in the history any more")
    return found
