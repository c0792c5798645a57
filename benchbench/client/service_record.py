"""What the records of a run and of a load test share: the service, the data set, the options, the counts."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from benchbench.results.folder import CONFIG
from benchbench.results.record import (
    Count,
    Data,
    Environment,
    Record,
    Scope,
    Subject,
    converted,
    counts_of,
    record,
    settings_of,
)

TIERED = "tiered"  # the make of data sets of results that name none
SCOPED = {"unlabelled_hits": "task", "queries_without_label": "task", "hit_faults": "fault"}


class JudgingOptions(Struct, frozen=True, kw_only=True):
    """The options of judging that a record and its report need."""

    max_positives: int = 10


def service_record(
    kind: str,
    result: Any,
    config: Mapping[str, Any],
    options: Mapping[str, Any],
    began: float,
    ended: float | None,
    *,
    digest: str | None,
    queries: int,
    documents: int | None = None,
    **members: Any,
) -> Record:
    """Return the record of a service.

    Parameters
    ----------
    kind
        What was measured.
    result
        What `summary.json` has: `name`, `url` and `signature` are taken from it.
    config
        What `config.json` has; `versions`, `host` and `command` are taken from it.
    options
        The options in force; `dataset` among them is the data set, the file of queries of a tiered one.
    began, ended
        Seconds since 1970.
    digest, queries, documents
        Of the data set.
    members
        The other members of the record.

    Raises
    ------
    InputError
        When `config` has something else where versions, host and command should be.
    """
    known = {name: config[name] for name in Environment.__struct_fields__ if name in config}
    source, make = options.get("dataset"), options.get("dataset_format") or TIERED
    return record(
        kind,
        began,
        ended,
        name=result.name,
        subject=[Subject(name=result.name, source=result.url, signature=str(result.signature))],
        data=Data(
            name=None if source is None else _name(source, make),
            make=make,
            source=source,
            digest=digest,
            queries=queries,
            documents=documents,
        ),
        signature=str(result.signature),
        settings=settings_of(options),
        environment=converted(known, Environment, CONFIG),
        **members,
    )


def _name(source: str, make: str) -> str:
    """Return what a report calls a data set: its folder's name, or the id of a package."""
    path = Path(source)
    return (path.parent.name if make == TIERED else path.absolute().name) or "."


def counts(result: Any, scope: Scope | None = None) -> list[Count]:
    """Return the counts of a run, of a step or of a data set, those by task and by fault last."""
    scope = scope or {}
    return [
        *counts_of(result.counts, scope),
        *(
            Count(name=name, count=count, scope={**scope, key: value})
            for name, key in SCOPED.items()
            for value, count in getattr(result, name, {}).items()
        ),
    ]
