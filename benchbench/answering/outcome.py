"""The result of an evaluation of answers, asked or stored."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from benchbench.answering.per_answer import NAME as PER_ANSWER
from benchbench.answering.per_answer import PerAnswer
from benchbench.answering.record import AnswersDetails, answers_record
from benchbench.answers.metrics import Metric
from benchbench.answers.worst import Shown, frame
from benchbench.results import checks
from benchbench.results.record import Environment, GateResult, Record
from benchbench.results.result import Result

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, repr=False)
class Outcome(Result):
    """The result of an evaluation of answers.

    Attributes
    ----------
    found
        Means, counts and failures: the members of its JSON.
    metrics
        Those that are known, with their units.
    subject
        URL of the assistant, without secrets, or the name of the file of answers.
    complete
        False when Ctrl-C ended it early.
    gates
        The result of each gate of `fail_if`; before them, that too many questions failed.
    options
        Every option in force; `url` or `answers` among them names what was evaluated.
    began, ended
        Seconds since 1970; the end is the time of the record by default.
    environment
        Versions and host; those of this process by default.
    worst
        The answers that its page shows; none where nothing asked for a page.
    per_answer
        The values of each answer; None where a folder has them, or nothing asked for them.
    """

    kind = "answers"

    found: AnswersDetails
    metrics: Sequence[Metric]
    subject: str
    complete: bool
    gates: list[GateResult]
    options: Mapping[str, Any]
    began: float
    ended: float | None = None
    environment: Environment | None = None
    worst: Sequence[Shown] = ()
    per_answer: PerAnswer | None = None

    def to_record(self) -> Record:
        """Return the record."""
        return answers_record(self)

    def tables(self) -> "Mapping[str, Callable[[], pl.DataFrame]]":
        """Return what makes each table: the values of each answer, and the answers with the lowest scores."""
        made: dict[str, Callable[[], pl.DataFrame]] = {}
        if self.per_answer:
            made[PER_ANSWER] = partial(self.per_answer.table, self.untested)
        if self.worst:
            made["worst_answers"] = lambda: frame(self.worst)
        return made

    @property
    def untested(self) -> list[str]:
        """Return the numbers that have no mean, for nothing was expected of any answer, or there is none."""
        return [name for name, one in self.found.metrics.items() if one.mean is None]

    def details(self) -> AnswersDetails:
        """Return the members of its JSON."""
        return self.found


def of_old_folder(found: AnswersDetails, config: Mapping[str, Any], written: float) -> Outcome:
    """Return the result in a folder of version 0.1, which has no record.

    Parameters
    ----------
    found
        The contents of its `summary.json`.
    config
        The contents of its `config.json`.
    written
        When they were written, in seconds since 1970.
    """
    from benchbench.answering.scoring import all_metrics

    made = Environment(versions=config.get("versions", {}), host=config.get("host", {}))
    gates = [checks.restored(one) for one in found.gates]
    options = {"metrics": list(found.metrics), **config.get("options", {})}
    return Outcome(found, all_metrics(), "", True, gates, options, written, written, made)
