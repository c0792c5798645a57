"""The members of the JSON of an evaluation of answers."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from benchbench.answers.metrics import band
from benchbench.answers.summary import ALL, Group, Line

EXPECTED = "_expected"  # behind the name of a metric: its mean where something was expected
BANDS = ("poor", "acceptable", "good")
COLUMNS = ("source_type", "category")  # by which answers are grouped


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

    def reached(self, line: Line) -> list[str]:
        """Return the bands that the interval of a mean where something was expected reaches, the lowest first."""
        if not line.band_expected:
            return []
        ends = [one for one in (line.low_expected, line.mean_expected, line.high_expected) if one is not None]
        found = [BANDS.index(band(one, self.good, self.acceptable)) for one in ends]
        return list(BANDS[min(found) : max(found) + 1])


@dataclass(frozen=True, slots=True)
class FaultDetails:
    """How many answers have a fault of a kind; one without a metric is to cite beyond the truth."""

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
