"""The columns by which queries are grouped and sliced, of a data set that is still at hand when a run is added."""

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from benchbench.errors import InputError
from benchbench.history.per_query import COLUMN, QUERY, PerQuery
from benchbench.results.record import Record

if TYPE_CHECKING:
    from benchbench.formats.query_table import QueryTable

_WITH_DATA = ("dataset", "queries")  # settings that name a data set


def with_query_columns(found: PerQuery, record: Record) -> PerQuery:
    """Return values per query with the columns of the data set that the settings name, or with why they are not there.

    Columns that are there already stay as they are; lists are written with commas between their members.
    """
    options = {name: one.value for name, one in record.settings.items()}
    if not found.frame[QUERY].count() or not any(isinstance(options.get(name), str) for name in _WITH_DATA):
        return found
    try:
        columns = _columns(options, record).rows_of(found.frame[QUERY])
    except InputError as problem:
        return replace(found, why=f"no columns of the data set's queries: {problem}")
    if columns.null_count().sum_horizontal().sum() == columns.height * columns.width:
        return replace(found, why="no columns of the data set's queries: it has none of these queries")
    new = [
        pl.col(name).list.join(", ").alias(f"{COLUMN}{name}")
        if isinstance(kind, pl.List)
        else pl.col(name).cast(pl.String).alias(f"{COLUMN}{name}")
        for name, kind in columns.schema.items()
        if f"{COLUMN}{name}" not in found.frame.columns
    ]
    return replace(found, frame=found.frame.hstack(columns.select(new)))


def _columns(options: dict[str, object], record: Record) -> "QueryTable":
    from benchbench.formats.datasets.data_set import TIERED
    from benchbench.formats.datasets.locate import stored_data_set
    from benchbench.formats.query_table import read_queries

    data = stored_data_set(options)
    encoding, cluster = options.get("encoding"), options.get("cluster") or data.cluster
    table = read_queries(
        data.queries,
        encoding if isinstance(encoding, str) else None,
        options.get("skip_bad_lines") is True,
        (cluster,) if isinstance(cluster, str) else (),
    )
    if data.make == TIERED and record.data.digest is not None and table.digest != record.data.digest:
        raise InputError(f"{data.name} has changed since")
    return table
