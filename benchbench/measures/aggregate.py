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

from dataclasses import dataclass

import numpy as np

from benchbench.kernels.arrays import F64, I64, Bools
from benchbench.kernels.bootstrap import add_rows, add_squares
from benchbench.kernels.judge import MEASURES, TASKS
from benchbench.measures.intervals import Blocks, Columns, Grouped, Interval, Resampled
from benchbench.tables.groups import Groups

_ROUNDING = 1e-9  # of squared distances of values that are 0 or 1


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
    total, lost = np.zeros((2, flat.shape[1]))
    add_rows(flat, total, lost)
    return ((total + lost) / len(rows)).reshape(rows.shape[1:])


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
    means, squares = block_means(blocks, n, columns.width), np.zeros(columns.width)
    for _, rows in blocks():
        add_squares(rows, means, squares)
    found = Resampled(blocks, n, squares) if groups is None else Grouped(blocks, n, means, groups)
    is_share, effects = _are_shares(means, squares, n, groups), _design_effects(found, squares, n, groups)
    several = n > 1 if groups is None else groups.number > 1
    estimates = []
    for t, task in enumerate(tasks):
        for c, k in enumerate(cutoffs):
            for m, name in enumerate(MEASURES):
                place = columns.macro(t, c, m)
                mean, error = float(means[place]), float(found.errors[place])
                ends = found.of_share(mean) if is_share[place] else found.of(found.samples[:, place])
                estimates.append(Estimate(task, f"{name}@{k}", mean, error if several else None, *ends, effects[place]))
            values = columns.micro(means[None], t, c), columns.micro(found.samples, t, c)
            for name, (mean,), samples in zip(("microP", "microR", "microF1"), *values, strict=True):
                single = mean in (0.0, 1.0) and not np.any(samples != mean)  # of no query more or less than of another
                ends = found.of_share(mean) if single else found.of(samples)
                spread = float(samples.std(ddof=1)) if several else None
                estimates.append(Estimate(task, f"{name}@{k}", float(mean), spread, *ends))
    return estimates


def group_intervals(rows: F64, groups: Groups) -> list[tuple[Interval, float | None]]:
    """Return interval and design effect of the mean of each column of (n, m), as `block_estimates` has them."""
    n = len(rows)
    rows = np.ascontiguousarray(rows)
    means, squares = block_means(lambda: iter([(0, rows)]), n, rows.shape[1]), np.zeros(rows.shape[1])
    add_squares(rows, means, squares)
    found = Grouped(lambda: iter([(0, rows)]), n, means, groups)
    is_share, effects = _are_shares(means, squares, n, groups), _design_effects(found, squares, n, groups)
    return [
        (found.of_share(float(means[c])) if is_share[c] else found.of(found.samples[:, c]), effects[c])
        for c in range(len(means))
    ]


def _are_shares(means: F64, squares: F64, n: int, groups: Groups | None) -> Bools:
    """Return which columns have values of 0 and 1 only; of groups, only 0 or only 1."""
    if groups is not None:
        equal: Bools = (squares == 0.0) & ((means == 0.0) | (means == 1.0))
        return equal
    are: Bools = squares >= n * means * (1.0 - means) * (1.0 - _ROUNDING)  # else the squares are less
    return are


def _design_effects(found: Resampled | Grouped, squares: F64, n: int, groups: Groups | None) -> list[float | None]:
    alone = squares / max(n - 1, 1) / n
    return [
        float(error * error / one) if groups is not None and groups.number > 1 and one > 0.0 else None
        for error, one in zip(found.errors, alone, strict=True)
    ]
