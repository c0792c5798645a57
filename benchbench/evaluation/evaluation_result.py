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

from benchbench.evaluation.evaluation_details import OVERALL, EvaluationDetails, JudgedDetails, SubScoreDetails
from benchbench.evaluation.score_matrix import Cells
from benchbench.evaluation.subscores import ScorePlan
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
        details = self.found
        return self._record(
            details.notes,
            name=details.name,
            subject=[Subject(name=details.name, source=self.subject, signature=details.signature)],
            data=self._data("questions", self.options.get("data"), details.questions),
            numbers=list(numbers(details)),
            counts=[
                *counts_of({"questions": details.questions, "answered": details.answered}),
                *(
                    Count(name=name, count=getattr(score, name), scope=_scope(details, score))
                    for name in ("failed", "untested")
                    for score in details.scores
                ),
                *counts_of({} if details.judge is None else _calls(details.judge)),
            ],
            failures=failures_of(details.all_failures),
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


def numbers(details: EvaluationDetails) -> Iterator[Number]:
    """Yield the overall score, the pillars and the sub-scores, of all questions and then of groups; and errors."""
    scores = {one.name: one for one in details.scores}
    for column, group, means in details.groups():
        group_scope = {"slice": f"{column}={group}"} if column else {}
        for name, mean in means.means().items():
            score = scores.get(name)
            scope, unit = (group_scope, "") if score is None else (_scope(details, score) | group_scope, score.unit)
            better: Better | None = "lower" if unit == "s" else None if unit else "higher"
            yield mean_number(name, mean, scope, better=better, unit=unit)
    failed, total = errors(details)
    yield Number(name="errors", value=float(failed), n=total, better="lower")
    yield Number(name="error_rate", value=failed / total if total else None, n=total, better="lower")
    if details.judge is not None and details.judge.cost.cost is not None:
        yield Number(name="cost", value=details.judge.cost.cost, n=details.judge.cost.calls, unit="USD", better="lower")


def errors(details: EvaluationDetails) -> tuple[int, int]:
    """Return how many answers, searches and verdicts failed, and of how many."""
    verdicts, failed = (0, 0) if details.judge is None else (details.judge.verdicts, details.judge.failed)
    return sum(details.failures.values()) + failed, details.questions + verdicts


def _scope(details: EvaluationDetails, score: SubScoreDetails) -> Scope:
    """Return what a sub-score is of: its pillar, and of a judged one the judge and the rubric."""
    scope = {"pillar": score.pillar or "beside"}
    if score.rubric and details.judge is not None:
        scope |= {"judge": details.judge.model, "rubric": score.rubric}
    return scope


def parse_gates(texts: Texts, plan: ScorePlan) -> tuple[Gate, ...]:
    """Return the gates in texts; InputError for one that is malformed, or names a number that is not measured."""
    units = {**dict.fromkeys((OVERALL, *PILLARS), ""), **{score.name: score.unit for score in plan.scores}, **_RUN}
    return parse_scored(texts, units, _EXAMPLES)


def check(conditions: Sequence[Gate], details: EvaluationDetails, max_error_rate: float = 1.0) -> list[GateResult]:
    """Return the result of each gate; before them, that more failed than allowed.

    A gate on a number without a value fails.
    """
    failed, total = errors(details)
    broken = too_many_failures(failed, total, max_error_rate, details.all_failures, what="answers and verdicts")
    return check_gates(conditions, lambda: _unscoped(details), _RUN, broken, refusals(details))


def _unscoped(details: EvaluationDetails) -> Iterator[Number]:
    """Yield the numbers of all questions, so that a gate names those of several pillars."""
    for number in numbers(details):
        if "slice" not in number.scope:
            yield Number(name=number.name, value=number.value, low=number.low, high=number.high, unit=number.unit)


def refused(result: Result) -> dict[str, Refusal]:
    """Return the same as `refusals` of a result of this kind, also of one that was read back."""
    return refusals(result.details_as(EvaluationDetails))


def refusals(details: EvaluationDetails) -> dict[str, Refusal]:
    """Return which numbers no gate may go by.

    They are judged ones, where nothing vouches for the judge, and what leaves out a sub-score that failed as a whole.
    """
    refused_numbers: dict[str, Refusal] = {}
    is_trusted = details.judge is not None and details.judge.is_trusted
    weights = {pillar.name: pillar.weight for pillar in details.pillars}
    for score in details.scores:
        names = [score.pillar, *([OVERALL] if weights[score.pillar] else [])] if score.pillar else []
        if score.is_lost:
            lost = Refusal(f"{score.name} has no value: {score.why_untested}, and the rest is not complete")
            refused_numbers |= dict.fromkeys(names, lost)
        elif score.refusal and score.mean.value is not None and not is_trusted:
            refused_numbers[score.name] = Refusal(score.refusal, TRUST)
            for name in names:
                refused_numbers.setdefault(name, Refusal(f"{score.name}: {score.refusal}", TRUST))
    return refused_numbers
