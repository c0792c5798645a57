"""Quantiles of Student's t without scipy, whose import takes longer than the intervals of a small run."""

import math
from functools import lru_cache
from statistics import NormalDist

_MANY = 200  # degrees of freedom from which the expansion about the normal quantile has 11 digits at 5 %
_STEPS = 60


@lru_cache(maxsize=64)  # the measures of a run have as many queries
def student_quantile(beyond: float, freedom: int) -> float:
    """Return the t that is exceeded, in either direction, with the chance `beyond`.

    Below 200 degrees of freedom it solves the finite series of the distribution (Abramowitz and Stegun 26.7.3 and
    26.7.4) by Newton's steps in the angle whose tangent is t / √freedom; else it is their expansion 26.7.5.
    """
    z = -NormalDist().inv_cdf(beyond / 2.0)
    if freedom >= _MANY:
        return _expanded(z, freedom)
    angle = math.atan(z / math.sqrt(freedom))
    slope = 2.0 / math.sqrt(math.pi) * math.exp(math.lgamma((freedom + 1) / 2.0) - math.lgamma(freedom / 2.0))
    for _ in range(_STEPS):
        step = (1.0 - beyond - _inside(angle, freedom)) / (slope * math.cos(angle) ** (freedom - 1))
        angle = min(angle + step, (angle + math.pi / 2.0) / 2.0)  # the series flattens towards a right angle
        if abs(step) <= 1e-15:
            break
    return math.sqrt(freedom) * math.tan(angle)


def _inside(angle: float, freedom: int) -> float:
    """Return the chance of less than the t of an angle, in both directions."""
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    term, total = (cosine if odd else 1.0), 0.0
    for k in range(2 + odd, freedom + 1, 2):
        total += term
        term *= cosine * cosine * (k - 1) / k
    return 2.0 / math.pi * (angle + sine * total) if odd else sine * total


def _expanded(z: float, freedom: int) -> float:
    terms = (
        (z**3 + z) / 4.0,
        (5.0 * z**5 + 16.0 * z**3 + 3.0 * z) / 96.0,
        (3.0 * z**7 + 19.0 * z**5 + 17.0 * z**3 - 15.0 * z) / 384.0,
        (79.0 * z**9 + 776.0 * z**7 + 1482.0 * z**5 - 1920.0 * z**3 - 945.0 * z) / 92160.0,
    )
    return z + math.fsum(term / freedom**power for power, term in enumerate(terms, 1))
