"""Corrections for having made several tests: adjusted p-values, to compare with alpha."""

import math
from collections.abc import Callable

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.significance.comparison_settings import Correction


def holm(p: F64) -> F64:
    """Return Holm's p-values (1979): the chance of one false finding or more in the family is at most alpha."""
    order = np.argsort(p, kind="stable")
    adjusted: F64 = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return adjusted


def bonferroni(p: F64) -> F64:
    """Return Bonferroni's p-values: Holm's first step for all of them, which published tables use."""
    adjusted: F64 = np.minimum(1.0, p * len(p))
    return adjusted


def benjamini_hochberg(p: F64) -> F64:
    """Return Benjamini and Hochberg's p-values (1995): on average a share of alpha of all findings is false."""
    order = np.argsort(p, kind="stable")[::-1]
    adjusted: F64 = np.empty(len(p))
    adjusted[order] = np.minimum.accumulate(p[order] * len(p) / np.arange(len(p), 0, -1))
    return adjusted


_BY: dict[Correction, Callable[[F64], F64]] = {
    "holm": holm,
    "maxt": holm,  # of what has no joint distribution of flips: `max_t` has those that have
    "bonferroni": bonferroni,
    "bh": benjamini_hochberg,
}


def corrected(p: F64, correction: Correction) -> F64:
    """Return the p-values of one family, corrected."""
    return p if correction == "none" or not len(p) else _BY[correction](p)


MOST_RESAMPLES = 1_000_000  # that a correction raises those of a test to
MOST_WORK = 1_000_000_000  # resamples of all differences that it raises them to: a minute or two


def enough_resamples(given: int, needed: int) -> int:
    """Return as many resamples as are needed, or as many as were given where those are more."""
    return max(given, min(needed, MOST_RESAMPLES))


def resamples_needed(tests: int, correction: Correction, alpha: float) -> int:
    """Return how many random sign patterns let one p-value of so many tests be significant after the correction.

    The smallest p-value of n patterns is 1 / (n + 1), and a correction multiplies it with the number of tests; maxT
    does not.
    """
    times = 1 if correction in ("none", "maxt") else tests
    return math.ceil(times / alpha)
