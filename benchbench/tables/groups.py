"""Groups of queries: those of one document, case or user, which are not independent of one another."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from benchbench.errors import InputError
from benchbench.kernels.arrays import F64, I64

if TYPE_CHECKING:
    import polars as pl  # most commands that know of groups make none


@dataclass(frozen=True)
class Groups:
    """Which queries belong together."""

    column: str  # that the groups are the values of
    codes: I64  # (queries,): the group of each, from 0
    number: int  # of groups

    @cached_property
    def sizes(self) -> F64:
        """The number of queries of each group."""
        return np.bincount(self.codes, minlength=self.number).astype(np.float64)

    def sums(self, values: F64) -> F64:
        """Add up the values of each group.

        Parameters
        ----------
        values
            (…, queries), of any number of axes: (queries,), (measures, systems, queries).

        Returns
        -------
        F64
            (…, groups).
        """
        rows = np.ascontiguousarray(values, np.float64).reshape(-1, len(self.codes))
        added: F64 = np.array([np.bincount(self.codes, row, self.number) for row in rows], np.float64)
        return added.reshape(*values.shape[:-1], self.number)

    def part(self, queries: I64) -> "Groups":
        """Return the groups of some of the queries, by their places."""
        left, codes = np.unique(self.codes[queries], return_inverse=True)
        return Groups(self.column, codes.astype(np.int64), len(left))


def groups_of(columns: "pl.DataFrame", name: str) -> Groups:
    """Return the groups that the values of a column are.

    Two queries are in one group where their values are equal; lists, where they have the same members. A query without
    a value (null, NaN, an empty list) is a group of its own: nothing says that it belongs to another one. Groups are
    numbered in the order of their first queries.

    Parameters
    ----------
    columns
        One row per query.
    name
        Of the column: texts, categories, numbers, dates, truth values, or lists of them.

    Raises
    ------
    InputError
        There is no such column, or its values are none of these.
    """
    import polars as pl

    if name not in columns.columns:
        there = ", ".join(columns.columns) or "none"
        raise InputError(f"there is no column {name} to group by; there are: {there}")
    column = columns[name]
    kind = column.dtype
    inner = kind.inner if isinstance(kind, pl.List | pl.Array) else kind
    if inner.is_nested() or inner in (pl.Object, pl.Binary):
        raise InputError(f"column {name} holds {kind}, which has no values to group by")
    if inner is not kind:
        column = _members(column.cast(pl.List(inner)))
    return grouped(name, column)


def _members(lists: "pl.Series") -> "pl.Series":
    """Return a text per list, the same where the members are; null where there are none."""
    import polars as pl

    queries = pl.DataFrame({"query": np.arange(len(lists))})
    rows = queries.with_columns(member=lists).explode("member").drop_nulls()
    coded = rows.select("query", pl.col("member").rank("dense")).unique().sort("query", "member")
    texts = coded.group_by("query").agg(pl.col("member").cast(pl.String).str.join(","))
    return queries.join(texts, on="query", how="left", maintain_order="left")["member"]


def grouped(name: str, values: "Sequence[object] | pl.Series") -> Groups:
    """Return the groups of values at hand, one per query, such as document ids; see `groups_of`."""
    import polars as pl

    column = values if isinstance(values, pl.Series) else pl.Series(name, values, strict=False)
    if column.dtype.is_float():
        column = column.fill_nan(None)
    rows = pl.DataFrame({"query": np.arange(len(column)), "value": column})
    rows = rows.with_columns(alone=pl.when(pl.col("value").is_null()).then("query"))
    members = rows.group_by("value", "alone", maintain_order=True).agg("query")["query"].to_list()
    codes = np.empty(len(column), np.int64)
    for code, queries in enumerate(members):
        codes[queries] = code
    return Groups(name, codes, len(members))
