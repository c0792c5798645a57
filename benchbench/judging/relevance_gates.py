"""Gates of judging for relevance: those of a judge's run, and on what its labels are worth.

Names
-----
`kappa`, `weighted_kappa`, `alpha`, `agreement`, `bias`
    How far judge and people agree, on the pairs that both have graded; `kappa@2` of the cut at a grade.
`Δ M`, `worst M`, `best M`
    Of a measure M of `--holes`: the mean difference of two runs with the new labels, and its worst and best case.
"""

import re
from collections.abc import Iterable, Sequence

from benchbench.answers.judges.rubric import Rubric
from benchbench.errors import InputError
from benchbench.judging import gates as judge_gates
from benchbench.judging.holes import AFTER, numbers_of
from benchbench.judging.relevance_details import RelevanceDetails
from benchbench.measures.notation import Measure, measure_named
from benchbench.results import checks, gates
from benchbench.results.gates import Gate
from benchbench.results.record import GateResult, Number

OF_PEOPLE = ("kappa", "weighted_kappa", "alpha", "agreement", "bias")
_CUT = re.compile(r"(?:kappa|agreement|bias)@\d+(?:\.\d+)?")
_KINDS = ("Δ", "worst", "best")


def parse_gates(texts: str | Gate | Iterable[str | Gate], rubric: Rubric, measures: Sequence[Measure]) -> list[Gate]:
    """Return the gates in texts.

    Raises
    ------
    InputError
        When one is malformed, or names a number that is not measured; the message lists those that are.
    """
    given = [texts] if isinstance(texts, str | Gate) else list(texts)
    found = []
    for text in given:
        gate = text if isinstance(text, Gate) else gates.parse_gate(text, _named)
        if all(_is_of_labels(one.kind, one.name) for one in gate.conditions):
            _check_measured(gate, measures)
            found.append(gate)
        else:
            found += judge_gates.parse_gates([text], [rubric])
    return found


def check(
    conditions: Sequence[Gate], found: RelevanceDetails, agreement: Sequence[Number], max_error_rate: float
) -> list[GateResult]:
    """Return the result of each gate; before them, that more pairs failed than allowed."""
    of_labels = [gate for gate in conditions if all(_is_of_labels(one.kind, one.name) for one in gate.conditions)]
    results = judge_gates.check([gate for gate in conditions if gate not in of_labels], found, max_error_rate)
    there = [*agreement, *numbers_of([one for one in found.holes if one.labels == AFTER], {})]
    known = {one.name for one in there}
    there += [Number(name=name, value=None) for name in OF_PEOPLE if name not in known]
    return [*results, *checks.check(of_labels, there)]
