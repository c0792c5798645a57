"""95 % intervals of means, and of weighted means of means that are over partly different questions.

A score is a weighted mean of means m_s, each over the n_s of N questions that have the value x_qs. Its linearisation
(Taylor; Särndal, Swensson and Wretman 1992, 5.5) has one value per question, e_q = Σ_s w_s (N / n_s)(x_qs - m_s), over
the s that question q has: the e_q add up to 0, and the variance of the score is that of a mean of them. Where questions
come in groups, the sums of e_q over groups take their place, so that questions of a group may be alike in any way.
"""

from dataclasses import dataclass

import numpy as np

from benchbench.kernels.arrays import F64, I64, Bools
from benchbench.significance.mean_intervals import GroupSpread, mean_interval
from benchbench.significance.shares import MeanInterval


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
    if not clusters.column and len(values) == 1:
        return mean, mean_interval(int(counts[0]), mean, float(apart[0] @ apart[0]))
    spread = (weights * values.shape[1] / counts) @ apart
    used: Bools = np.asarray(there.any(axis=0))
    return mean, mean_interval(len(spread), mean, float(spread @ spread), groups=_spread(spread, used, clusters))


def of_numbers(values: F64, clusters: Clusters) -> tuple[float, MeanInterval]:
    """Return the mean of numbers that are no shares, such as seconds, and its interval."""
    there: Bools = ~np.isnan(values)
    known = values[there]
    mean = float(known.mean())
    apart = np.where(there, values - mean, 0.0)
    return mean, mean_interval(known.size, mean, float(apart @ apart), None, _spread(apart, there, clusters))


def _spread(apart: F64, used: Bools, clusters: Clusters) -> GroupSpread:
    """Return how much groups differ, or questions that stand alone, of those that are used."""
    sums = np.bincount(clusters.codes, weights=apart, minlength=clusters.number)
    return GroupSpread(clusters.column, np.unique(clusters.codes[used]).size, float(sums @ sums))
