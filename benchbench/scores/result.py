"""The result of scores, by metrics, rubrics, nuggets or pillars: its details, and what all their records have."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from benchbench.results.environment import environment
from benchbench.results.record import Data, Environment, GateResult, Note, Record, record, settings_of
from benchbench.results.result import Result
from benchbench.results.verdict import status


def in_verdict(sentences: Iterable[str]) -> list[Note]:
    """Return sentences as notes that a terminal shows with `--verbose` only: its verdict has them."""
    return [Note(text=text, shown="verbose") for text in sentences]


@dataclass(frozen=True, kw_only=True, repr=False)
class ScoresResult(Result):
    """A result of scores.

    Attributes
    ----------
    found
        The members of its JSON: scores, counts, failures, signature.
    gates
        The result of each gate; before them, that too much failed.
    options
        Every option in force; some of them name what was scored.
    began, ended
        Seconds since 1970; the end is the time of the record by default.
    environment
        Versions and host; those of this process by default.
    complete
        False when Ctrl-C ended it early.
    """

    libraries: ClassVar[tuple[str, ...]] = ()  # whose versions the record has

    found: Any
    gates: Sequence[GateResult]
    options: Mapping[str, Any]
    began: float
    ended: float | None = None
    environment: Environment | None = None
    complete: bool = True

    def details(self) -> Any:
        """Return the members of its JSON."""
        return self.found

    def _record(self, notes: Iterable[str | Note], **members: Any) -> Record:
        """Return the record; `members` are those that differ from kind to kind."""
        return record(
            self.kind,
            self.began,
            self.ended,
            status=status(self.gates) if self.complete else "interrupted",
            signature=self.found.signature,
            settings=settings_of(self.options),
            environment=self.environment or environment(self.libraries),
            notes=[note if isinstance(note, Note) else Note(text=note) for note in notes],
            gates=list(self.gates),
            **members,
        )

    def _data(self, make: str, source: Any, queries: int) -> Data:
        """Return what was scored: a file, if it has one."""
        text = None if source is None else str(source)
        name = None if text is None else Path(text).name or None
        return Data(name=name, make=make, source=text or None, digest=self.found.data_digest, queries=queries)
