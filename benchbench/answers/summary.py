"""Means of answer metrics over many answers, kept as running sums: memory does not grow with the answers."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchbench.answers.metrics import Metric, Value
from benchbench.significance.shares import share_interval
from benchbench.tables.hashing import content_digest
from benchbench.tables.questions import Answer, Question

CHUNK = 1000  # answers whose sums are taken at once

Group = tuple[str, str]  # a column of the answers and a value in it
ALL: Group = ("", "")  # all answers
UNTESTED = "not tested"  # the band of a metric that expected nothing of any answer
_DIGESTS = 1 << 128
_WORDY = re.compile(r"(not JSON|HTTP \d{3}(?: from [A-Z]+ \S+)?): ")  # failures with words of the assistant behind them
_Z = 1.959963984540054  # of a 95 % interval


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


@dataclass(frozen=True, slots=True)
class Line:
    """The numbers of one metric, as JSON has them; None where there is no answer to take them from."""

    mean: float | None  # over the answers that are not null; None too where nothing was expected of any
    low: float | None = None  # 95 % interval: Wilson's of a share, else by the normal approximation
    high: float | None = None
    deviation: float | None = None
    least: float | None = None
    most: float | None = None
    answers: int = 0  # that the mean is over
    nulls: int = 0  # answers that are null, and in no mean
    expected: int = 0  # answers where something was expected
    mean_expected: float | None = None  # over those
    band: str = ""  # good, acceptable, poor, not tested; empty where there are no bands


@dataclass(slots=True)
class _Column:
    """The sums of one number of a metric."""

    all: Sums
    expected: Sums
    nulls: int

    @classmethod
    def of(cls, scores: Sequence[float], expected: Sequence[bool], nulls: int) -> "_Column":
        kept = [score for score in scores if score == score]
        wanted = [score for score, flag in zip(scores, expected, strict=True) if flag and score == score]
        sums = Sums.of(kept)
        return cls(sums, sums if len(wanted) == len(kept) else Sums.of(wanted), nulls)

    def merge(self, other: "_Column") -> None:
        self.all.merge(other.all)
        self.expected.merge(other.expected)
        self.nulls += other.nulls

    def line(self, name: str, metric: Metric) -> Line:
        sums, expected = self.all, self.expected
        if not sums.count:
            return Line(None, nulls=self.nulls)
        if not expected.count:  # an accuracy of 1 would say that something went well
            return Line(None, answers=sums.count, nulls=self.nulls, band=UNTESTED)
        half = _Z * sums.deviation / math.sqrt(sums.count)
        low, high = sums.mean - half, sums.mean + half
        if metric.binary:
            low, high = share_interval(round(sums.mean * sums.count), sums.count)
        elif not metric.unit and sums.low >= 0.0 and sums.high <= 1.0:  # a share: no mean can be beyond
            low, high = max(low, 0.0), min(high, 1.0)
        return Line(
            sums.mean,
            low,
            high,
            sums.deviation,
            sums.low,
            sums.high,
            sums.count,
            self.nulls,
            expected.count,
            expected.mean if expected.count else None,
            metric.band(sums.mean) if name == metric.name else "",
        )


class Totals:
    """The sums of every metric over some answers, and over those of each source type and category.

    They are plain numbers, to be sent from one process to another.
    """

    def __init__(self) -> None:
        """Start with no answers."""
        self.failures: Counter[str] = Counter()
        self.answers: Counter[Group] = Counter()
        self.questions = self.responses = 0  # sums of digests: the order of the answers does not matter
        self.columns: dict[Group, dict[str, _Column]] = {}

    @classmethod
    def of(cls, metrics: Sequence[Metric], scored: Sequence[tuple[Answer, Sequence[Value]]]) -> "Totals":
        """Return the sums of answers with their values, which are in the order of the metrics."""
        totals = cls()
        if not scored:
            return totals
        totals.questions = _of_questions(answer.asked for answer, _ in scored)
        totals.responses = sum(_digest((a.asked.question, a.response, a.context)) for a, _ in scored) % _DIGESTS
        totals.failures.update(_sort(answer.failure) for answer, _ in scored if answer.failure is not None)
        groups: dict[Group, list[tuple[Answer, Sequence[Value]]]] = {ALL: list(scored)}
        for answer, values in scored:
            for group in (("source_type", answer.asked.source_type), ("category", answer.asked.category)):
                if group[1]:
                    groups.setdefault(group, []).append((answer, values))
        for group, members in groups.items():
            rows = [values for answer, values in members if answer.response is not None]
            totals.answers[group] = len(members)
            totals.columns[group] = dict(_columns(metrics, rows, len(members) - len(rows)))
        return totals

    def merge(self, other: "Totals") -> None:
        """Add the answers of another."""
        self.failures.update(other.failures)
        self.answers.update(other.answers)
        self.questions = (self.questions + other.questions) % _DIGESTS
        self.responses = (self.responses + other.responses) % _DIGESTS
        for group, columns in other.columns.items():
            mine = self.columns.setdefault(group, {})
            for name, column in columns.items():
                if name not in mine:
                    mine[name] = _Column(Sums(), Sums(), 0)
                mine[name].merge(column)


def digest(questions: Iterable[Question]) -> str:
    """Return a digest of questions, with truths and groups; their order does not matter."""
    return f"{_of_questions(questions):032x}"


def _of_questions(questions: Iterable[Question]) -> int:
    return sum(_digest((one.question, one.truth, one.source_type, one.category)) for one in questions) % _DIGESTS


def _digest(value: tuple[Any, ...]) -> int:
    return content_digest(repr(value).encode()).intdigest()


def _sort(failure: str) -> str:
    """Return a failure without the words that differ between failures of one kind, so that reasons stay few."""
    sort = _WORDY.match(failure)
    return sort[1] if sort else failure


def _columns(metrics: Sequence[Metric], rows: Sequence[Sequence[Value]], nulls: int) -> Iterable[tuple[str, _Column]]:
    for number, metric in enumerate(metrics):
        values = [row[number] for row in rows]
        yield metric.name, _Column.of([one.score for one in values], [one.expected for one in values], nulls)
        for name in metric.parts:
            given = [one for one in values if name in one.parts]
            if given or nulls:
                yield name, _Column.of([one.parts[name] for one in given], [one.expected for one in given], nulls)


class Summary:
    """The numbers of every metric, over all answers and over those of each source type and category."""

    def __init__(self, metrics: Sequence[Metric]) -> None:
        """Start with no answers."""
        self.metrics = metrics
        self.unanswered = 0  # questions of a ground truth without an answer, not even a null one
        self._totals = Totals()
        self._coming: list[tuple[Answer, Sequence[Value]]] = []

    def add(self, answer: Answer, values: Sequence[Value]) -> None:
        """Add an answer; `values` are in the order of the metrics."""
        self._coming.append((answer, values))
        if len(self._coming) == CHUNK:
            self._whole()

    def merge(self, totals: Totals) -> None:
        """Add the answers of some totals."""
        self._whole().merge(totals)

    def _whole(self) -> Totals:
        if self._coming:
            self._totals.merge(Totals.of(self.metrics, self._coming))
            self._coming = []
        return self._totals

    @property
    def total(self) -> int:
        """Return the number of answers, null ones among them."""
        return self._totals.answers[ALL] + len(self._coming)

    @property
    def answers(self) -> Mapping[Group, int]:
        """Return the number of answers of each group."""
        return self._whole().answers

    @property
    def failures(self) -> Mapping[str, int]:
        """Return the number of null answers, by reason: `HTTP 500` and `not JSON` without what the assistant said."""
        return self._whole().failures

    @property
    def nulls(self) -> int:
        """Return the number of null answers, which are in no mean."""
        return sum(self.failures.values())

    @property
    def questions_digest(self) -> str:
        """Return a digest of the questions that were asked, with truths and groups; their order does not matter."""
        return f"{self._whole().questions:032x}"

    @property
    def responses_digest(self) -> str:
        """Return a digest of the answers, null ones included; their order does not matter."""
        return f"{self._whole().responses:032x}"

    def groups(self) -> Iterable[Group]:
        """Return `(column, value)` of each group after all answers, which is `("", "")`; sorted."""
        return sorted(self._whole().columns)

    def lines(self, group: Group = ALL) -> dict[str, Line]:
        """Return one line per metric, by its name; further numbers come after the metric that gives them."""
        columns: Mapping[str, _Column] = self._whole().columns.get(group, {})
        return {
            name: columns[name].line(name, metric)
            for metric in self.metrics
            for name in (metric.name, *metric.parts)
            if name in columns
        }
