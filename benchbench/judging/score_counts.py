"""Scores of many verdicts: means with intervals, by rubric, and for source types and categories.

Scores are counted by value, so that no number depends on the order in which verdicts come, and memory grows with the
different values and not with the verdicts.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from benchbench.answers.judges.rubric import Rubric
from benchbench.answers.summary import ALL, Group
from benchbench.answers.sums import GroupSums, Sums, interval
from benchbench.judging.spending import count_reason
from benchbench.judging.verdict import Verdict
from benchbench.scores.numbers import ScoreMean

_BINS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreLine:
    """The mean of some scores, as JSON has it; None where there is no score to take it from."""

    mean: float | None = None
    low: float | None = None  # 95 % interval
    high: float | None = None
    interval: str = ""  # how it was made
    deviation: float | None = None
    least: float | None = None
    most: float | None = None
    n: int = 0  # scores
    band: str = ""  # good, acceptable, poor; empty where there are no bands
    design_effect: float | None = None  # where items come in groups

    def as_mean(self, reached: Sequence[str] = ()) -> ScoreMean:
        """Return the mean as all scores have it; `reached` are the other bands that its interval reaches."""
        ends = self.low, self.high
        return ScoreMean(self.mean, *ends, self.interval, self.n, self.band, self.design_effect, list(reached))


@dataclass(frozen=True, slots=True)
class Bin:
    """How many scores are from `low` to `high`, which is in it where both are the same."""

    low: float
    high: float
    scores: int


@dataclass(slots=True)
class ScoreCounts:
    """Scores of one rubric, or one part of them, over some items."""

    counts: Counter[float] = field(default_factory=Counter)
    clusters: dict[str, Counter[float]] = field(default_factory=dict)

    def add(self, score: float, cluster: str = "") -> None:
        """Add a score, of an item that belongs to a cluster."""
        self.counts[score] += 1
        if cluster:
            self.clusters.setdefault(cluster, Counter())[score] += 1

    def line(self, scale: tuple[float, float] | None, column: str = "") -> ScoreLine:
        """Return mean and interval.

        Parameters
        ----------
        scale
            The lowest and the highest value that there can be; None where there is no end.
        column
            That the clusters are the values of; empty where each item stands alone.
        """
        if not self.counts:
            return ScoreLine()
        sums = _sums(self.counts)
        groups = None
        if column:
            groups = GroupSums({name: _total(counts) for name, counts in sorted(self.clusters.items())})
        ends = interval(sums, scale, groups, column)
        return ScoreLine(
            mean=sums.mean, deviation=sums.deviation, least=sums.low, most=sums.high, n=sums.count,
            low=ends.low, high=ends.high, interval=ends.method or "", design_effect=ends.design_effect,
        )  # fmt: skip

    def bins(self, scale: tuple[float, float]) -> list[Bin]:
        """Return how many scores there are of each value, where all are whole, else in tenths of the scale.

        The highest score has a bin of its own: how many are perfect is the first thing that people look for.
        """
        low, high = scale
        if high - low > 1.0 and all(float(score).is_integer() for score in self.counts):
            return [Bin(value, value, self.counts[value]) for value in map(float, range(int(low), int(high) + 1))]
        width = (high - low) / _BINS
        sizes = [0] * (_BINS + 1)
        for score, count in self.counts.items():
            sizes[min(max(math.floor((score - low) / width + 1e-9), 0), _BINS)] += count
        *tenths, top = sizes
        bins = [Bin(low + width * place, low + width * (place + 1), count) for place, count in enumerate(tenths)]
        return [*bins, Bin(high, high, top)]


def _sums(counts: Mapping[float, int]) -> Sums:
    number = sum(counts.values())
    values = sorted(counts)
    mean = math.fsum(value * counts[value] for value in values) / number
    squares = math.fsum(counts[value] * (value - mean) * (value - mean) for value in values)
    return Sums(number, mean, squares, values[0], values[-1])


def _total(counts: Mapping[float, int]) -> tuple[int, float]:
    return sum(counts.values()), math.fsum(value * counts[value] for value in sorted(counts))


class RubricTally:
    """What came of one rubric."""

    def __init__(self, rubric: Rubric) -> None:
        """Start with no verdicts."""
        self.rubric = rubric
        self.verdicts = 0
        self.failures: Counter[str] = Counter()
        self.scores: dict[Group, ScoreCounts] = {ALL: ScoreCounts()}
        self.parts: dict[str, ScoreCounts] = {}

    @property
    def failed(self) -> int:
        """Return how many items have no verdict."""
        return sum(self.failures.values())

    def line(self, group: Group = ALL, column: str = "") -> ScoreLine:
        """Return mean, interval and band of the scores of a group."""
        scored = self.scores[group].line(self.rubric.scale, column)
        if scored.mean is None:
            return scored
        return replace(scored, band=self.rubric.band(scored.mean))

    def groups(self) -> Iterator[Group]:
        """Yield the groups that have scores, besides all items; sorted."""
        yield from sorted(group for group in self.scores if group != ALL)


class ScoreTally:
    """What came of each rubric, over all items and by group."""

    def __init__(self, rubrics: Sequence[Rubric]) -> None:
        """Start with no verdicts."""
        self.by_label = {rubric.label: RubricTally(rubric) for rubric in rubrics}

    def add(self, verdict: Verdict, groups: Iterable[Group] = (), cluster: str = "") -> None:
        """Add a verdict; one of a further attempt is in no mean."""
        if verdict.attempt > 1:
            return
        tally = self.by_label[verdict.rubric]
        tally.verdicts += 1
        if verdict.failure is not None:
            count_reason(tally.failures, verdict.failure)
        if verdict.score is None:
            return
        for group in (ALL, *groups):
            tally.scores.setdefault(group, ScoreCounts()).add(verdict.score, cluster)
        for name, part in verdict.parts.items():
            tally.parts.setdefault(name, ScoreCounts()).add(part, cluster)
