"""The reference: the mean per query of ten runs, made once and then kept whatever becomes of those runs.

The first check that sees ten runs since the last accepted change writes it: a Parquet file in the folder of tables, and
then a row in the store. Where two do so at once the row of one is kept, and both use that one. The file has a row per
query with the mean of each measure, and a row per block of requests with the mean logarithm of its latency.
"""

import contextlib
import json
import os
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from benchbench.errors import InputError
from benchbench.history.alerts.rows import Accepted
from benchbench.history.check.check_details import CheckedRun
from benchbench.history.check.run_values import (
    BLOCKS,
    latency_names,
    means,
    queries_of,
    requests,
    row,
    run_means,
)
from benchbench.kernels.arrays import F64
from benchbench.results.folder import write_parquet
from benchbench.results.record import utc
from benchbench.significance.latency_ratio import block_values

if TYPE_CHECKING:
    from benchbench.history.entry import Entry
    from benchbench.history.store import Store
    from benchbench.history.values import RunValues

_QUERY, _BLOCK = "_query", "_block "  # the column of ids, and what columns of blocks begin with

_COLUMNS = ("id", "made_at", "runs", "file", "means")  # of a row

Loaded = Sequence[tuple["Entry", "RunValues"]]


@dataclass(frozen=True, kw_only=True)
class Reference:
    """What later runs are held against.

    Attributes
    ----------
    runs
        Those that it was made of.
    made_at
        UTC.
    queries
        Ids.
    means
        Float64 per measure, a row per query: its mean over the runs; NaN where none has a value.
    blocks
        (blocks,) per measure of latency: mean logarithm of the latency of each block of requests.
    run_means
        Of each measure, and of latency in milliseconds, the mean of each run; None where a run has none.
    rebuilt
        Whether the file was lost, and made again from the runs.
    """

    runs: tuple[CheckedRun, ...]
    made_at: str
    queries: pl.Series
    means: pl.DataFrame
    blocks: Mapping[str, F64]
    run_means: Mapping[str, Sequence[float | None]]
    rebuilt: bool = False

    def has(self, measure: str) -> bool:
        """Say whether each of its runs has a mean of a measure."""
        known = self.run_means.get(measure)
        return known is not None and all(mean is not None for mean in known)

    def of(self, measure: str) -> F64:
        """Return the mean of each query, or of each block of requests; `has` was asked before."""
        mean: F64 = self.blocks[measure] if measure in self.blocks else self.means[measure].to_numpy()
        return mean


def checked_run(entry: "Entry") -> CheckedRun:
    """Return what a check says of a run."""
    return CheckedRun(entry.number, entry.id, entry.started, entry.commit)


def reference_of(runs: Loaded) -> Reference:
    """Return the reference that some runs make."""
    values = [stored for _, stored in runs]
    queries = queries_of([value.queries for value in values])
    measures = list(dict.fromkeys(name for value in values for name in value.values.columns))
    columns, of_runs = {}, {}
    for measure in measures:
        matrix = np.array([row(value.queries, value.values, measure, queries) for value in values])
        mean = means(matrix, axis=0)
        columns[measure] = pl.Series(measure, mean, dtype=pl.Float64)
        of_runs[measure] = run_means(matrix, mean)
    blocks = {}
    for name, subject in latency_names(values[0].latency).items():
        sent = [requests(value.latency, subject) for value in values]
        number = min(BLOCKS, *(len(times) for times in sent))
        if number and name not in columns:
            matrix = np.array([block_values(times, number) for times in sent])
            blocks[name] = matrix.mean(axis=0)
            of_runs[name] = np.exp(matrix.mean(axis=1))
    shown = {name: pl.Series(known, dtype=pl.Float64).fill_nan(None).to_list() for name, known in of_runs.items()}
    entries = tuple(checked_run(entry) for entry, _ in runs)
    whole = pl.DataFrame(columns)
    now = utc(time.time())
    return Reference(runs=entries, made_at=now, queries=queries, means=whole, blocks=blocks, run_means=shown)


def kept(history: "Store", since: Accepted) -> Mapping[str, Any] | None:
    """Return the row of the reference of a series since an accepted change; None where none was made yet."""
    sql = f"SELECT {', '.join(_COLUMNS)} FROM reference WHERE series = ? AND accepted = ?"
    with history.reading() as connection:
        row = connection.row(sql, [since.series, since.id])
    return None if row is None else dict(zip(_COLUMNS, row, strict=True))


def runs_of(row: Mapping[str, Any]) -> tuple[CheckedRun, ...]:
    """Return the runs that a row names."""
    return tuple(CheckedRun(**members) for members in json.loads(row["runs"]))


def read(history: "Store", row: Mapping[str, Any]) -> Reference | None:
    """Return the reference that a row names; None where its file is gone.

    Raises
    ------
    InputError
        Where the file is there, and cannot be read.
    """
    path = history.place.tables / row["file"]
    try:
        whole = pl.read_parquet(path, glob=False)
    except FileNotFoundError:
        return None
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as problem:
        raise InputError(
            f"{path}, the reference that runs are held against, cannot be read ({type(problem).__name__}); move it "
            "away, and the next check makes it again from its runs"
        ) from None
    of_blocks = [name for name in whole.columns if name.startswith(_BLOCK)]
    rows = whole.filter(pl.col(_QUERY).is_not_null())
    return Reference(
        runs=runs_of(row),
        made_at=row["made_at"],
        queries=rows[_QUERY],
        means=rows.drop(_QUERY, *of_blocks).select(pl.all().fill_null(np.nan)),
        blocks={name.removeprefix(_BLOCK): whole[name].drop_nulls().to_numpy() for name in of_blocks},
        run_means=json.loads(row["means"]),
    )


def keep(history: "Store", since: Accepted, made: Reference) -> Reference:
    """Write a reference, file and row, and return the one that is kept: that of another check where it was first."""
    file = f"reference-{uuid.uuid4().hex}.parquet"
    _write(history.place.tables / file, made)
    values = {
        "series": since.series,
        "accepted": since.id,
        "made_at": made.made_at,
        "runs": json.dumps([asdict(run) for run in made.runs]),
        "file": file,
        "means": json.dumps(made.run_means),
    }
    try:
        with history.transaction() as connection:
            is_first = connection.insert("reference", [values], "ON CONFLICT (series, accepted) DO NOTHING") == 1
    except BaseException:
        _remove(history.place.tables / file)
        raise
    if is_first:
        return made
    _remove(history.place.tables / file)
    row = kept(history, since)
    other = None if row is None else read(history, row)
    return made if other is None else other


def rebuild(history: "Store", row: Mapping[str, Any], runs: Loaded) -> Reference:
    """Write the lost file of a reference again, from its runs."""
    made = replace(reference_of(runs), runs=runs_of(row), made_at=row["made_at"], rebuilt=True)
    _write(history.place.tables / row["file"], made)
    return made


def forget(history: "Store", since: Accepted) -> None:
    """Take the reference since an accepted change out of the store."""
    row = kept(history, since)
    if row is None:
        return
    with history.transaction() as connection:
        connection.run("DELETE FROM reference WHERE id = ?", [row["id"]])
    _remove(history.place.tables / row["file"])


def _write(path: Path, made: Reference) -> None:
    """Write the file whole, or not at all."""
    rows = made.means.select(pl.all().fill_nan(None)).with_columns(made.queries.alias(_QUERY))
    of_blocks = [pl.DataFrame({f"{_BLOCK}{name}": values}) for name, values in made.blocks.items()]
    rows = pl.concat([rows, *of_blocks], how="diagonal")
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_parquet(rows, partial)
        partial.replace(path)
    except OSError as problem:
        _remove(partial)
        raise InputError(
            f"{path.parent}: the reference cannot be written there: {problem.strerror or problem}"
        ) from None


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
