"""What so many queries could have shown, and how many would show so much."""

import math
from collections.abc import Callable

from benchbench.significance.distributions import normal_cdf, normal_quantile, scales, t_quantile

_MANY = 10**7  # queries, of which t is normal


def detectable_effect(queries: int, alpha: float, power: float) -> float:
    """Return the smallest effect that a two-sided paired t-test finds with a chance of `power`.

    The effect is the true mean difference over the standard deviation of the differences (Cohen's d_z); times the
    latter it is a difference. Alpha is that of one test, not corrected. The chance is that of the noncentral t
    distribution, as a mean over the standard deviations that may be observed: scipy's `nctdtr` and statsmodels'
    `TTestPower`, which is made on it, lose their digits where the effect is great.
    """
    chance = _chance_of(queries, alpha)
    low, high = 0.0, 1.0
    while chance(high) < power:
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if chance(middle) < power else (low, middle)
    return high / math.sqrt(queries)


def queries_needed(effect: float, alpha: float, power: float) -> int:
    """Return the fewest queries, two or more, of which a t-test finds an effect with a chance of `power`.

    Parameters are those of `detectable_effect`; the effect is above 0.
    """
    quantiles = float(normal_quantile(1.0 - alpha / 2)), float(normal_quantile(power))
    queries = max(2, math.ceil((max(sum(quantiles), 0.0) / effect) ** 2))  # of a known deviation: nearly as many
    if queries > _MANY:
        return queries

    def enough(number: int) -> bool:
        return _chance_of(number, alpha)(effect * math.sqrt(number)) >= power

    while queries > 2 and enough(queries - 1):
        queries -= 1
    while not enough(queries):
        queries += 1
    return queries


def _chance_of(queries: int, alpha: float) -> Callable[[float], float]:
    """Return what gives the chance of a t-test to find an effect, from the effect times the root of the queries."""
    scale, weights = scales(queries - 1)
    edges = t_quantile(1.0 - alpha / 2, queries - 1) * scale
    return lambda shift: float(weights @ (normal_cdf(shift - edges) + normal_cdf(-shift - edges)))
