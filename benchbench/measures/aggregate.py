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
from collections.abc import Callable, Iterator

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.kernels.bootstrap import add_rows, add_squares
from benchbench.measures.catalog import CATALOG
from benchbench.measures.columns import Columns
from benchbench.measures.micro import aggregated, micro_slopes
from benchbench.measures.notation import Measure
from benchbench.results.estimates import MeasureEstimate
from benchbench.significance.mean_intervals import GroupSpread, mean_interval, scale_of, standard_error
from benchbench.significance.shares import MeanInterval
from benchbench.tables.groups import Groups

Blocks = Callable[[], Iterator[tuple[int, F64]]]


def block_values(blocks: Blocks, n: int, columns: Columns) -> dict[tuple[str, str], float]:
    """Return the values of `block_estimates` alone, to the bit, by task and measure; NaN where `n` is 0."""
    if not n:
        return {(task, str(measure)): math.nan for task, measure, _ in columns}
    totals = _totals(blocks, columns.width)
    return {(task, str(measure)): aggregated(measure, totals[list(places)], n) for task, measure, places in columns}


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
    return [found.estimate(task, measure, places) for task, measure, places in columns]


def means_of(values: F64, groups: Groups | None = None) -> list[tuple[float, MeanInterval]]:
    """Return the mean of each column of (queries, columns) with its interval, as `block_estimates` makes it."""
    found = _Means(lambda: iter([(0, values)]), len(values), values.shape[1], groups)
    return [(float(found.means[place]), found.of_mean(place)[1]) for place in range(values.shape[1])]


def _totals(blocks: Blocks, width: int) -> F64:
    total, lost = np.zeros((2, width))
    for _, rows in blocks():
        add_rows(rows, total, lost)
    found: F64 = total + lost
    return found


class _Means:
    """The means of some columns, and how much their values differ."""

    def __init__(self, blocks: Blocks, n: int, width: int, groups: Groups | None) -> None:
        """Go through the rows; parameters are those of `block_estimates`."""
        self._blocks, self._n, self._groups = blocks, n, groups
        self._totals = _totals(blocks, width)
        self.means = self._totals / n
        self._squares = np.zeros(width)
        self._least, self._greatest = np.zeros(width), np.ones(width)
        for _, rows in blocks():
            add_squares(rows, self.means, self._squares)
            if len(rows):
                np.minimum(self._least, rows.min(axis=0), out=self._least)
                np.maximum(self._greatest, rows.max(axis=0), out=self._greatest)
        self._of_groups = None if groups is None else self._group_sums(groups)

    def estimate(self, task: str, measure: Measure, places: tuple[int, ...]) -> MeasureEstimate:
        """Return what is reported of a measure; a total has neither error nor interval."""
        value, aggregate = aggregated(measure, self._totals[list(places)], self._n), CATALOG[measure.name].aggregate
        if aggregate == "sum":
            return MeasureEstimate(task=task, measure=str(measure), value=value)
        if aggregate == "mean" or measure.name == "microP":  # of lists with k places each it is the mean
            error, ends = self.of_mean(places[0])
        else:
            error, ends = self._micro(measure, value, places)
        return MeasureEstimate(
            task=task,
            measure=str(measure),
            value=value,
            stderr=error,
            low=ends.low,
            high=ends.high,
            interval=None if ends.low is None else ends.method,
            design_effect=ends.design_effect,
        )

    def of_mean(self, place: int) -> tuple[float | None, MeanInterval]:
        """Return the standard error and the interval of a mean; neither of one query, or one group."""
        mean, squares = float(self.means[place]), float(self._squares[place])
        scale = scale_of(float(self._least[place]), float(self._greatest[place]))
        spread = self._spread([place], np.ones(1))
        return standard_error(self._n, squares, spread), mean_interval(self._n, mean, squares, scale, spread)

    def _micro(self, measure: Measure, value: float, places: tuple[int, ...]) -> tuple[float | None, MeanInterval]:
        """Return error and interval of a ratio of sums, as of the mean of its linearised values (Taylor)."""
        its = list(places)
        slopes = micro_slopes(measure.name, *self.means[its].tolist())
        squares = np.zeros(1)
        for _, rows in self._blocks():
            apart = sum((rows[:, place] - self.means[place]) * slope for place, slope in zip(its, slopes, strict=True))
            add_squares(np.reshape(apart, (-1, 1)), np.zeros(1), squares)
        spread = self._spread(its, slopes)
        total = float(squares[0])
        error = standard_error(self._n, total, spread)
        if spread is None and total > 0.0:
            spread = GroupSpread("", self._n, total)  # linearised values are no shares, however much they vary
        return error, mean_interval(self._n, value, total, scale_of(value, value), spread)

    def _group_sums(self, groups: Groups) -> F64:
        """Return how far the sums of each group (groups, columns) are from what the means say."""
        sums: F64 = np.zeros((groups.number, len(self.means)))
        for first, rows in self._blocks():
            np.add.at(sums, groups.codes[first : first + len(rows)], rows)
        return sums - groups.sizes[:, None] * self.means

    def _spread(self, places: list[int], slopes: F64) -> GroupSpread | None:
        """Return how much groups differ in a sum of columns, each times a slope; None where there are no groups."""
        if self._groups is None or self._of_groups is None:
            return None
        apart = self._of_groups[:, places] @ slopes
        return GroupSpread(self._groups.column, self._groups.number, float(apart @ apart))
