"""Values per query by what the queries have in common."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from benchbench.errors import InputError
from benchbench.history.values import Values
from benchbench.significance.slices import FEW_VALUES, slices_of

_ROUNDING = 1e-9  # of a stored mean, relative to itself, or to 1


@dataclass(frozen=True, slots=True)
class Part:
    """The queries with one value in one column: how many, and the mean of each measure; None where none has a value."""

    value: str
    queries: int
    means: dict[str, float | None]


def typed(columns: pl.DataFrame) -> pl.DataFrame:
    """Return stored columns, which are texts, so that `slices_of` cuts those of many numbers into bins."""
    return columns.with_columns(_typed(column) for column in columns.iter_columns())


def _typed(column: pl.Series) -> pl.Series:
    numbers = column.cast(pl.Float64, strict=False)
    are_numbers = numbers.null_count() == column.null_count() and numbers.is_finite().all()
    return numbers if are_numbers and numbers.drop_nulls().n_unique() > FEW_VALUES else column


def parts_of(values: Values, measures: Sequence[str], column: str) -> list[Part]:
    """Return the means of measures over the slices of a column; InputError where it is not stored."""
    if column not in values.columns.columns:
        there = ", ".join(values.columns.columns) or "none"
        why = f" ({values.why})" if values.why else ""
        raise InputError(f"--by {column} is no column of the queries that is stored; there are {there}{why}")
    parts = []
    for slice_ in slices_of(typed(values.columns.select(column)), column):
        own = values.values.select(measures)[slice_.queries]
        parts.append(Part(slice_.value, len(slice_.queries), own.mean().row(0, named=True) if measures else {}))
    return parts


def is_mean(value: float | None, values: np.ndarray) -> bool:
    """Say whether a stored number is the mean of values per query, those that are NaN left out."""
    known = values[np.isfinite(values)]
    if value is None or not len(known):
        return False
    return math.isclose(value, float(known.mean()), rel_tol=_ROUNDING, abs_tol=_ROUNDING)
