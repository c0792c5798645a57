"""What an evaluation gives: values per query and measure, the aggregates, and their record."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from benchbench.measures.notation import better
from benchbench.results.figures import value
from benchbench.results.old_names import Old, Part, parts, written
from benchbench.results.record import Data, Note, Number, Record, Scope, Subject, counts_of, record, settings_of
from benchbench.results.result import Result
from benchbench.results.signature import shared_signature

if TYPE_CHECKING:
    import polars as pl

    from benchbench.kernels.arrays import F64, Bools


UNJUDGED = "hits that nobody judged count as not relevant"  # the end of a note
_QUERIES = ("judged", "returned", "missing", "unjudged", "without_positives")
_OLD_NAMES = (*("name", "signature"), Old("queries", of="counts", names=_QUERIES), Old("dropped", of="counts"), "notes")


class HasIds(Protocol):
    """Something with one row per query."""

    @property
    def ids(self) -> list[str]:
        """The ids, in the order of the rows."""


@dataclass(frozen=True, slots=True)
class ScoredRunDetails:
    """What JSON has of a run that the record has not."""

    notes: list[str]


@dataclass(frozen=True, slots=True)
class ScoreDetails:
    """What JSON has of scores that the record has not."""

    runs: list[ScoredRunDetails]


class RunScores(Part):
    """The scores of a run: its part of a record, and its notes."""

    def __init__(self, part: Part, details: ScoredRunDetails) -> None:
        """Take what belongs together."""
        super().__init__(part.record, part.scope, part.subject)
        self.notes = details.notes
        self.measures = {name: self.numbers[name] for name in part.record.settings["measure"].value}
        self.queries = {name: self.counts[name] for name in _QUERIES}
        self.dropped = {name: count for name, count in self.counts.items() if name not in _QUERIES}

    def json_members(self) -> dict[str, Any]:
        """Return what JSON has of it."""
        measures = Old("measures", names=tuple(self.measures))
        judged = Old("judged")  # Judged@k that nobody asked for
        return written((*_OLD_NAMES, measures, judged), self, {"notes": self.notes})


def run_scores(result: Result) -> dict[str, RunScores]:
    """Return the scores of each run, by what tells the runs apart."""
    found = parts(result.record, "run")
    details = result.details_as(ScoreDetails).runs
    return {label: RunScores(part, its) for (label, part), its in zip(found.items(), details, strict=True)}


def labels(names: "Sequence[str]") -> list[str]:
    """Return what tells runs apart: their names, where a second `a.run` is `a.run (2)`."""
    times = [names[:place].count(name) + 1 for place, name in enumerate(names)]
    return [name if count == 1 else f"{name} ({count})" for name, count in zip(names, times, strict=True)]


class Scored(Result, ABC):
    """Scores of one run or of several, over the same judgments."""

    kind = "score"
    decides = False

    @property
    @abstractmethod
    def runs(self) -> "Sequence[Scores]":
        """The scores of each run."""

    def details(self) -> ScoreDetails:
        """Return what is no number of the record."""
        return ScoreDetails([ScoredRunDetails(list(run.notes)) for run in self.runs])

    def json_members(self) -> dict[str, Any]:
        """Return the members of JSON."""
        runs = list(run_scores(self).values())
        first = {"signature": runs[0].signature, "queries": runs[0].queries}
        return {**first, "runs": [run.json_members() for run in runs]}

    def tables(self) -> "Mapping[str, Callable[[], pl.DataFrame]]":
        """Return what makes the table of values per query: `run`, `query_id`, and a column per measure."""
        return {"per_query": self._per_query}

    def to_record(self) -> Record:
        """Return the record; numbers have the run in their scope where there are several."""
        return score_record(self.runs)

    def _per_query(self) -> "pl.DataFrame":
        import polars as pl

        ids = pl.Series("query_id", self.runs[0].ids, pl.String)  # all runs share the judgments
        return pl.concat(
            [
                run.counted_values(ids).select(pl.lit(label).alias("run"), pl.all())
                for label, run in zip(labels([run.name for run in self.runs]), self.runs, strict=True)
            ]
        )


@dataclass(frozen=True, repr=False, kw_only=True)
class Scores(Scored):
    """Scores of one run; `values` has a column per measure, in the order of `ids`, the judged queries."""

    name: str
    judged: HasIds  # the judged queries; a million ids are made only for those who ask
    counted: "Bools"  # the queries that the means are over
    values: "Mapping[str, F64]"  # micro measures have no value per query
    aggregates: Mapping[str, float]
    queries: Mapping[str, int]  # judged, returned, missing, unjudged, without_positives
    dropped: Mapping[str, int]
    signature: Any
    notes: tuple[str, ...] = ()  # what the reader of a report should know besides
    began: float = field(default_factory=time.time)  # seconds since 1970
    judged_shares: "Mapping[str, F64]" = field(default_factory=dict)  # Judged@k per judged query; NaN without hits
    hits: int = 0  # without those that were dropped

    @property
    def judged_means(self) -> dict[str, float]:
        """Return Judged@k over the counted queries that have hits, unless that was asked for as a measure."""
        kept = {name: column[self.counted] for name, column in self.judged_shares.items()}
        return {name: float(column[there].mean()) for name, column in kept.items() if (there := column >= 0).any()}

    @property
    def runs(self) -> "Sequence[Scores]":
        """These."""
        return (self,)

    @property
    def ids(self) -> list[str]:
        """Return the ids of the judged queries."""
        return self.judged.ids

    def mean(self) -> dict[str, float]:
        """Return the aggregate of each measure: a mean, or a sum or micro average where the measure is one."""
        return dict(self.aggregates)

    def per_query(self) -> "pl.DataFrame":
        """Return a frame of the counted queries: `query_id`, and one column per measure."""
        import polars as pl

        return self.counted_values(pl.Series("query_id", self.ids, pl.String))

    def counted_values(self, ids: "pl.Series") -> "pl.DataFrame":
        """Return the frame of `per_query`, given the ids of all judged queries."""
        import polars as pl

        counted = ids.filter(pl.Series(self.counted))
        return pl.DataFrame([counted]).with_columns(
            pl.Series(name, column[self.counted]) for name, column in self.values.items()
        )


@dataclass(frozen=True, repr=False)
class SeveralScores(Scored):
    """Scores of several runs over the same judgments."""

    scores: tuple[Scores, ...]

    @property
    def runs(self) -> Sequence[Scores]:
        """The scores of each run."""
        return self.scores


_LIBRARIES = ("msgspec", "numpy")


def score_record(runs: "Sequence[Scores]") -> Record:
    """Return the record of scores; numbers have the run in their scope where there are several."""
    from benchbench.results.environment import environment  # late: scores that are only printed need none

    first = runs[0]
    parts = [run.signature.parts for run in runs]
    several = len(runs) > 1
    scoped = [
        (run, {"run": label} if several else {})
        for run, label in zip(runs, labels([run.name for run in runs]), strict=True)
    ]
    return record(
        "score",
        min(run.began for run in runs),
        name=" ".join(run.name for run in runs),
        subject=[Subject(name=run.name, source=run.name, signature=str(run.signature)) for run in runs],
        data=Data(make="qrels", digest=first.signature.parts["qrels"], queries=first.queries["judged"]),
        signature=shared_signature(parts),
        settings=settings_of(
            {
                "measure": list(first.aggregates),
                "ties": first.signature.parts["ties"],
                "over": "judged" if first.signature.parts["missing"] == "0" else "returned",
                "no_positives": first.signature.parts["no positives"],
            }
        ),
        environment=environment(_LIBRARIES),
        numbers=[number for run, scope in scoped for number in _numbers(run, scope)],
        counts=[count for run, scope in scoped for count in counts_of({**run.queries, **run.dropped}, scope)],
        notes=[Note(text=note, scope=scope) for run, scope in scoped for note in (*run.notes, *_unjudged(run))],
    )


def _unjudged(scores: "Scores") -> list[str]:
    """Return how many of the first hits were judged; nothing where all were."""
    shares = ", ".join(f"{name} {value(share)}" for name, share in scores.judged_means.items() if share < 1)
    return [f"{shares}: {UNJUDGED}"] if shares else []


def _numbers(run: "Scores", scope: Scope) -> list[Number]:
    from benchbench.measures.own_interval import with_interval  # late: it imports what no score needs

    queries = int(run.counted.sum())
    returned = int((run.counted & (next(iter(run.judged_shares.values())) >= 0)).sum()) if run.judged_shares else 0
    return [
        *(
            with_interval(
                Number(name=name, value=value, n=queries, better=better(name), scope=scope),
                run.values[name][run.counted] if name in run.values else None,
            )
            for name, value in run.aggregates.items()
        ),
        *(Number(name=name, value=value, n=returned, scope=scope) for name, value in run.judged_means.items()),
    ]
