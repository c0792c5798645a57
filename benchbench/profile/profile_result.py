"""The result of a profile, of scoring or of the client, and its record."""

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from benchbench.profile.machine import Machine
from benchbench.results.environment import environment
from benchbench.results.record import Better, Environment, Failure, Number, Record, Subject, record, settings_of
from benchbench.results.result import Result

if TYPE_CHECKING:
    from benchbench.profile.stages import Stage

# Members of a row that are numbers of the record, with unit and which direction is an improvement.
Figures = tuple[tuple[str, str, Better], ...]
FIGURES: dict[str, Figures] = {
    "metrics": (
        ("whole_process_s", "s", "lower"),
        ("second_evaluation_s", "s", "lower"),
        ("peak_mb", "MB", "lower"),
        ("whole_process_ratio", "", "lower"),
        ("second_evaluation_ratio", "", "lower"),
        ("peak_ratio", "", "lower"),
        ("largest_difference", "", "lower"),
    ),
    "client": (
        ("requests_per_s", "requests/s", "higher"),
        ("queries_per_s", "queries/s", "higher"),
        ("ratio", "", "lower"),
    ),
}
STAGE_FIGURES: Figures = (
    ("us_per_answer", "µs", "lower"),
    ("us_per_hit", "µs", "lower"),
)
_AS_OPTIONS = {"queries": "limit", "hits": "top_k"}  # members of a workload whose option has another name


class Profiled(Protocol):
    """What a profile has found, whatever it measured: the members of its JSON."""

    name: ClassVar[Any]
    scope: ClassVar[Any]  # of a row's numbers: names of its members

    @property
    def machine(self) -> Machine:
        """The machine it was measured on."""

    @property
    def workload(self) -> Any:
        """How much there was to do: a dataclass."""

    @property
    def rounds(self) -> int:
        """How often each was measured."""

    @property
    def rows(self) -> Sequence[Any]:
        """A row per tool or client."""


Found = TypeVar("Found", bound=Profiled)


@dataclass(frozen=True, repr=False)
class Profile(Result, Generic[Found]):
    """The result of a profile: `found` has the members of its JSON, `options` the options that are not in it."""

    kind = "profile"

    found: Found
    options: Mapping[str, Any] = field(default_factory=dict)
    began: float = field(default_factory=time.time)  # seconds since 1970

    def details(self) -> Found:
        """Return the members of its JSON."""
        return self.found

    def to_record(self) -> Record:
        """Return the record; the scope of a number names the tool or the client."""
        profile = self.found
        size = {
            _AS_OPTIONS.get(name, name): value for name, value in asdict(profile.workload).items() if name != "measures"
        }
        options = {**size, "repeat": profile.rounds, **self.options}
        stages: tuple[Stage, ...] = getattr(profile, "stages", ())
        rows: list[tuple[dict[str, str], Figures, Any]] = [
            (_scope(profile.scope, row), FIGURES[profile.name], row) for row in profile.rows
        ]
        measured = dict.fromkeys(scope[profile.scope[-1]] for scope, _, _ in rows)
        rows += [(_scope(("answer", "stage"), stage), STAGE_FIGURES, stage) for stage in stages]
        return record(
            "profile",
            self.began,
            name=profile.name,
            subject=[Subject(name=name, source=sys.executable) for name in measured],
            settings=settings_of(options),
            environment=_environment(profile.machine),
            numbers=[
                Number(name=figure, value=value, n=profile.rounds, unit=unit, better=better, scope=scope)
                for scope, figures, row in rows
                for figure, unit, better in figures
                if (value := getattr(row, figure)) is not None
            ],
            failures=[Failure(reason=row.failure, count=1, scope=scope) for scope, _, row in rows if row.failure],
        )


def _scope(keys: Sequence[str], row: Any) -> dict[str, str]:
    return {key: getattr(row, key) for key in keys}


def _environment(machine: Machine) -> Environment:
    """Return the environment, with the versions of all tools that were measured."""
    here = environment(())
    versions = {name: version for name, version in machine.versions.items() if version is not None}
    return Environment(
        versions={**versions, "python": machine.python},
        host={**here.host, "processor": machine.processor, "cpus": machine.cores, "usable_cpus": machine.usable},
        command=here.command,
    )
