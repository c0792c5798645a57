"""What a comparison without judgments gives."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
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

_LIBRARIES = ("msgspec", "numba", "numpy", "orjson", "polars", "scipy")
_HITS = {
    "baseline": pl.String,
    "system": pl.String,
    "query_id": pl.String,
    "run": pl.String,
    "rank": pl.Int64,
    "id": pl.String,
    "score": pl.Float64,
}


@dataclass(frozen=True, slots=True)
class Hit:
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
    hits: Mapping[str, tuple[Hit, ...]]  # by run; a run that is no file has kept none


@dataclass(frozen=True, slots=True)
class Changed:
    """The queries of a pair that changed most by RBO, then by what share of documents both have; greatest first."""

    baseline: str
    system: str
    queries: tuple[ChangedQuery, ...]


@dataclass(frozen=True)
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
class Values:
    """The values of a pair per query, and which of all queries these are."""

    baseline: str
    system: str
    queries: I64
    values: F64  # (measures, queries)


@dataclass(frozen=True, repr=False)
class Agreement(Result):
    """How far runs differ; not which is better, because nothing was judged."""

    kind = "agreement"

    found: AgreementDetails
    ids: Sequence[str]  # of all queries
    values: tuple[Values, ...]
    options: Mapping[str, Any]
    began: float = field(default_factory=time.time)  # seconds since 1970

    def details(self) -> AgreementDetails:
        """Return what JSON has beside the record."""
        return self.found

    def numbers_of_pairs(self) -> list[Number]:
        """Return the means of each pair."""
        return [
            number
            for one in self.found.pairs
            for number in numbers_of(one.means, {"system": one.system, "baseline": one.baseline})
        ]

    def tables(self) -> Mapping[str, Callable[[], pl.DataFrame]]:
        """Return what makes `per_query`, and `hits` of the queries that changed most."""
        return {"per_query": self._per_query, "hits": partial(_hits, self.found.changed)}

    def to_record(self) -> Record:
        """Return the record; numbers have both runs of a pair in their scope."""
        found = self.found
        parts = [parts_of(one.signature) for one in found.runs]
        return record(
            self.kind,
            self.began,
            name=and_joined([one.name for one in found.runs]),
            subject=[Subject(name=one.name, source=one.source, signature=one.signature) for one in found.runs],
            data=Data(queries=found.queries),
            signature=shared_signature(parts),
            settings=settings_of(self.options),
            environment=environment(_LIBRARIES),
            numbers=self.numbers_of_pairs(),
            counts=[
                count
                for one in found.runs
                for count in counts_of({"queries": one.queries, "hits": one.hits}, {"system": one.name})
            ],
            notes=[Note(text=note) for note in found.notes],
        )

    def _per_query(self) -> pl.DataFrame:
        ids = pl.Series("query_id", self.ids, pl.String)
        return pl.concat(
            [
                pl.DataFrame([ids[one.queries], *map(pl.Series, self.found.measures, one.values)]).select(
                    pl.lit(one.baseline).alias("baseline"), pl.lit(one.system).alias("system"), pl.all()
                )
                for one in self.values
            ]
        ).fill_nan(None)


def _hits(changed: Sequence[Changed]) -> pl.DataFrame:
    rows = [
        (pair.baseline, pair.system, query.query, run, hit.rank, hit.id, hit.score)
        for pair in changed
        for query in pair.queries
        for run, hits in query.hits.items()
        for hit in hits
    ]
    return pl.DataFrame(rows, schema=_HITS, orient="row")
