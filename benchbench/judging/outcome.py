"""The result of a run of a judge."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchbench.judging.details import JudgeDetails
from benchbench.judging.folder import ATTACKS, VERDICTS, attack_schema, frame, verdict_schema
from benchbench.judging.lowest import Lowest
from benchbench.judging.lowest import frame as lowest_frame
from benchbench.judging.record import judge_record
from benchbench.results.record import Environment, GateResult, Record
from benchbench.results.result import Result

if TYPE_CHECKING:
    import polars as pl

LOWEST = "lowest_scores"


@dataclass(frozen=True, repr=False)
class JudgeOutcome(Result):
    """The result of a run of a judge.

    Attributes
    ----------
    found
        Scores, counts and costs: the members of its JSON.
    complete
        False when Ctrl-C ended it early.
    gates
        The result of each gate; before them, that too many verdicts failed.
    options
        Every option in force; `answers` among them names what was judged.
    began, ended
        Seconds since 1970; the end is the time of the record by default.
    environment
        Versions and host; those of this process by default.
    lowest
        The verdicts with the lowest scores, for its page.
    verdicts, attacks
        The rows of the tables, where they are kept in memory; None where a folder has them.
    """

    kind = "judge"

    found: JudgeDetails
    complete: bool
    gates: list[GateResult]
    options: Mapping[str, Any]
    began: float
    ended: float | None = None
    environment: Environment | None = None
    lowest: Sequence[Lowest] = ()
    verdicts: Sequence[Mapping[str, Any]] | None = field(default=None)
    attacks: Sequence[Mapping[str, Any]] | None = field(default=None)

    @property
    def subject(self) -> str:
        """Return the name of the judge's model."""
        return self.found.model

    def to_record(self) -> Record:
        """Return the record."""
        return judge_record(self)

    def tables(self) -> "Mapping[str, Callable[[], pl.DataFrame]]":
        """Return the tables: the lowest scores, and the verdicts and attacks where they are in memory."""
        made: dict[str, Callable[[], pl.DataFrame]] = {}
        if self.verdicts is not None:
            labels = next(iter(self.verdicts), {})
            made[VERDICTS] = lambda: frame(self.verdicts or (), verdict_schema(labels))
        if self.attacks is not None:
            made[ATTACKS] = lambda: frame(self.attacks or (), attack_schema())
        if self.lowest:
            made[LOWEST] = lambda: lowest_frame(self.lowest)
        return made

    def details(self) -> JudgeDetails:
        """Return the members of its JSON."""
        return self.found
