"""The history as one Parquet file: a row per run and number, or per run, query and measure."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

import polars as pl

from benchbench.history.entry import Entry, MissingValuesError
from benchbench.results.folder import explained, merge, write_parquet

if TYPE_CHECKING:
    from benchbench.history.store import Store

_COLUMNS = [name for name in Entry._fields if name not in ("number", "tags", "values")]  # texts


def runs_of(entries: Sequence[Entry]) -> pl.DataFrame:
    """Return what the store says of runs, one row each: `run` (its number), the fields of `Entry`, and `tags`.

    `tags` is a list of names and values.
    """
    texts = {name: pl.Series([getattr(entry, name) for entry in entries], dtype=pl.String) for name in _COLUMNS}
    pair = pl.Struct({"name": pl.String, "value": pl.String})
    tags = [[{"name": name, "value": value} for name, value in entry.tags.items()] for entry in entries]
    return pl.DataFrame(
        {
            "run": pl.Series([entry.number for entry in entries], dtype=pl.Int64),
            **texts,
            "tags": pl.Series(tags, dtype=pl.List(pair)),
        }
    )


def numbers_with_runs(history: "Store", entries: Sequence[Entry]) -> pl.DataFrame:
    """Return every number of runs, one row each, with the columns of its run."""
    return history.numbers(entries).join(runs_of(entries), on="run", how="left", maintain_order="left")


def export_values(history: "Store", entries: Sequence[Entry], path: Path) -> tuple[int, list[str]]:
    """Write the values per query of runs: a row per run, query and measure, with the columns of its run.

    One run is in memory at a time.

    Returns
    -------
    tuple
        How many rows there are, and why runs have none.
    """
    missing, rows = [], 0
    folder = Path(mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    parts = folder / "values"
    try:
        with explained(path):
            parts.mkdir()
            for place, entry in enumerate(entries):
                try:
                    frame = _long(history, entry)
                except MissingValuesError as problem:
                    missing.append(str(problem))
                    continue
                rows += frame.height
                write_parquet(frame, parts / f"{place:08}.parquet")
            if not rows:
                write_parquet(_rows(runs_of([]), pl.DataFrame(schema=_LONG)), parts / "none.parquet")
            merge(parts)
            (folder / "values.parquet").replace(path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return rows, missing


_LONG = {"query": pl.String, "measure": pl.String, "value": pl.Float64}


def _long(history: "Store", entry: Entry) -> pl.DataFrame:
    """Return the values of a run, one row per query and measure; those that there are none of are null."""
    values = history.values(entry)
    frame = values.values.with_columns(values.queries.alias("\0query"))
    long = frame.unpivot(index="\0query", variable_name="measure", value_name="value").rename({"\0query": "query"})
    return _rows(runs_of([entry]), long)


def _rows(run: pl.DataFrame, long: pl.DataFrame) -> pl.DataFrame:
    return run.join(long.select(pl.col(name).cast(kind) for name, kind in _LONG.items()), how="cross")
