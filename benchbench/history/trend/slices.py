"""Slices of a trend made of values per query, where the records have none of a column."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchbench.errors import InputError
from benchbench.history.entry import Entry

if TYPE_CHECKING:
    import polars as pl

    from benchbench.history.store import Store
    from benchbench.history.values import Values


def slices_of_values(
    history: "Store", chosen: Sequence[Entry], by: str, numbers: "pl.DataFrame", measures: Sequence[str]
) -> tuple["pl.DataFrame", int]:
    """Return the means of measures per slice of the queries, as `History.numbers` has them, and how many runs lack it.

    A query without a value is in no mean; one without a label is in no slice.
    """
    import polars as pl

    from benchbench.history.slice_means import parts_of

    rows, lacking = [], 0
    for entry in chosen:
        values = _values(history, entry)
        if values is None or by not in values.columns.columns:
            lacking += 1
            continue
        there = [name for name in measures if name in values.values.columns]
        rows += [
            (entry.number, name, f"{by}={part.value}", part.means[name], part.queries)
            for part in parts_of(values, there, by)
            for name in there
        ]
    whole = numbers.filter(pl.col("slice").is_null()).select("measure", "scope", "unit", "better").unique("measure")
    kinds = {name: numbers.schema[name] for name in ("run", "measure", "slice", "value", "n")}
    made = pl.DataFrame(rows, schema=kinds, orient="row").join(whole, on="measure", how="left")
    empty = [pl.lit(None, pl.Float64).alias(name) for name in ("low", "high", "stderr")]
    return made.with_columns(empty).select(numbers.columns), lacking


def columns_of(history: "Store", chosen: Sequence[Entry]) -> list[str]:
    """Return the columns that a breakdown can go by: of the slices of records, and of the queries of the last run."""
    slices = (
        history.numbers(chosen, members=("run", "slice"))["slice"].drop_nulls().unique(maintain_order=True).to_list()
    )
    found = dict.fromkeys(one.partition("=")[0] for one in slices)
    last = next((values for entry in reversed(chosen) if (values := _values(history, entry)) is not None), None)
    return list(found | dict.fromkeys([] if last is None else last.columns.columns))


def _values(history: "Store", entry: Entry) -> "Values | None":
    """Return the values per query of a run; None where it has none, or their file is gone."""
    try:
        return history.values(entry) if entry.values else None
    except InputError:
        return None
