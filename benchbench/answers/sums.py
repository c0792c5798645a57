"""Means over answers or passages as running sums, and their intervals."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from benchbench.significance.mean_intervals import GroupSpread, Scale, mean_interval, scale_of
from benchbench.significance.shares import MeanInterval


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


def interval(sums: Sums, scale: Scale | None, clusters: GroupSums | None = None, column: str = "") -> MeanInterval:
    """Return the interval of a mean over one number or more.

    Parameters
    ----------
    sums
        Of the scores.
    scale
        The least and the greatest that a score can be; None where nothing bounds them. Where a score is beyond it all
        the same it bounds nothing.
    clusters
        The same scores by group; None where each question stands alone.
    column
        That the groups are the values of.
    """
    if scale is not None:
        scale = scale_of(sums.low, sums.high, scale)
    groups = None
    if clusters is not None:
        apart = [total - sums.mean * size for _, (size, total) in sorted(clusters.groups.items())]
        groups = GroupSpread(column, len(apart), math.fsum(one * one for one in apart))
    return mean_interval(sums.count, sums.mean, sums.squares, scale, groups)
