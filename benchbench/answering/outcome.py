"""What an evaluation of answers comes to, asked or stored."""

from dataclasses import dataclass

from benchbench.answers.summary import Summary
from benchbench.results.record import GateResult


@dataclass(frozen=True, slots=True)
class Outcome:
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
        What became of each condition of `fail_if`.
    """

    summary: Summary
    subject: str
    complete: bool
    gates: list[GateResult]
