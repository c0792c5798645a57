"""What an evaluation of answers comes to, asked or stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from benchbench.answers.summary import Summary
from benchbench.results.record import GateResult
from benchbench.results.result import Result

if TYPE_CHECKING:
    from benchbench.answering.record import AnswersDetails
    from benchbench.results.record import Record


@dataclass(frozen=True, repr=False)
class Outcome(Result):
    """What was found.

    Attributes
    ----------
    summary
        Means, counts and failures.
    subject
        URL of the assistant, without secrets, or the name of the file of answers.
    complete
        False when Ctrl-C ended it early.
    gates
        What became of each condition of `fail_if`; before them, that more failed than may.
    options
        Every option in force.
    began
        When it did, in seconds since 1970.
    """

    kind = "answers"

    summary: Summary
    subject: str
    complete: bool
    gates: list[GateResult]
    options: Mapping[str, Any]
    began: float

    def to_record(self) -> "Record":
        """Return the record."""
        from benchbench.answering.record import answers_record

        return answers_record(
            self._details,
            self.options,
            self.summary.metrics,
            self.began,
            subject=self.subject,
            gates=self.gates,
            complete=self.complete,
        )

    def details(self) -> "AnswersDetails":
        """Return what JSON has beside the record."""
        return self._details

    @cached_property
    def _details(self) -> "AnswersDetails":
        from benchbench.answering.record import details

        return details(self.summary, self.gates)
