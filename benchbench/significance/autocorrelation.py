"""Runs that resemble the run before them: how much less than independent runs they tell of a mean.

A machine that is slow for a week, an index that is rebuilt on Mondays: the noise of a run is partly that of the run
before. It is taken for an autoregression of first order (AR(1)), whose coefficient is estimated from the runs and
always used. A test beforehand whether there is any would miss what matters: ten runs with a coefficient of 0.5 show it
in a third of series.
"""

import math

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.significance.exponents import common_exponent

FEWEST = 5.0  # effective runs: with fewer, the estimate of their variance is worth little
_MOST = 0.98  # at which the mean of any number of runs that somebody has says nothing


def autocorrelation(values: F64) -> float:
    """Return the coefficient of an AR(1) of runs: at least 0, at most 0.98.

    It is the usual estimate plus 1/n, its bias where runs are independent (Kendall 1954). The whole correction,
    (1 + 4 r)/n, would refuse one in five plain series of ten runs for want of data.

    Parameters
    ----------
    values
        (runs,): in their order.
    """
    values = np.ldexp(values, -common_exponent(values))
    about = values - values.mean()
    squares = float(about @ about)
    if squares == 0.0:
        return 0.0
    return min(max(float(about[1:] @ about[:-1]) / squares + 1.0 / len(values), 0.0), _MOST)


def inflation(runs: int, coefficient: float) -> float:
    """Return how many times as large the variance of the mean of so many runs is as that of independent ones.

    It is 1 + 2 (sum over lags k of (1 - k/n) rho^k), for an AR(1) with the coefficient rho.
    """
    if coefficient == 0.0:
        return 1.0
    return 1.0 + 2.0 * math.fsum((1.0 - lag / runs) * coefficient**lag for lag in range(1, runs))


def effective_runs(runs: int, coefficient: float) -> float:
    """Return how many independent runs tell as much of a mean as so many of an AR(1)."""
    return runs / inflation(runs, coefficient)


def runs_needed(coefficient: float) -> int:
    """Return the fewest runs that are effectively `FEWEST`."""
    low, high = 1, int(FEWEST)
    while effective_runs(high, coefficient) < FEWEST:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if effective_runs(middle, coefficient) < FEWEST else (low, middle)
    return high
