"""What a comparison takes of stored results: of a run of one service, and of a load test."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from benchbench.comparison.run_names import baseline_among, run_names
from benchbench.errors import InputError
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.records import Part
from benchbench.formats.stored_judgments import stored_judgments
from benchbench.kernels.arrays import F64
from benchbench.loads.load_details import LoadDetails, LoadOptions
from benchbench.results.folder import SUMMARY
from benchbench.results.reading import explained_reading, table
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.results.signature import parts_of
from benchbench.runs.page_queries import collection_of, data_set_of
from benchbench.runs.run_details import Run, run_of, runs_of
from benchbench.stored import load
from benchbench.tables.names import printable

_PER_QUERY, _HITS, _QRELS = "per_query.parquet", "hits.parquet", "qrels.trec"
_FLAGS = ("self", "copy", "duplicate")  # columns of hits that are no task


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRunOptions:
    """What a comparison needs of the settings of a run; those that are None were not given."""

    dataset: str
    batch_size: int
    concurrency: int
    top_k: int | None = None
    collection: str | None = None
    encoding: str | None = None
    skip_bad_lines: bool = False
    dataset_format: str | None = None
    split: str | None = None
    queries: str | None = None
    qrels: str | None = None
    topic_field: str | None = None


class _Stored:
    """Results of a service in a folder."""

    path: Path
    details: Run | LoadDetails

    @property
    def name(self) -> str:
        """What the service was called, else the folder."""
        return self.details.name or self.path.resolve().name

    @property
    def source(self) -> str:
        """The folder as it was named."""
        return printable(str(self.path))


_AnyStored = TypeVar("_AnyStored", bound=_Stored)


def named_results(stored: Sequence[_AnyStored], names: Sequence[str]) -> dict[str, _AnyStored]:
    """Return results by what a comparison calls them: as given, by their services, folders or paths."""
    paths = [results.path for results in stored]
    ways = [results.name for results in stored], [path.resolve().name for path in paths], list(map(str, paths))
    return dict(zip(run_names(names, ways), stored, strict=True))


def named_baseline(baseline: str | None, stored: Mapping[str, _Stored]) -> str | None:
    """Return the name of the baseline, which may be given as its folder."""
    return baseline_among({name: results.path for name, results in stored.items()}, baseline)


def signature_parts(stored: Mapping[str, _Stored]) -> dict[str, dict[str, str]]:
    """Return the parts of the signatures."""
    return {name: parts_of(results.details.signature) for name, results in stored.items()}


@dataclass(frozen=True)
class StoredRun(_Stored):
    """The results of one service; tables are read when they are asked for."""

    path: Path
    details: Run
    options: StoredRunOptions
    data_digest: str | None

    @cached_property
    def data_set(self) -> DataSet | None:
        """Its data set; None where that is gone."""
        return data_set_of(asdict(self.options))

    @property
    def collection(self) -> Part | None:
        """The documents; None where the run knew none, or they are gone."""
        return collection_of(self.data_set, asdict(self.options))

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """The measures with a value per query, `task.measure`."""
        return tuple(name for name in self._columns(_PER_QUERY) if "." in name)

    def values(self, measures: Sequence[str]) -> pl.DataFrame:
        """Return one row per query: `query_id`, `failure` and the measures, null where there is no value."""
        return table(self.path, "per_query", ["query_id", "failure", *measures])

    def hits(self, queries: Collection[str], depth: int) -> pl.DataFrame:
        """Return the first `depth` hits of some queries, by rank.

        Columns `query_id`, `rank`, `id` (the positive's where the hit is a positive), `score`, `positive`, and one per
        task.
        """
        columns = self._columns(_HITS)
        tasks = [name for name, kind in columns.items() if kind == pl.Boolean and name not in _FLAGS]
        with _explained(self.path / _HITS):
            return (
                pl.scan_parquet(self.path / _HITS, glob=False)
                .filter(pl.col("rank") <= depth, pl.col("query_id").is_in(list(queries)))
                .select(
                    "query_id",
                    "rank",
                    pl.coalesce("positive_id", "id").alias("id"),
                    "score",
                    pl.col("positive_id").is_not_null().alias("positive"),
                    *tasks,
                )
                .sort("query_id", "rank")
                .collect(engine="streaming")
            )

    @property
    def judged(self) -> bool:
        """Whether its judgments are there."""
        return (self.path / _QRELS).is_file()

    def judgments(self) -> pl.DataFrame:
        """Return the gold task's judgments, best first: `query`, `document`, `grade`; none without the file."""
        return stored_judgments(self.path / _QRELS)

    def latencies(self) -> F64:
        """Return the milliseconds of each successful request, in the order of the queries that they carried."""
        attempts = table(self.path, "requests", ["first_query", "attempt", "sent", "end", "error"])
        requests = attempts.group_by("first_query").agg(
            milliseconds=(pl.col("end").max() - pl.col("sent").min()) * 1e3,
            error=pl.col("error").sort_by("attempt").last(),
        )
        answered: F64 = requests.filter(pl.col("error").is_null()).sort("first_query")["milliseconds"].to_numpy()
        return answered

    def _columns(self, file: str) -> dict[str, Any]:
        with _explained(self.path / file):
            return dict(pl.read_parquet_schema(self.path / file))


@dataclass(frozen=True)
class StoredLoad(_Stored):
    """The results of a load test."""

    path: Path
    details: LoadDetails
    options: LoadOptions
    record: Record


def read_results(folder: Path) -> list[StoredRun | StoredLoad]:
    """Read a results folder: of a run, of each target of a run, or of a load test.

    Raises
    ------
    InputError
        When it is no results folder, holds another kind of result, is not finished or is damaged.
    """
    result = load(folder)
    kind = result.record.kind
    if kind == "targets":
        return [_run(folder / name, load(folder / name)) for name in runs_of(result)]
    if kind == "run":
        return [_run(folder, result)]
    if kind == "load":
        return [_load(folder, result)]
    raise InputError(f"{folder} holds a result of kind {kind}; compare takes those of run and load")


def stored_load(folder: Path) -> StoredLoad:
    """Read the results folder of a load test."""
    return _load(folder, load(folder))


def _load(folder: Path, result: Result) -> StoredLoad:
    details = result.details_as(LoadDetails)
    if any(step.values.get("batch_size") is None for step in details.steps):
        raise InputError(f"{folder / SUMMARY} is damaged: a step has no batch_size")
    return StoredLoad(folder, details, result.settings_as(LoadOptions), result.record)


def _run(folder: Path, result: Result) -> StoredRun:
    return StoredRun(folder, run_of(result), result.settings_as(StoredRunOptions), result.record.data.digest)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn what stops Polars from reading a file into one sentence."""
    with explained_reading(path, (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException)):
        yield
