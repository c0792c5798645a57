"""Means over queries with standard error and interval, micro averages and totals.

Conventions
-----------
An average is over all queries, failed ones included as what an empty list has: 0 for nearly every measure. What is
reported of a measure is what its row of the catalog says (`aggregate`):

mean
    Each query weighs the same. F1 is the mean of the queries' F1.
micro
    From totals over all queries: Σ hits / Σ k, Σ hits / Σ divisor, and their harmonic mean.
sum
    A total, which has neither error nor interval.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.kernels.bootstrap import add_rows, add_squares
from benchbench.measures.catalog import CATALOG
from benchbench.measures.columns import Columns
from benchbench.measures.intervals import Blocks, Grouped, Resampled
from benchbench.measures.micro import micro
from benchbench.measures.notation import Measure
from benchbench.results.estimates import MeasureEstimate
from benchbench.significance.shares import MeanInterval, are_shares
from benchbench.tables.groups import Groups


def block_values(blocks: Blocks, n: int, columns: Columns) -> dict[tuple[str, str], float]:
    """Return the values of `block_estimates` alone, to the bit, by task and measure; NaN where `n` is 0."""
    if not n:
        return {(task, str(one)): math.nan for task, one, _ in columns}
    totals = _totals(blocks, columns.width)
    return {(task, str(one)): _value(one, [totals[place] for place in places], n) for task, one, places in columns}


def block_estimates(blocks: Blocks, n: int, columns: Columns, groups: Groups | None = None) -> list[MeasureEstimate]:
    """Return the estimates, by task and measure. Rows come in blocks, so that they need not be in memory at once.

    Parameters
    ----------
    blocks
        Yields `(first row, rows)` of `columns` in row order, each time it is called; blocks change no bit.
    n
        Rows in all.
    columns
        Of the rows, with what to report.
    groups
        Of queries that belong together; None where each stands alone.
    """
    found = _Means(blocks, n, columns.width, groups)
    return [found.estimate(task, one, places) for task, one, places in columns]


def means_of(values: F64, groups: Groups | None = None) -> list[tuple[float, MeanInterval]]:
    """Return the mean of each column of (queries, columns) with its interval, as `block_estimates` makes it."""
    found = _Means(lambda: iter([(0, values)]), len(values), values.shape[1], groups)
    return [(float(found.means[place]), found.interval(place)) for place in range(values.shape[1])]


def compile_intervals() -> None:
    """Compile the kernels that means and their intervals need."""
    means_of(np.array([[0.0], [0.5]]))


def _totals(blocks: Blocks, width: int) -> F64:
    total, lost = np.zeros((2, width))
    for _, rows in blocks():
        add_rows(rows, total, lost)
    found: F64 = total + lost
    return found


def _value(one: Measure, totals: Sequence[float], n: int) -> float:
    """Return the value of a measure from the totals of its columns."""
    aggregate = CATALOG[one.name].aggregate
    if aggregate == "micro":
        return float(micro(one.name, *(total / n for total in totals)))
    return float(totals[0] if aggregate == "sum" else totals[0] / n)


class _Means:
    """The means of some columns, with their errors and intervals."""

    def __init__(self, blocks: Blocks, n: int, width: int, groups: Groups | None) -> None:
        """Go through the rows; parameters are those of `block_estimates`."""
        self._n, self._totals = n, _totals(blocks, width)
        self.means = self._totals / n
        squares = np.zeros(width)
        for _, rows in blocks():
            add_squares(rows, self.means, squares)
        found = Resampled(blocks, n, squares) if groups is None else Grouped(blocks, n, self.means, groups)
        self.samples, self._found = found.samples, found
        self.several = n > 1 if groups is None else groups.number > 1
        self._alone = squares / max(n - 1, 1) / n  # variances of as many independent queries
        self._grouped = groups is not None
        equal = (squares == 0.0) & np.isin(self.means, (0.0, 1.0))
        self._are_shares = equal if self._grouped else are_shares(squares, n, self.means)

    def estimate(self, task: str, one: Measure, places: tuple[int, ...]) -> MeasureEstimate:
        """Return what is reported of a measure; a total has neither error nor interval."""
        value, aggregate = _value(one, self._totals[list(places)].tolist(), self._n), CATALOG[one.name].aggregate
        if aggregate == "sum":
            return MeasureEstimate(task=task, measure=str(one), value=value)
        if aggregate == "mean":
            (place,) = places
            error, ends = self.error(place), self.interval(place)
        else:
            samples = micro(one.name, *(self.samples[:, place] for place in places))
            error, ends = float(samples.std(ddof=1)) if self.several else None, self.interval_of(value, samples)
        return MeasureEstimate(
            task=task,
            measure=str(one),
            value=value,
            stderr=error,
            low=ends.low,
            high=ends.high,
            interval=ends.method,
            design_effect=ends.design_effect,
        )

    def error(self, place: int) -> float | None:
        """Return the standard error of a mean; None of one query, or one group."""
        return float(self._found.errors[place]) if self.several else None

    def interval(self, place: int) -> MeanInterval:
        """Return the interval of a mean."""
        share = self._are_shares[place]
        ends = self._found.of_share(float(self.means[place])) if share else self._found.of(self.samples[:, place])
        if not self._grouped or not self.several or not self._alone[place] > 0.0:
            return ends
        error = float(self._found.errors[place])
        return replace(ends, design_effect=error * error / float(self._alone[place]))

    def interval_of(self, value: float, samples: F64) -> MeanInterval:
        """Return the interval of what has a value, and these in the samples."""
        single = value in (0.0, 1.0) and not np.any(samples != value)  # of no query more or less than of another
        return self._found.of_share(value) if single else self._found.of(samples)
