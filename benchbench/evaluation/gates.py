"""Gates of an evaluation: `overall<0.6`, `low generation<0.5`, `faithfulness<0.8`, `errors>1%`.

Names
-----
`overall`, `retrieval`, `generation`, `domain`
    The overall score and the pillars, from 0 to 1.
the name of a sub-score
    Its mean, on its own scale.
`errors`, `error_rate`
    Answers, searches and verdicts that failed, and their share.
`cost`
    What the judge has cost in USD.

A gate on a judged sub-score, or on what is made of one, is refused where nothing says how far to trust the judge. So is
one on a pillar or the overall score where everything failed of a sub-score: what is left is not what was asked for.
"""

from collections.abc import Iterator, Sequence

from benchbench.evaluation.details import OVERALL, EvaluationDetails
from benchbench.evaluation.evaluation_result import errors, numbers
from benchbench.evaluation.subscores import Plan
from benchbench.formats.evaluation_config import PILLARS
from benchbench.results.checks import TRUST, Refusal
from benchbench.results.gates import ERROR_RATE, ERRORS, Gate
from benchbench.results.record import GateResult, Number
from benchbench.results.result import Result
from benchbench.results.verdict import too_many_failures
from benchbench.scores import gates
from benchbench.scores.gates import Texts, check_gates

_EXAMPLES = "'overall<0.6' or 'errors>1%'"
_RUN = {ERRORS: "", ERROR_RATE: "", "cost": "USD"}


def parse_gates(texts: Texts, plan: Plan) -> tuple[Gate, ...]:
    """Return the gates in texts; InputError for one that is malformed, or names a number that is not measured."""
    units = {**dict.fromkeys((OVERALL, *PILLARS), ""), **{one.name: one.unit for one in plan.scores}, **_RUN}
    return gates.parse_gates(texts, units, _EXAMPLES)


def check(conditions: Sequence[Gate], found: EvaluationDetails, max_error_rate: float = 1.0) -> list[GateResult]:
    """Return the result of each gate; before them, that more failed than allowed.

    A gate on a number without a value fails.
    """
    failed, total = errors(found)
    broken = too_many_failures(failed, total, max_error_rate, found.all_failures, what="answers and verdicts")
    return check_gates(conditions, lambda: _unscoped(found), _RUN, broken, refusals(found))


def _unscoped(found: EvaluationDetails) -> Iterator[Number]:
    """Yield the numbers of all questions, so that a gate names those of several pillars."""
    for one in numbers(found):
        if "slice" not in one.scope:
            yield Number(name=one.name, value=one.value, low=one.low, high=one.high, unit=one.unit)


def refused(result: Result) -> dict[str, Refusal]:
    """Return the same as `refusals` of a result of this kind, also of one that was read back."""
    return refusals(result.details_as(EvaluationDetails))


def refusals(found: EvaluationDetails) -> dict[str, Refusal]:
    """Return which numbers no gate may go by.

    They are judged ones, where nothing vouches for the judge, and what leaves out a sub-score that failed as a whole.
    """
    said: dict[str, Refusal] = {}
    is_trusted = found.judge is not None and found.judge.is_trusted
    weights = {one.name: one.weight for one in found.pillars}
    for one in found.scores:
        names = [one.pillar, *([OVERALL] if weights[one.pillar] else [])] if one.pillar else []
        if one.is_lost:
            lost = Refusal(f"{one.name} has no value: {one.why_untested}, and the rest is not the whole")
            said |= dict.fromkeys(names, lost)
        elif one.refusal and one.mean.value is not None and not is_trusted:
            said[one.name] = Refusal(one.refusal, TRUST)
            for name in names:
                said.setdefault(name, Refusal(f"{one.name}: {one.refusal}", TRUST))
    return said
