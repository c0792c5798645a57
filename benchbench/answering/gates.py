"""What gates may name in an evaluation of answers: `precedent_matching<0.5`, `latency>2s`.

Names
-----
a metric, or a further number that one gives
    Its mean over the answers that are not null; that of `latency` is in seconds.
`errors`, `error_rate`
    Failed questions, and their share of all questions.
"""

from collections.abc import Iterable, Sequence

from benchbench.answers.metrics import METRICS, Metric
from benchbench.answers.summary import Summary
from benchbench.errors import InputError
from benchbench.results import checks, gates
from benchbench.results.gates import ERROR_RATE, ERRORS, Gate
from benchbench.results.record import GateResult, Number
from benchbench.tables.sentences import not_among

_LATENCY = "latency"  # seconds
_EXAMPLES = "'precedent_matching<0.5' or 'errors>1%'"


def parse_gates(texts: str | Gate | Iterable[str | Gate], metrics: Sequence[Metric]) -> tuple[Gate, ...]:
    """Return the gates that texts state.

    Raises
    ------
    InputError
        Saying what is wrong with one, or what is measured when it names something else.
    """
    names = _names(metrics)

    def named(name: str) -> tuple[str, str]:
        if name not in names:
            adds = f"-m {name}" if name in METRICS else ""
            raise InputError(not_among(name, "measured", names, adds))
        return name, _unit(name)

    found = gates.as_gates(texts, lambda text: gates.parse_gate(text, named, _EXAMPLES))
    for gate in found:
        gate.measured(names)
    return found


def check(conditions: Sequence[Gate], summary: Summary, metrics: Sequence[Metric]) -> list[GateResult]:
    """Check gates against the means of an evaluation; what has none, as there is no answer to take it from, fails."""
    numbers = {name: Number(name=name, value=None, unit=_unit(name)) for name in _names(metrics)}
    for line in summary.lines():
        unit = _unit(line.metric)
        numbers[line.metric] = Number(name=line.metric, value=line.mean, low=line.low, high=line.high, unit=unit)
    rate = summary.nulls / summary.total if summary.total else None
    numbers[ERRORS] = Number(name=ERRORS, value=float(summary.nulls))
    numbers[ERROR_RATE] = Number(name=ERROR_RATE, value=rate)
    return checks.check(conditions, numbers.values())


def _names(metrics: Sequence[Metric]) -> list[str]:
    return [*(name for metric in metrics for name in (metric.name, *metric.parts)), ERRORS, ERROR_RATE]


def _unit(name: str) -> str:
    return "s" if name == _LATENCY else ""
