"""Intervals of single means: of shares, and of means over queries that come in groups.

What a report of one system needs: `share_interval` for values that are 0 or 1, `group_interval` where queries of one
document, case or user belong together (`tables.groups`), and `design_effect` to say what that costs.
"""

from collections.abc import Sequence

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.significance.shares import WILSON, share_interval
from benchbench.significance.subset_means import bounds, kept, most_beyond, patterns
from benchbench.tables.groups import Groups

FEW_GROUPS = 20  # of fewer an interval is rough, and a reader is told


def group_interval(sums: F64, sizes: F64, alpha: float, resamples: int, seed: int) -> tuple[F64, F64] | None:
    """Return intervals of means over queries that come in groups, those that sign flips of the groups do not reject.

    The mean of a column is the sum of its sums over the sum of the sizes: each query weighs the same. The interval has
    its coverage where the groups are drawn independently and their sums are about symmetric; it asks for no number of
    groups, as a bootstrap of groups does (below 20 that is too narrow; Cameron, Gelbach and Miller 2008), but for few
    groups it is wide.

    Parameters
    ----------
    sums
        (groups, columns): of each group's values, as ``groups.sums(values).T`` for values (columns, queries).
    sizes
        (groups,): queries of each group, all above 0; where a column has no value for some queries, call it by itself
        with the numbers of those that have one.
    alpha
        The share of intervals that may miss, half of them on each side.
    resamples
        Random subsets of the groups; all subsets are gone through instead when they are not more.
    seed
        Of the subsets.

    Returns
    -------
    tuple of F64, or None
        Low and high bounds (columns,). None where 2^(1 - groups) is above alpha: of fewer than six groups no 95 %
        interval has an end. Say so with `few_groups`.
    """
    columns = np.ascontiguousarray(sums.T, np.float64)
    drawn = kept(np.concatenate([columns, sizes[None]]), resamples, seed)
    most = most_beyond(alpha, drawn.shape[1], patterns(len(sizes), resamples) is not None)
    size = float(sizes.sum())
    rows = (np.concatenate([row, column.sum() - row]) for row, column in zip(drawn, columns, strict=False))
    found = [bounds(row, drawn[-1], size, most) for row in rows]
    ends = [one for one in found if one is not None]
    if len(ends) < len(found):
        return None
    low, high = np.array(ends, np.float64).reshape(-1, 2).T
    return low, high


def flips_of(number: int, column: str) -> str:
    """Return how the interval over so many groups is made."""
    return f"sign flips of {number:,} {'group' if number == 1 else 'groups'} of {column}"


def unanimous(mean: float, number: int, column: str, alpha: float = 0.05) -> tuple[float, float, str]:
    """Return the interval of a mean of values that are all 0 or all 1, and how it is made.

    Flips would give a single point. It is Wilson's of as many trials as there are groups, six or more: of fewer no mean
    has an interval.
    """
    return *share_interval(round(mean * number), number, alpha), f"{WILSON} over {number:,} groups of {column}"


def design_effect(values: F64, groups: Groups) -> float:
    """Return the variance of a mean over groups, over that of as many independent queries.

    1 where queries of a group are no more alike than others; n where all n queries of each group have one value. The
    mean is worth as many independent queries as there are, divided by it.

    Parameters
    ----------
    values
        (queries,).
    groups
        Of the same queries; of one group it is not known, and 1, as where all values are equal.
    """
    if groups.number < 2 or np.ptp(values) == 0.0:
        return 1.0
    return group_variance(values, groups) / (float(values.var(ddof=1)) / len(values))


def group_variance(values: F64, groups: Groups) -> float:
    """Return the variance of a mean, with queries of a group as alike as they are (Liang and Zeger 1986).

    Exactly 0 where all values are equal; of one group it is not known.
    """
    if np.ptp(values) == 0.0:
        return 0.0
    sums = groups.sums(values - values.mean())
    return float(sums @ sums) / len(values) ** 2 * groups.number / max(groups.number - 1, 1)


def few_groups(column: str, number: int, alpha: float) -> str | None:
    """Return what a reader should know of so few groups; None where there are enough."""
    if number >= FEW_GROUPS:
        return None
    said = f"{number} groups of {column}" if number > 1 else f"one group of {column}"
    if 2.0 ** (1 - number) > alpha:
        return f"{said}: so few have no interval, and no p-value of their sign flips is {alpha:g} or less"
    return f"{said}, fewer than {FEW_GROUPS}: intervals are wide, and only large differences show"


def said_of_groups(column: str, number: int, effects: Sequence[float], alpha: float = 0.05) -> str:
    """Return by what queries are grouped, into how many groups, and what that does to the variance of means.

    Parameters
    ----------
    column, number
        Of the groups.
    effects
        The design effects of the means that are reported.
    alpha
        The share of intervals that may miss.
    """
    few = few_groups(column, number, alpha)
    said = [few or f"intervals are of {number:,} groups of {column}"]
    if effects:
        said.append("design effect " + " to ".join(dict.fromkeys(f"{one:.3g}" for one in (min(effects), max(effects)))))
    return "; ".join(said)
