"""The numbers of many runs, as rows or as one frame."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from benchbench.history.adding import storable
from benchbench.history.schema import number

if TYPE_CHECKING:
    import polars as pl

MEMBERS = ("run", "measure", "scope", "slice", "value", "low", "high", "stderr", "n", "unit", "better")
_WHOLE, _REAL = ("run", "n"), ("value", "low", "high", "stderr")


def rows_of(
    connection: sa.Connection,
    runs: Sequence[int],
    measures: Collection[str] | None = None,
    members: Sequence[str] = MEMBERS,
) -> list[tuple[Any, ...]]:
    """Return numbers of runs, as `numbers_of` does, in rows with these members; `run` is the first of them."""
    if not runs or (measures is not None and not measures):
        return []
    select = sa.select(*(number.c[name] for name in members)).where(number.c.run.between(min(runs), max(runs)))
    if measures is not None:
        select = select.where(number.c.measure.in_([storable(one) for one in measures]))
    found = connection.execute(select.order_by(number.c.run, number.c.place))
    # Rows of the driver: SQLAlchemy's own take as long again, and PostgreSQL's COPY to CSV is no faster.
    wanted = set(runs)
    return [row for row in found.cursor.fetchall() if row[0] in wanted]


def numbers_of(connection: sa.Connection, runs: Sequence[int], measures: Collection[str] | None) -> "pl.DataFrame":
    """Return the numbers of runs.

    Parameters
    ----------
    connection
        Of the store.
    runs
        Their numbers.
    measures
        Those that are wanted; None for all.

    Returns
    -------
    DataFrame
        One row per number, by run and within a run as in its record: `run`, `measure`, `scope` (JSON), `slice`
        (`column=value`, null over all), `value`, `low`, `high`, `stderr`, `n`, `unit`, `better`.
    """
    import polars as pl  # a list of runs needs no frame

    return pl.DataFrame(rows_of(connection, runs, measures), schema=schema(), orient="row")


def schema() -> "dict[str, type[pl.DataType]]":
    """Return the kinds of the columns of numbers."""
    import polars as pl

    kinds = {**dict.fromkeys(_WHOLE, pl.Int64), **dict.fromkeys(_REAL, pl.Float64)}
    return {name: kinds.get(name, pl.String) for name in MEMBERS}
