"""Scores of answers in one line."""

from collections.abc import Mapping
from pathlib import Path

from benchbench.answering import scoring
from benchbench.answers.metrics import Value
from benchbench.formats.ground_truth import AS_GIVEN, Reading, answers_of
from benchbench.formats.lines import json_chunks
from benchbench.tables.questions import Answer, Question


def made(response: str | None, truth: str = "", *context: str, latency: float | None = None) -> Answer:
    return Answer(Question("?", truth), response, context, latency, None if response is not None else "no answer")


def scored(name: str, response: str | None, truth: str = "", *context: str) -> Value:
    (metric,) = scoring.chosen([name])
    return metric.value(made(response, truth, *context))


def read_answers(path: Path, truths: Mapping[str, Question] | None = None, reading: Reading = AS_GIVEN) -> list[Answer]:
    """Return the stored answers of a file."""
    return [answer for chunk in json_chunks(path, 100) for _, answer in answers_of(chunk, truths, reading)]
