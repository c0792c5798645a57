"""The numbers of many runs, as rows or as one frame."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from benchbench.history.adding import storable
from benchbench.history.database import Connection, Row, among

if TYPE_CHECKING:
    import polars as pl

MEMBERS = ("run", "measure", "scope", "slice", "value", "low", "high", "stderr", "n", "unit", "better")
_WHOLE, _REAL = ("run", "n"), ("value", "low", "high", "stderr")


def rows_of(
    connection: Connection,
    runs: Sequence[int],
    measures: Collection[str] | None = None,
    members: Sequence[str] = MEMBERS,
    *,
    slices: bool = True,
) -> list[Row]:
    """Return numbers of runs, as `numbers_of` does, in rows with these members; `run` is the first of them."""
    if not runs or (measures is not None and not measures):
        return []
    texts = [] if measures is None else [storable(one) for one in measures]
    of_measures = "" if measures is None else f"AND measure IN {among(texts)}"
    found = connection.rows(
        f"SELECT {', '.join(members)} FROM number WHERE run BETWEEN ? AND ? {of_measures} "
        f"{'' if slices else 'AND slice IS NULL'} ORDER BY run, place",
        [min(runs), max(runs), *texts],
    )
    wanted = set(runs)
    return [row for row in found if row[0] in wanted]


def numbers_of(
    connection: Connection,
    runs: Sequence[int],
    measures: Collection[str] | None = None,
    members: Sequence[str] = MEMBERS,
    *,
    slices: bool = True,
) -> "pl.DataFrame":
    """Return the numbers of runs.

    Parameters
    ----------
    connection
        Of the store.
    runs
        Their numbers.
    measures
        Those that are wanted; None for all.
    members
        The columns that are read; `run` is the first of them.
    slices
        Whether numbers of slices are wanted too.

    Returns
    -------
    DataFrame
        One row per number, by run and within a run as in its record: `run`, `measure`, `scope` (JSON), `slice`
        (`column=value`, null over all), `value`, `low`, `high`, `stderr`, `n`, `unit`, `better`.
    """
    import polars as pl  # a list of runs needs no frame

    rows = rows_of(connection, runs, measures, members, slices=slices)
    columns = (
        zip(*rows, strict=True) if rows else ((),) * len(members)
    )  # by columns: by rows, polars takes twice as long
    kinds = schema()
    return pl.DataFrame([pl.Series(name, column, kinds[name]) for name, column in zip(members, columns, strict=True)])


def schema() -> "dict[str, type[pl.DataType]]":
    """Return the kinds of the columns of numbers."""
    import polars as pl

    kinds = {**dict.fromkeys(_WHOLE, pl.Int64), **dict.fromkeys(_REAL, pl.Float64)}
    return {name: kinds.get(name, pl.String) for name in MEMBERS}
