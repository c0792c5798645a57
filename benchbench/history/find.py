"""Finding runs, and reading their numbers: conditions in SQL, entries and numbers of what was found."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from benchbench.comparison.comparable import rules
from benchbench.errors import InputError, visible
from benchbench.history.adding import storable
from benchbench.history.database import Row, StoreConnection, among
from benchbench.history.entry import NO_TAGS, Entry, Series, StoredNumber
from benchbench.history.wanted import Wanted
from benchbench.results.record import utc
from benchbench.results.signature import short

if TYPE_CHECKING:
    import polars as pl

_LEAST_COMMIT, LEAST_ID = 4, 8  # characters of a prefix
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_SHORT = re.compile(r"[0-9a-f]{8}")
_COLUMNS = tuple(f'"{name}"' for name in [*Entry._fields[:-2], "values_file"])
_BRIEF = Entry._fields.index("finished")  # columns of runs that are not read in whole
_OF_SERIES = ("kind", "name", "data", "data_digest", "signature")  # as its latest run has them
_OF_FRAME = ("run", "measure", "scope", "slice", "value", "low", "high", "stderr", "n", "unit", "better")
_WHOLE, _REAL = ("run", "n"), ("value", "low", "high", "stderr")
_Condition = tuple[str, list[Any]]  # SQL, and its values


def entries(connection: StoreConnection, wanted: Wanted, whole: bool = True) -> list[Entry]:
    """Return the runs that are wanted, in the order of recording; InputError for a wish that cannot be read.

    Unless they are `whole` they have no tags, no source and no file, and take half the time.
    """
    return by(connection, *_condition(connection, wanted), wanted.limit, whole)


def by(
    connection: StoreConnection,
    condition: str = "",
    values: Sequence[Any] = (),
    limit: int | None = None,
    whole: bool = True,
) -> list[Entry]:
    """Return the runs that a condition holds for, the latest so many, in the order of recording; all without one."""
    where = f"WHERE {condition}" if condition else ""
    latest = "" if limit is None else f"LIMIT {limit:d}"
    columns = ", ".join(_COLUMNS if whole else _COLUMNS[:_BRIEF])
    rows = connection.rows(f"SELECT {columns} FROM run {where} ORDER BY number DESC {latest}", values)
    rows.reverse()
    if not whole or not rows:
        return [Entry(*row) for row in rows]
    tags: dict[int, dict[str, str]] = {}
    sql = "SELECT run, name, value FROM tag WHERE run BETWEEN ? AND ? ORDER BY run, place"
    for number, name, value in connection.rows(sql, [rows[0][0], rows[-1][0]]):
        tags.setdefault(number, {})[name] = value
    return [Entry(*(*row, tags.get(row[0], NO_TAGS))) for row in rows]


def in_whole(connection: StoreConnection, runs: Sequence[Entry]) -> list[Entry]:
    """Return runs with all that is known of them."""
    if not runs:
        return []
    numbers = [run.number for run in runs]
    known = {run.number: run for run in by(connection, "number BETWEEN ? AND ?", [min(numbers), max(numbers)])}
    return [known.get(run.number, run) for run in runs]


def series_of(entries: Iterable[Entry]) -> list[Series]:
    """Return runs by what they may be compared with, the series of the newest run first."""
    by_key: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        by_key[entry.series].append(entry)
    newest = sorted(by_key.values(), key=lambda runs: -runs[-1].number)
    return [
        Series(key=runs[-1].series, entries=tuple(runs), **{name: getattr(runs[-1], name) for name in _OF_SERIES})
        for runs in newest
    ]


def _condition(connection: StoreConnection, wanted: Wanted) -> _Condition:
    """Return what must hold of the runs that are wanted; InputError for a wish that cannot be read."""
    conditions = list(_conditions(connection, wanted))
    if wanted.limit is not None and wanted.limit < 1:
        raise InputError(f"--limit {wanted.limit} is below 1")
    sql = " AND ".join(f"({condition})" for condition, _ in conditions)
    return sql, [value for _, values in conditions for value in values]


def _conditions(connection: StoreConnection, wanted: Wanted) -> Iterable[_Condition]:
    if wanted.name:
        yield "name = ?", [storable(wanted.name)]
    if wanted.kind:
        yield "kind = ?", [storable(wanted.kind)]
    if wanted.data:
        data = storable(wanted.data)
        sql, values = _begins("data_digest", data) if len(data) >= LEAST_ID else ("data_digest = ?", [data])
        yield f"data = ? OR {sql}", [data, *values]
    for name, value in wanted.tag_values.items():
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


def _signatures(connection: StoreConnection, wanted: str) -> list[str]:
    if not _SHORT.fullmatch(wanted):
        return [wanted]
    known = (signature for (signature,) in connection.rows("SELECT DISTINCT signature FROM run"))
    return [signature for signature in known if wanted in (signature, short(signature), rules(signature))]


def _moment(option: str, text: str) -> tuple[str, bool]:
    """Return a time as the store has it, and whether a whole day was named; of `--until` then the end of that."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InputError(
            f"{option} {visible(text, 40)} is not a date or time, such as 2026-11-23 or 2026-11-23T18:30"
        ) from None
    is_day = _DATE.fullmatch(text.strip()) is not None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if is_day and option == "--until":
        moment += timedelta(days=1)
    return utc(moment.timestamp()), is_day


def column_of(connection: StoreConnection, entry: Entry, column: str) -> Any:
    """Return a column of a run; InputError when it has been deleted since."""
    value = connection.value(f"SELECT {column} FROM run WHERE id = ?", [entry.id])
    if value is None:
        raise InputError(f"run {entry.number} is not in the history any more")
    return value


# Of a measure, over all or in a slice: its number in each run that has one, in the order of the runs.
Lines = dict[tuple[str, str | None], dict[int, StoredNumber]]


def number_rows(
    connection: StoreConnection,
    runs: Collection[int],
    measures: Collection[str] | None = None,
    slices: bool = True,
    columns: Sequence[str] = StoredNumber._fields,
) -> list[Row]:
    """Return numbers of runs, by run and within a run as in its record.

    Parameters
    ----------
    connection
        Of the store.
    runs
        Their numbers.
    measures
        Those that are wanted; None for all.
    slices
        Whether numbers of slices are wanted too.
    columns
        What is read of each; `run` is the first.
    """
    if not runs or (measures is not None and not measures):
        return []
    texts = [] if measures is None else [storable(measure) for measure in measures]
    of_measures = "" if measures is None else f"AND measure IN {among(texts)}"
    rows = connection.rows(
        f"SELECT {', '.join(columns)} FROM number WHERE run BETWEEN ? AND ? {of_measures} "
        f"{'' if slices else 'AND slice IS NULL'} ORDER BY run, place",
        [min(runs), max(runs), *texts],
    )
    wanted = set(runs)
    return [row for row in rows if row[0] in wanted]


def lines_of(numbers: Iterable[StoredNumber]) -> Lines:
    """Return numbers by measure and slice, and then by run: the first of each."""
    lines: Lines = {}
    for number in numbers:
        lines.setdefault((number.measure, number.slice), {}).setdefault(number.run, number)
    return lines


def frame_of(numbers: Sequence[StoredNumber]) -> "pl.DataFrame":
    """Return numbers as a frame, one row each."""
    import polars as pl  # late: a list of runs needs no frame

    kinds = {**dict.fromkeys(_WHOLE, pl.Int64), **dict.fromkeys(_REAL, pl.Float64)}
    columns = zip(*numbers, strict=True) if numbers else ((),) * len(_OF_FRAME)  # by rows, polars takes twice as long
    named = zip(StoredNumber._fields, columns, strict=True)
    made = pl.DataFrame([pl.Series(name, column, kinds.get(name, pl.String)) for name, column in named])
    return made.select(_OF_FRAME)
