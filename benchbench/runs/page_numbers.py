"""What the charts of a page show that no table has: queries by value, means by label, latency by share and over time.

Whatever there is of requests and queries, so much is kept that a page stays small, and what is left out is nowhere the
slow, the failed or the worst.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from benchbench.kernels.arrays import F64, I64, Bools
from benchbench.measures.aggregate import means_of
from benchbench.measures.dots import drawn
from benchbench.significance.rank_correlation import rank_correlation
from benchbench.tables.groups import Groups

BINS = 12  # no answer, exactly 0, and ten equal ones
FEWEST = 6  # queries of a label that has a row
MOST_LABELS = 10
_MOST_DOTS = 2_000  # requests over time
_MOST_CROSSES = 500  # failed ones
_MOST_BY_VALUE = 600  # latencies by value
_POINTS = 300  # of the curve
_KINDS = 5  # of queries by a number
FEW = 30  # queries of which each is a dot
_AT_ONCE = 1 << 16  # queries whose bins are in memory at a time
_FULL = 1 - 1e-9  # of the scale: a sum may be off by its last digits
_APART = 50  # dots side by side over the scale


class Spread(NamedTuple):
    """How many queries have which value of a measure."""

    counts: tuple[int, ...]  # of `BINS`
    top: float  # right end of the last one
    zeros: int  # that were answered
    full: int  # with the largest value of the scale
    answered: float | None  # mean over the queries that were
    dots: tuple[tuple[float, float], ...] = ()  # of few queries: each value, and its height over those like it


class LabelMean(NamedTuple):
    """The queries with a label: how many, and per view their mean with the interval."""

    label: str
    queries: int
    means: tuple[tuple[float, float | None, float | None], ...]


class Slice(NamedTuple):
    """A column of labels: how many there are, and the most frequent of them."""

    column: str
    labels: int
    rows: tuple[LabelMean, ...]
    several: bool  # a query can have more than one
    ordered: bool = False  # kinds of queries by a number, and no labels of the data


class Speed(NamedTuple):
    """Latencies in milliseconds: by share of requests, and of requests at the moment they were sent, in seconds."""

    requests: int
    curve: tuple[tuple[float, float], ...]  # share of requests, and within which time
    dots: tuple[tuple[float, float], ...]
    crosses: tuple[tuple[float, float], ...]  # failed ones
    failed: int
    failed_fast: int  # failed ones that took less than a quarter of the median: they make the service look faster
    slowest: tuple[float, float]
    reasons: Mapping[str, int]  # failed requests


class ValueLatency(NamedTuple):
    """Queries by their value, such as `below 0.5`: how many, their median latency, and latencies that are drawn."""

    name: str
    queries: int
    median: float
    drawn: tuple[float, ...]


class ByValue(NamedTuple):
    """Latency by value, and how far both rise together: the rank correlation and its interval, where there is one."""

    parts: tuple[ValueLatency, ...]
    correlation: tuple[float, float, float] | None


def bins(values: F64, failed: Bools, top: float) -> I64:
    """Return the bin of each query: 0 without an answer, 1 of exactly 0, else from 2 on."""
    share = np.ceil(np.nan_to_num(values) / top * (BINS - 2) - 1e-9)
    places = np.where(values > 0, 1 + np.clip(share, 1, BINS - 2), 1).astype(np.int64)
    places[failed] = 0
    return places


def top_of(values: F64) -> float:
    """Return where the last bin ends: 1 of shares, else the largest value."""
    largest = float(np.nanmax(values, initial=0.0))
    return 1.0 if largest <= 1.0 else largest


def spread(values: F64, failed: Bools) -> Spread:
    """Return how the values of all queries are spread."""
    top, counts = top_of(values), np.zeros(BINS, np.int64)
    for first in range(0, len(values), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        counts += np.bincount(bins(values[part], failed[part], top), minlength=BINS)
    answered = float(values[~failed].mean()) if failed.any() and not failed.all() else None
    dots = _stacked(values, top) if len(values) < FEW else ()
    full = int((values[~failed] >= top * _FULL).sum())
    return Spread(tuple(counts.tolist()), top, int(counts[1]), full, answered, dots)


def _stacked(values: F64, top: float) -> tuple[tuple[float, float], ...]:
    """Return values in their order, each as high as there are values before it that it would cover."""
    dots: list[tuple[float, float]] = []
    for value in np.sort(values).tolist():
        like = sum(value - other < top / _APART for other, _ in dots)
        dots.append((value, 1.0 + like))
    return tuple(dots)


def label_means(
    column: str, labels: Sequence[Sequence[str]], values: F64, groups: Groups | None, order: Sequence[str] = ()
) -> Slice | None:
    """Return the means of the most frequent labels; None where fewer than two have a row.

    Parameters
    ----------
    column
        What the labels are.
    labels
        Of each query.
    values
        (queries, views).
    groups
        Of queries that belong together.
    order
        Of the labels; without it the most frequent one is first.
    """
    places: dict[str, list[int]] = {}
    for query, its in enumerate(labels):
        for label in dict.fromkeys(its):
            places.setdefault(label, []).append(query)
    frequent = order or sorted(places, key=lambda label: -len(places[label]))[:MOST_LABELS]
    rows = []
    for label in frequent:
        which = np.array(places.get(label, ()), np.int64)
        if len(which) < FEWEST:
            continue
        means = means_of(np.ascontiguousarray(values[which]), None if groups is None else groups.part(which))
        rows.append(LabelMean(label, len(which), tuple((mean, ends.low, ends.high) for mean, ends in means)))
    if len(rows) < 2:
        return None
    return Slice(column, len(places), tuple(rows), any(len(its) > 1 for its in labels), bool(order))


def number_labels(numbers: I64) -> tuple[list[str], list[str]]:
    """Return the label of each number, such as "8 to 10", and all labels in their order: about as many have each.

    Parameters
    ----------
    numbers
        (queries,): such as how many words each has.
    """
    edges = np.unique(np.quantile(numbers, np.arange(1, _KINDS) / _KINDS, method="inverted_cdf")).astype(np.int64)
    edges = edges[[int((numbers > edge).sum()) >= FEWEST for edge in edges]]
    ends = [int(numbers.min()), *(edges + 1).tolist(), int(numbers.max()) + 1]
    labels = []
    for place, (low, after) in enumerate(pairwise(ends)):
        high, last = after - 1, place == len(edges)
        several = f"{low:,} or more" if last else f"up to {high:,}" if place == 0 else f"{low:,} to {high:,}"
        labels.append(f"{low:,}" if low == high else several)
    return [labels[place] for place in np.searchsorted(edges, numbers).tolist()], labels


def latency_by_value(values: F64, milliseconds: F64, top: float) -> ByValue:
    """Return the latencies of answered queries with a value of 0, below the middle of the scale, above, and at its end.

    Parameters
    ----------
    values, milliseconds
        (queries,), of those that were answered.
    top
        The end of the scale.
    """
    places = (values > 0).astype(int) + (values >= top / 2) + (values >= top)
    most = len(values) if len(values) <= _MOST_BY_VALUE else _MOST_BY_VALUE // 4
    parts = []
    for place, name in enumerate(("0", f"below {top / 2:.4g}", f"below {top:.4g}", f"{top:.4g}")):
        times = np.sort(milliseconds[places == place])
        if len(times):
            drawn_times = times[_evenly(np.arange(len(times)), most)].tolist()
            parts.append(ValueLatency(name, len(times), float(np.median(times)), tuple(drawn_times)))
    return ByValue(tuple(parts), rank_correlation(values, milliseconds))


def speed(attempts: pl.DataFrame, failures: pl.Series) -> Speed | None:
    """Return what charts of latency show, or None where nothing was sent.

    Parameters
    ----------
    attempts
        `first_query`, `sent`, `end` of each.
    failures
        Why each query failed, null where it did not.
    """
    if not attempts.height:
        return None
    requests = attempts.group_by("first_query", maintain_order=True).agg(
        at=pl.col("sent").min(), ms=(pl.col("end").max() - pl.col("sent").min()) * 1e3
    )
    reason = failures.gather(requests["first_query"])
    at, ms = requests["at"].to_numpy(), requests["ms"].to_numpy()
    failed = reason.is_not_null().to_numpy()
    order = np.sort(ms)
    ends = np.linspace(-np.log10(1 - 0.5 / len(ms)), -np.log10(0.5 / len(ms)), _POINTS)
    places = np.unique(np.clip(np.round((1 - 10**-ends) * len(ms) - 0.5), 0, len(ms) - 1).astype(np.int64))
    slowest = int(np.argmax(ms))
    answered = np.flatnonzero(~failed)
    counted = reason.drop_nulls().value_counts(sort=True)
    return Speed(
        len(ms),
        tuple(((place + 0.5) / len(ms), float(order[place])) for place in places.tolist()),
        _dots(at, ms, answered[drawn(ms[answered], _MOST_DOTS)]),
        _dots(at, ms, _evenly(np.flatnonzero(failed), _MOST_CROSSES)),
        int(failed.sum()),
        int((ms[failed] < np.median(ms) / 4).sum()),
        (float(at[slowest]), float(ms[slowest])),
        dict(zip(counted[:, 0].to_list(), counted[:, 1].to_list(), strict=True)),
    )


def _dots(at: F64, ms: F64, which: I64) -> tuple[tuple[float, float], ...]:
    return tuple(zip(at[which].tolist(), ms[which].tolist(), strict=True))


def _evenly(which: I64, most: int) -> I64:
    return which if len(which) <= most else which[np.linspace(0, len(which) - 1, most).astype(np.int64)]
