"""How far two raters agree beyond chance, and several: Cohen's kappa, quadratic kappa, Krippendorff's alpha.

Conventions
-----------
`counts` is (..., grades, grades): how many pairs have the grade of the row from the first rater, the people, and that
of the column from the second, the judge. Grades are the union of those that either gave, in rising order. Leading axes
are as many tables, so that the tables of a jackknife are one call.

Measures
--------
kappa
    Cohen's (1960), unweighted: the share of equal grades beyond what the raters' own shares of each grade give.
weighted_kappa
    Cohen's (1968) with quadratic weights: two grades are as far apart as their places in the union, as scikit-learn
    has it. Where grades are not evenly spaced that is not their distance by value.
alpha
    Krippendorff's, ordinal (2011): the distance of two grades is how many ratings lie between them.

None of the three exists where both raters gave one and the same grade throughout: nothing could have disagreed. It is
NaN then, neither 1 nor 0. Where only one of them gave a single grade, kappas are 0: this agreement is chance.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from benchbench.kernels.arrays import F64, I64
from benchbench.significance.distributions import t_quantile
from benchbench.significance.shares import share_interval

MOST_GRADES = 256  # that are told apart; what has more is a score
_MOST_BLOCKS = 2000  # of queries that the jackknife leaves out in turn
_HELD = 4_000_000  # counts in memory: blocks times grades times grades
_FEWEST_BLOCKS = 50
JACKKNIFE = "jackknife"

Statistic = Callable[[F64], F64]


def crossed(first: I64, second: I64, grades: int, block: I64 | None = None, blocks: int = 1) -> F64:
    """Return the counts (blocks, grades, grades) of pairs of places of grades."""
    cell = first * grades + second
    if block is not None:
        cell = cell + block * (grades * grades)
    counts = np.bincount(cell, minlength=blocks * grades * grades)
    return counts.reshape(blocks, grades, grades).astype(np.float64)


def kappa(counts: F64) -> F64:
    """Return Cohen's kappa of each table."""
    return _weighted(counts, 1.0 - np.eye(counts.shape[-1]))


def weighted_kappa(counts: F64) -> F64:
    """Return Cohen's kappa with quadratic weights, over places of grades, of each table."""
    return _weighted(counts, _squares(np.arange(counts.shape[-1], dtype=np.float64)))


def weighted_kappa_by(values: F64) -> Statistic:
    """Return what takes the kappa with the squared distances of the grades' values (grades,) for weights."""
    weights = _squares(values)
    return lambda counts: _weighted(counts, weights)


def alpha(counts: F64) -> F64:
    """Return Krippendorff's ordinal alpha of two raters, of each table of pairs."""
    return alpha_of_coincidences(counts + np.swapaxes(counts, -1, -2))


def alpha_of_coincidences(coincidences: F64) -> F64:
    """Return Krippendorff's ordinal alpha of coincidences (..., grades, grades), which are symmetric.

    The squared distance of two grades is that of their mean ranks: the ratings between them, with half of their own.
    """
    totals = coincidences.sum(axis=-1)
    n = totals.sum(axis=-1)
    ranks = np.cumsum(totals, axis=-1) - totals / 2
    distances = (ranks[..., :, None] - ranks[..., None, :]) ** 2
    observed = (coincidences * distances).sum(axis=(-1, -2))
    expected = (totals[..., :, None] * totals[..., None, :] * distances).sum(axis=(-1, -2))
    return _one_less((n - 1.0) * observed, expected)


def agreement(counts: F64) -> F64:
    """Return the share of equal grades, of each table."""
    return _divided(np.trace(counts, axis1=-2, axis2=-1), counts.sum(axis=(-1, -2)))


def cut(counts: F64, place: int) -> F64:
    """Return the tables (..., 2, 2) of whether a grade is at least the one of a place."""
    rows = np.stack([counts[..., :place, :].sum(axis=-2), counts[..., place:, :].sum(axis=-2)], axis=-2)
    return np.stack([rows[..., :place].sum(axis=-1), rows[..., place:].sum(axis=-1)], axis=-1)


def bias(values: F64) -> Statistic:
    """Return what takes the mean grade of the judge less that of the people, by the values of the grades."""
    differences = values[None, :] - values[:, None]
    return lambda counts: _divided((counts * differences).sum(axis=(-1, -2)), counts.sum(axis=(-1, -2)))


def coincidences_of(ratings: I64, grades: int) -> F64:
    """Return the coincidences (grades, grades) of ratings (raters, units) by place, -1 where a rater has none.

    A unit with m ratings has m (m - 1) ordered pairs, each worth 1 / (m - 1); of fewer than two it has none.
    """
    given = (ratings >= 0).sum(axis=0)
    coincidences = np.zeros((grades, grades))
    weight = 1.0 / np.maximum(given - 1, 1)
    for rater in range(len(ratings)):
        for other in range(rater):
            both = (ratings[rater] >= 0) & (ratings[other] >= 0)
            cell = ratings[rater][both] * grades + ratings[other][both]
            coincidences += np.bincount(cell, weights=weight[both], minlength=grades * grades).reshape(grades, grades)
    return coincidences + coincidences.T


@dataclass(frozen=True, slots=True)
class Estimated:
    """A value with its interval; NaN where there is none."""

    value: float
    low: float
    high: float
    blocks: int  # queries, or blocks of them, that the jackknife leaves out in turn


def blocks_of(groups: I64, number: int, grades: int) -> tuple[I64, int]:
    """Return the block of each pair, and how many blocks: queries, or neighbours where there are very many.

    Parameters
    ----------
    groups
        (pairs,): the query of each, from 0 to `number` - 1.
    number
        Of queries.
    grades
        That are told apart.
    """
    most = min(_MOST_BLOCKS, max(_FEWEST_BLOCKS, _HELD // (grades * grades)))
    if number <= most:
        return groups, number
    return groups * most // number, most


def jackknifed(counts: F64, statistics: Mapping[str, Statistic], level: float = 0.05) -> dict[str, Estimated]:
    """Return statistics of all pairs, with the intervals of a jackknife that leaves out one block at a time.

    Pairs of one query are alike, so that what is drawn at random are queries. The interval is Student's, with one
    degree of freedom fewer than blocks that have pairs. There is none of one block, and none where no block changes the
    value: that is no certainty.

    Parameters
    ----------
    counts
        (blocks, grades, grades).
    statistics
        By name; each takes tables.
    level
        The share of intervals that may miss.
    """
    counts = counts[counts.sum(axis=(1, 2)) > 0]
    blocks = len(counts)
    whole = counts.sum(axis=0)
    without = whole - counts
    estimates = {}
    for name, statistic in statistics.items():
        value = float(statistic(whole))
        left = statistic(without) if blocks > 1 else np.empty(0)
        estimates[name] = Estimated(value, *jackknife_ends(value, left, level), blocks)
    return estimates


def jackknife_ends(value: float, left: F64, level: float) -> tuple[float, float]:
    """Return Student's interval of a value from what it is without each block; NaN where there is none."""
    blocks = len(left)
    if blocks < 2 or not (np.isfinite(value) and np.isfinite(left).all()):
        return np.nan, np.nan
    error = float(np.sqrt((blocks - 1) / blocks * ((left - left.mean()) ** 2).sum()))
    reach = t_quantile(1.0 - level / 2, blocks - 1) * error if error > 0.0 else np.nan
    return value - reach, value + reach


def perfect(counts: F64, blocks: int, level: float = 0.05) -> float:
    """Return the low end of the kappa of raters who never disagreed, over so many queries.

    A jackknife leaves a single point. The share of agreement is at least what Wilson's interval says of as many trials
    as there are queries, all successes; the shares of each grade stay as they are.
    """
    whole = counts.sum(axis=0) if counts.ndim == 3 else counts
    shares = whole.sum(axis=1) / whole.sum()
    by_chance = float(shares @ (whole.sum(axis=0) / whole.sum()))
    least = share_interval(blocks, blocks, level)[0]
    return float((least - by_chance) / (1.0 - by_chance)) if by_chance < 1.0 else float("nan")


def _squares(values: F64) -> F64:
    distances: F64 = (values[:, None] - values[None, :]) ** 2
    return distances


def _weighted(counts: F64, weights: F64) -> F64:
    rows, columns = counts.sum(axis=-1), counts.sum(axis=-2)
    n = rows.sum(axis=-1)
    by_chance = np.einsum("...i,...j,ij->...", rows, columns, weights)
    return _one_less(n * (counts * weights).sum(axis=(-1, -2)), by_chance)


def _one_less(observed: F64, expected: F64) -> F64:
    """Return 1 less what was observed over what was expected; NaN where nothing was expected."""
    return 1.0 - _divided(observed, expected)


def _divided(part: F64, whole: F64) -> F64:
    part, whole = np.asarray(part, np.float64), np.asarray(whole, np.float64)
    quotients: F64 = np.divide(part, whole, out=np.full(np.broadcast(part, whole).shape, np.nan), where=whole > 0.0)
    return quotients
