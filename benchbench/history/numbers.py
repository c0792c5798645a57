"""The numbers of many runs as one frame."""

from collections.abc import Collection, Sequence
from typing import Any

import polars as pl
import sqlalchemy as sa

from benchbench.history.adding import storable
from benchbench.history.schema import number

SCHEMA: dict[str, type[pl.DataType]] = {
    "run": pl.Int64,
    "measure": pl.String,
    "scope": pl.String,
    "slice": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "stderr": pl.Float64,
    "n": pl.Int64,
    "unit": pl.String,
    "better": pl.String,
}
_MARK = "="


def numbers_of(connection: sa.Connection, runs: Sequence[int], measures: Collection[str] | None) -> pl.DataFrame:
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
    if not runs or (measures is not None and not measures):
        return pl.DataFrame(schema=SCHEMA)
    columns = [number.c[name] for name in SCHEMA]
    select = sa.select(*columns).where(number.c.run.between(min(runs), max(runs)))
    if measures is not None:
        select = select.where(number.c.measure.in_([storable(one) for one in measures]))
    select = select.order_by(number.c.run, number.c.place)
    frame = _copied(connection, select) if connection.dialect.name == "postgresql" else _fetched(connection, select)
    return frame.filter(pl.col("run").is_in(pl.Series(runs, dtype=pl.Int64).implode()))


def _fetched(connection: sa.Connection, select: sa.Select[Any]) -> pl.DataFrame:
    rows = connection.execute(select).cursor.fetchall()  # SQLAlchemy's own rows take half of the time
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def _copied(connection: sa.Connection, select: sa.Select[Any]) -> pl.DataFrame:
    """Return the rows as PostgreSQL writes them to a file, which makes no object of Python per number.

    Texts have a mark in front there: an empty one is none that lacks.
    """
    marked = [
        sa.literal(_MARK).concat(one) if isinstance(one.type, sa.Text) else one for one in select.selected_columns
    ]
    query = select.with_only_columns(*marked).compile(connection, compile_kwargs={"render_postcompile": True})
    driver: Any = connection.connection
    with (
        driver.cursor() as cursor,
        cursor.copy(f"COPY ({query}) TO STDOUT (FORMAT csv)", query.construct_params()) as rows,
    ):
        text = b"".join(rows)
    if not text:
        return pl.DataFrame(schema=SCHEMA)
    frame = pl.read_csv(text, has_header=False, schema=SCHEMA)
    return frame.with_columns(pl.col(pl.String).str.slice(len(_MARK)))
