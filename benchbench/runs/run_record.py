"""The records of runs: of one service, and of several over the same queries."""

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from benchbench.client.early_stop import EMPTY
from benchbench.client.service_record import SCOPED, service_record
from benchbench.measures.default_list import deepest_cutoff
from benchbench.measures.gate_names import measured_numbers
from benchbench.measures.latency import Latency
from benchbench.measures.notation import resolve
from benchbench.results.checks import restored as restored_gate
from benchbench.results.estimates import MeasureEstimate
from benchbench.results.folder import CONFIG, SUMMARY
from benchbench.results.old_names import Part, restored
from benchbench.results.record import GateResult, Note, Number, Record, converted, settings_of, uuid7, within
from benchbench.results.signature import parts_of, shared_signature
from benchbench.results.verdict import no_hits, status, too_many_failures
from benchbench.runs.repeats import numbers_of as repeat_numbers
from benchbench.runs.run_details import OLD_NAMES, AskedOptions, Run, RunDetails
from benchbench.significance.mean_intervals import said_of_groups
from benchbench.tasks.count_sentences import counted

LIBRARIES = ("aiohttp", "numpy", "orjson", "polars", "xxhash")


class Answered(Protocol):
    """How many queries were asked and answered, and why others were not."""

    @property
    def counts(self) -> dict[str, int]:
        """Return counts by name."""

    @property
    def failures(self) -> dict[str, int]:
        """Return how many failed, by reason."""


def record_of(
    run: Run,
    config: Mapping[str, Any],
    began: float,
    ended: float | None = None,
    gates: Sequence[GateResult] = (),
    documents: int | None = None,
    numbers: list[Number] | None = None,
) -> Record:
    """Return the record of one service.

    Parameters
    ----------
    run
        Its numbers, counts and failures, and what was measured.
    config
        What `config.json` has: `options`, `data_digest`, `versions`, `host`, `command`.
    began, ended
        Seconds since 1970.
    gates
        Results of the gates.
    documents
        How many the collection has.
    numbers
        By default those that it has.
    """
    options = config.get("options", {})
    asked = converted(options, AskedOptions, CONFIG)
    verdict = decided(run, asked.max_error_rate, gates)
    return service_record(
        "run",
        run,
        config,
        options,
        began,
        ended,
        digest=config.get("data_digest"),
        queries=run.counts["queries"],
        documents=documents,
        status=status(verdict),
        numbers=run.record.numbers if numbers is None else numbers,
        counts=run.record.counts,
        failures=run.record.failures,
        notes=list(_notes(run)),
        gates=verdict,
    )


def of_summary(summary: Mapping[str, Any], config: Mapping[str, Any], began: float) -> Record:
    """Return the record of a folder of version 0.1, which has none."""
    run = Run(Part(restored(OLD_NAMES, summary, SUMMARY), file=SUMMARY), converted(summary, RunDetails, SUMMARY))
    numbers = numbers_of(run.estimates, run.latency, run.counts, run.details)
    gates = [restored_gate(gate) for gate in summary.get("gates", [])]
    return record_of(run, config, began, began, gates=gates, numbers=numbers)


_OTHER_API = re.compile(
    r"HTTP (400|404|405|410|415|422|501)\b"
)  # what a service says to requests that it does not know


def decided(
    run: Answered, max_error_rate: float, gates: Sequence[GateResult], place: Path | None = None
) -> list[GateResult]:
    """Return the verdict: whether too much failed or nothing was found, then the results of the gates.

    Parameters
    ----------
    run
        Of the service.
    max_error_rate
        Share of queries that may fail.
    gates
        Results of the gates.
    place
        The folder with the requests, where there is one.
    """
    counts = run.counts
    more = f"see {place / 'requests.parquet'}" if place else ""
    if counts["failed"] == counts["queries"] and all(map(_OTHER_API.match, run.failures)):
        more = "if the service is asked in another way, describe it: benchbench protocol --out mine.toml -- curl …"
    broken = (
        too_many_failures(counts["failed"], counts["queries"], max_error_rate, run.failures, more=more),
        no_hits(counts["scored"], counts["hits"], EMPTY),
    )
    return [*(gate for gate in broken if gate is not None), *gates]


def targets_record(records: Mapping[str, Record], name: str) -> Record:
    """Return the record of several services from that of each; everything has the target in its scope."""
    first = next(iter(records.values()))
    scoped = [within(record, {"target": target}) for target, record in records.items()]
    told: dict[str, Any] = {
        name: [entry for record in scoped for entry in getattr(record, name)]
        for name in ("subject", "numbers", "counts", "failures", "notes", "gates")
    }
    urls = {target: record.subject[0].source for target, record in records.items()}
    several = settings_of({"name": name, "url": None, "target": urls})
    return Record(
        kind="targets",
        id=uuid7(time.time()),
        started=min(record.started for record in records.values()),
        finished=max(record.finished for record in records.values()),
        status=status(told["gates"]),
        name=name,
        data=first.data,
        signature=shared_signature([parts_of(record.signature) for record in records.values()]),
        settings={**first.settings, **several},
        environment=first.environment,
        **told,
    )


def numbers_of(
    estimates: Iterable[MeasureEstimate], latency: Latency, counts: Mapping[str, int], details: RunDetails
) -> list[Number]:
    """Return the numbers of a run."""
    numbers = measured_numbers(estimates, latency, counts["queries"], counts["failed"])
    numbers.append(Number(name="seconds", value=latency.seconds, unit="s", better="lower"))
    return numbers if details.repeats is None else [*numbers, *repeat_numbers(details.repeats)]


def _notes(run: Run) -> Iterator[Note]:
    """Yield the warnings, what else of the counts a reader must know of, and whether the client was the limit."""
    details = run.details
    deepest = deepest_cutoff(resolve(run.names)) or 0
    texts = counted(run.counts, deepest, *(run.counts_by(name, key) for name, key in SCOPED.items()))
    yield from (Note(text=text) for text in (*details.warnings, *texts))
    if details.cluster:
        how = (measure for measures in details.measures.values() for measure in measures.values())
        effects = [measure.design_effect for measure in how if measure.design_effect is not None]
        yield Note(text=said_of_groups(details.cluster, details.clusters, effects), shown="first")
    if run.bottleneck:
        yield Note(text=run.bottleneck)
    yield from (Note(text=text, shown="verbose") for text in details.defaults)
