"""How alike two lists of hits are, over queries: means with intervals."""

from collections.abc import Sequence

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.measures.agreement import AgreementMeasure
from benchbench.results.estimates import Likeness
from benchbench.results.record import Number, Scope
from benchbench.significance.bootstrap import intervals, resampled_means
from benchbench.significance.shares import share_interval


def likenesses(
    measures: Sequence[AgreementMeasure], values: F64, alpha: float = 0.05, resamples: int = 10_000, seed: int = 0
) -> tuple[Likeness, ...]:
    """Return the means of some values per query.

    Parameters
    ----------
    measures, values
        A row of values (queries) per measure; NaN is no value.
    alpha
        The share of intervals that may miss.
    resamples, seed
        Of the bootstrap.

    Returns
    -------
    tuple of Likeness
        BCa bootstrap intervals; of shares, Wilson's. Where all queries have the same value v, no resample differs: the
        interval then follows from Wilson's for the share of queries with that value, the others being anywhere from
        the lowest possible value to the highest.
    """
    result = []
    for measure, row in zip(measures, values, strict=True):
        there = row[np.isfinite(row)]
        if there.size < 2:
            mean = float(there[0]) if there.size else None
            result.append(Likeness(str(measure), mean, None, None, there.size, None))
            continue
        least = -1.0 if measure.name == "tau" else 0.0
        mean, level = float(there.mean()), f"{100 * (1 - alpha):g} %"
        if measure.name == "top_changed" and np.isin(there, (0.0, 1.0)).all():
            low, high = share_interval(float(there.sum()), there.size, alpha)
            method = f"Wilson, {level}"
        elif np.ptp(there) == 0.0:
            share, _ = share_interval(there.size, there.size, alpha)
            low, high = share * mean + (1 - share) * least, share * mean + (1 - share)
            method = f"Wilson for the share of queries with one value, {level}"
        else:
            resampled = resampled_means(there[None, None], resamples, seed)[0]
            lows, highs = intervals(there[None], resampled, alpha, 8.0 * np.finfo(np.float64).eps)
            low, high, method = float(lows[0]), float(highs[0]), f"BCa bootstrap, {level}"
        result.append(Likeness(str(measure), mean, low, high, there.size, method))
    return tuple(result)


def numbers_of(alike: Sequence[Likeness], scope: Scope, front: str = "") -> list[Number]:
    """Return the means as numbers of a record, what stands in `front` before each name."""
    return [
        Number(
            name=f"{front}{likeness.measure}",
            value=likeness.mean,
            low=likeness.low,
            high=likeness.high,
            interval=likeness.interval,
            n=likeness.queries,
            scope=scope,
        )
        for likeness in alike
    ]
