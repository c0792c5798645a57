"""Pillars and the overall score, with intervals; and the same of each question.

A pillar is the mean of its sub-scores' means, each over the questions that have it. The overall score is the mean of
the pillars by their weights; there is none where a pillar that was asked for has no value. A question has its own
pillars and overall score by the same rule.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from benchbench.answers.metrics import band
from benchbench.evaluation.details import NO_MEAN, GroupDetails, MeanDetails
from benchbench.evaluation.intervals import Clusters, combined, of_numbers
from benchbench.evaluation.score_matrix import Cells
from benchbench.evaluation.subscores import Plan, SubScore
from benchbench.formats.evaluation_config import PILLARS, EvaluationConfig
from benchbench.kernels.arrays import F64, Bools
from benchbench.significance.shares import MeanInterval

_BANDS = ("poor", "acceptable", "good")


def scaled(plan: Plan, values: F64) -> F64:
    """Return values on the scale from 0 to 1; those of numbers without ends stay."""
    found = values.copy()
    for number, one in enumerate(plan.scores):
        if one.scale is not None:
            low, high = one.scale
            found[number] = (values[number] - low) / (high - low)
    return found


def summed(cells: Cells, clusters: Clusters, config: EvaluationConfig, chosen: Bools | None = None) -> GroupDetails:
    """Return the means over all questions, or over chosen ones.

    Parameters
    ----------
    cells
        Values of every question.
    clusters
        Which questions belong together.
    config
        Where the bands of pillars and of the overall score begin.
    chosen
        (questions,): which ones; None for all.
    """
    plan, values = cells.plan, cells.values
    if chosen is not None:
        values = values[:, chosen]
        clusters = Clusters(clusters.codes[chosen], clusters.number, clusters.column)
    shares = scaled(plan, values)
    there: Bools = np.asarray(~np.isnan(values).all(axis=1))
    scores = {
        one.name: _of_score(one, values[number], shares[number], clusters)
        for number, one in enumerate(plan.scores)
        if there[number]
    }
    pillars: dict[str, MeanDetails] = {}
    weights = np.zeros(len(plan.scores))
    present = {pillar: _places(plan, pillar, there) for pillar in PILLARS}
    stands = all(present[pillar] for pillar in plan.asked)
    for pillar, places in present.items():
        if places:
            equal = np.full(len(places), 1.0 / len(places))
            pillars[pillar] = _mean(shares[places], equal, clusters, config)
            weights[places] = plan.share(pillar) / len(places) if stands else 0.0
    used = np.flatnonzero(weights)
    overall = _mean(shares[used], weights[used], clusters, config) if used.size else NO_MEAN
    return GroupDetails(values.shape[1], overall, pillars, scores)


def _places(plan: Plan, pillar: str, there: Bools) -> list[int]:
    return [number for number, one in enumerate(plan.scores) if one.pillar == pillar and there[number]]


def _mean(values: F64, weights: F64, clusters: Clusters, config: EvaluationConfig) -> MeanDetails:
    mean, ends = combined(values, weights, clusters)
    n = int((~np.isnan(values)).any(axis=0).sum())
    return _banded(mean, ends, n, lambda value: band(value, config.good, config.acceptable))


def _of_score(one: SubScore, values: F64, shares: F64, clusters: Clusters) -> MeanDetails:
    n = int((~np.isnan(values)).sum())
    if one.scale is None:
        mean, ends = of_numbers(values, clusters)
        return MeanDetails(mean, ends.low, ends.high, ends.method or "", n)
    low, high = one.scale
    share, ends = combined(shares[None], np.ones(1), clusters)
    width = high - low
    mean = low + width * share
    lower, upper = (None if end is None else low + width * end for end in (ends.low, ends.high))
    return _banded(mean, MeanInterval(lower, upper, ends.method, ends.design_effect), n, one.band)


def _banded(mean: float, ends: MeanInterval, n: int, band_of: Callable[[float], str]) -> MeanDetails:
    """Return a mean with its band, and the other bands that its interval reaches."""
    said, reached = band_of(mean), []
    if said and ends.low is not None and ends.high is not None:
        first, last = (_BANDS.index(band_of(end)) for end in (ends.low, ends.high))
        reached = [name for name in _BANDS[first : last + 1] if name != said]
    return MeanDetails(mean, ends.low, ends.high, ends.method or "", n, said, ends.design_effect, reached)


@dataclass(frozen=True, slots=True)
class PerQuestion:
    """Values of each question, (questions,) each, NaN where there is none.

    Attributes
    ----------
    pillars
        By name.
    overall
        The overall score, of a question that has every pillar that was asked for.
    of_some
        The same over the pillars that a question has, which puts questions in order.
    """

    pillars: dict[str, F64]
    overall: F64
    of_some: F64


def per_question(cells: Cells) -> PerQuestion:
    """Return the pillars and the overall score of each question."""
    plan, shares = cells.plan, scaled(cells.plan, cells.values)
    pillars = {pillar: _row_mean(shares[_places(plan, pillar, np.ones(len(plan.scores), bool))]) for pillar in PILLARS}
    stacked = np.array([pillars[pillar] for pillar in PILLARS])
    weights = np.array([plan.weights[pillar] for pillar in PILLARS])[:, None]
    there = ~np.isnan(stacked)
    total = (there * weights).sum(axis=0)
    whole = (np.where(there, stacked, 0.0) * weights).sum(axis=0)
    of_some = np.divide(whole, total, out=np.full(len(total), np.nan), where=total > 0.0)
    has_all = np.all([~np.isnan(pillars[pillar]) for pillar in plan.asked], axis=0)
    return PerQuestion(pillars, np.where(has_all, of_some, np.nan), of_some)


def _row_mean(values: F64) -> F64:
    there = ~np.isnan(values)
    counts = there.sum(axis=0)
    sums = np.where(there, values, 0.0).sum(axis=0)
    means: F64 = np.divide(sums, counts, out=np.full(values.shape[1], np.nan), where=counts > 0)
    return means


def worst_first(values: F64, answered: Sequence[bool]) -> list[int]:
    """Return the numbers of the questions: unanswered ones, then by their values, last those without one."""
    keys = [
        (bool(is_answered), 2.0 if value != value else float(value))
        for is_answered, value in zip(answered, values, strict=True)
    ]
    return sorted(range(len(keys)), key=lambda number: (*keys[number], number))
