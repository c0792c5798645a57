"""The mean over all queries, of which people labelled some and a judge labelled all: PPI++.

The judge's mean over all queries, corrected by how far people and judge are apart where both have labels. How much the
judge counts, `tuning`, is chosen from the data so that the variance is least: a judge that says nothing about people's
values counts 0, and the classical mean is left. The interval is right however bad the judge is, as far as the queries
that people labelled were drawn at random from all; it is a normal one, and rough below `FEW` labels.

Sources: Angelopoulos, Duchi, Zrnic, PPI++ (arXiv 2311.01453), of which this is the mean; `ppi-python` has the same
numbers.
"""

from dataclasses import dataclass

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.significance.distributions import normal_quantile

FEW = 100  # labels by people, below which the interval is rough
METHOD = "PPI++"


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionPowered:
    """A mean with the help of a judge, beside the one without.

    Attributes
    ----------
    mean, low, high
        The prediction-powered mean and its interval.
    tuning
        How much the judge counts, from 0 to 1.
    classical, classical_low, classical_high
        The mean of people's values alone, and its normal interval.
    labelled, unlabelled
        Queries with people's values, and those with the judge's alone.
    worth
        How many further labels by people would have made the classical interval as narrow.
    """

    mean: float
    low: float
    high: float
    tuning: float
    classical: float
    classical_low: float
    classical_high: float
    labelled: int
    unlabelled: int
    worth: float


def prediction_powered_mean(people: F64, judge: F64, judge_alone: F64, level: float = 0.05) -> PredictionPowered:
    """Return the mean over all queries.

    Parameters
    ----------
    people, judge
        (n,): the values of each query that both have, n at least 2.
    judge_alone
        (N,): the judge's values of the queries that people have not labelled, N at least 1.
    level
        The share of intervals that may miss.
    """
    n, others = len(people), len(judge_alone)
    tuning = _tuning(people, judge, judge_alone)
    rectified = people - tuning * judge
    mean = float(tuning * judge_alone.mean() + rectified.mean())
    variance = float((tuning**2) * judge_alone.var() / others + rectified.var() / n)
    classical, classical_variance = float(people.mean()), float(people.var() / n)
    z = float(normal_quantile(1.0 - level / 2))
    reach, classical_reach = z * variance**0.5, z * classical_variance**0.5
    worth = n * (classical_variance / variance - 1.0) if variance > 0.0 else 0.0
    return PredictionPowered(
        mean=mean,
        low=mean - reach,
        high=mean + reach,
        tuning=tuning,
        classical=classical,
        classical_low=classical - classical_reach,
        classical_high=classical + classical_reach,
        labelled=n,
        unlabelled=others,
        worth=min(max(worth, 0.0), float(others)),  # no label of a judge is worth more than one by people
    )


def _tuning(people: F64, judge: F64, judge_alone: F64) -> float:
    """Return how much the judge counts: covariance with people's values over its own variance, within [0, 1]."""
    n, others = len(people), len(judge_alone)
    spread = float(np.concatenate([judge, judge_alone]).var(ddof=1))
    if spread <= 0.0:
        return 0.0  # the judge says the same of every query
    together = float((people - people.mean()) @ (judge - judge.mean())) / n
    return float(np.clip(together / ((1.0 + n / others) * spread), 0.0, 1.0))
