"""Values of several runs side by side: a row per run, a column per query; and what they are on the average.

NaN is no value: a query that failed, or that a run does not have. It is left out of a mean, and never a 0.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from benchbench.kernels.arrays import F64, I64

NOTHING = 1e-12  # relative: a mean of ten equal values may differ from them by rounding


def queries_of(runs: Sequence[pl.Series]) -> pl.Series:
    """Return the ids of all queries of some runs, each once, in the order in which they come first."""
    first, *others = runs
    if all(len(one) == len(first) and bool((one == first).all()) for one in others):
        return first
    return pl.concat(runs).unique(maintain_order=True)


def aligned(ids: pl.Series, frame: pl.DataFrame, queries: pl.Series) -> pl.DataFrame:
    """Return the rows of a frame for some queries, in their order; null where it has none.

    Parameters
    ----------
    ids
        Of the rows of the frame.
    frame
        Columns, one row per query.
    queries
        That are wanted.
    """
    if len(ids) == len(queries) and bool((ids == queries).all()):
        return frame
    wanted = pl.DataFrame({"_query": queries})
    rows = frame.with_columns(_query=ids)
    return wanted.join(rows, on="_query", how="left", maintain_order="left").drop("_query")


def row(ids: pl.Series, frame: pl.DataFrame, measure: str, queries: pl.Series) -> F64:
    """Return the values of one measure for some queries (queries,), NaN where there is none."""
    if measure not in frame.columns:
        return np.full(len(queries), np.nan)
    values = aligned(ids, frame.select(measure), queries)[measure].cast(pl.Float64).fill_null(np.nan)
    found: F64 = values.to_numpy()
    return np.where(np.isfinite(found), found, np.nan)


def means(values: F64, axis: int) -> F64:
    """Return the means of what has a value along an axis; NaN where nothing has."""
    known = np.isfinite(values)
    counts = known.sum(axis=axis)
    sums = np.where(known, values, 0.0).sum(axis=axis)
    found: F64 = np.divide(sums, counts, out=np.full(counts.shape, np.nan), where=counts > 0)
    return found


def run_means(values: F64, reference: F64) -> F64:
    """Return the mean of each run, as if it had the queries of the reference.

    A run without a value for a hard query would seem better. So it is the mean difference from the reference, over the
    queries that the run has, that is added to the mean of the reference; of a run with all queries that is its mean.

    Parameters
    ----------
    values
        (runs, queries).
    reference
        (queries,): mean per query.

    Returns
    -------
    F64
        (runs,); NaN of a run without values.
    """
    found: F64 = means(values - reference, axis=1) + float(means(reference[None], axis=1)[0])
    return found


def states_of(values: F64, mean: F64) -> I64:
    """Return of each run (runs, queries) which state it is, in order of appearance: 0 is that of the reference."""
    known = {b"": 0}
    found = []
    for run in values:
        there = np.isfinite(run)
        is_old = bool((np.abs(run - mean)[there] <= NOTHING * np.abs(mean)[there]).all())
        found.append(known.setdefault(b"" if is_old else run.tobytes(), len(known)))
    return np.array(found, np.int64)


def repeat(reference: F64, states: I64) -> bool:
    """Say whether runs repeat themselves: half of the neighbours or more are equal.

    Parameters
    ----------
    reference
        Means of the runs of the reference.
    states
        Of the runs since, as `states_of` returns them.
    """
    equal = int(np.count_nonzero(np.diff(reference) == 0.0) + np.count_nonzero(np.diff(states, prepend=0) == 0))
    return 2 * equal >= len(states) + len(reference) - 1
