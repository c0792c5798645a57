"""Metrics that need no knowledge of law: citations in brackets, length, latency."""

import math

from benchbench.answers.citations.document_citations import documents, marks
from benchbench.answers.metrics import MetricWords, Value, metric
from benchbench.tables.questions import Answer


def _cited(text: str) -> set[str]:
    """Return the citations in brackets of a text, as they are written."""
    named = {text[document.start : document.end] for document in documents(text)}
    return named | {f"[{number}]" for number in marks(text)}


@metric(
    "any_citation",
    "1 when the answer has a citation in brackets, else 0: its mean is the citation rate.",
    binary=True,
    needs_truth=False,
    words=MetricWords(figure="cite a source at all"),
)
def any_citation(answer: Answer) -> float:
    """Look for documents and numbers in brackets."""
    assert answer.response is not None
    return float(bool(_cited(answer.response)))


@metric(
    "citations_matched",
    "Share of the truth's bracketed citations that appear in the answer word for word.",
    words=MetricWords(figure="cite a source word for word"),
)
def citations_matched(answer: Answer) -> Value:
    """Compare the citations in brackets as they are written."""
    assert answer.response is not None
    expected = _cited(answer.truth)
    if not expected:
        return Value(1.0, expected=False)
    return Value(len(expected & _cited(answer.response)) / len(expected))


@metric(
    "answer_length",
    "Characters of the answer.",
    unit="characters",
    needs_truth=False,
    words=MetricWords(figure="characters per answer"),
)
def answer_length(answer: Answer) -> float:
    """Count characters."""
    assert answer.response is not None
    return float(len(answer.response))


@metric(
    "latency",
    "Seconds from the question to the complete answer; left out for stored answers without a time.",
    unit="s",
    needs_truth=False,
    words=MetricWords(figure="s response time"),
)
def latency(answer: Answer) -> Value:
    """Return the measured latency; not a number when there is none."""
    return Value(math.nan if answer.latency is None else answer.latency)
