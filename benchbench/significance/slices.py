"""Slices: the queries that have one value in one column."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from benchbench.errors import InputError
from benchbench.kernels.arrays import F64, I64
from benchbench.tables.fields import called

NONE = "(none)"
FEW_VALUES = 12  # numbers with more are cut into bins
BINS = 4


class QuerySlice(NamedTuple):
    """Some queries and what they have in common."""

    value: str
    queries: I64  # places, ascending


def slices_of(columns: pl.DataFrame, name: str) -> list[QuerySlice]:
    """Return the slices of a column.

    Texts, categories, truth values and numbers of at most `FEW_VALUES` values: one slice per value. Other numbers:
    `BINS` bins of about as many queries, equal values always in one. Lists: one slice per member, so that slices
    overlap. Null, NaN and an empty list are a value of their own, `NONE`, which comes last.

    Raises
    ------
    InputError
        There is no such column, or its values cannot be sliced by.
    """
    if name not in columns.columns:
        there = ", ".join(columns.columns) or "none"
        raise InputError(f"there is no column {name} to slice by; there are: {there}")
    column = columns[name]
    kind = column.dtype
    inner = kind.inner if isinstance(kind, pl.List | pl.Array) else kind
    if inner.is_nested() or inner in (pl.Object, pl.Binary):
        raise InputError(f"column {name} holds {kind}, which has no values to slice by")
    if inner is not kind:
        return list(_by_value(_members(column.cast(pl.List(inner)))))
    if kind.is_float():
        column = column.fill_nan(None)
    if kind.is_numeric() and column.drop_nulls().n_unique() > FEW_VALUES:
        return list(_by_bin(column))
    return list(_by_value(pl.DataFrame({"query": np.arange(len(column)), "value": column})))


def overlap(columns: pl.DataFrame, name: str) -> bool:
    """Say whether a query may be in several slices of the column."""
    return isinstance(columns[name].dtype, pl.List | pl.Array)


def _members(column: pl.Series) -> pl.DataFrame:
    """Return one row per query and member of its list; null where it has none."""
    rows = pl.DataFrame({"query": np.arange(len(column)), "value": column})
    members = pl.col("value").list.unique(maintain_order=True)
    return rows.with_columns(pl.when(members.list.len() > 0).then(members)).explode("value")


def _by_value(rows: pl.DataFrame) -> Iterator[QuerySlice]:
    """Yield one slice per value, in their order, from rows of query and value."""
    groups = rows.group_by("value").agg(pl.col("query").sort()).sort("value", nulls_last=True)
    for value, queries in groups.iter_rows():
        yield QuerySlice(_label(value), np.array(queries, np.int64))


def _by_bin(column: pl.Series) -> Iterator[QuerySlice]:
    """Yield the bins of a column of numbers, lowest first, named by the least and the greatest in them."""
    known = column.is_not_null().to_numpy()
    numbers: F64 = column.fill_null(0).cast(pl.Float64).to_numpy()
    edges = np.unique(np.quantile(numbers[known], np.arange(1, BINS) / BINS, method="inverted_cdf"))
    bins = np.where(known, np.searchsorted(edges, numbers), -1)
    spans, places = [], []
    for number in range(len(edges) + 1):
        queries = np.flatnonzero(bins == number)
        if len(queries):
            inside = column.gather(queries)
            spans.append((inside.min(), inside.max()))
            places.append(queries)
    for span, queries in zip(_spans(spans), places, strict=True):
        yield QuerySlice(span, queries)
    if not known.all():
        yield QuerySlice(NONE, np.flatnonzero(~known))


def _spans(spans: Sequence[tuple[object, object]]) -> list[str]:
    """Return names of bins with four digits, or with as many as tell them apart."""
    for digits in (4, 12, 17):
        ends = [[f"{end:.{digits}g}" if isinstance(end, float) else str(end) for end in span] for span in spans]
        names = ["–".join(dict.fromkeys(each)) for each in ends]
        if len(set(names)) == len(names):
            break
    return names


def _label(value: object) -> str:
    if value is None:
        return NONE
    return f'"{NONE}"' if value == NONE else called(value)  # a text that says so is a value
