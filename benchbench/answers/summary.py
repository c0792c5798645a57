"""Means of answer metrics over many answers, kept as running sums: memory does not grow with the answers."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchbench.answers.metrics import NULL, Metric, Value
from benchbench.tables.answers import Answer

_Z = 1.959963984540054  # of a 95 % interval


class Sums:
    """Count, mean and spread of numbers that come one by one (Welford's way)."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.count = 0
        self.mean = 0.0
        self._squares = 0.0
        self.low = math.inf
        self.high = -math.inf

    def add(self, value: float) -> None:
        """Add a number."""
        self.count += 1
        distance = value - self.mean
        self.mean += distance / self.count
        self._squares += distance * (value - self.mean)
        self.low = min(self.low, value)
        self.high = max(self.high, value)

    @property
    def deviation(self) -> float:
        """Return the sample standard deviation; 0 of fewer than two numbers."""
        return math.sqrt(self._squares / (self.count - 1)) if self.count > 1 else 0.0


@dataclass(frozen=True, slots=True)
class Line:
    """What one metric comes to. Numbers are None where there is no answer to take them from."""

    metric: str
    mean: float | None  # over the answers that are not null
    low: float | None  # 95 % interval: Wilson's of a share, else by the normal approximation
    high: float | None
    deviation: float | None
    least: float | None
    most: float | None
    answers: int  # that the mean is over
    nulls: int  # answers that are null, and in no mean
    expected: int  # answers where something was expected
    mean_expected: float | None  # over those
    band: str  # good, acceptable, poor; empty where there are no bands


class _Column:
    def __init__(self) -> None:
        self.all, self.expected = Sums(), Sums()
        self.nulls = 0

    def add(self, score: float, expected: bool) -> None:
        if score == NULL:
            self.nulls += 1
        elif not math.isnan(score):
            self.all.add(score)
            if expected:
                self.expected.add(score)

    def line(self, name: str, metric: Metric) -> Line:
        sums = self.all
        if not sums.count:
            return Line(name, None, None, None, None, None, None, 0, self.nulls, 0, None, "")
        middle, half = sums.mean, _Z * sums.deviation / math.sqrt(sums.count)
        if metric.binary:
            middle, half = _wilson(sums.mean, sums.count)
        expected = self.expected
        return Line(
            name,
            sums.mean,
            middle - half,
            middle + half,
            sums.deviation,
            sums.low,
            sums.high,
            sums.count,
            self.nulls,
            expected.count,
            expected.mean if expected.count else None,
            metric.band(sums.mean) if name == metric.name else "",
        )


def _wilson(share: float, n: int) -> tuple[float, float]:
    """Return middle and half width of Wilson's interval (1927) of a share of n."""
    scale = 1.0 + _Z * _Z / n
    middle = (share + _Z * _Z / (2 * n)) / scale
    return middle, _Z * math.sqrt(share * (1.0 - share) / n + _Z * _Z / (4.0 * n * n)) / scale


class Summary:
    """Running sums of every metric, over all answers and over those of each source type and category."""

    def __init__(self, metrics: Sequence[Metric]) -> None:
        """Start with no answers."""
        self._metrics = metrics
        self.failures: dict[str, int] = {}
        self._groups: dict[tuple[str, str], dict[str, _Column]] = {}
        self.answers: dict[tuple[str, str], int] = {}

    def add(self, answer: Answer, values: Sequence[Value]) -> None:
        """Add an answer; `values` are in the order of the metrics."""
        if answer.failure is not None:
            self.failures[answer.failure] = self.failures.get(answer.failure, 0) + 1
        groups = [("", "")]
        groups += [("source_type", answer.asked.source_type)] if answer.asked.source_type else []
        groups += [("category", answer.asked.category)] if answer.asked.category else []
        for group in groups:
            self.answers[group] = self.answers.get(group, 0) + 1
            columns = self._groups.setdefault(group, {})
            for metric, value in zip(self._metrics, values, strict=True):
                for name, score in ((metric.name, value.score), *value.parts.items()):
                    column = columns.get(name)
                    if column is None:
                        column = columns[name] = _Column()
                    column.add(score, value.expected)

    @property
    def total(self) -> int:
        """Return the number of answers, null ones among them."""
        return self.answers.get(("", ""), 0)

    def groups(self) -> Iterable[tuple[str, str]]:
        """Return `(column, value)` of each group after all answers, which is `("", "")`; sorted."""
        return sorted(self._groups)

    def lines(self, group: tuple[str, str] = ("", "")) -> list[Line]:
        """Return a line a metric, further numbers after the metric that gives them."""
        columns: Mapping[str, _Column] = self._groups.get(group, {})
        return [
            columns[name].line(name, metric)
            for metric in self._metrics
            for name in (metric.name, *metric.parts)
            if name in columns
        ]
