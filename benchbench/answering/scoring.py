"""Answers to values, one answer in memory at a time."""

import runpy
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from benchbench.answers import choices, citation_format, law_citations, precedents, surface, terminology
from benchbench.answers.metrics import METRICS, Metric, Value, metrics_named
from benchbench.answers.summary import Summary
from benchbench.errors import InputError
from benchbench.tables.answers import Answer

_REGISTERED = (surface, law_citations, terminology, citation_format, precedents, choices)  # importing them registers

DEFAULT = (
    "answer_length",
    "latency",
    "citations_matched",
    "any_citation",
    "statute_citation_accuracy",
    "case_law_citation_accuracy",
    "legal_terminology_accuracy",
    "citation_format_compliance",
    "precedent_matching",
)


def chosen(names: Sequence[str]) -> list[Metric]:
    """Return the metrics with these names, those of `DEFAULT` where none is named; InputError for an unknown one."""
    return metrics_named(names or DEFAULT)


def all_metrics() -> list[Metric]:
    """Return the whole registry, by name."""
    return [METRICS[name] for name in sorted(METRICS)]


def score(
    answers: Iterable[Answer],
    metrics: Sequence[Metric],
    sink: Callable[[int, Answer, Sequence[Value]], None] = lambda number, answer, values: None,
) -> Summary:
    """Score answers as they come.

    Parameters
    ----------
    answers
        In any order; one is in memory at a time.
    metrics
        What to compute.
    sink
        Called with the number of each answer, from 0, itself and its values, in the order of the metrics.
    """
    summary = Summary(metrics)
    for number, answer in enumerate(answers):
        values = [metric.value(answer) for metric in metrics]
        sink(number, answer, values)
        summary.add(answer, values)
    return summary


def load_metrics(files: Iterable[Path]) -> None:
    """Run Python files that register metrics; InputError for one that cannot be run."""
    for file in files:
        try:
            runpy.run_path(str(file), run_name="benchbench_metrics")
        except InputError:
            raise
        except Exception as error:
            raise InputError(f"--metrics-from {file}: {type(error).__name__}: {error}") from error
