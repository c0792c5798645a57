"""A slow drift of a series: Theil and Sen's slope, with Kendall's test (Mann 1945; Sen 1968)."""

import math
from dataclasses import dataclass

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.significance.distributions import normal_cdf, normal_quantile


@dataclass(frozen=True, slots=True)
class Drift:
    """How fast a series moves.

    Attributes
    ----------
    per_run
        Median of the slopes between all pairs of runs.
    low, high
        The slopes that the test does not reject; infinite where there are too few runs.
    p
        Of no drift: that any order of the runs is as likely.
    over
        Runs with a value.
    """

    per_run: float
    low: float
    high: float
    p: float
    over: int


def drift(values: F64, alpha: float = 0.01) -> Drift:
    """Return how fast a series moves, up or down, in any shape.

    Parameters
    ----------
    values
        (runs,): in their order. Those that are not finite are left out; places count them.
    alpha
        Of the interval.
    """
    places = np.flatnonzero(np.isfinite(values))
    kept, number = values[places], len(places)
    if number < 2:
        return Drift(0.0, -math.inf, math.inf, 1.0, number)
    later, earlier = np.tril_indices(number, -1)
    rises = kept[later] - kept[earlier]
    slopes = rises / (places[later] - places[earlier])
    score = int(np.sign(rises).sum())
    _, ties = np.unique(kept, return_counts=True)
    variance = (number * (number - 1) * (2 * number + 5) - float((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18.0
    per_run = float(np.median(slopes))
    if variance <= 0.0:
        return Drift(per_run, -math.inf, math.inf, 1.0, number)
    p = min(1.0, 2.0 * float(normal_cdf(-max(abs(score) - 1, 0) / math.sqrt(variance))))
    reach = -float(normal_quantile(alpha / 2.0)) * math.sqrt(variance)
    ordered, beyond = np.sort(slopes), math.floor((len(slopes) - reach) / 2.0)
    ends = (-math.inf, math.inf) if beyond < 1 else (float(ordered[beyond - 1]), float(ordered[-beyond]))
    return Drift(per_run, *ends, p, number)
