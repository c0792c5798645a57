"""What a comparison without judgments gives."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from benchbench.kernels.arrays import F64, I64
from benchbench.results.environment import environment
from benchbench.results.estimates import Likeness
from benchbench.results.record import Data, Note, Number, Record, Subject, counts_of, record, settings_of
from benchbench.results.result import Result
from benchbench.results.signature import parts_of, shared_signature
from benchbench.runs.likeness import numbers_of
from benchbench.tables.shared_messages import and_joined

_LIBRARIES = ("msgspec", "numpy", "orjson", "polars", "scipy")
_HITS = {
    **dict.fromkeys(("baseline", "system", "query_id", "run"), pl.String),
    "rank": pl.Int64,
    "id": pl.String,
    "score": pl.Float64,
}


@dataclass(frozen=True, slots=True)
class ChangedHit:
    """A hit of a query that changed."""

    id: str
    rank: int  # from 1
    score: float
    other: int | None  # its rank among the hits shown of the other run
    text: str | None = None  # None where no collection is at hand


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """One of the runs."""

    name: str
    source: str  # the file as it was named
    signature: str
    queries: int
    hits: int


@dataclass(frozen=True, slots=True)
class PairOfRuns:
    """How alike two runs are, over the queries that either has."""

    baseline: str
    system: str
    queries: int
    means: tuple[Likeness, ...]


@dataclass(frozen=True, slots=True)
class ChangedQuery:
    """A query with its values, and what both runs returned."""

    query: str
    text: str | None
    values: Mapping[str, float | None]
    hits: Mapping[str, tuple[ChangedHit, ...]]  # by run; a run that is no file has kept none


@dataclass(frozen=True, slots=True)
class Changed:
    """The queries of a pair that changed most by RBO, then by what share of documents both have; greatest first."""

    baseline: str
    system: str
    queries: tuple[ChangedQuery, ...]


@dataclass(frozen=True, kw_only=True)
class AgreementDetails:
    """What JSON has of a comparison without judgments."""

    judged: bool  # that it is not
    queries: int
    measures: tuple[str, ...]
    alpha: float
    runs: tuple[ComparedRun, ...]
    pairs: tuple[PairOfRuns, ...]
    changed: tuple[Changed, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class PairValues:
    """The values of a pair per query, and which of all queries these are."""

    baseline: str
    system: str
    queries: I64
    values: F64  # (measures, queries)


@dataclass(frozen=True, repr=False)
class RunAgreement(Result):
    """How far runs differ; not which is better, because nothing was judged."""

    kind = "agreement"

    members: AgreementDetails
    ids: Sequence[str]  # of all queries
    values: tuple[PairValues, ...]
    options: Mapping[str, Any]
    began: float = field(default_factory=time.time)  # seconds since 1970

    def details(self) -> AgreementDetails:
        """Return what JSON has beside the record."""
        return self.members

    def numbers_of_pairs(self) -> list[Number]:
        """Return the means of each pair."""
        return [
            number
            for pair in self.members.pairs
            for number in numbers_of(pair.means, {"system": pair.system, "baseline": pair.baseline})
        ]

    def tables(self) -> Mapping[str, Callable[[], pl.DataFrame]]:
        """Return what makes `per_query`, and `hits` of the queries that changed most."""
        return {"per_query": self._per_query, "hits": self._hits}

    def to_record(self) -> Record:
        """Return the record; numbers have both runs of a pair in their scope."""
        runs = self.members.runs
        return record(
            self.kind,
            self.began,
            name=and_joined([run.name for run in runs]),
            subject=[Subject(name=run.name, source=run.source, signature=run.signature) for run in runs],
            data=Data(queries=self.members.queries),
            signature=shared_signature([parts_of(run.signature) for run in runs]),
            settings=settings_of(self.options),
            environment=environment(_LIBRARIES),
            numbers=self.numbers_of_pairs(),
            counts=[
                count
                for run in runs
                for count in counts_of({"queries": run.queries, "hits": run.hits}, {"system": run.name})
            ],
            notes=[Note(text=note) for note in self.members.notes],
        )

    def _per_query(self) -> pl.DataFrame:
        ids = pl.Series("query_id", self.ids, pl.String)
        return pl.concat(
            [
                pl.DataFrame([ids[pair.queries], *map(pl.Series, self.members.measures, pair.values)]).select(
                    pl.lit(pair.baseline).alias("baseline"), pl.lit(pair.system).alias("system"), pl.all()
                )
                for pair in self.values
            ]
        ).fill_nan(None)

    def _hits(self) -> pl.DataFrame:
        rows = [
            (pair.baseline, pair.system, query.query, run, hit.rank, hit.id, hit.score)
            for pair in self.members.changed
            for query in pair.queries
            for run, hits in query.hits.items()
            for hit in hits
        ]
        return pl.DataFrame(rows, schema=_HITS, orient="row")
