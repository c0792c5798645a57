"""What so many queries could have shown."""

import math

from benchbench.significance.distributions import normal_cdf, scales, t_quantile


def detectable_effect(queries: int, alpha: float, power: float) -> float:
    """Return the smallest effect that a two-sided paired t-test finds with a chance of `power`.

    The effect is the true mean difference over the standard deviation of the differences (Cohen's d_z); times the
    latter it is a difference. Alpha is that of one test, not corrected. The chance is that of the noncentral t
    distribution, as a mean over the standard deviations that may be observed: scipy's `nctdtr` and statsmodels'
    `TTestPower`, which is made on it, lose their digits where the effect is great.
    """
    scale, weights = scales(queries - 1)
    edges = t_quantile(1.0 - alpha / 2, queries - 1) * scale

    def chance(shift: float) -> float:
        return float(weights @ (normal_cdf(shift - edges) + normal_cdf(-shift - edges)))

    low, high = 0.0, 1.0
    while chance(high) < power:
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if chance(middle) < power else (low, middle)
    return high / math.sqrt(queries)
