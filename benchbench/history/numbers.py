"""The numbers of many runs, as rows or as one frame."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from benchbench.history.adding import storable
from benchbench.history.database import Connection, Row, among
from benchbench.results.record import Better

if TYPE_CHECKING:
    import polars as pl


class StoredNumber(NamedTuple):
    """A number of a run: `scope` is JSON, `slice` is `column=value`, or None over all."""

    run: int
    measure: str
    scope: str
    slice: str | None
    value: float | None
    low: float | None
    high: float | None
    stderr: float | None
    n: int | None
    unit: str
    better: Better | None


MEMBERS = StoredNumber._fields
_WHOLE, _REAL = ("run", "n"), ("value", "low", "high", "stderr")


def number_rows(
    connection: Connection,
    runs: Sequence[int],
    measures: Collection[str] | None = None,
    members: Sequence[str] = MEMBERS,
    *,
    slices: bool = True,
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
    members
        The columns that are read; `run` is the first of them.
    slices
        Whether numbers of slices are wanted too.
    """
    if not runs or (measures is not None and not measures):
        return []
    texts = [] if measures is None else [storable(measure) for measure in measures]
    of_measures = "" if measures is None else f"AND measure IN {among(texts)}"
    rows = connection.rows(
        f"SELECT {', '.join(members)} FROM number WHERE run BETWEEN ? AND ? {of_measures} "
        f"{'' if slices else 'AND slice IS NULL'} ORDER BY run, place",
        [min(runs), max(runs), *texts],
    )
    wanted = set(runs)
    return [row for row in rows if row[0] in wanted]


def frame_of(rows: Sequence[Row]) -> "pl.DataFrame":
    """Return rows with all members as a frame, whose columns they are."""
    import polars as pl  # late: a list of runs needs no frame

    kinds = {**dict.fromkeys(_WHOLE, pl.Int64), **dict.fromkeys(_REAL, pl.Float64)}
    columns = zip(*rows, strict=True) if rows else ((),) * len(MEMBERS)  # by rows, polars takes twice as long
    return pl.DataFrame(
        [pl.Series(name, column, kinds.get(name, pl.String)) for name, column in zip(MEMBERS, columns, strict=True)]
    )
