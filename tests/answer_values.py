"""Scores of answers in one line."""

from benchbench.answering import scoring
from benchbench.answers.metrics import Value
from benchbench.tables.questions import Answer, Question


def made(response: str | None, truth: str = "", *context: str, latency: float | None = None) -> Answer:
    return Answer(Question("?", truth), response, context, latency, None if response is not None else "no answer")


def scored(name: str, response: str | None, truth: str = "", *context: str) -> Value:
    (metric,) = scoring.chosen([name])
    return metric.value(made(response, truth, *context))
