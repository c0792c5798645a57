"""The numbers that gates may name in an evaluation of answers: `precedent_matching<0.5`, `latency>2s`.

Names
-----
a metric, or a further number of one
    Its mean over the answers that are not null; that of `latency` is in seconds.
an accuracy with `_expected` behind its name
    Its mean over the answers of which something was expected.
`errors`, `error_rate`
    Failed questions, and their share of all questions.
"""

from collections.abc import Iterable, Sequence

from benchbench.answering.answers_result import details, numbers
from benchbench.answering.details import EXPECTED
from benchbench.answers.metrics import METRICS, Metric
from benchbench.answers.summary import Summary
from benchbench.errors import InputError
from benchbench.results import checks, gates
from benchbench.results.gates import ERROR_RATE, ERRORS, Gate
from benchbench.results.record import GateResult, Number
from benchbench.results.verdict import too_many_failures
from benchbench.tables.shared_messages import not_among

_EXAMPLES = "'precedent_matching<0.5' or 'errors>1%'"


def parse_gates(texts: str | Gate | Iterable[str | Gate], metrics: Sequence[Metric]) -> tuple[Gate, ...]:
    """Return the gates in texts.

    Raises
    ------
    InputError
        When one is malformed, or names a number that is not measured; the message lists those that are.
    """
    units = _units(metrics)

    def named(name: str) -> tuple[str, str]:
        if name not in units:
            adds = f"-m {name}" if name in METRICS else ""
            raise InputError(not_among(name, "measured", list(units), adds))
        return name, units[name]

    found = gates.as_gates(texts, lambda text: gates.parse_gate(text, named, _EXAMPLES))
    for gate in found:
        gate.measured(list(units))
    return found


def check(conditions: Sequence[Gate], summary: Summary, max_error_rate: float = 1.0) -> list[GateResult]:
    """Return the result of each gate; before them, that more questions failed than allowed.

    A gate on a metric without a mean fails.
    """
    many = "questions" if summary.total != 1 else "question"
    broken = too_many_failures(summary.nulls, summary.total, max_error_rate, summary.failures, what=many)
    found = list(numbers(details(summary), summary.metrics)) if conditions else []
    there = {one.name for one in found}
    units = _units(summary.metrics)
    found += [Number(name=name, value=None, unit=unit) for name, unit in units.items() if name not in there]
    return [*([broken] if broken else []), *checks.check(conditions, found)]


def _units(metrics: Sequence[Metric]) -> dict[str, str]:
    """Return the units of the numbers that gates may name."""
    of_metrics = {name: metric.unit for metric in metrics for name in (metric.name, *metric.parts)}
    expected = {f"{metric.name}{EXPECTED}": "" for metric in metrics if metric.is_accuracy}
    return {**of_metrics, **expected, ERRORS: "", ERROR_RATE: ""}
