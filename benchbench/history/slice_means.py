"""Values per query by what the queries have in common."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from benchbench.errors import InputError
from benchbench.history.entry import Entry, StoredNumber
from benchbench.history.values import RunValues
from benchbench.significance.slices import FEW_VALUES, slices_of

if TYPE_CHECKING:
    from benchbench.history.store import Store

_ROUNDING = 1e-9  # of a stored mean, relative to itself, or to 1


def typed(columns: pl.DataFrame) -> pl.DataFrame:
    """Return stored columns, which are texts, so that `slices_of` cuts those of many numbers into bins."""
    return columns.with_columns(_typed(column) for column in columns.iter_columns())


def _typed(column: pl.Series) -> pl.Series:
    numbers = column.cast(pl.Float64, strict=False)
    are_numbers = numbers.null_count() == column.null_count() and numbers.is_finite().all()
    return numbers if are_numbers and numbers.drop_nulls().n_unique() > FEW_VALUES else column


def sliced_numbers(values: RunValues, numbers: Sequence[StoredNumber], column: str) -> list[StoredNumber]:
    """Return the means of the measures of a run's numbers over the slices of a column, as numbers.

    A query without a value is in no mean, and one without a label in no slice. InputError for a column that is not
    stored.
    """
    if column not in values.columns.columns:
        there = ", ".join(values.columns.columns) or "none"
        why = f" ({values.why})" if values.why else ""
        raise InputError(f"--by {column} is no column of the queries that is stored; there are {there}{why}")
    measures = [number.measure for number in numbers]
    made = []
    for slice_ in slices_of(typed(values.columns.select(column)), column):
        means = values.values.select(measures)[slice_.queries].mean().row(0, named=True) if measures else {}
        of_slice: dict[str, Any] = {"slice": f"{column}={slice_.value}", "low": None, "high": None, "stderr": None}
        made += [number._replace(**of_slice, value=means[number.measure], n=len(slice_.queries)) for number in numbers]
    return made


def is_mean(value: float | None, values: np.ndarray) -> bool:
    """Say whether a stored number is the mean of values per query, those that are NaN left out."""
    known = values[np.isfinite(values)]
    if value is None or not len(known):
        return False
    return math.isclose(value, float(known.mean()), rel_tol=_ROUNDING, abs_tol=_ROUNDING)


def slices_of_values(
    history: "Store", chosen: Sequence[Entry], by: str, numbers: Mapping[str, StoredNumber]
) -> tuple[list[StoredNumber], int]:
    """Return the means of measures per slice of the queries as numbers, and how many runs lack them.

    `numbers` has one of each measure, of any run.
    """
    means, lacking = list[StoredNumber](), 0
    for entry in chosen:
        values = _values(history, entry)
        if values is None or by not in values.columns.columns:
            lacking += 1
            continue
        there = [number._replace(run=entry.number) for name, number in numbers.items() if name in values.values.columns]
        means += sliced_numbers(values, there, by)
    return means, lacking


def columns_of(history: "Store", chosen: Sequence[Entry]) -> list[str]:
    """Return the columns that a breakdown can go by: of the slices of records, and of the queries of the last run."""
    slices = (number.slice for number in history.rows(chosen) if number.slice is not None)
    columns = dict.fromkeys(slice_.partition("=")[0] for slice_ in slices)
    last = next((values for entry in reversed(chosen) if (values := _values(history, entry)) is not None), None)
    return list(columns | dict.fromkeys([] if last is None else last.columns.columns))


def _values(history: "Store", entry: Entry) -> RunValues | None:
    """Return the values per query of a run; None where it has none, or their file is gone."""
    try:
        return history.values(entry) if entry.values else None
    except InputError:
        return None
