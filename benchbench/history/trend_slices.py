"""Slices of a trend made of values per query, where the records have none of a column."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchbench.errors import InputError
from benchbench.history.entry import Entry

if TYPE_CHECKING:
    import polars as pl

    from benchbench.history.store import History


def slices_of_values(
    history: "History", chosen: Sequence[Entry], by: str, numbers: "pl.DataFrame", measures: Sequence[str]
) -> tuple["pl.DataFrame", int]:
    """Return the means of measures per slice of the queries, as `History.numbers` has them, and how many runs lack it.

    A query without a value (its request failed) is in no mean; one without a label is in no slice.
    """
    import polars as pl

    found, lacking = [], 0
    for entry in chosen:
        try:
            values = history.values(entry) if entry.values else None
        except InputError:  # its file is gone
            values = None
        if values is None or by not in values.columns.columns:
            lacking += 1
            continue
        there = [name for name in measures if name in values.values.columns]
        rows = values.values.select(there).with_columns(values.columns[by].alias("\0by"))
        rows = rows.unpivot(on=there, index="\0by", variable_name="measure").drop_nulls(["\0by", "value"])
        means = rows.group_by("\0by", "measure").agg(
            pl.col("value").mean(), pl.len().cast(pl.Int64).alias("n"), pl.col("value").std().alias("\0std")
        )
        found.append(means.with_columns(pl.lit(entry.number, pl.Int64).alias("run")))
    if not found:
        return numbers.clear(), lacking
    whole = numbers.filter(pl.col("slice").is_null()).select("measure", "scope", "unit", "better").unique("measure")
    made = (
        pl.concat(found)
        .with_columns(
            (pl.lit(f"{by}=") + pl.col("\0by")).alias("slice"), (pl.col("\0std") / pl.col("n").sqrt()).alias("stderr")
        )
        .join(whole, on="measure", how="left")
        .with_columns(pl.lit(None, pl.Float64).alias("low"), pl.lit(None, pl.Float64).alias("high"))
        .select(numbers.columns)
        .sort("run")
    )
    return made, lacking


def columns_of(history: "History", chosen: Sequence[Entry], numbers: "pl.DataFrame") -> list[str]:
    """Return the columns that a breakdown can go by: of the slices of records, and of the queries of the last run."""
    named = numbers["slice"].drop_nulls().unique(maintain_order=True).to_list()
    found = dict.fromkeys(one.partition("=")[0] for one in named)
    for entry in reversed(chosen):
        if not entry.values:
            continue
        try:
            found |= dict.fromkeys(history.values(entry).columns.columns)
        except InputError:
            continue
        break
    return list(found)
