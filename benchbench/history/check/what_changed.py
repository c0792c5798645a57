"""What changed: since which run, and which queries and slices of them most.

Nothing of the queries and slices is tested; they say where to look.
"""

import numpy as np
import polars as pl

from benchbench.history.check.details import MovedQuery, MovedSlice
from benchbench.history.check.run_values import means
from benchbench.kernels.arrays import F64
from benchbench.significance.slices import NONE, slices_of

QUERIES, SLICES = 20, 10
FEWEST = 6  # queries of a slice: a smaller one is a few queries, and these are listed themselves
_NOTHING = 1e-12  # a mean of ten equal values may differ from them by rounding
MOST_VALUES = 200  # of a column: one with more names queries rather than groups them


def onset(differences: F64) -> int:
    """Return the first run after a change downwards.

    Of all steps from 0 down to one level it is the most likely one where run means have the same normal spread: the
    k of the greatest (sum of the differences from k on)² / runs from k on (Hinkley 1970, with the level before the
    change known). Of a step that is small beside that spread it is off by some runs.

    Parameters
    ----------
    differences
        (runs,): mean of each run less that of the reference, the latest last, worse below 0; NaN: no value.

    Returns
    -------
    int
        Place of the run. Where no sum is below 0, the last place.
    """
    known = np.flatnonzero(np.isfinite(differences))
    if not len(known):
        return max(len(differences) - 1, 0)
    sums = np.cumsum(differences[known][::-1])[::-1]
    explained = np.where(sums < 0.0, sums**2 / np.arange(len(known), 0, -1), -1.0)
    return int(known[int(explained.argmax()) if explained.max() >= 0.0 else -1])


def moved_queries(queries: pl.Series, before: F64, after: F64, sign: float | None) -> list[MovedQuery]:
    """Return the queries that changed most, the greatest change first.

    Parameters
    ----------
    queries
        Ids.
    before, after
        (queries,): means of the reference and of the runs that decided; NaN: no value.
    sign
        1.0: those that rose; -1.0: those that fell; None: either.
    """
    change = np.abs(after - before) if sign is None else sign * (after - before)
    least = _NOTHING * np.maximum(np.nan_to_num(np.abs(before)), 1.0)
    places = np.flatnonzero(np.isfinite(change) & (np.nan_to_num(change) > least))
    places = places[np.argsort(-change[places], kind="stable")][:QUERIES]
    return [MovedQuery(str(queries[int(at)]), float(before[at]), float(after[at])) for at in places]


def moved_slices(columns: pl.DataFrame, before: F64, after: F64, sign: float) -> list[MovedSlice]:
    """Return the slices whose mean changed most in one direction, the greatest change first.

    Parameters
    ----------
    columns
        Texts, a row per query; those that are numbers are cut into bins where there are many. Of slices with the same
        queries the first stays.
    before, after, sign
        As above; a query without a value in either is in no mean.
    """
    both = np.isfinite(before) & np.isfinite(after)
    columns = columns.select(_numbers(columns[name]) for name in columns.columns)
    found, seen = [], set()
    for name in columns.columns:
        is_text = columns.schema[name] == pl.String
        if is_text and columns[name].n_unique() > min(MOST_VALUES, max(len(columns) // 2, 1)):
            continue
        for one in slices_of(columns, name):
            places = one.queries[both[one.queries]]
            if len(places) < FEWEST or one.value == NONE or places.tobytes() in seen:
                continue
            seen.add(places.tobytes())
            old, new = (float(means(values[places][None], axis=1)[0]) for values in (before, after))
            if sign * (new - old) > 0.0:
                found.append(MovedSlice(f"{name}={one.value}", old, new, len(places)))
    return sorted(found, key=lambda one: -sign * (one.after - one.before))[:SLICES]


def _numbers(texts: pl.Series) -> pl.Series:
    """Return a column as numbers where all of its texts are: these are sliced by their size."""
    numbers = texts.cast(pl.Float64, strict=False)
    return texts if numbers.null_count() > texts.null_count() else numbers
