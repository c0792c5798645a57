"""95 % intervals of means, and of weighted means of means that are over partly different questions.

A score is a weighted mean of means m_s, each over the n_s of N questions that have the value x_qs. Its linearisation
(Taylor; Särndal, Swensson and Wretman 1992, 5.5) has one value per question, e_q = Σ_s w_s (N / n_s)(x_qs - m_s), over
the s that question q has: the e_q add up to 0, and the variance of the score is that of a mean of them. Where questions
come in groups, the sums of e_q over groups take their place, so that questions of a group may be alike in any way.
"""

import numpy as np

from benchbench.kernels.arrays import F64, Bools
from benchbench.significance.mean_intervals import GroupSpread, mean_interval
from benchbench.significance.shares import MeanInterval
from benchbench.tables.groups import Groups


def combined(values: F64, weights: F64, groups: Groups | None) -> tuple[float, MeanInterval]:
    """Return a weighted mean of means, and its interval.

    Parameters
    ----------
    values
        (scores, questions), from 0 to 1; NaN where a question has none. Each row has a value at least.
    weights
        (scores,), their sum 1.
    groups
        Of questions that belong together; None where each stands alone.
    """
    there = ~np.isnan(values)
    counts = there.sum(axis=1)
    known = np.where(there, values, 0.0)
    means = known.sum(axis=1) / counts
    mean = float(weights @ means)
    apart = np.where(there, values - means[:, None], 0.0)
    if groups is None and len(values) == 1:
        return mean, mean_interval(int(counts[0]), mean, float(apart[0] @ apart[0]))
    spread = (weights * values.shape[1] / counts) @ apart
    used: Bools = np.asarray(there.any(axis=0))
    return mean, mean_interval(len(spread), mean, float(spread @ spread), groups=_spread(spread, used, groups))


def of_numbers(values: F64, groups: Groups | None) -> tuple[float, MeanInterval]:
    """Return the mean of numbers that are no shares, such as seconds, and its interval."""
    there: Bools = ~np.isnan(values)
    known = values[there]
    mean = float(known.mean())
    apart = np.where(there, values - mean, 0.0)
    return mean, mean_interval(known.size, mean, float(apart @ apart), None, _spread(apart, there, groups))


def _spread(apart: F64, used: Bools, groups: Groups | None) -> GroupSpread:
    """Return how much groups differ, or questions that stand alone, of those that are used."""
    if groups is None:
        return GroupSpread("", int(used.sum()), float(apart @ apart))
    sums = groups.sums(apart)
    return GroupSpread(groups.column, np.unique(groups.codes[used]).size, float(sums @ sums))
