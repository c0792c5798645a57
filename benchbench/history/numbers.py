"""The numbers of many runs, as rows or as one frame."""

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from benchbench.history.adding import storable
from benchbench.history.database import Connection, Row, among
from benchbench.history.entry import StoredNumber

if TYPE_CHECKING:
    import polars as pl


# Of a measure, over all or in a slice: its number in each run that has one, in the order of the runs.
Lines = dict[tuple[str, str | None], dict[int, StoredNumber]]
_COLUMNS = ("run", "measure", "scope", "slice", "value", "low", "high", "stderr", "n", "unit", "better")
_WHOLE, _REAL = ("run", "n"), ("value", "low", "high", "stderr")


def number_rows(
    connection: Connection,
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
    columns = zip(*numbers, strict=True) if numbers else ((),) * len(_COLUMNS)  # by rows, polars takes twice as long
    named = zip(StoredNumber._fields, columns, strict=True)
    made = pl.DataFrame([pl.Series(name, column, kinds.get(name, pl.String)) for name, column in named])
    return made.select(_COLUMNS)
