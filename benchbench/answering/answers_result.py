"""The result of an evaluation of answers, asked or stored: its record, and the numbers that gates may name.

Names
-----
a metric, or a further number of one
    Its mean over the answers that are not null; that of `latency` is in seconds.
an accuracy with `_expected` behind its name
    Its mean over the answers of which something was expected.
`errors`, `error_rate`
    Failed questions, and their share of all questions.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import benchbench
from benchbench.answering.answers_details import (
    EXPECTED,
    AnswersDetails,
    FaultDetails,
    GroupDetails,
    MetricDetails,
    over_all,
    where_expected,
)
from benchbench.answering.per_answer import NAME as PER_ANSWER
from benchbench.answering.per_answer import PerAnswer
from benchbench.answers.faults import BEYOND, LOW
from benchbench.answers.metrics import METRICS, Metric
from benchbench.answers.summary import ALL, Group, Summary
from benchbench.answers.worst import Shown
from benchbench.results import checks
from benchbench.results.gates import ERROR_RATE, ERRORS, Gate
from benchbench.results.record import (
    Better,
    Count,
    Environment,
    GateResult,
    Number,
    Record,
    Scope,
    Subject,
    counts_of,
    failures_of,
)
from benchbench.results.signature import Signature
from benchbench.results.verdict import too_many_failures
from benchbench.scores.gates import Texts, check_gates
from benchbench.scores.gates import parse_gates as parse_scored
from benchbench.scores.names import COLUMNS
from benchbench.scores.numbers import mean_number
from benchbench.scores.result import ScoresResult
from benchbench.scores.tables import table_of
from benchbench.significance.mean_intervals import said_of_groups
from benchbench.tables.shared_messages import counted

if TYPE_CHECKING:
    import polars as pl

_EXAMPLES = "'precedent_matching<0.5' or 'errors>1%'"


@dataclass(frozen=True, kw_only=True, repr=False)
class AnswersOutcome(ScoresResult):
    """The result of an evaluation of answers; `url` or `answers` among its options names what was evaluated.

    Attributes
    ----------
    metrics
        Those that are known, with their units.
    subject
        URL of the assistant, without secrets, or the name of the file of answers.
    worst
        The answers that its page shows; none where nothing asked for a page.
    per_answer
        The values of each answer; None where a folder has them, or nothing asked for them.
    """

    kind = "answers"
    libraries = ("aiohttp", "jmespath", "orjson")

    found: AnswersDetails
    metrics: Sequence[Metric]
    subject: str
    worst: Sequence[Shown] = ()
    per_answer: PerAnswer | None = None

    def to_record(self) -> Record:
        """Return the record."""
        evaluation, options = self.found, self.options
        source = str(options.get("url") or options.get("answers") or self.subject or "answers")
        name = self.subject or source
        data = options.get("testdata") or options.get("ground_truth")
        return self._record(
            notes(evaluation),
            name=name,
            subject=[Subject(name=name, source=source, signature=evaluation.signature)],
            data=self._data("ground truth", data, evaluation.answers + evaluation.unanswered),
            numbers=list(numbers(evaluation, self.metrics)),
            counts=[
                *counts_of(
                    {
                        "answers": evaluation.answers,
                        "null_answers": evaluation.nulls,
                        "unanswered": evaluation.unanswered,
                    }
                ),
                *(
                    Count(name="answers", count=of_group.answers, scope=_scope(group))
                    for group, of_group in evaluation.groups()
                    if group != ALL
                ),
            ],
            failures=failures_of(evaluation.failures),
        )

    def tables(self) -> "Mapping[str, Callable[[], pl.DataFrame]]":
        """Return what makes each table: the values of each answer, and the answers with the lowest scores."""
        made: dict[str, Callable[[], pl.DataFrame]] = {}
        if self.per_answer:
            made[PER_ANSWER] = partial(self.per_answer.table, self.untested)
        if self.worst:
            made["worst_answers"] = partial(table_of, Shown, self.worst)
        return made

    @property
    def untested(self) -> list[str]:
        """Return the numbers that have no mean, for nothing was expected of any answer, or there is none."""
        return [name for name, line in self.found.metrics.items() if line.mean is None]


def of_old_folder(found: AnswersDetails, config: Mapping[str, Any], written: float) -> AnswersOutcome:
    """Return the result in a folder of version 0.1, which has no record.

    Parameters
    ----------
    found
        The contents of its `summary.json`.
    config
        The contents of its `config.json`.
    written
        When they were written, in seconds since 1970.
    """
    from benchbench.answering.scoring import all_metrics

    made = Environment(versions=config.get("versions", {}), host=config.get("host", {}))
    gates = [checks.restored(gate) for gate in found.gates]
    options = {"metrics": list(found.metrics), **config.get("options", {})}
    return AnswersOutcome(
        found=found, metrics=all_metrics(), subject="", gates=gates, options=options, began=written, ended=written,
        environment=made,
    )  # fmt: skip


def details(summary: Summary, gates: Sequence[GateResult] = ()) -> AnswersDetails:
    """Return the JSON members of a summary, with the results of its gates."""
    groups: dict[str, dict[str, GroupDetails]] = {column: {} for column in COLUMNS}
    for group in summary.groups():
        if group != ALL:
            column, name = group
            groups[column][name] = GroupDetails(summary.totals.answers[group], summary.lines(group))
    return AnswersDetails(
        signature=str(signature(summary)),
        data_digest=summary.totals.questions_digest,
        answers=summary.total,
        unanswered=summary.unanswered,
        failures=dict(sorted(summary.totals.failures.items(), key=lambda item: (-item[1], item[0]))),
        gates=[checks.members(gate) for gate in gates if gate.verdict != "broken"],
        metrics=summary.lines(),
        **groups,
        cluster=summary.cluster,
        clusters=len(summary.totals.clusters),
        definitions={metric.name: _definition(metric) for metric in summary.metrics},
        faulty=summary.totals.faulty,
        faults=list(_faults(summary)),
    )


def definitions(found: AnswersDetails) -> Mapping[str, MetricDetails]:
    """Return what is known of the metrics; of results of older versions, what the registry has."""
    if found.definitions:
        return found.definitions
    from benchbench.answering.scoring import all_metrics

    return {metric.name: _definition(metric) for metric in all_metrics() if metric.name in found.metrics}


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
    """Yield the kinds of faults, in the order of metrics; last what is cited and not in the truth."""
    for metric in summary.metrics:
        named = metric.words.title or metric.name.replace("_", " ")
        sentences = {
            "missed": metric.words.missed or f"{named}: missed",
            "wrong": metric.words.wrong or f"{named}: wrong",
            LOW: metric.words.low or f"{named}: below 1",
        }
        for kind, words in sentences.items():
            if number := summary.totals.faults.get((metric.name, kind)):
                yield FaultDetails(metric.name, kind, words, number)
    if number := summary.totals.faults.get(BEYOND):
        yield FaultDetails(*BEYOND, "not in the reference", number)


def signature(summary: Summary) -> Signature:
    """Return the signature of the means."""
    return Signature(
        {
            "metrics": ",".join(metric.name for metric in summary.metrics),
            "failed": "left out",
            "questions": f"{summary.total} (null {summary.totals.nulls}, unanswered {summary.unanswered})",
            "data": summary.totals.questions_digest,
            "answers": summary.totals.responses_digest,
            "version": benchbench.__version__,
        }
    )


def numbers(evaluation: AnswersDetails, metrics: Iterable[Metric]) -> Iterator[Number]:
    """Yield the mean of each metric, the number of null answers, and the means of each source type and category.

    Accuracies come first. They have a second mean behind all others, over the answers of which something was expected.
    """
    owners = {name: metric for metric in metrics for name in (metric.name, *metric.parts)}
    for group, of_group in evaluation.groups():
        scope = _scope(group)
        twins = []
        for name, line in sorted(of_group.metrics.items(), key=lambda item: not _is_accuracy(owners.get(item[0]))):
            owner = owners.get(name)
            its_own = owner is not None and name == owner.name
            better, unit = _better(owner) if owner and its_own else None, owner.unit if owner else ""
            yield mean_number(name, over_all(line), scope, better=better, unit=unit)
            if its_own and _is_accuracy(owner):
                twins.append(mean_number(f"{name}{EXPECTED}", where_expected(line), scope, better=better))
        yield from twins
        if group == ALL:
            yield Number(name="errors", value=float(evaluation.nulls), n=evaluation.answers, better="lower")
            rate = evaluation.nulls / evaluation.answers if evaluation.answers else None
            yield Number(name="error_rate", value=rate, n=evaluation.answers, better="lower")


def _is_accuracy(metric: Metric | None) -> bool:
    return metric is not None and metric.is_accuracy


def answered(evaluation: AnswersDetails) -> str:
    """Return how many answers there are, and how many of them are null, where any is."""
    return f"{evaluation.answers:,}{f', {evaluation.nulls:,} of them unanswered' if evaluation.nulls else ''}"


def notes(evaluation: AnswersDetails) -> list[str]:
    """Return one sentence per thing that means and intervals depend on."""
    sentences, missing = [], evaluation.unanswered
    if evaluation.nulls:
        are = "is" if evaluation.nulls == 1 else "are"
        sentences.append(f"{counted(evaluation.nulls, 'answer')} {are} null and left out of the means.")
    if missing:
        has, is_ = ("has", "is") if missing == 1 else ("have", "are")
        sentences.append(f"{counted(missing, 'question')} {has} no answer at all and {is_} left out of the means.")
    if evaluation.cluster:
        effects = [line.design_effect for line in evaluation.metrics.values() if line.design_effect is not None]
        text = said_of_groups(evaluation.cluster, evaluation.clusters, effects)
        sentences.append(f"{text[:1].upper()}{text[1:]}.")
    return sentences


def _scope(group: Group) -> Scope:
    return {} if group == ALL else {"slice": f"{group[0]}={group[1]}"}


def _better(metric: Metric) -> Better | None:
    """Return which direction is an improvement; None when it is unknown, as for a user's own metric without bands."""
    if metric.unit == "s":
        return "lower"
    is_ours = metric.function.__module__.startswith("benchbench.")
    return "higher" if metric.good is not None or (is_ours and not metric.unit) else None


def parse_gates(texts: Texts, metrics: Sequence[Metric]) -> tuple[Gate, ...]:
    """Return the gates in texts; InputError for one that is malformed, or names a number that is not measured."""
    return parse_scored(texts, _units(metrics), _EXAMPLES, lambda name: f"-m {name}" if name in METRICS else "")


def check(conditions: Sequence[Gate], summary: Summary, max_error_rate: float = 1.0) -> list[GateResult]:
    """Return the result of each gate; before them, that more questions failed than allowed.

    A gate on a metric without a mean fails.
    """
    many = "questions" if summary.total != 1 else "question"
    broken = too_many_failures(summary.totals.nulls, summary.total, max_error_rate, summary.totals.failures, what=many)
    units = _units(summary.metrics)
    return check_gates(conditions, lambda: numbers(details(summary), summary.metrics), units, broken)


def _units(metrics: Sequence[Metric]) -> dict[str, str]:
    """Return the units of the numbers that gates may name."""
    of_metrics = {name: metric.unit for metric in metrics for name in (metric.name, *metric.parts)}
    expected = {f"{metric.name}{EXPECTED}": "" for metric in metrics if metric.is_accuracy}
    return {**of_metrics, **expected, ERRORS: "", ERROR_RATE: ""}
