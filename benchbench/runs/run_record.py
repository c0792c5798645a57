"""The records of runs: of one service, and of several over the same queries."""

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchbench.client.early_stop import EMPTY
from benchbench.client.service_record import counts, service_record
from benchbench.measures.default_list import deepest_cutoff
from benchbench.measures.gates import measured_numbers
from benchbench.measures.notation import resolve
from benchbench.results.checks import restored
from benchbench.results.folder import CONFIG
from benchbench.results.record import (
    Count,
    GateResult,
    Note,
    Number,
    Record,
    converted,
    failures_of,
    settings_of,
    uuid7,
    within,
)
from benchbench.results.signature import parts_of, shared_signature
from benchbench.results.verdict import no_hits, status, too_many_failures
from benchbench.runs.details import Asked, RunDetails
from benchbench.runs.repeats import numbers_of as repeat_numbers
from benchbench.significance.mean_intervals import said_of_groups
from benchbench.tasks.count_sentences import counted

LIBRARIES = ("aiohttp", "numba", "numpy", "orjson", "polars", "xxhash")
_WORK = ("requests", "attempts", "failed_attempts", "bytes")


def record_of(
    details: RunDetails,
    config: Mapping[str, Any],
    began: float,
    ended: float | None = None,
    gates: Sequence[GateResult] | None = None,
    documents: int | None = None,
) -> Record:
    """Return the record of one service.

    Parameters
    ----------
    details
        What `summary.json` has.
    config
        What `config.json` has: `options`, `data_digest`, `versions`, `host`, `command`.
    began, ended
        Seconds since 1970.
    gates
        Results of the gates; by default those of the details.
    documents
        How many the collection has.
    """
    options = config.get("options", {})
    asked = converted(options, Asked, CONFIG)
    gates = [restored(gate) for gate in details.gates] if gates is None else gates
    verdict = decided(details, asked.max_error_rate, gates)
    work = details.throughput
    return service_record(
        "run",
        details,
        config,
        options,
        began,
        ended,
        digest=config.get("data_digest"),
        queries=details.counts["queries"],
        documents=documents,
        status=status(verdict),
        numbers=_numbers(details),
        counts=[*counts(details), *(Count(name=name, count=getattr(work, name)) for name in _WORK)],
        failures=failures_of(details.failures),
        notes=list(_notes(details)),
        gates=verdict,
    )


def decided(
    details: RunDetails, max_error_rate: float, gates: Sequence[GateResult], place: Path | None = None
) -> list[GateResult]:
    """Return the verdict: whether too much failed or nothing was found, then the results of the gates.

    Parameters
    ----------
    details
        Of the service.
    max_error_rate
        Share of queries that may fail.
    gates
        Results of the gates.
    place
        The folder with the requests, where there is one.
    """
    counts = details.counts
    more = f"see {place / 'requests.parquet'}" if place else ""
    broken = (
        too_many_failures(counts["failed"], counts["queries"], max_error_rate, details.failures, more=more),
        no_hits(counts["scored"], counts["hits"], EMPTY),
    )
    return [*(gate for gate in broken if gate is not None), *gates]


def targets_record(records: Mapping[str, Record], name: str) -> Record:
    """Return the record of several services from that of each; everything has the target in its scope."""
    first = next(iter(records.values()))
    scoped = [within(record, {"target": target}) for target, record in records.items()]
    gates = [gate for record in scoped for gate in record.gates]
    urls = {target: record.subject[0].source for target, record in records.items()}
    several = settings_of({"name": name, "url": None, "target": urls})
    return Record(
        kind="targets",
        id=uuid7(time.time()),
        started=min(record.started for record in records.values()),
        finished=max(record.finished for record in records.values()),
        status=status(gates),
        name=name,
        subject=[subject for record in records.values() for subject in record.subject],
        data=first.data,
        signature=shared_signature([parts_of(record.signature) for record in records.values()]),
        settings={**first.settings, **several},
        environment=first.environment,
        numbers=[number for record in scoped for number in record.numbers],
        counts=[count for record in scoped for count in record.counts],
        failures=[failure for record in scoped for failure in record.failures],
        notes=[note for record in scoped for note in record.notes],
        gates=gates,
    )


def _numbers(details: RunDetails) -> list[Number]:
    counts, latency = details.counts, details.latency
    numbers = measured_numbers(details.estimates, latency, counts["queries"], counts["failed"])
    numbers.append(Number(name="seconds", value=latency.seconds, unit="s", better="lower"))
    return numbers if details.repeats is None else [*numbers, *repeat_numbers(details.repeats)]


def groups_said(details: RunDetails) -> list[str]:
    """Return a sentence on the groups that queries come in, where they do."""
    if not details.cluster:
        return []
    effects = [estimate.design_effect for estimate in details.estimates if estimate.design_effect is not None]
    return [said_of_groups(details.cluster, details.clusters, effects)]


def _notes(details: RunDetails) -> Iterator[Note]:
    """Yield the warnings, what else of the counts a reader must know of, and whether the client was the limit."""
    deepest = deepest_cutoff(resolve(details.names)) or 0
    texts = counted(details.counts, deepest, details.unlabelled_hits, details.queries_without_label, details.hit_faults)
    yield from (Note(text=text) for text in (*details.warnings, *texts))
    yield from (Note(text=text, shown="first") for text in groups_said(details))
    if details.bottleneck:
        yield Note(text=details.bottleneck)
    yield from (Note(text=text, shown="verbose") for text in details.defaults)
