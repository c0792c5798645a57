"""Means over queries with standard error and interval, and micro averages from totals.

Conventions
-----------
`values` is (queries, tasks, cut-offs, measures) in the order of `kernels.judge.TASKS` and `MEASURES`; an
average is over all queries, failed ones included as 0.

Metrics
-------
P, R, Success, F1, nDCG, RR
    Macro averages: each query weighs the same. F1 is the mean of the queries' F1.
microP, microR, microF1
    Σ hits / Σ k, Σ hits / Σ denominator, and their harmonic mean.
"""

from dataclasses import dataclass, replace

import numpy as np

from benchbench.kernels.arrays import F64, I64
from benchbench.kernels.bootstrap import add_rows, add_squares
from benchbench.kernels.judge import MEASURES, TASKS
from benchbench.measures.intervals import Blocks, Columns, Grouped, Resampled
from benchbench.significance.shares import MeanInterval, are_shares
from benchbench.tables.groups import Groups


@dataclass(frozen=True, slots=True)
class Estimate:
    """A reported number; `stderr`, `low` and `high` (95 % interval) are None for one query, or one group of them."""

    task: str
    measure: str  # as ir_measures writes it, e.g. "nDCG@10"
    value: float
    stderr: float | None
    low: float | None
    high: float | None
    interval: str | None = None  # how it was made
    design_effect: float | None = None  # where queries come in groups: variance over that of as many independent ones


def estimates(
    values: F64,
    found: I64,
    denominators: I64,
    tasks: tuple[str, ...],
    cutoffs: tuple[int, ...],
    groups: Groups | None = None,
) -> list[Estimate]:
    """Return the estimates of the named tasks, by task and cut-off.

    Parameters
    ----------
    values
        (queries, tasks, cut-offs, measures).
    found
        (queries, tasks, cut-offs): relevant hits as recall counts them.
    denominators
        (queries, tasks).
    tasks, cutoffs, groups
        As `block_estimates` has them.
    """
    n = len(values)
    columns = estimated_columns(values, found, denominators, tasks)
    return block_estimates(lambda: iter([(0, columns)]), n, tasks, cutoffs, groups)


def estimated_columns(values: F64, found: I64, denominators: I64, tasks: tuple[str, ...]) -> F64:
    """Return what `block_estimates` takes of some queries: values, relevant hits, denominators of the tasks."""
    n = len(values)
    chosen = [TASKS.index(task) for task in tasks]
    parts = (values[:, chosen].reshape(n, -1), found[:, chosen].reshape(n, -1), denominators[:, chosen])
    return np.ascontiguousarray(np.concatenate(parts, axis=1, dtype=np.float64))


def means(rows: F64) -> F64:
    """Return the means of (n, …) over the first axis: those of `block_estimates`, to the bit; NaN where n is 0."""
    if not len(rows):
        return np.full(rows.shape[1:], np.nan)
    flat = np.ascontiguousarray(rows.reshape(len(rows), -1))
    return block_means(lambda: iter([(0, flat)]), len(rows), flat.shape[1]).reshape(rows.shape[1:])


def block_means(blocks: Blocks, n: int, width: int) -> F64:
    """Return the means (width,) of rows in blocks, as `block_estimates` takes them and has them, to the bit."""
    total, lost = np.zeros((2, width))
    for _, rows in blocks():
        add_rows(rows, total, lost)
    found: F64 = (total + lost) / n
    return found


def block_estimates(
    blocks: Blocks, n: int, tasks: tuple[str, ...], cutoffs: tuple[int, ...], groups: Groups | None = None
) -> list[Estimate]:
    """Return the same from rows in blocks, so that they need not be in memory at once; blocks change no bit.

    Parameters
    ----------
    blocks
        Yields `(first row, rows)` of `estimated_columns` in row order, each time it is called.
    n
        Rows in all.
    tasks, cutoffs
        What to report.
    groups
        Of queries that belong together; None where each stands alone.
    """
    columns = Columns(len(tasks), len(cutoffs))
    found = _Means(blocks, n, columns.width, groups)
    estimates = []
    for t, task in enumerate(tasks):
        for c, k in enumerate(cutoffs):
            for m, name in enumerate(MEASURES):
                place = columns.macro(t, c, m)
                mean, error = float(found.means[place]), found.error(place)
                estimates.append(_estimate(task, f"{name}@{k}", mean, error, found.interval(place)))
            values = columns.micro(found.means[None], t, c), columns.micro(found.samples, t, c)
            for name, (value,), samples in zip(("microP", "microR", "microF1"), *values, strict=True):
                spread = float(samples.std(ddof=1)) if found.several else None
                ends = found.interval_of(float(value), samples)
                estimates.append(_estimate(task, f"{name}@{k}", float(value), spread, ends))
    return estimates


def group_intervals(rows: F64, groups: Groups) -> list[MeanInterval]:
    """Return the interval of the mean of each column of (n, m), as `block_estimates` has it."""
    rows = np.ascontiguousarray(rows)
    found = _Means(lambda: iter([(0, rows)]), len(rows), rows.shape[1], groups)
    return [found.interval(place) for place in range(rows.shape[1])]


class _Means:
    """The means of some columns, with their errors and intervals."""

    def __init__(self, blocks: Blocks, n: int, width: int, groups: Groups | None) -> None:
        """Go through the rows; parameters are those of `block_estimates`."""
        self.means = block_means(blocks, n, width)
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


def _estimate(task: str, measure: str, value: float, error: float | None, ends: MeanInterval) -> Estimate:
    return Estimate(task, measure, value, error, ends.low, ends.high, ends.method, ends.design_effect)
