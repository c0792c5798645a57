"""The members of the JSON of an evaluation of answers, and what it comes to."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from benchbench.answers.metrics import band
from benchbench.answers.summary import ALL, Group, Line
from benchbench.results.headline import OPEN, Headline
from benchbench.scores.names import BANDS, COLUMNS, MARKS, UNTESTED
from benchbench.scores.numbers import GroupMeans, Groups, ScoreMean, reached
from benchbench.tables.shared_messages import and_joined, counted

EXPECTED = "_expected"  # behind the name of a metric: its mean where something was expected


@dataclass(frozen=True, slots=True)
class GroupDetails:
    """The JSON members of the answers of a source type or category."""

    answers: int
    metrics: dict[str, Line]


@dataclass(frozen=True, slots=True)
class MetricDetails:
    """What a metric is called and how its means are judged, as `answers.metrics` has it."""

    title: str
    short: str
    said: str
    untested: str
    figure: str  # empty of an accuracy
    good: float | None
    acceptable: float | None
    unit: str
    is_share: bool  # the mean of one that is no accuracy is a share, and not a count

    def band(self, mean: float) -> str:
        """Return the band of a mean."""
        return band(mean, self.good, self.acceptable)


@dataclass(frozen=True, slots=True)
class FaultDetails:
    """How many answers have a fault of a kind; one without a metric is that of citing what is not in the truth."""

    metric: str
    found: str
    said: str
    answers: int


@dataclass(frozen=True, slots=True)
class AnswersDetails:
    """The JSON members of an evaluation of answers."""

    signature: str = ""
    data_digest: str = ""
    answers: int = 0
    unanswered: int = 0
    failures: dict[str, int] = field(default_factory=dict)  # the most frequent reason first
    gates: list[dict[str, Any]] = field(default_factory=list)
    metrics: dict[str, Line] = field(default_factory=dict)
    source_type: dict[str, GroupDetails] = field(default_factory=dict)
    category: dict[str, GroupDetails] = field(default_factory=dict)
    cluster: str = ""  # member of the questions that the intervals group them by
    clusters: int = 0
    definitions: dict[str, MetricDetails] = field(default_factory=dict)
    faulty: int = 0  # answers with a fault
    faults: list[FaultDetails] = field(default_factory=list)

    @property
    def nulls(self) -> int:
        """Return the number of null answers, which are in no mean."""
        return sum(self.failures.values())

    def groups(self) -> Iterator[tuple[Group, GroupDetails]]:
        """Yield all answers, and then those of each category and source type."""
        yield ALL, GroupDetails(self.answers, self.metrics)
        for column in sorted(COLUMNS):
            for name, group in getattr(self, column).items():
                yield (column, name), group

    def group_means(self, mean_of: Callable[[Line], ScoreMean]) -> Groups:
        """Return the means of each source type and category, which `mean_of` takes from the numbers of a metric."""
        return {
            column: [
                GroupMeans(name, group.answers, {metric: mean_of(line) for metric, line in group.metrics.items()})
                for name, group in getattr(self, column).items()
            ]
            for column in COLUMNS
        }


def over_all(line: Line) -> ScoreMean:
    """Return the mean over all answers."""
    return ScoreMean(line.mean, line.low, line.high, line.interval, line.answers, line.band, line.design_effect)


def where_expected(line: Line, metric: MetricDetails | None = None) -> ScoreMean:
    """Return the mean over the answers where something was expected; its bands are those of the metric."""
    ends, own = (line.low_expected, line.high_expected), line.band_expected
    others = [] if metric is None else reached(*ends, own, metric.band)
    return ScoreMean(line.mean_expected, *ends, line.interval_expected, line.expected, own, None, others)


def headline(evaluation: AnswersDetails, name: str) -> Headline:
    """Return what a report begins with.

    Parameters
    ----------
    evaluation
        What was found.
    name
        What was evaluated.
    """
    bands = {
        band: [plain(metric) for metric, line in evaluation.metrics.items() if band_of(line) == band] for band in MARKS
    }
    there = [band for band in BANDS if bands[band]]
    by_band = ", ".join(f"{band} in {and_joined(bands[band])}" for band in there) or "no metric with bands"
    mark = MARKS[there[0]] if there else OPEN
    sentence = f"{name}: {counted(evaluation.answers, 'answer')}, {by_band}."
    advice = (
        [f"Not tested: {and_joined(bands[UNTESTED])}; no reference has anything to match."] if bands[UNTESTED] else []
    )
    missing = evaluation.nulls + evaluation.unanswered
    if missing:
        every = evaluation.answers + evaluation.unanswered
        has = "has no answer and is" if missing == 1 else "have no answer and are"
        advice.append(f"{missing:,} of {every:,} questions {has} left out of the means.")
    return Headline([(mark, sentence)], advice)


def band_of(line: Line) -> str:
    """Return the band of a metric's mean over the answers where something was expected, where that is known."""
    return line.band_expected or line.band


def plain(metric: str) -> str:
    """Return the name of a metric as people say it."""
    return metric.removesuffix("_accuracy").replace("_", " ")
