"""Means over queries with standard error and bootstrap interval, and micro averages from totals.

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

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from benchbench.kernels.arrays import F64, I64
from benchbench.kernels.bootstrap import add_drawn, add_rows, add_squares
from benchbench.kernels.bootstrap_counts import draw
from benchbench.kernels.judge import MEASURES, TASKS
from benchbench.kernels.simd import LANES

RESAMPLES = 1000
SEED = 20240229

Blocks = Callable[[], Iterator[tuple[int, F64]]]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A reported number; `stderr`, `low` and `high` (95 % bootstrap interval) are None for one query."""

    task: str
    measure: str  # as ir_measures writes it, e.g. "nDCG@10"
    value: float
    stderr: float | None
    low: float | None
    high: float | None


def estimates(
    values: F64, found: I64, denominators: I64, tasks: tuple[str, ...], cutoffs: tuple[int, ...]
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
    tasks, cutoffs
        What to report.
    """
    n = len(values)
    columns = estimated_columns(values, found, denominators, tasks)
    return block_estimates(lambda: iter([(0, columns)]), n, tasks, cutoffs)


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


def block_estimates(blocks: Blocks, n: int, tasks: tuple[str, ...], cutoffs: tuple[int, ...]) -> list[Estimate]:
    """Return the same from rows in blocks, so that they need not be in memory at once; blocks change no bit.

    Parameters
    ----------
    blocks
        Yields `(first row, rows)` of `estimated_columns` in row order, each time it is called.
    n
        Rows in all.
    tasks, cutoffs
        What to report.
    """
    shape = (len(tasks), len(cutoffs))
    edges = np.cumsum([shape[0] * shape[1] * len(MEASURES), shape[0] * shape[1]])
    width = int(edges[1]) + shape[0]
    means, squares = block_means(blocks, n, width)[None], np.zeros(width)
    for _, rows in blocks():
        add_squares(rows, means[0], squares)
    samples: F64 = np.zeros((RESAMPLES if n > 1 else 0, width))
    for start in range(0, len(samples), LANES):
        part = samples[start : start + LANES]
        picks = draw(n, start, len(part), SEED)  # of a million queries 32 MB
        sums: F64 = np.zeros((width, LANES))
        for first, rows in blocks():
            add_drawn(rows, picks, first, sums)
        part[:] = sums.T[: len(part)]
    samples /= n
    macro_error = np.sqrt(squares[: edges[0]] / max(n - 1, 1) / n).reshape(*shape, len(MEASURES))

    def split(rows: F64) -> tuple[F64, F64, F64]:
        macro, hits, totals = np.split(rows, edges, axis=1)
        return macro.reshape(-1, *shape, len(MEASURES)), hits.reshape(-1, *shape), totals

    macro, hits, totals = split(means)
    macro_samples, hits_samples, totals_samples = split(samples)
    found: list[Estimate] = []
    for t, task in enumerate(tasks):
        for c, k in enumerate(cutoffs):
            for m, name in enumerate(MEASURES):
                error = float(macro_error[t, c, m]) if n > 1 else None
                found.append(_estimate(task, f"{name}@{k}", float(macro[0, t, c, m]), error, macro_samples[:, t, c, m]))
            micro = _micro(macro[:, t, c, 0], hits[:, t, c], totals[:, t])
            micro_samples = _micro(macro_samples[:, t, c, 0], hits_samples[:, t, c], totals_samples[:, t])
            for name, point, drawn in zip(("microP", "microR", "microF1"), micro, micro_samples, strict=True):
                error = float(drawn.std(ddof=1)) if n > 1 else None
                found.append(_estimate(task, f"{name}@{k}", float(point[0]), error, drawn))
    return found


def _micro(precision: F64, hits: F64, total: F64) -> tuple[F64, F64, F64]:
    """Return micro precision, recall and F1; all lists have k places, so the first is a mean already."""
    zeros = np.zeros_like(precision)
    recall = np.divide(hits, total, out=zeros.copy(), where=total > 0)
    both = precision + recall
    return precision, recall, np.divide(2 * precision * recall, both, out=zeros, where=both > 0)


def _estimate(task: str, measure: str, value: float, error: float | None, samples: F64) -> Estimate:
    if not samples.size:
        return Estimate(task, measure, value, None, None, None)
    low, high = np.quantile(samples, (0.025, 0.975))
    return Estimate(task, measure, value, error, float(low), float(high))
