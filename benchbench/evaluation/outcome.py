"""The result of an evaluation in three pillars."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from benchbench.evaluation.cells import Cells
from benchbench.evaluation.details import EvaluationDetails
from benchbench.evaluation.record import evaluation_record
from benchbench.evaluation.tables import questions_table, verdicts_table
from benchbench.results.record import Environment, GateResult, Record
from benchbench.results.result import Result

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, repr=False)
class EvaluationOutcome(Result):
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
        return evaluation_record(self)

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

    def details(self) -> EvaluationDetails:
        """Return the members of its JSON."""
        return self.found
