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

from collections.abc import Sequence

from benchbench.answering.answers_result import details, numbers
from benchbench.answering.details import EXPECTED
from benchbench.answers.metrics import METRICS, Metric
from benchbench.answers.summary import Summary
from benchbench.results.gates import ERROR_RATE, ERRORS, Gate
from benchbench.results.record import GateResult
from benchbench.results.verdict import too_many_failures
from benchbench.scores import gates
from benchbench.scores.gates import Texts, check_gates

_EXAMPLES = "'precedent_matching<0.5' or 'errors>1%'"


def parse_gates(texts: Texts, metrics: Sequence[Metric]) -> tuple[Gate, ...]:
    """Return the gates in texts; InputError for one that is malformed, or names a number that is not measured."""
    return gates.parse_gates(texts, _units(metrics), _EXAMPLES, lambda name: f"-m {name}" if name in METRICS else "")


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
