"""The numbers of many runs as one frame."""

from collections.abc import Collection, Sequence

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
    found = connection.execute(select.order_by(number.c.run, number.c.place))
    rows = found.cursor.fetchall()  # SQLAlchemy's own rows take half of the time
    frame = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    wanted = pl.Series(runs, dtype=pl.Int64).implode()
    return frame.filter(pl.col("run").is_in(wanted))
