"""Values of several runs side by side, a row per run, a column per query; latency as such values; and what changed.

NaN is no value: a query that failed, or that a run does not have. It is left out of a mean, and never a 0.

Latencies of requests that follow one another are alike, so that a request is no unit; a block of them is. Runs of one
series send the same queries in the same order. So the block at the same place in two runs carries the same queries, and
the two are a pair, as the values of a query in two runs are. A block's value is the logarithm of its median latency:
latencies are skewed, and a service that became slower did so by a factor.

Nothing of the queries and slices that moved is tested; they say where to look.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from benchbench.history.check.check_details import QueryMove, SliceMove
from benchbench.kernels.arrays import F64, I64
from benchbench.significance.slices import NONE, slices_of

NOTHING = 1e-12  # relative: a mean of ten equal values may differ from them by rounding
NAME = "p50"
NAMES = ("p50", "latency")  # under which people ask for it
UNIT = "ms"
BLOCKS = 24  # so that flips of their signs reach the level of one test: 2^-23 is below 0.05 / 240
QUERIES, SLICES = 20, 10  # that moved most
FEWEST = 6  # queries of a slice: a smaller one is a few queries, and these are listed themselves
MOST_VALUES = 200  # of a column: one with more names queries rather than groups them


def queries_of(runs: Sequence[pl.Series]) -> pl.Series:
    """Return the ids of all queries of some runs, each once, in the order in which they come first."""
    first, *others = runs
    if all(len(other) == len(first) and bool((other == first).all()) for other in others):
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
    known: F64 = values.to_numpy()
    return np.where(np.isfinite(known), known, np.nan)


def means(values: F64, axis: int) -> F64:
    """Return the means of what has a value along an axis; NaN where nothing has."""
    known = np.isfinite(values)
    counts = known.sum(axis=axis)
    sums = np.where(known, values, 0.0).sum(axis=axis)
    mean: F64 = np.divide(sums, counts, out=np.full(counts.shape, np.nan), where=counts > 0)
    return mean


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
    mean: F64 = means(values - reference, axis=1) + float(means(reference[None], axis=1)[0])
    return mean


def states_of(values: F64, mean: F64) -> I64:
    """Return of each run (runs, queries) which state it is, in order of appearance: 0 is that of the reference."""
    known = {b"": 0}
    states = []
    for run in values:
        there = np.isfinite(run)
        is_old = bool((np.abs(run - mean)[there] <= NOTHING * np.abs(mean)[there]).all())
        states.append(known.setdefault(b"" if is_old else run.tobytes(), len(known)))
    return np.array(states, np.int64)


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


def latency_names(latency: pl.DataFrame) -> dict[str, str]:
    """Return the subjects that have latencies of requests, by the name of the measure: `p50`, `old.p50` of a target.

    Parameters
    ----------
    latency
        As `Values.latency` has it; rows whose request is not known have no place in the order, and are left out.
    """
    if latency.is_empty():
        return {}
    subjects = latency.filter(pl.col("request").is_not_null())["subject"].unique(maintain_order=True)
    return {f"{subject}.{NAME}".lstrip("."): subject for subject in subjects}


def requests(latency: pl.DataFrame, subject: str) -> F64:
    """Return the milliseconds of each request of a subject, in the order of the queries that they carried.

    That is the order in which they were sent, but for those that were under way together; and the same in each run.

    Parameters
    ----------
    latency
        `latency_ms`, `request` and `subject` per query: queries of one request share all three.
    subject
        Whose; empty where there is one only.
    """
    if latency.is_empty():
        return np.empty(0)
    rows = latency.filter(pl.col("subject") == subject).drop_nulls(["latency_ms", "request"])
    times: F64 = rows.unique("request", keep="first", maintain_order=True).sort("request")["latency_ms"].to_numpy()
    return times[np.isfinite(times)]


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


def moved_queries(queries: pl.Series, before: F64, after: F64, sign: float | None) -> list[QueryMove]:
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
    least = NOTHING * np.maximum(np.nan_to_num(np.abs(before)), 1.0)
    places = np.flatnonzero(np.isfinite(change) & (np.nan_to_num(change) > least))
    places = places[np.argsort(-change[places], kind="stable")][:QUERIES]
    return [QueryMove(str(queries[int(at)]), float(before[at]), float(after[at])) for at in places]


def moved_slices(columns: pl.DataFrame, before: F64, after: F64, sign: float) -> list[SliceMove]:
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
    moved, seen = [], set()
    for name in columns.columns:
        is_text = columns.schema[name] == pl.String
        if is_text and columns[name].n_unique() > min(MOST_VALUES, max(len(columns) // 2, 1)):
            continue
        for part in slices_of(columns, name):
            places = part.queries[both[part.queries]]
            if len(places) < FEWEST or part.value == NONE or places.tobytes() in seen:
                continue
            seen.add(places.tobytes())
            old, new = (float(means(values[places][None], axis=1)[0]) for values in (before, after))
            if sign * (new - old) > 0.0:
                moved.append(SliceMove(f"{name}={part.value}", old, new, len(places)))
    return sorted(moved, key=lambda part: -sign * (part.after - part.before))[:SLICES]


def _numbers(texts: pl.Series) -> pl.Series:
    """Return a column as numbers where all of its texts are: these are sliced by their size."""
    numbers = texts.cast(pl.Float64, strict=False)
    return texts if numbers.null_count() > texts.null_count() else numbers
