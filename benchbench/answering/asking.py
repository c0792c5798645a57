"""Questions to an assistant, answers scored as they come."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchbench.answers.metrics import Metric, Value
from benchbench.answers.summary import Summary
from benchbench.client.assistant import Assistant, Reply, ask
from benchbench.client.loop import finished
from benchbench.client.service import Service
from benchbench.formats.answers import context_texts
from benchbench.tables.answers import Answer, Question
from benchbench.tables.numbers import PLACES, check


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that an evaluation depends on."""

    questions: Sequence[Question]
    service: Service
    assistant: Assistant
    metrics: Sequence[Metric]
    concurrency: int = 4

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        check(self, concurrency=PLACES)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found; `complete` is false when Ctrl-C ended it early."""

    summary: Summary
    url: str
    complete: bool


def run(
    settings: Settings,
    sink: Callable[[int, Answer, Sequence[Value]], None] = lambda number, answer, values: None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Outcome:
    """Ask every question once and score the answers.

    Parameters
    ----------
    settings
        What to run.
    sink
        Called with the number of a question, its answer and the values, as they come.
    progress
        Called with questions done and questions in all.

    Raises
    ------
    InputError, UnreachableError
        Before anything was answered.
    """
    return finished(_run(settings, sink, progress))


async def _run(
    settings: Settings,
    sink: Callable[[int, Answer, Sequence[Value]], None],
    progress: Callable[[int, int], None],
) -> Outcome:
    questions, summary = settings.questions, Summary(settings.metrics)
    complete = True

    def take(number: int, reply: Reply) -> None:
        answer = answered(questions[number], reply)
        values = [metric.value(answer) for metric in settings.metrics]
        sink(number, answer, values)
        summary.add(answer, values)
        progress(summary.total, len(questions))

    progress(0, len(questions))
    async with settings.service.transport() as transport:
        retry, texts = settings.service.retry(), [one.question for one in questions]
        try:
            await ask(texts, settings.assistant, transport, retry, settings.concurrency, take)
        except asyncio.CancelledError:  # Ctrl-C
            complete = False
        summary.unanswered = len(questions) - summary.total
        return Outcome(summary, transport.shown, complete)


def answered(question: Question, reply: Reply) -> Answer:
    """Return a reply as an answer; the time is that of the request that brought it."""
    seconds = None if reply.text is None else reply.seconds
    return Answer(question, reply.text, context_texts(reply.context), seconds, reply.failure)
