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
OF_TESTS = 16.0  # the correction that tests take, by simulation: 4 is the bias, and the rest that it is estimated
_MOST = 0.98  # at which the mean of any number of runs that somebody has says nothing


def autocorrelation(*parts: F64, correction: float = 0.0) -> float:
    """Return the coefficient of an AR(1) of runs: at least 0, at most 0.98.

    It is the usual estimate r plus 1/n, its bias where runs are independent; the whole bias is (1 + 4 r)/n (Kendall
    1954). Whether there are runs enough is decided with 1/n alone: with all of it one in five plain series of ten runs
    would be refused. Tests take (1 + 16 r)/n, which is what their level needs (simulated): more than the bias, because
    they go by the coefficient as if it were known.

    Parameters
    ----------
    parts
        (runs,) each: runs in their order, each part about its own mean, so that a change between two of them is none of
        the noise.
    correction
        What is multiplied with r in the correction.
    """
    scale = common_exponent(*parts)
    products, squares, bias, freedom = 0.0, 0.0, 0.0, 0
    for part in parts:
        if len(part) < 2:
            continue
        about = np.ldexp(part, -scale)
        about = about - about.mean()
        products += float(about[1:] @ about[:-1])
        squares += float(about @ about)
        bias += (len(part) - 1) / len(part)
        freedom += len(part) - 1
    if squares == 0.0:
        return 0.0
    raw = products / squares
    return min(max(raw + bias / freedom * (1.0 + correction * max(raw, 0.0)), 0.0), _MOST)


def inflation(runs: int, coefficient: float) -> float:
    """Return how many times as large the variance of the mean of so many runs is as that of independent ones.

    It is 1 + 2 (sum over lags k of (1 - k/n) rho^k), for an AR(1) with the coefficient rho.
    """
    if coefficient == 0.0:
        return 1.0
    return 1.0 + 2.0 * math.fsum((1.0 - lag / runs) * coefficient**lag for lag in range(1, runs))


def inflations(most: int, coefficient: float) -> F64:
    """Return `inflation` of 1, 2, … runs up to so many, to rounding, in time that grows with their number only."""
    lags = np.arange(most)
    powers = coefficient ** lags.astype(np.float64)
    powers[:1] = 0.0
    return 1.0 + 2.0 * (np.cumsum(powers) - np.cumsum(lags * powers) / (lags + 1))


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
