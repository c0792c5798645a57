"""A slow drift of a series: Theil and Sen's slope, with Kendall's test (Mann 1945; Sen 1968).

The p-value is that of any order of the runs being as likely: it holds for any noise that is independent from run to
run, with ties. It is taken from the normal limit: of few runs without ties that is on the safe side, and of fewer than
ten with many ties it is rough.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.significance.change_points import ChangePoint
from benchbench.significance.distributions import normal_cdf, normal_quantile
from benchbench.significance.exponents import common_exponent

Shape = Literal["level", "steps", "drift", "steps or drift"]
_LIKELIER = 6.0  # difference of the criterion: twenty to one (Raftery 1995)
_ROUNDING = 1e-12  # relative


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
    scale = common_exponent(values)
    kept, number = np.ldexp(values[places], -scale), len(places)
    if number < 2:
        return Drift(0.0, -math.inf, math.inf, 1.0, number)
    pairs = np.tri(number, number, -1, np.bool_)
    rises = (kept[:, None] - kept)[pairs]
    slopes = rises / (places[:, None] - places)[pairs]
    score = int(np.count_nonzero(rises > 0.0)) - int(np.count_nonzero(rises < 0.0))
    _, ties = np.unique(kept, return_counts=True)
    variance = (number * (number - 1) * (2 * number + 5) - float((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18.0
    p = 1.0 if score == 0 else min(1.0, 2.0 * float(normal_cdf(-(abs(score) - 1) / math.sqrt(variance))))
    reach = -float(normal_quantile(alpha / 2.0)) * math.sqrt(variance)
    count, beyond = len(slopes), math.floor((len(slopes) - reach) / 2.0)
    wanted = [(count - 1) // 2, count // 2, max(beyond - 1, 0), min(count - beyond, count - 1)]
    middle, other, low, high = np.partition(slopes, wanted)[wanted].tolist()
    per_run, low, high = np.ldexp([middle + (other - middle) / 2.0, low, high], scale).tolist()
    if beyond < 1 or variance == 0.0:
        return Drift(per_run, -math.inf, math.inf, p, number)
    return Drift(per_run, low, high, p, number)


def shape(values: F64, points: Sequence[ChangePoint], slope: Drift, alpha: float = 0.01) -> Shape:
    """Say whether a series moves in steps or drifts.

    A step makes a significant slope, and a drift makes steps; where both are found, the one is said that is likelier by
    far: the sums of distances from the medians between the steps, and from the line, decide by Schwarz's criterion
    (1978) for noise of heavy tails, in which a step costs two numbers, its place and its size.

    Parameters
    ----------
    values
        (runs,): in their order.
    points, slope
        What `change_points` and `drift` return of them.
    alpha
        At which a drift is significant.
    """
    if slope.p > alpha:
        return "steps" if points else "level"
    if not points:
        return "drift"
    places = np.flatnonzero(np.isfinite(values))
    scale = common_exponent(values)
    kept = np.ldexp(values[places], -scale)
    number = len(kept)
    level = np.searchsorted([point.first for point in points], places, side="right")
    of_steps = sum(float(np.abs(part - np.median(part)).sum()) for part in (kept[level == k] for k in set(level)))
    sloped = kept - np.ldexp(slope.per_run, -scale) * places
    of_line = float(np.abs(sloped - np.median(sloped)).sum())
    least = _ROUNDING * float(np.abs(kept).sum())
    gain = 2.0 * number * math.log(max(of_line, least) / max(of_steps, least))
    less = gain - (2.0 * len(points) - 1.0) * math.log(number)
    if abs(less) < _LIKELIER:
        return "steps or drift"
    return "steps" if less > 0.0 else "drift"
