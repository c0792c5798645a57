"""Means of answer metrics over many answers, kept as running sums: memory does not grow with the answers.

It grows with the groups that answers come in, by which intervals are made.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

from benchbench.answers.faults import BEYOND, Kind, kinds
from benchbench.answers.metrics import Metric, Value
from benchbench.answers.sums import GroupSums, Sums, interval
from benchbench.scores.names import COLUMNS, UNTESTED
from benchbench.significance.mean_intervals import UNIT_SCALE
from benchbench.significance.shares import MeanInterval
from benchbench.tables.hashing import content_digest
from benchbench.tables.questions import ALONE, Answer, Question

CHUNK = 1000  # answers whose sums are taken at once

Group = tuple[str, str]  # a column of the answers and a value in it
ALL: Group = ("", "")  # all answers
_DIGESTS = 1 << 128
_WORDY = re.compile(r"(not JSON|HTTP \d{3}(?: from [A-Z]+ \S+)?): ")  # failures with words of the assistant behind them


@dataclass(frozen=True, slots=True)
class Line:
    """The numbers of one metric, as JSON has them; None where there is no answer to take them from."""

    mean: float | None  # over the answers that are not null; None too where nothing was expected of any
    _: KW_ONLY
    low: float | None = None  # 95 % interval
    high: float | None = None
    deviation: float | None = None
    least: float | None = None
    most: float | None = None
    answers: int = 0  # that the mean is over
    nulls: int = 0  # answers that are null, and in no mean
    expected: int = 0  # answers where something was expected
    mean_expected: float | None = None  # over those
    band: str = ""  # good, acceptable, poor, not tested; empty where there are no bands
    interval: str = ""  # how it was made
    design_effect: float | None = None  # where questions come in groups
    low_expected: float | None = None  # 95 % interval of `mean_expected`
    high_expected: float | None = None
    interval_expected: str = ""
    band_expected: str = ""  # that `mean_expected` is in
    wrong: int = 0  # of the answers where something was expected: those that score 0 …
    partial: int = 0  # … those in between …
    right: int = 0  # … and those without a fault (`metrics.Value.state`)


_Score = tuple[float, bool, str]  # a number of one answer, whether something was expected, and its cluster


@dataclass(slots=True)
class _Mean:
    """The sums of some scores, of all answers and of each cluster."""

    sums: Sums = field(default_factory=Sums)
    clusters: GroupSums = field(default_factory=GroupSums)

    @classmethod
    def of(cls, scores: Sequence[_Score]) -> "_Mean":
        mean = cls(Sums.of([score for score, _, _ in scores]))
        mean.clusters.add((cluster, score) for score, _, cluster in scores if cluster)
        return mean

    def copy(self) -> "_Mean":
        return _Mean(replace(self.sums), GroupSums(dict(self.clusters.groups)))

    def merge(self, other: "_Mean") -> None:
        self.sums.merge(other.sums)
        self.clusters.merge(other.clusters)

    def interval(self, is_share: bool, cluster: str) -> MeanInterval:
        return interval(self.sums, UNIT_SCALE if is_share else None, self.clusters if cluster else None, cluster)


@dataclass(slots=True)
class _Column:
    """The sums of one number of a metric."""

    all: _Mean = field(default_factory=_Mean)
    expected: _Mean = field(default_factory=_Mean)
    nulls: int = 0
    states: Counter[str] = field(default_factory=Counter)  # of the answers where something was expected

    @classmethod
    def of(cls, values: Sequence[_Score], nulls: int, states: Iterable[str] = ()) -> "_Column":
        """Return the sums of scores; `states` are those of an accuracy where something was expected."""
        kept = [value for value in values if value[0] == value[0]]
        wanted = [one for one in kept if one[1]]
        every = _Mean.of(kept)
        return cls(every, every.copy() if len(wanted) == len(kept) else _Mean.of(wanted), nulls, Counter(states))

    def merge(self, other: "_Column") -> None:
        self.all.merge(other.all)
        self.expected.merge(other.expected)
        self.nulls += other.nulls
        self.states.update(other.states)

    def line(self, name: str, metric: Metric, cluster: str) -> Line:
        sums, expected = self.all.sums, self.expected.sums
        if not sums.count:
            return Line(None, nulls=self.nulls)
        if not expected.count:  # an accuracy of 1 would say that something went well
            return Line(None, answers=sums.count, nulls=self.nulls, band=UNTESTED)
        ends = self.all.interval(not metric.unit, cluster)
        those = ends if expected.count == sums.count else self.expected.interval(not metric.unit, cluster)
        has_bands = name == metric.name
        return Line(
            sums.mean,
            low=ends.low,
            high=ends.high,
            deviation=sums.deviation,
            least=sums.low,
            most=sums.high,
            answers=sums.count,
            nulls=self.nulls,
            expected=expected.count,
            mean_expected=expected.mean,
            band=metric.band(sums.mean) if has_bands else "",
            interval=ends.method or "",
            design_effect=ends.design_effect,
            low_expected=those.low,
            high_expected=those.high,
            interval_expected=those.method or "",
            band_expected=metric.band(expected.mean) if has_bands else "",
            wrong=self.states["wrong"],
            partial=self.states["partial"],
            right=self.states["right"],
        )


class Totals:
    """The sums of every metric over some answers, and over those of each source type and category.

    They are plain numbers, to be sent from one process to another.
    """

    def __init__(self) -> None:
        """Start with no answers."""
        self.failures: Counter[str] = Counter()  # `HTTP 500` and `not JSON` without what the assistant said
        self.answers: Counter[Group] = Counter()
        self.faulty = 0  # answers with a fault
        self.faults: Counter[Kind] = Counter()  # answers with one of a kind
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
        places = [(place, metric) for place, metric in enumerate(metrics) if metric.is_accuracy]
        accuracies = [one for _, one in places]
        found = [
            kinds(accuracies, [values[place] for place, _ in places])
            for answer, values in scored
            if answer.response is not None
        ]
        totals.faulty = sum(bool(one - {BEYOND}) for one in found)
        totals.faults.update(kind for one in found for kind in one)
        groups: dict[Group, list[tuple[Answer, Sequence[Value]]]] = {ALL: list(scored)}
        for answer, values in scored:
            for column in COLUMNS:
                if name := getattr(answer.asked, column):
                    groups.setdefault((column, name), []).append((answer, values))
        for group, members in groups.items():
            given = [member for member in members if member[0].response is not None]
            totals.answers[group] = len(members)
            totals.columns[group] = dict(_columns(metrics, given, len(members) - len(given)))
        return totals

    def merge(self, other: "Totals") -> None:
        """Add the answers of another."""
        self.failures.update(other.failures)
        self.answers.update(other.answers)
        self.faulty += other.faulty
        self.faults.update(other.faults)
        self.questions = (self.questions + other.questions) % _DIGESTS
        self.responses = (self.responses + other.responses) % _DIGESTS
        for group, columns in other.columns.items():
            mine = self.columns.setdefault(group, {})
            for name, column in columns.items():
                mine.setdefault(name, _Column()).merge(column)

    @property
    def nulls(self) -> int:
        """Return the number of null answers, which are in no mean."""
        return sum(self.failures.values())

    @property
    def questions_digest(self) -> str:
        """Return a digest of the questions that were asked, with truths and groups; their order does not matter."""
        return f"{self.questions:032x}"

    @property
    def responses_digest(self) -> str:
        """Return a digest of the answers, null ones included; their order does not matter."""
        return f"{self.responses:032x}"

    @property
    def clusters(self) -> set[str]:
        """Return the clusters of questions with an answer; a question without a value is one."""
        return {name for column in self.columns.get(ALL, {}).values() for name in column.all.clusters.groups}


def digest(questions: Iterable[Question]) -> str:
    """Return a digest of questions, with truths and groups; their order does not matter."""
    return f"{_of_questions(questions):032x}"


def _of_questions(questions: Iterable[Question]) -> int:
    members = ((asked.question, asked.truth, asked.source_type, asked.category) for asked in questions)
    return sum(map(_digest, members)) % _DIGESTS


def _digest(value: tuple[Any, ...]) -> int:
    return content_digest(repr(value).encode()).intdigest()


def _sort(failure: str) -> str:
    """Return a failure without the words that differ between failures of one kind, so that reasons stay few."""
    sort = _WORDY.match(failure)
    return sort[1] if sort else failure


def _columns(
    metrics: Sequence[Metric], given: Sequence[tuple[Answer, Sequence[Value]]], nulls: int
) -> Iterable[tuple[str, _Column]]:
    for number, metric in enumerate(metrics):
        values = [(row[number], answer.asked.cluster) for answer, row in given]
        scores = [(one.score, one.expected, cluster) for one, cluster in values]
        states = [one.state for one, _ in values if one.expected] if metric.is_accuracy else ()
        yield metric.name, _Column.of(scores, nulls, states)
        for name in metric.parts:
            parts = [(one.parts[name], one.expected, cluster) for one, cluster in values if name in one.parts]
            if parts or nulls:
                yield name, _Column.of(parts, nulls)


class Summary:
    """The numbers of every metric, over all answers and over those of each source type and category."""

    def __init__(self, metrics: Sequence[Metric], cluster: str = "") -> None:
        """Start with no answers; `cluster` is what the questions are grouped by, for the intervals."""
        self.metrics = metrics
        self.cluster = cluster
        self.unanswered = 0  # questions of a ground truth without an answer, not even a null one
        self._totals = Totals()
        self._coming: list[tuple[Answer, Sequence[Value]]] = []

    def add(self, answer: Answer, values: Sequence[Value]) -> None:
        """Add an answer; `values` are in the order of the metrics."""
        self._coming.append((answer, values))
        if len(self._coming) == CHUNK:
            _ = self.totals

    def merge(self, totals: Totals) -> None:
        """Add the answers of some totals."""
        self.totals.merge(totals)

    @property
    def totals(self) -> Totals:
        """Return the sums of all answers so far."""
        if self._coming:
            self._totals.merge(Totals.of(self.metrics, self._coming))
            self._coming = []
        return self._totals

    @property
    def total(self) -> int:
        """Return the number of answers, null ones among them."""
        return self._totals.answers[ALL] + len(self._coming)

    @property
    def is_clustered(self) -> bool:
        """Whether a question with an answer has a value that says what it belongs to."""
        return not all(name.startswith(ALONE) for name in self.totals.clusters)

    def groups(self) -> Iterable[Group]:
        """Return `(column, value)` of each group after all answers, which is `("", "")`; sorted."""
        return sorted(self.totals.columns)

    def lines(self, group: Group = ALL) -> dict[str, Line]:
        """Return one line per metric, by its name; further numbers come after the metric that gives them."""
        columns: Mapping[str, _Column] = self.totals.columns.get(group, {})
        return {
            name: columns[name].line(name, metric, self.cluster)
            for metric in self.metrics
            for name in (metric.name, *metric.parts)
            if name in columns
        }
