"""The result of scores, by metrics, rubrics, nuggets or pillars: its details, and what all their records have."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from benchbench.results.environment import environment
from benchbench.results.record import Environment, GateResult, Note, Record, record, settings_of
from benchbench.results.result import Result
from benchbench.results.verdict import status


def in_verdict(sentences: Iterable[str]) -> list[Note]:
    """Return sentences as notes that a terminal shows with `--verbose` only: its verdict has them."""
    return [Note(text=text, shown="verbose") for text in sentences]


class ScoresResult(Result):
    """A result of scores.

    Attributes
    ----------
    found
        The members of its JSON; one is `signature`.
    gates
        The result of each gate; before them, that too much failed.
    options
        Every option in force.
    began
        Seconds since 1970.
    """

    libraries: ClassVar[tuple[str, ...]] = ()  # whose versions the record has

    found: Any
    gates: Sequence[GateResult]
    options: Mapping[str, Any]
    began: float

    def details(self) -> Any:
        """Return the members of its JSON."""
        return self.found

    def _record(
        self,
        notes: Iterable[str | Note],
        is_complete: bool = True,
        ended: float | None = None,
        made_with: Environment | None = None,
        **members: Any,
    ) -> Record:
        """Return the record; `members` are those that differ from kind to kind."""
        return record(
            self.kind,
            self.began,
            ended,
            status=status(self.gates) if is_complete else "interrupted",
            signature=self.found.signature,
            settings=settings_of(self.options),
            environment=made_with or environment(self.libraries),
            notes=[one if isinstance(one, Note) else Note(text=one) for one in notes],
            gates=list(self.gates),
            **members,
        )
