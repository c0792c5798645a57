"""Means over answers or passages as running sums, and their intervals.

A mean has Wilson's interval (1927) where all scores are 0 or 1, else one by the normal approximation. Where questions
come in groups, of one document or user, it has the interval that sign flips of the groups do not reject
(`significance.mean_intervals`), or Wilson's over the groups where all scores are 0 or all are 1; of fewer than six
groups it has none.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from benchbench.significance.shares import WILSON, MeanInterval, are_shares, share_interval

_ALPHA = 0.05
_Z = 1.959963984540054  # of a 95 % interval
_RESAMPLES, _SEED = 10_000, 0


@dataclass(slots=True)
class Sums:
    """Count, mean, spread and ends of some numbers.

    The result of `of` does not depend on the order of the numbers. Parts are merged by the formula of Chan, Golub and
    LeVeque (1983): the same parts in the same order give the same bits.
    """

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0  # of the distances from the mean
    low: float = math.inf
    high: float = -math.inf

    @classmethod
    def of(cls, numbers: Sequence[float]) -> "Sums":
        """Return the sums of some numbers."""
        if not numbers:
            return cls()
        mean = _sum(numbers) / len(numbers)
        squares = _sum([(number - mean) * (number - mean) for number in numbers])
        return cls(len(numbers), mean, squares, min(numbers), max(numbers))

    def merge(self, other: "Sums") -> None:
        """Add the numbers of another."""
        if not other.count:
            return
        count, distance = self.count + other.count, other.mean - self.mean
        self.mean = self.mean + distance * (other.count / count) if self.count else other.mean
        self.squares += other.squares
        if self.count:
            self.squares += distance * distance * (self.count / count) * other.count
        self.count = count
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)

    @property
    def are_binary(self) -> bool:
        """Whether every number is 0 or 1."""
        return self.low >= 0.0 and self.high <= 1.0 and bool(are_shares(self.squares, self.count, self.mean))

    @property
    def deviation(self) -> float:
        """Return the sample standard deviation; 0 of fewer than two numbers."""
        return math.sqrt(self.squares / (self.count - 1)) if self.count > 1 else 0.0


def _sum(numbers: Sequence[float]) -> float:
    try:
        return math.fsum(numbers)  # rounded once, so the order of the numbers does not matter
    except (OverflowError, ValueError):  # beyond the largest number, or infinities of both signs
        return sum(numbers)


@dataclass(slots=True)
class GroupSums:
    """Count and sum of the scores of each group of questions."""

    groups: dict[str, tuple[int, float]] = field(default_factory=dict)

    def add(self, scores: Iterable[tuple[str, float]]) -> None:
        """Add scores, each with its group."""
        for group, score in scores:
            self._add(group, 1, score)

    def merge(self, other: "GroupSums") -> None:
        """Add the scores of another."""
        for group, (count, total) in other.groups.items():
            self._add(group, count, total)

    def _add(self, group: str, count: int, total: float) -> None:
        before = self.groups.get(group, (0, 0.0))
        self.groups[group] = (before[0] + count, before[1] + total)


def interval(sums: Sums, is_share: bool, clusters: GroupSums | None = None, column: str = "") -> MeanInterval:
    """Return the interval of a mean over one number or more.

    Parameters
    ----------
    sums
        Of the scores.
    is_share
        Whether no mean can be below 0 or above 1, when no score is.
    clusters
        The same scores by group; None where each question stands alone.
    column
        That the groups are the values of.
    """
    if clusters is not None:
        found = _of_groups(sums, clusters, column, is_share)
    elif is_share and sums.are_binary:
        return MeanInterval(*share_interval(round(sums.mean * sums.count), sums.count), WILSON)
    elif sums.count < 2:
        return MeanInterval(None, None, "none of one number")
    else:
        half = _Z * sums.deviation / math.sqrt(sums.count)
        found = MeanInterval(sums.mean - half, sums.mean + half, "normal approximation")
    if not is_share or sums.low < 0.0 or sums.high > 1.0 or found.low is None or found.high is None:
        return found
    return MeanInterval(max(found.low, 0.0), min(found.high, 1.0), found.method, found.design_effect)


def _of_groups(sums: Sums, clusters: GroupSums, column: str, is_share: bool) -> MeanInterval:
    import numpy as np  # late: most evaluations have no groups

    from benchbench.significance.mean_intervals import flips_of, group_interval, unanimous

    sizes, totals = np.array([clusters.groups[name] for name in sorted(clusters.groups)], np.float64).T
    number = len(sizes)
    apart = totals - sums.mean * sizes
    effect = None
    if number > 1 and sums.squares > 0.0:
        between = float(apart @ apart) * number / (number - 1)
        effect = between / sums.count**2 / (sums.squares / (sums.count * (sums.count - 1)))
    ends = group_interval(totals[:, None], sizes, _ALPHA, _RESAMPLES, _SEED)
    if ends is None:
        return MeanInterval(None, None, flips_of(number, column), effect)
    if is_share and sums.are_binary and sums.mean in (0.0, 1.0):
        return MeanInterval(*unanimous(sums.mean, number, column))
    return MeanInterval(float(ends[0][0]), float(ends[1][0]), flips_of(number, column), effect)
