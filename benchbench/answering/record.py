"""The record of an evaluation of answers, and the members of its JSON."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import benchbench
from benchbench.answers.faults import BEYOND, LOW
from benchbench.answers.metrics import Metric, band
from benchbench.answers.summary import ALL, Group, Line, Summary
from benchbench.results import checks
from benchbench.results.environment import environment
from benchbench.results.record import (
    Better,
    Count,
    Data,
    GateResult,
    Note,
    Number,
    Record,
    Scope,
    Subject,
    failures_of,
    record,
    settings_of,
)
from benchbench.results.signature import Signature
from benchbench.results.verdict import status

if TYPE_CHECKING:
    from benchbench.answering.outcome import Outcome

EXPECTED = "_expected"  # behind the name of a metric: its mean where something was expected
BANDS = ("poor", "acceptable", "good")
COLUMNS = ("source_type", "category")  # by which answers are grouped
_LIBRARIES = ("aiohttp", "jmespath", "orjson")
_REASONS = 5  # of failures, that are shown


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


def details(summary: Summary, gates: Sequence[GateResult] = ()) -> AnswersDetails:
    """Return the JSON members of a summary, with the results of its gates."""
    of: dict[str, dict[str, GroupDetails]] = {column: {} for column in COLUMNS}
    for group in summary.groups():
        if group != ALL:
            column, name = group
            of[column][name] = GroupDetails(summary.answers[group], summary.lines(group))
    return AnswersDetails(
        signature=str(signature(summary)),
        data_digest=summary.questions_digest,
        answers=summary.total,
        unanswered=summary.unanswered,
        failures=dict(sorted(summary.failures.items(), key=lambda item: (-item[1], item[0]))),
        gates=[checks.members(gate) for gate in gates if gate.verdict != "broken"],
        metrics=summary.lines(),
        **of,
        cluster=summary.cluster,
        clusters=summary.clusters,
        definitions={one.name: _definition(one) for one in summary.metrics},
        faulty=summary.faulty,
        faults=list(_faults(summary)),
    )


def definitions(found: AnswersDetails) -> Mapping[str, MetricDetails]:
    """Return what is known of the metrics; of results of older versions, what the registry has."""
    if found.definitions:
        return found.definitions
    from benchbench.answering.scoring import all_metrics

    return {one.name: _definition(one) for one in all_metrics() if one.name in found.metrics}


def _definition(metric: Metric) -> MetricDetails:
    words, plain = metric.words, metric.name.replace("_", " ")
    title = words.title or plain.capitalize()
    figure = "" if metric.is_accuracy else words.figure or " ".join(filter(None, (metric.unit, plain)))
    return MetricDetails(
        title,
        words.short or title,
        words.said,
        words.untested,
        figure,
        metric.good,
        metric.acceptable,
        metric.unit,
        metric.binary or bool(words.figure and not metric.unit),
    )


def _faults(summary: Summary) -> Iterator[FaultDetails]:
    """Yield the kinds of faults, in the order of metrics; last what is cited beyond the truth."""
    for metric in summary.metrics:
        named = metric.words.title or metric.name.replace("_", " ")
        said = {
            "missed": metric.words.missed or f"{named}: missed",
            "wrong": metric.words.wrong or f"{named}: wrong",
            LOW: metric.words.low or f"{named}: below 1",
        }
        for found, words in said.items():
            if number := summary.faults.get((metric.name, found)):
                yield FaultDetails(metric.name, found, words, number)
    if number := summary.faults.get(BEYOND):
        yield FaultDetails(*BEYOND, "beyond the truth", number)


def signature(summary: Summary) -> Signature:
    """Return the signature of the means."""
    return Signature(
        {
            "metrics": ",".join(metric.name for metric in summary.metrics),
            "failed": "left out",
            "questions": f"{summary.total} (null {summary.nulls}, unanswered {summary.unanswered})",
            "data": summary.questions_digest,
            "answers": summary.responses_digest,
            "version": benchbench.__version__,
        }
    )


def answers_record(outcome: "Outcome") -> Record:
    """Return the record of an evaluation."""
    found, options, gates = outcome.found, outcome.options, outcome.gates
    source = str(options.get("url") or options.get("answers") or outcome.subject or "answers")
    name = outcome.subject or source
    data = options.get("testdata") or options.get("ground_truth")
    return record(
        "answers",
        outcome.began,
        outcome.ended,
        status=status(gates) if outcome.complete else "interrupted",
        name=name,
        subject=[Subject(name=name, source=source, signature=found.signature)],
        data=Data(
            name=None if data is None else Path(data).name,
            make="ground truth",
            source=data,
            digest=found.data_digest,
            queries=found.answers + found.unanswered,
        ),
        signature=found.signature,
        settings=settings_of(options),
        environment=outcome.environment or environment(_LIBRARIES),
        numbers=list(numbers(found, outcome.metrics)),
        counts=[
            Count(name="answers", count=found.answers),
            Count(name="null_answers", count=found.nulls),
            Count(name="unanswered", count=found.unanswered),
            *(
                Count(name="answers", count=one.answers, scope=_scope(group))
                for group, one in found.groups()
                if group != ALL
            ),
        ],
        failures=failures_of(found.failures),
        notes=[Note(text=text) for text in notes(found)],
        gates=list(gates),
    )


def numbers(found: AnswersDetails, metrics: Iterable[Metric]) -> Iterator[Number]:
    """Yield the mean of each metric, the number of null answers, and the means of each source type and category.

    An accuracy has a second mean, over the answers of which something was expected.
    """
    owners = {name: metric for metric in metrics for name in (metric.name, *metric.parts)}
    for group, of_group in found.groups():
        for name, one in of_group.metrics.items():
            owner = owners.get(name)
            yield Number(
                name=name,
                value=one.mean,
                low=one.low,
                high=one.high,
                interval=f"95 %, {one.interval}" if one.interval and one.low is not None else None,
                n=one.answers,
                unit="" if owner is None else owner.unit,
                better=None if owner is None or name != owner.name else _better(owner),
                scope=_scope(group),
            )
            if owner is not None and name == owner.name and owner.is_accuracy:
                yield Number(
                    name=f"{name}{EXPECTED}",
                    value=one.mean_expected,
                    low=one.low_expected,
                    high=one.high_expected,
                    interval=f"95 %, {one.interval_expected}" if one.low_expected is not None else None,
                    n=one.expected,
                    better=_better(owner),
                    scope=_scope(group),
                )
        if group == ALL:
            yield Number(name="errors", value=float(found.nulls), n=found.answers, better="lower")
            rate = found.nulls / found.answers if found.answers else None
            yield Number(name="error_rate", value=rate, n=found.answers, better="lower")


def answered(found: AnswersDetails) -> str:
    """Return how many answers there are, and how many of them are null, where any is."""
    return f"{found.answers:,}{f', of them {found.nulls:,} null (in no mean)' if found.nulls else ''}"


def remarks(found: AnswersDetails) -> list[tuple[str, str]]:
    """Return labelled sentences: how many answers there are, and the most frequent reasons of failures."""
    missing, those = found.unanswered, "question has" if found.unanswered == 1 else "questions have"
    unanswered = [
        ("Unanswered", f"{missing:,} {those} no answer at all, and {'is' if missing == 1 else 'are'} in no mean")
    ]
    return [
        ("Answers", answered(found)),
        *(unanswered if missing else []),
        *(
            ("Failed", f"{times:,} question{'s' * (times != 1)}: {reason}")
            for reason, times in list(found.failures.items())[:_REASONS]
        ),
        *([("Cluster", _clusters(found))] if found.cluster else []),
    ]


def _clusters(found: AnswersDetails) -> str:
    """Return what the questions are grouped by, into how many groups, and what that does to the variance of means."""
    from benchbench.significance.mean_intervals import said_of_groups  # late: it is slow to import

    effects = [one.design_effect for one in found.metrics.values() if one.design_effect is not None]
    return said_of_groups(found.cluster, found.clusters, effects)


def notes(found: AnswersDetails) -> list[str]:
    """Return one sentence per thing that means and intervals depend on; none when every question has its answer."""
    several = found.nulls or found.unanswered or found.cluster
    return [f"{label}: {said}" for label, said in remarks(found)] if several else []


def _scope(group: Group) -> Scope:
    return {} if group == ALL else {"slice": f"{group[0]}={group[1]}"}


def _better(metric: Metric) -> Better | None:
    """Return which direction is an improvement; None when it is unknown, as for a user's own metric without bands."""
    if metric.unit == "s":
        return "lower"
    is_ours = metric.function.__module__.startswith("benchbench.")
    return "higher" if metric.good is not None or (is_ours and not metric.unit) else None
