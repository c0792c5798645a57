"""Ask an assistant questions, and score its answers as they come."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from benchbench.answering.answers_result import AnswersOutcome, check, details, parse_gates
from benchbench.answering.per_answer import PerAnswer, columns
from benchbench.answering.scoring import chosen, need_truths
from benchbench.answers.metrics import Metric, Value
from benchbench.answers.summary import CHUNK, Summary
from benchbench.answers.worst import Worst
from benchbench.chat.assistant import ASSISTANT, Assistant, Reply, ask, path
from benchbench.client.service import Service
from benchbench.client.sync import run_sync
from benchbench.errors import InputError
from benchbench.formats.answers_config import TargetConfig
from benchbench.formats.ground_truth import Reading, context_texts, ground_truth
from benchbench.results.settings import Cluster, Concurrency, MaxErrorRate, check_described, described
from benchbench.tables.callbacks import nothing
from benchbench.tables.questions import Answer, Question

if TYPE_CHECKING:
    from benchbench.formats.evaluation_rows import Row

_NO_MORE: Mapping[str, Any] = MappingProxyType({})
Asked = TypeVar("Asked", bound="Question | Row")


@described
@dataclass(frozen=True, slots=True)
class AnswersSettings:
    """Everything that an evaluation depends on.

    Attributes
    ----------
    questions
        Questions with their truths: `Question` objects, rows with `question` and `truth`, or a file of them.
    service
        The assistant's service, or its URL.
    assistant
        What is sent with every question, and where the answer is in a response.
    metrics
        Names of metrics, or metrics, one or several. Those for English law by default. (`-m`)
    fail_if
        Gates, one or several, such as `"latency>2s"` or `"errors>1%"`. (`--fail-if`)
    """

    questions: Sequence[Question]
    service: Service
    assistant: Assistant = field(default_factory=Assistant)
    metrics: Sequence[Metric] = ()
    concurrency: Concurrency = 4
    fail_if: tuple[str, ...] = ()
    max_error_rate: MaxErrorRate = 0.0
    cluster: Cluster = None

    def __post_init__(self) -> None:
        """Check every value, and convert files, URLs and names."""
        check_described(self)
        if isinstance(self.service, str):
            object.__setattr__(self, "service", Service(self.service, ASSISTANT, connections=self.concurrency))
        if not isinstance(self.service, Service):
            raise InputError(f"service is a URL or a Service, and not of type {type(self.service).__name__}")
        given = (self.metrics,) if isinstance(self.metrics, str | Metric) else self.metrics
        metrics = [metric if isinstance(metric, Metric) else chosen([metric])[0] for metric in given] or chosen(())
        object.__setattr__(self, "metrics", metrics)
        reading = Reading(need_truths(metrics), self.cluster or "")
        object.__setattr__(self, "questions", ground_truth(self.questions, reading))
        gates = parse_gates(self.fail_if, metrics)
        object.__setattr__(self, "fail_if", tuple(gate.text for gate in gates))

    def shown(self) -> dict[str, Any]:
        """Return the settings as JSON values, without secrets."""
        own = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in ("service", "assistant")}
        names = [one.name for one in self.metrics]
        own |= {
            "questions": len(self.questions),
            "metrics": names,  # as version 0.1 called the option
            "measure": names,
            "fail_if": list(self.fail_if),
        }
        return {**self.service.shown(), **own, "target_parameters": dict(self.assistant.parameters)}


def assistant_of(target: TargetConfig) -> Assistant:
    """Return what is sent with every question, and where in an answer things stand; InputError for no expression."""
    return Assistant(
        path(target.answer, "target_response_answer_jmespath"),
        path(target.context, "target_response_context_jmespath"),
        target.parameters,
    )


def of_kind(
    questions: Sequence[Asked], name: object, source_type: str | None, category: str | None, limit: int | None
) -> list[Asked]:
    """Return the first questions of a source type and a category, each None for any; InputError where there is none."""
    kept = [
        question
        for question in questions
        if source_type in (None, question.source_type) and category in (None, question.category)
    ]
    if not kept[:limit]:
        raise InputError(
            f"no question of {name} has that source type and category; `benchbench answers analyze` lists them"
        )
    return kept[:limit]


def run(
    settings: AnswersSettings,
    sink: Callable[[int, Answer, Sequence[Value]], None] = nothing,
    progress: Callable[[int, int], None] = nothing,
    options: Mapping[str, Any] = _NO_MORE,
) -> AnswersOutcome:
    """Ask every question once and score the answers.

    Parameters
    ----------
    settings
        What to run.
    sink
        Called with the number of a question, its answer and the values, as they come.
    progress
        Called with questions done and questions in all.
    options
        Further settings for the record.

    Raises
    ------
    InputError, UnreachableError
        Before anything was answered.
    """
    if not isinstance(settings, AnswersSettings):
        raise InputError(f"settings are AnswersSettings(questions, service), and not of type {type(settings).__name__}")
    return run_sync(_run(settings, sink, progress, options))


async def _run(
    settings: AnswersSettings,
    sink: Callable[[int, Answer, Sequence[Value]], None],
    progress: Callable[[int, int], None],
    options: Mapping[str, Any],
) -> AnswersOutcome:
    began, worst, table = time.time(), Worst(settings.metrics), PerAnswer()
    questions, summary = settings.questions, Summary(settings.metrics, settings.cluster or "")
    coming: dict[int, tuple[Answer, Sequence[Value]]] = {}  # by number of the question
    complete = True

    def tabulate() -> None:
        if coming:
            table.add(columns(settings.metrics, list(coming), list(coming.values()), settings.cluster or ""))
            coming.clear()

    def take(number: int, reply: Reply) -> None:
        answer = answered(questions[number], reply)
        values = [metric.value(answer) for metric in settings.metrics]
        sink(number, answer, values)
        summary.add(answer, values)
        worst.add(number + 1, answer, values)
        coming[number + 1] = answer, values
        if len(coming) == CHUNK:
            tabulate()
        progress(summary.total, len(questions))

    progress(0, len(questions))
    async with settings.service.transport() as transport:
        retry, texts = settings.service.retry(), [question.question for question in questions]
        try:
            await ask(texts, settings.assistant, transport, retry, settings.concurrency, take)
        except asyncio.CancelledError:  # Ctrl-C
            complete = False
        tabulate()
        summary.unanswered = len(questions) - summary.total
        gates = check(parse_gates(settings.fail_if, settings.metrics), summary, settings.max_error_rate)
        options = {**settings.shown(), **options}
        return AnswersOutcome(
            found=details(summary, gates),
            metrics=settings.metrics,
            subject=transport.shown,
            complete=complete,
            gates=gates,
            options=options,
            began=began,
            worst=worst.rows(),
            per_answer=table,
        )


def answered(question: Question, reply: Reply) -> Answer:
    """Return a reply as an answer; the latency is that of the last attempt."""
    seconds = None if reply.text is None else reply.seconds
    return Answer(question, reply.text, context_texts(reply.context), seconds, reply.failure)
