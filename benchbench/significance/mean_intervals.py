"""The interval of a mean, the same for every kind of result: runs, scores, passages, answers, judges, pillars.

The values decide which interval it is, and a record names it as the method:

all values at the ends of their scale, such as hits of 0 and 1
    Wilson's interval of a share (1927).
values on a scale, such as nDCG from 0 to 1 or grades from 1 to 5, and every mean on a scale over groups
    Wilson's form: the interval of a share of as many trials as would give the variance that the mean has (Korn and
    Graubard 1998), with Student's t for the normal quantile. It stays on the scale, and it is not symmetric near an
    end, where most means of retrieval and of answers are.
other numbers, such as seconds
    Student's t; where all are the same there is no interval, since equal values do not make the mean certain.

Where queries come in groups (of one document, case or user) the variance is that of the groups' sums (Liang and Zeger
1986), and t has one degree of freedom fewer than groups.

To the variance of a mean on a scale is added what a twentieth of a query at each end would add. That vanishes with
1 / n², and covers the failures that a few good queries do not show yet.

`benchmarks/mean_intervals.py` counts how often intervals hold the true mean, beside those that runs, answers and
comparisons had before (a percentile bootstrap, the normal approximation, BCa, and sign flips of groups);
`docs/measuring.md` has its figures.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from benchbench.significance.shares import WILSON, MeanInterval, are_shares, share_interval
from benchbench.significance.student import student_quantile

ALPHA = 0.05
FEW_GROUPS = 20  # of fewer an interval is wide, and a reader is told
WILSON_FORM = "Wilson's form with Student's t"
STUDENT = "Student's t"
UNIT_SCALE = (0.0, 1.0)
_ADDED = 0.05  # of a query at each end of the scale
_ROUNDING = 1e-9  # of the scale: a sum of many gains may be above 1 by some 1e-15

Scale = tuple[float, float]


@dataclass(frozen=True, slots=True)
class GroupSpread:
    """How much the groups differ that values come in."""

    column: str  # that the groups are the values of; empty where each is one query
    number: int  # of groups
    squares: float  # over groups: of each one's sum less the mean times its size


def mean_interval(
    n: int,
    mean: float,
    squares: float,
    scale: Scale | None = UNIT_SCALE,
    groups: GroupSpread | None = None,
    alpha: float = ALPHA,
) -> MeanInterval:
    """Return the interval of a mean, with how it was made; of one value, or of one group, there is none.

    Parameters
    ----------
    n
        Values, 1 or more.
    mean
        Their mean.
    squares
        The sum of their squared distances from it.
    scale
        The least and the greatest that a value can be, as `scale_of` says; None where nothing bounds them.
    groups
        How much the groups of the values differ; None where each value stands alone.
    alpha
        The share of intervals that may miss.
    """
    units = n if groups is None else groups.number
    if units < 2:
        return MeanInterval(None, None, f"none of one {'group' if groups and groups.column else 'value'}")
    variance, effect = mean_variance(n, squares, groups)
    if scale is None:
        if variance == 0.0:
            return MeanInterval(None, None, "none, because all values are the same", effect)
        reach = student_quantile(alpha, units - 1) * math.sqrt(variance)
        return MeanInterval(mean - reach, mean + reach, _over(STUDENT, groups), effect)
    least, width = scale[0], scale[1] - scale[0]
    share, variance, squares = (mean - least) / width, variance / width**2, squares / width**2
    if groups is None and are_shares(squares, n, share):
        (low, high), method = share_interval(round(share * n), n, alpha), WILSON
    else:
        (low, high), method = scaled_ends(share, variance, units, alpha), _over(WILSON_FORM, groups)
    low, high = least + width * low, least + width * high
    return MeanInterval(min(low, mean), max(high, mean), method, effect)  # by rounding, a mean of 1 was above its end


def scale_of(least: float, greatest: float, scale: Scale = UNIT_SCALE) -> Scale | None:
    """Return the scale; None where values lie beyond it by more than rounding, so that it bounds nothing.

    Parameters
    ----------
    least, greatest
        Of the values.
    scale
        What they are said to lie on.
    """
    rounding = _ROUNDING * (scale[1] - scale[0])
    return scale if scale[0] - rounding <= least and greatest <= scale[1] + rounding else None


def standard_error(n: int, squares: float, groups: GroupSpread | None = None) -> float | None:
    """Return the standard error of a mean; None of one value, or of one group."""
    several = n > 1 if groups is None else groups.number > 1
    return math.sqrt(mean_variance(n, squares, groups)[0]) if several else None


def mean_variance(n: int, squares: float, groups: GroupSpread | None = None) -> tuple[float, float | None]:
    """Return the variance of a mean, and of groups the design effect: that over the one of as many independent values.

    The design effect is None where there is nothing to divide by. Parameters are those of `mean_interval`.
    """
    alone = squares / max(n - 1, 1) / n
    if groups is None:
        return alone, None
    number = groups.number
    variance = groups.squares * number / max(number - 1, 1) / n**2
    return variance, variance / alone if groups.column and number > 1 and alone > 0.0 else None


def scaled_ends(mean: float, variance: float, units: int, alpha: float = ALPHA) -> tuple[float, float]:
    """Return the interval in Wilson's form of a mean of values from 0 to 1.

    Its ends solve (x - mean)² = t² x (1 - x) / worth, where a share of so many trials has the variance of the mean.

    Parameters
    ----------
    mean, variance
        Of the mean.
    units
        Queries, or groups of them, 2 or more.
    alpha
        The share of intervals that may miss.
    """
    variance += _ADDED * (mean**2 + (1.0 - mean) ** 2) / units**2
    smoothed = (units * mean + _ADDED) / (units + 2 * _ADDED)  # of values that are all 1 the interval is Wilson's
    worth = smoothed * (1.0 - smoothed) / variance
    c = student_quantile(alpha, units - 1) ** 2 / worth
    middle = (mean + c / 2) / (1.0 + c)
    half = math.sqrt(max(c * mean * (1.0 - mean) + c * c / 4, 0.0)) / (1.0 + c)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def few_groups(column: str, number: int) -> str | None:
    """Return what a reader should know of so few groups; None where there are enough."""
    if number >= FEW_GROUPS:
        return None
    if number < 2:
        return f"one group of {column}: it has no interval"
    return f"{number} groups of {column}, fewer than {FEW_GROUPS}: intervals are wide, and only large differences show"


def said_of_groups(column: str, number: int, effects: Sequence[float]) -> str:
    """Return by what queries are grouped, into how many groups, and what that does to the variance of means.

    Parameters
    ----------
    column, number
        Of the groups.
    effects
        The design effects of the means that are reported.
    """
    sentence = few_groups(column, number) or f"intervals are of {number:,} groups of {column}"
    if not effects:
        return sentence
    return f"{sentence}; design effect " + " to ".join(
        dict.fromkeys(f"{effect:.3g}" for effect in (min(effects), max(effects)))
    )


def _over(method: str, groups: GroupSpread | None) -> str:
    return f"{method}, {groups.number:,} groups of {groups.column}" if groups and groups.column else method
