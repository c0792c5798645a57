"""Gates of judging for relevance: those of a judge's run, and on what its labels are worth.

Names
-----
`kappa`, `weighted_kappa`, `alpha`, `agreement`, `bias`
    How far judge and people agree, on the pairs that both have graded; `kappa@2` of the cut at a grade.
`Δ M`, `worst M`, `best M`
    Of a measure M of `--holes`: the mean difference of two runs with the new labels, and its worst and best case.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from benchbench.answers.judges.rubric import Rubric
from benchbench.judging import gates as judge_gates
from benchbench.judging.relevance.details import RelevanceDetails
from benchbench.judging.relevance.holes import AFTER, numbers_of
from benchbench.measures.notation import Measure, measure_named
from benchbench.results import gates
from benchbench.results.gates import Condition, Gate
from benchbench.results.record import GateResult, Number
from benchbench.scores.gates import Texts, check_gates

OF_PEOPLE = ("kappa", "weighted_kappa", "alpha", "agreement", "bias")
_CUT = re.compile(r"(?:kappa|agreement|bias)@\d+(?:\.\d+)?")
_OF_PAIR = ("Δ", "worst", "best")
_EXAMPLES = "'kappa<0.6', 'worst nDCG@10<0' or 'errors>1%'"


def parse_gates(texts: Texts, rubric: Rubric, measures: Sequence[Measure]) -> list[Gate]:
    """Return the gates in texts.

    Parameters
    ----------
    texts
        One or several.
    rubric
        Of the judge.
    measures
        Whose differences there will be; none without holes.

    Raises
    ------
    InputError
        When one is malformed, or names a number that is not measured; the message lists those that are.
    """
    pairs = [f"{kind} {one}" for one in measures for kind in _OF_PAIR]
    found: list[Gate] = []
    for gate in gates.as_gates(texts, lambda text: gates.parse_gate(text, examples=_EXAMPLES)):
        if not _is_of_labels(gate):
            found += judge_gates.parse_gates([gate.text], [rubric])
            continue
        meant = replace(gate, conditions=tuple(map(_whole, gate.conditions)))
        cuts = [one.name for one in meant.conditions if _CUT.fullmatch(one.name)]
        meant.measured([*OF_PEOPLE, *cuts, *pairs])
        found.append(meant)
    return found


def check(
    conditions: Sequence[Gate], found: RelevanceDetails, agreement: Sequence[Number], max_error_rate: float
) -> list[GateResult]:
    """Return the result of each gate; before them, that more pairs failed than allowed."""
    of_labels = [gate for gate in conditions if _is_of_labels(gate)]
    results = judge_gates.check([gate for gate in conditions if gate not in of_labels], found, max_error_rate)
    there = [*agreement, *numbers_of([one for one in found.holes if one.labels == AFTER], {})]
    wanted = {one.name for gate in of_labels for one in gate.conditions if one.kind not in _OF_PAIR}
    return [*results, *check_gates(of_labels, lambda: there, dict.fromkeys(sorted(wanted), ""))]


def _is_of_labels(gate: Gate) -> bool:
    return any(one.name in OF_PEOPLE or _CUT.fullmatch(one.name) or one.kind in _OF_PAIR for one in gate.conditions)


def _whole(one: Condition) -> Condition:
    """Return a condition that names its measure in full."""
    return replace(one, name=measure_named(one.name)[0]) if one.kind in _OF_PAIR else one
