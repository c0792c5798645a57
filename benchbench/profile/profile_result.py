"""The result of a profile, of scoring or of the client, and its record."""

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from benchbench.profile.machine import Machine
from benchbench.results.environment import environment
from benchbench.results.record import Environment, Failure, Number, Record, Subject, record, settings_of
from benchbench.results.result import Result

# Members of a row that are numbers of the record.
FIGURES = {
    "metrics": (
        "whole_process_s", "second_evaluation_s", "peak_mb", "whole_process_ratio", "second_evaluation_ratio",
        "peak_ratio", "largest_difference",
    ),
    "client": ("requests_per_s", "queries_per_s", "ratio"),
    "stages": ("us_per_answer", "us_per_hit"),
}  # fmt: skip
_UNITS = {
    "whole_process_s": "s", "second_evaluation_s": "s", "peak_mb": "MB", "requests_per_s": "requests/s",
    "queries_per_s": "queries/s", "us_per_answer": "µs", "us_per_hit": "µs",
}  # fmt: skip
_AS_OPTIONS = {"queries": "limit", "hits": "top_k"}  # members of a workload whose option has another name


@dataclass(frozen=True, repr=False)
class ProfileResult(Result):
    """The result of a profile: `measured` has the members of its JSON, `options` the options that are not in it.

    Its class says with `name` what was measured, and with `scope` which members of a row are the scope of its numbers.
    """

    kind = "profile"

    measured: Any
    options: Mapping[str, Any] = field(default_factory=dict)
    began: float = field(default_factory=time.time)  # seconds since 1970

    def details(self) -> Any:
        """Return the members of its JSON."""
        return self.measured

    def to_record(self) -> Record:
        """Return the record; the scope of a number names the tool or the client."""
        profile = self.measured
        size = {
            _AS_OPTIONS.get(name, name): value for name, value in asdict(profile.workload).items() if name != "measures"
        }
        options = {**size, "repeat": profile.rounds, **self.options}
        rows = [(_scope(profile.scope, row), FIGURES[profile.name], row) for row in profile.rows]
        measured = dict.fromkeys(scope[profile.scope[-1]] for scope, _, _ in rows)
        stages = getattr(profile, "stages", ())
        rows += [(_scope(("answer", "stage"), stage), FIGURES["stages"], stage) for stage in stages]
        return record(
            "profile",
            self.began,
            name=profile.name,
            subject=[Subject(name=name, source=sys.executable) for name in measured],
            settings=settings_of(options),
            environment=_environment(profile.machine),
            numbers=[
                Number(
                    name=figure,
                    value=value,
                    n=profile.rounds,
                    unit=_UNITS.get(figure, ""),
                    better="higher" if figure.endswith("_per_s") else "lower",
                    scope=scope,
                )
                for scope, figures, row in rows
                for figure in figures
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
