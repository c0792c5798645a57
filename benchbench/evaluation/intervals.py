"""95 % intervals of means, and of weighted means of means that are over partly different questions.

A score is a weighted mean of means m_s, each over the n_s of N questions that have the value x_qs. Its linearisation
(Taylor; Särndal, Swensson and Wretman 1992, 5.5) has one value per question, e_q = Σ_s w_s (N / n_s)(x_qs - m_s), over
the s that question q has: the e_q add up to 0, and the variance of the score is that of a mean of them. Where questions
come in groups, the sums of e_q over groups take their place, so that questions of a group may be alike in any way.

The interval has Wilson's form (1927) with the number of questions that would give such a variance to a share, as
Korn and Graubard (1998) take it, and the quantile of Student's t: it stays between 0 and 1. To the variance is added
what a twentieth of a question that scores 0 and of one that scores 1 would add. That vanishes with 1 / N², and covers
the failures that a few good answers do not show yet: without it, intervals near 1 of 8 to 30 questions hold the score
in 72 to 93 % of samples, with it in 95 % and more (`tests/evaluation/test_intervals.py`).
"""

import math
from dataclasses import dataclass

import numpy as np

from benchbench.kernels.arrays import F64, I64, Bools
from benchbench.significance.distributions import t_quantile
from benchbench.significance.shares import WILSON, MeanInterval, are_shares, share_interval

ALPHA = 0.05
_ADDED = 0.05  # of a question at each end of the scale


@dataclass(frozen=True, slots=True)
class Clusters:
    """Which questions belong together; without a column each stands alone."""

    codes: I64  # (questions,): the group of each, from 0
    number: int
    column: str = ""

    @classmethod
    def of(cls, names: list[str], column: str) -> "Clusters":
        """Return the groups that names say, one per question; each question by itself where there is no column."""
        if not column:
            return cls(np.arange(len(names)), len(names))
        _, codes = np.unique(np.array(names, dtype=object), return_inverse=True)
        return cls(codes, int(codes.max()) + 1, column)


def combined(values: F64, weights: F64, clusters: Clusters) -> tuple[float, MeanInterval]:
    """Return a weighted mean of means, and its interval.

    Parameters
    ----------
    values
        (scores, questions), from 0 to 1; NaN where a question has none. Each row has a value at least.
    weights
        (scores,), their sum 1.
    clusters
        Of the questions.
    """
    there = ~np.isnan(values)
    counts = there.sum(axis=1)
    known = np.where(there, values, 0.0)
    means = known.sum(axis=1) / counts
    mean = float(weights @ means)
    apart = np.where(there, values - means[:, None], 0.0)
    spread = (weights * values.shape[1] / counts) @ apart
    used: Bools = np.asarray(there.any(axis=0))
    if not clusters.column and len(values) == 1 and _is_share(known[0], there[0], mean):
        n = int(counts[0])
        return mean, MeanInterval(*share_interval(round(mean * n), n), WILSON)
    return mean, _interval(mean, spread, used, clusters)


def _is_share(values: F64, there: Bools, mean: float) -> bool:
    known = values[there]
    inside = bool((known >= 0.0).all() and (known <= 1.0).all())
    return inside and bool(are_shares(float(((known - mean) ** 2).sum()), known.size, mean))


def _interval(mean: float, spread: F64, used: Bools, clusters: Clusters) -> MeanInterval:
    """Return the interval of a mean from the linearised values, whose sum is 0; `used` are those with any value."""
    groups = np.unique(clusters.codes[used]).size
    if groups < 2:
        return MeanInterval(None, None, f"none of one {'group' if clusters.column else 'question'}")
    n = len(spread)
    sums = np.bincount(clusters.codes, weights=spread, minlength=clusters.number)
    variance = float(sums @ sums) * groups / (groups - 1) / n**2
    effect = None
    if clusters.column:
        size = int(used.sum())
        alone = float(spread @ spread) * size / max(size - 1, 1) / n**2
        effect = variance / alone if alone > 0.0 else 1.0
    variance += _ADDED * (mean**2 + (1.0 - mean) ** 2) / groups**2
    smoothed = (groups * mean + _ADDED) / (groups + 2 * _ADDED)  # of values that are all 1 the interval is Wilson's
    worth = smoothed * (1.0 - smoothed) / variance
    low, high = _wilson(mean, worth, t_quantile(1.0 - ALPHA / 2, groups - 1))
    of = f"{groups:,} groups of {clusters.column}" if clusters.column else f"{groups:,} questions"
    return MeanInterval(low, high, f"linearised, Wilson's form, {of}", effect)


def _wilson(mean: float, worth: float, t: float) -> tuple[float, float]:
    """Return Wilson's interval of a share of so many trials; its ends solve (x - mean)² = t² x (1 - x) / worth."""
    c = t * t / worth
    middle = (mean + c / 2) / (1.0 + c)
    half = math.sqrt(max(c * mean * (1.0 - mean) + c * c / 4, 0.0)) / (1.0 + c)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def of_numbers(values: F64, clusters: Clusters) -> tuple[float, MeanInterval]:
    """Return the mean of numbers that are no shares, such as seconds, and its interval by Student's t."""
    there = ~np.isnan(values)
    known = values[there]
    mean = float(known.mean())
    groups = np.unique(clusters.codes[there]).size
    if groups < 2:
        return mean, MeanInterval(None, None, f"none of one {'group' if clusters.column else 'question'}")
    sums = np.bincount(clusters.codes[there], weights=known - mean, minlength=clusters.number)
    error = float(np.sqrt(sums @ sums * groups / (groups - 1)) / known.size)
    half = t_quantile(1.0 - ALPHA / 2, groups - 1) * error
    return mean, MeanInterval(mean - half, mean + half, f"Student's t, {groups:,} {clusters.column or 'questions'}")
