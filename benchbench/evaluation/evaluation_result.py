"""The result of an evaluation in three pillars, its record, and its gates: `overall<0.6`, `low generation<0.5`.

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

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from benchbench.evaluation.details import OVERALL, EvaluationDetails, JudgedDetails, ScoreDetails
from benchbench.evaluation.score_matrix import Cells
from benchbench.evaluation.subscores import Plan
from benchbench.evaluation.tables import questions_table, verdicts_table
from benchbench.formats.evaluation_config import PILLARS
from benchbench.results.checks import TRUST, Refusal
from benchbench.results.gates import ERROR_RATE, ERRORS, Gate
from benchbench.results.record import (
    Better,
    Count,
    GateResult,
    Number,
    Record,
    Scope,
    Subject,
    counts_of,
    failures_of,
)
from benchbench.results.result import Result
from benchbench.results.verdict import too_many_failures
from benchbench.scores.gates import Texts, check_gates
from benchbench.scores.gates import parse_gates as parse_scored
from benchbench.scores.numbers import mean_number
from benchbench.scores.result import ScoresResult

if TYPE_CHECKING:
    import polars as pl

_EXAMPLES = "'overall<0.6' or 'errors>1%'"
_RUN = {ERRORS: "", ERROR_RATE: "", "cost": "USD"}


@dataclass(frozen=True, kw_only=True, repr=False)
class EvaluationOutcome(ScoresResult):
    """The result of an evaluation in three pillars.

    Attributes
    ----------
    cells
        The values, answers and verdicts of every question.
    subject
        URL of the assistant, or file of answers.
    """

    kind = "evaluate"
    libraries = ("aiohttp", "jsonschema_rs", "orjson")

    found: EvaluationDetails
    cells: Cells
    subject: str

    def to_record(self) -> Record:
        """Return the record."""
        found = self.found
        return self._record(
            found.notes,
            name=found.name,
            subject=[Subject(name=found.name, source=self.subject, signature=found.signature)],
            data=self._data("questions", self.options.get("data"), found.questions),
            numbers=list(numbers(found)),
            counts=[
                *counts_of({"questions": found.questions, "answered": found.answered}),
                *(Count(name="failed", count=score.failed, scope=_scope(found, score)) for score in found.scores),
                *(Count(name="untested", count=score.untested, scope=_scope(found, score)) for score in found.scores),
                *counts_of({} if found.judge is None else _calls(found.judge)),
            ],
            failures=failures_of(found.all_failures),
        )

    def tables(self) -> "Mapping[str, Callable[[], pl.DataFrame]]":
        """Return the table of the questions, the worst first, and that of the verdicts."""
        made: dict[str, Callable[[], pl.DataFrame]] = {"questions": lambda: self._questions}
        if self.cells.verdicts:
            made["verdicts"] = lambda: verdicts_table(self.cells)
        return made

    @cached_property
    def _questions(self) -> "pl.DataFrame":
        """The table of questions: a page and a folder take it both."""
        return questions_table(self.cells)


def _calls(judge: JudgedDetails) -> dict[str, int]:
    return {
        "verdicts": judge.verdicts,
        "failed_verdicts": judge.failed,
        "unscored_verdicts": judge.unscored,
        "repeats": judge.repeats,
        **judge.cost.counts(),
    }


def numbers(found: EvaluationDetails) -> Iterator[Number]:
    """Yield the overall score, the pillars and the sub-scores, of all questions and then of groups; and errors."""
    scores = {one.name: one for one in found.scores}
    for column, group, means in found.groups():
        of = {"slice": f"{column}={group}"} if column else {}
        for name, mean in means.means().items():
            score = scores.get(name)
            scope, unit = (of, "") if score is None else (_scope(found, score) | of, score.unit)
            better: Better | None = "lower" if unit == "s" else None if unit else "higher"
            yield mean_number(name, mean, scope, better=better, unit=unit)
    failed, total = errors(found)
    yield Number(name="errors", value=float(failed), n=total, better="lower")
    yield Number(name="error_rate", value=failed / total if total else None, n=total, better="lower")
    if found.judge is not None and found.judge.cost.cost is not None:
        yield Number(name="cost", value=found.judge.cost.cost, n=found.judge.cost.calls, unit="USD", better="lower")


def errors(found: EvaluationDetails) -> tuple[int, int]:
    """Return how many answers, searches and verdicts failed, and of how many."""
    verdicts, failed = (0, 0) if found.judge is None else (found.judge.verdicts, found.judge.failed)
    return sum(found.failures.values()) + failed, found.questions + verdicts


def _scope(found: EvaluationDetails, score: ScoreDetails) -> Scope:
    """Return what a sub-score is of: its pillar, and of a judged one the judge and the rubric."""
    of = {"pillar": score.pillar or "beside"}
    if score.rubric and found.judge is not None:
        of |= {"judge": found.judge.model, "rubric": score.rubric}
    return of


def parse_gates(texts: Texts, plan: Plan) -> tuple[Gate, ...]:
    """Return the gates in texts; InputError for one that is malformed, or names a number that is not measured."""
    units = {**dict.fromkeys((OVERALL, *PILLARS), ""), **{score.name: score.unit for score in plan.scores}, **_RUN}
    return parse_scored(texts, units, _EXAMPLES)


def check(conditions: Sequence[Gate], found: EvaluationDetails, max_error_rate: float = 1.0) -> list[GateResult]:
    """Return the result of each gate; before them, that more failed than allowed.

    A gate on a number without a value fails.
    """
    failed, total = errors(found)
    broken = too_many_failures(failed, total, max_error_rate, found.all_failures, what="answers and verdicts")
    return check_gates(conditions, lambda: _unscoped(found), _RUN, broken, refusals(found))


def _unscoped(found: EvaluationDetails) -> Iterator[Number]:
    """Yield the numbers of all questions, so that a gate names those of several pillars."""
    for number in numbers(found):
        if "slice" not in number.scope:
            yield Number(name=number.name, value=number.value, low=number.low, high=number.high, unit=number.unit)


def refused(result: Result) -> dict[str, Refusal]:
    """Return the same as `refusals` of a result of this kind, also of one that was read back."""
    return refusals(result.details_as(EvaluationDetails))


def refusals(found: EvaluationDetails) -> dict[str, Refusal]:
    """Return which numbers no gate may go by.

    They are judged ones, where nothing vouches for the judge, and what leaves out a sub-score that failed as a whole.
    """
    said: dict[str, Refusal] = {}
    is_trusted = found.judge is not None and found.judge.is_trusted
    weights = {pillar.name: pillar.weight for pillar in found.pillars}
    for score in found.scores:
        names = [score.pillar, *([OVERALL] if weights[score.pillar] else [])] if score.pillar else []
        if score.is_lost:
            lost = Refusal(f"{score.name} has no value: {score.why_untested}, and the rest is not the whole")
            said |= dict.fromkeys(names, lost)
        elif score.refusal and score.mean.value is not None and not is_trusted:
            said[score.name] = Refusal(score.refusal, TRUST)
            for name in names:
                said.setdefault(name, Refusal(f"{score.name}: {score.refusal}", TRUST))
    return said
