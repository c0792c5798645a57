"""The result of an evaluation in three pillars, and its record."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchbench.evaluation.details import EvaluationDetails, ScoreDetails
from benchbench.evaluation.score_matrix import Cells
from benchbench.evaluation.tables import questions_table, verdicts_table
from benchbench.results.record import (
    Better,
    Count,
    Data,
    Environment,
    GateResult,
    Number,
    Record,
    Scope,
    Subject,
    failures_of,
)
from benchbench.scores.numbers import mean_number
from benchbench.scores.result import ScoresResult

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, repr=False)
class EvaluationOutcome(ScoresResult):
    """The result of an evaluation in three pillars.

    Attributes
    ----------
    found
        Means, pillars, groups, counts and failures: the members of its JSON.
    cells
        The values, answers and verdicts of every question.
    subject
        URL of the assistant, or file of answers.
    gates
        The result of each gate of `fail_if`; before them, that too much failed.
    options
        Every option in force.
    began, ended
        Seconds since 1970; the end is the time of the record by default.
    environment
        Versions and host; those of this process by default.
    """

    kind = "evaluate"
    libraries = ("aiohttp", "jsonschema_rs", "orjson")

    found: EvaluationDetails
    cells: Cells
    subject: str
    gates: Sequence[GateResult]
    options: Mapping[str, Any]
    began: float
    ended: float | None = None
    environment: Environment | None = None

    def to_record(self) -> Record:
        """Return the record."""
        found, source = self.found, str(self.options.get("data") or "")
        return self._record(
            found.notes,
            ended=self.ended,
            made_with=self.environment,
            name=found.name,
            subject=[Subject(name=found.name, source=self.subject, signature=found.signature)],
            data=Data(
                name=Path(source).name or None,
                make="questions",
                source=source or None,
                digest=found.data_digest,
                queries=found.questions,
            ),
            numbers=list(numbers(found)),
            counts=[
                Count(name="questions", count=found.questions),
                Count(name="answered", count=found.answered),
                *(Count(name="failed", count=one.failed, scope=_scope(found, one)) for one in found.scores),
                *(Count(name="untested", count=one.untested, scope=_scope(found, one)) for one in found.scores),
                *([Count(name=name, count=count) for name, count in _calls(found).items()] if found.judge else []),
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


def _calls(found: EvaluationDetails) -> dict[str, int]:
    assert found.judge is not None
    return {
        "verdicts": found.judge.verdicts,
        "failed_verdicts": found.judge.failed,
        "unscored_verdicts": found.judge.unscored,
        "repeats": found.judge.repeats,
        **found.judge.cost.counts(),
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
