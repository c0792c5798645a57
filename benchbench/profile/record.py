"""The records of profiles: of scoring, and of the client."""

import sys
from typing import TYPE_CHECKING, Any

from benchbench.profile.machine import Machine
from benchbench.results.environment import environment
from benchbench.results.record import (
    Better,
    Environment,
    Failure,
    Number,
    Record,
    Scope,
    Setting,
    Subject,
    record,
)

if TYPE_CHECKING:
    from benchbench.profile import client, scoring_speed

TOOL_FIGURES: tuple[tuple[str, str, Better], ...] = (
    ("whole_process_s", "s", "lower"),
    ("second_evaluation_s", "s", "lower"),
    ("peak_mb", "MB", "lower"),
    ("whole_process_ratio", "", "lower"),
    ("second_evaluation_ratio", "", "lower"),
    ("peak_ratio", "", "lower"),
    ("largest_difference", "", "lower"),
)
CLIENT_FIGURES: tuple[tuple[str, str, Better], ...] = (
    ("requests_per_s", "requests/s", "higher"),
    ("queries_per_s", "queries/s", "higher"),
    ("ratio", "", "lower"),
)


def metrics_record(profile: "scoring_speed.Profile") -> Record:
    """Return the record of a profile of scoring."""
    rows: list[tuple[Scope, Any]] = [({"tool": row.tool}, row) for row in profile.rows]
    size = profile.workload
    options = {
        "limit": size.queries,
        "depth": size.depth,
        "judged": size.judged,
        "seed": size.seed,
        "repeat": profile.rounds,
        "peers": [row.tool for row in profile.rows[1:]],
    }
    return _record("metrics", profile, rows, TOOL_FIGURES, options, [row.tool for row in profile.rows])


def client_record(profile: "client.Profile") -> Record:
    """Return the record of a profile of the client."""
    rows: list[tuple[Scope, Any]] = [({"answer": row.answer, "client": row.client}, row) for row in profile.rows]
    size = profile.workload
    options = {
        "limit": size.queries,
        "batch_size": size.batch_size,
        "top_k": size.hits,
        "concurrency": size.concurrency,
        "repeat": profile.rounds,
    }
    return _record("client", profile, rows, CLIENT_FIGURES, options, [row.client for row in profile.rows])


def _record(
    name: str,
    profile: Any,
    rows: list[tuple[Scope, Any]],
    figures: tuple[tuple[str, str, Better], ...],
    options: dict[str, Any],
    measured: list[str],
) -> Record:
    machine: Machine = profile.machine
    return record(
        "profile",
        profile.began,
        name=name,
        subject=[Subject(name=one, source=sys.executable) for one in dict.fromkeys(measured)],
        settings={option: Setting(value=value) for option, value in options.items()},
        environment=_environment(machine),
        numbers=[
            Number(name=figure, value=value, n=profile.rounds, unit=unit, better=better, scope=scope)
            for scope, row in rows
            for figure, unit, better in figures
            if (value := getattr(row, figure)) is not None
        ],
        failures=[Failure(reason=row.failure, count=1, scope=scope) for scope, row in rows if row.failure],
    )


def _environment(machine: Machine) -> Environment:
    """Return the environment with the versions of what was measured, of peers as well."""
    here = environment(())
    versions = {name: version for name, version in machine.versions.items() if version is not None}
    return Environment(
        versions={**versions, "python": machine.python},
        host={**here.host, "processor": machine.processor, "cpus": machine.cores, "usable_cpus": machine.usable},
        command=here.command,
    )
