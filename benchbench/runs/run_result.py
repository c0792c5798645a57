"""Finished runs: the numbers of one service, or of several over the same queries."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from benchbench.client.service_record import counts
from benchbench.measures.latency import Latency
from benchbench.results.estimates import MeasureEstimate
from benchbench.results.old_names import Part
from benchbench.results.reading import table
from benchbench.results.record import GateResult, Record, Subject, counts_of, failures_of, plain, record
from benchbench.results.result import Result
from benchbench.results.signature import Signature
from benchbench.runs.run_details import OLD_NAMES, WORK, MeasureDetails, Run, RunDetails, TargetsDetails
from benchbench.runs.run_settings import CHUNK, Settings
from benchbench.tables.groups import Groups
from benchbench.tables.queries import Queries
from benchbench.tasks.count_sentences import beyond, bounded, capped, reading

if TYPE_CHECKING:
    from benchbench.runs.repeats import Repeats


@dataclass(frozen=True, slots=True)
class Chunk:
    """The results of consecutive queries, ready to be written."""

    hits: pl.DataFrame
    requests: pl.DataFrame
    run_lines: str  # TREC run for the gold task


@dataclass(frozen=True, repr=False, kw_only=True)
class Outcome(Result):
    """The numbers of one service."""

    kind = "run"
    old_names = OLD_NAMES

    settings: Settings
    url: str
    queries: Queries
    tasks: tuple[str, ...]
    estimates: list[MeasureEstimate]
    rows: Callable[[int, int], pl.DataFrame]  # of `per_query`, from the first to before the last
    counts: dict[str, int]
    unlabelled_hits: dict[str, int]
    queries_without_label: dict[str, int]
    hit_faults: dict[str, int]
    failures: dict[str, int]  # reason -> queries
    latency: Latency
    client: dict[str, float]  # `client.health`
    bottleneck: str | None  # a sentence when the client was the bottleneck
    gates: list[GateResult]
    signature: Signature
    unmatched: str | None  # a sentence when no hit is a positive
    began: float = field(default_factory=time.time)  # seconds since 1970
    repeats: "Repeats | None" = None  # later passes beside the first, whose numbers all others are
    groups: Groups | None = None  # of queries that belong together
    assumed: tuple[str, ...] = ()  # sentences on how hits were judged
    defaults: tuple[str, ...] = ()  # … and on what was done because nothing else was asked for

    @property
    def folder(self) -> Path | None:
        """Where its tables lie; None where nobody has stored them."""
        return self.__dict__.get("_folder")

    def lies_in(self, folder: Path) -> None:
        """Say where the tables lie, which are read from there from now on."""
        self.__dict__["_folder"] = folder

    @property
    def per_query(self) -> pl.DataFrame:
        """Return one row per query: id, latency, failure, counts of hits, `task.measure@k`."""
        return self.rows(0, len(self.queries))

    def per_query_parts(self) -> Iterator[pl.DataFrame]:
        """Yield the same in parts: a million queries as float64 take more than half a gigabyte."""
        for first in range(0, len(self.queries), CHUNK):
            yield self.rows(first, min(first + CHUNK, len(self.queries)))

    @property
    def warnings(self) -> list[str]:
        """Return sentences on what the numbers leave out; every report shows them."""
        unmatched = [] if self.unmatched is None else [self.unmatched]
        read = reading(self.counts, self.settings.criteria.max_positives or 0)
        names = list(dict.fromkeys(estimate.measure for estimate in self.estimates))
        cap = capped(self.counts, bounded(self.counts, names))
        return [*unmatched, *self.assumed, *read, *cap, *beyond(self.hit_faults, self.settings.top_k)]

    def details(self) -> RunDetails:
        """Return what is no number of the record."""
        measures: dict[str, dict[str, MeasureDetails]] = {task: {} for task in self.tasks}
        for row in self.estimates:
            how = MeasureDetails(interval=row.interval, design_effect=row.design_effect)
            measures[row.task][row.measure] = how
        return RunDetails(
            client={**self.client, "bottleneck": self.bottleneck},
            warnings=self.warnings,
            defaults=list(self.defaults),
            measures=measures,
            repeats=None if self.repeats is None else self.repeats.details,
            cluster=self.groups.column if self.groups else "",
            clusters=self.groups.number if self.groups else 0,
        )

    def tables(self) -> Mapping[str, Callable[[], pl.DataFrame]]:
        """Return what makes `per_query`, and `repeats` of later passes; the rest where a sink has stored it."""
        made: dict[str, Callable[[], pl.DataFrame]] = {"per_query": lambda: self.per_query}
        if self.folder is not None:
            made |= {name: partial(table, self.folder, name) for name in ("hits", "requests")}
        if self.repeats is not None:
            made["repeats"] = partial(self.repeats.table, self.queries.ids)
        return made

    def table(self, name: str, columns: list[str] | None = None) -> pl.DataFrame:
        """Return a table; one that is stored is read, and of it no other columns than those that are named."""
        if self.folder is not None and columns is not None and (self.folder / f"{name}.parquet").is_file():
            return table(self.folder, name, columns)
        return super().table(name, columns)

    def to_record(self) -> Record:
        """Return the record."""
        from benchbench.results.environment import environment
        from benchbench.runs.run_record import LIBRARIES, numbers_of, record_of

        details = self.details()
        measured = record(
            self.kind,
            self.began,
            name=self.settings.name,
            subject=[Subject(name=self.settings.name, source=self.url, signature=str(self.signature))],
            numbers=numbers_of(self.estimates, self.latency, self.counts, details),
            counts=[*counts(self), *counts_of({name: getattr(self.latency, name) for name in WORK})],
            failures=failures_of(self.failures),
        )
        config = {
            "options": self.settings.shown(self.url),
            "data_digest": self.queries.digest,
            **plain(environment(LIBRARIES)),
        }
        documents = self.settings.dataset.card.get("collection", {}).get("documents")
        known = documents if isinstance(documents, int) else None  # a card may be written by hand
        return record_of(Run(Part(measured), details), config, self.began, gates=self.gates, documents=known)


class Targets(Result, Mapping[str, Outcome]):
    """The numbers of several services, by the name of each."""

    kind = "targets"

    def __init__(self, name: str, outcomes: Mapping[str, Outcome]) -> None:
        """Name what was measured; `outcomes` are in the order in which services were named."""
        self._name = name
        self._outcomes = dict(outcomes)

    def __getitem__(self, target: str) -> Outcome:
        """Return the numbers of one service."""
        return self._outcomes[target]

    def __iter__(self) -> Iterator[str]:
        """Yield the names."""
        return iter(self._outcomes)

    def __len__(self) -> int:
        """Return how many services there are."""
        return len(self._outcomes)

    def details(self) -> TargetsDetails:
        """Return what is no number of the record, of every service."""
        return TargetsDetails({name: outcome.details() for name, outcome in self.items()})

    def json_members(self) -> dict[str, Any]:
        """Return those of every service, as JSON has them of one."""
        return {"targets": {name: outcome.json_members() for name, outcome in self.items()}}

    def parts(self) -> Mapping[str, Result]:
        """Return the services, each of which has a folder of its own."""
        return self._outcomes

    def to_record(self) -> Record:
        """Return the record; everything has the service in its scope."""
        from benchbench.runs.run_record import targets_record

        return targets_record({name: outcome.record for name, outcome in self.items()}, self._name)

    def describe(self, **known: Any) -> None:
        """Add tags and sources of options to every service, and all that is given to the whole."""
        for outcome in self.values():
            outcome.describe(**{key: value for key, value in known.items() if key in ("tags", "sources")})
        super().describe(**known)
