"""How alike two lists of hits are, over queries: means with intervals."""

from collections.abc import Sequence

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.measures.agreement import AgreementMeasure
from benchbench.results.estimates import Likeness
from benchbench.results.record import Number, Scope
from benchbench.significance.mean_intervals import ALPHA, UNIT_SCALE, mean_interval

_TAU_SCALE = (-1.0, 1.0)


def likenesses(measures: Sequence[AgreementMeasure], values: F64, alpha: float = ALPHA) -> tuple[Likeness, ...]:
    """Return the means of some values per query, with intervals.

    Parameters
    ----------
    measures, values
        A row of values (queries) per measure; NaN is no value.
    alpha
        The share of intervals that may miss.
    """
    there = [row[np.isfinite(row)] for row in values]
    return tuple(_likeness(measure, its, alpha) for measure, its in zip(measures, there, strict=True))


def _likeness(measure: AgreementMeasure, values: F64, alpha: float) -> Likeness:
    name, n = str(measure), values.size
    if not n:
        return Likeness(measure=name, mean=None, low=None, high=None, queries=0, interval=None)
    mean = float(values.mean())
    scale = _TAU_SCALE if measure.name == "tau" else UNIT_SCALE
    ends = mean_interval(n, mean, float(((values - mean) ** 2).sum()), scale, alpha=alpha)
    method = None if ends.low is None else f"{ends.method}, {100 * (1 - alpha):g} %"
    return Likeness(measure=name, mean=mean, low=ends.low, high=ends.high, queries=n, interval=method)


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
