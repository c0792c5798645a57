"""Conditions under which an evaluation of answers counts as failed: `precedent_matching<0.5`, `latency>2s`.

A gate says what must *not* be, as those of `measures.gates` do.

Names
-----
a metric, or a further number that one gives
    Its mean over the answers that are not null. A bound may be a percentage.
`latency`
    The mean of that metric; the bound has a unit, `ms` or `s`.
`errors`
    Failed questions; with `%`, their share of all questions.
"""

import math
from collections.abc import Iterable, Sequence

from benchbench.answers.metrics import METRICS, Metric
from benchbench.answers.summary import Summary
from benchbench.errors import InputError
from benchbench.measures.gates import ERROR_RATE, ERRORS, Gate, Verdict, as_number, in_time, split_gate, verdicts
from benchbench.tables.sentences import not_among

_LATENCY = "latency"  # seconds


def parse_gates(texts: str | Iterable[str], metrics: Sequence[Metric]) -> list[Gate]:
    """Return the gates that texts state; one may stand alone.

    Raises
    ------
    InputError
        Saying what is wrong with one, or what is measured when it names something else.
    """
    return [_parse(text, _names(metrics)) for text in ([texts] if isinstance(texts, str) else texts)]


def check(gates: Iterable[Gate], summary: Summary, metrics: Sequence[Metric]) -> list[Verdict]:
    """Check gates against the means of an evaluation; what has none, as there is no answer to take it from, fails."""
    failed = summary.nulls
    means = {line.metric: line.mean for line in summary.lines() if line.mean is not None}
    rate = failed / summary.total if summary.total else math.nan
    values = {**dict.fromkeys(_names(metrics), math.nan), **means, ERRORS: float(failed), ERROR_RATE: rate}
    return verdicts(gates, values)


def _names(metrics: Sequence[Metric]) -> list[str]:
    return [*(name for metric in metrics for name in (metric.name, *metric.parts)), ERRORS, ERROR_RATE]


def _parse(text: str, names: Sequence[str]) -> Gate:
    if not isinstance(text, str):
        raise InputError(f"a gate is a text such as 'errors>1%', and not of type {type(text).__name__}")
    stated = split_gate(text, "'precedent_matching<0.5' or 'errors>1%'")
    if stated.name not in names:
        adds = f"-m {stated.name}" if stated.name in METRICS else ""
        raise InputError(f"--fail-if {stated.text}: {not_among(stated.name, 'measured', names, adds)}")
    if stated.name == _LATENCY:
        return in_time(stated, "s")
    if stated.unit in ("ms", "s"):
        raise InputError(f"--fail-if {stated.text}: {stated.name} is not measured in {stated.unit}")
    return as_number(stated)
