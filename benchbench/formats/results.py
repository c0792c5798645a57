"""Results folders of `benchbench run` and `benchbench load`, as they were written."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from benchbench.errors import InputError, said_by, visible
from benchbench.formats.lines import json_file
from benchbench.formats.trec import identity_of
from benchbench.kernels.arrays import F64

_CONFIG, _SUMMARY, _PER_QUERY = "config.json", "summary.json", "per_query.parquet"
_QRELS = "qrels.trec"
_UNFINISHED = ".partial"
_SUMMARY_KINDS = {"name": str, "signature": str, "counts": dict, "latency_ms": dict, "throughput": dict}
_OPTION_KINDS = {"dataset": str, "batch_size": int, "concurrency": int}
_OPTIONAL_KINDS = {"collection": str, "encoding": str, "top_k": int}  # or null, or not there
_STEP_NUMBERS = {"batch_size", "queries_per_second", "p50", "p99", "failed_requests", "requests"}


@dataclass(frozen=True)
class Results:
    """What a run left of one service; tables are read when they are asked for."""

    path: Path
    config: dict[str, Any]
    summary: dict[str, Any]

    @property
    def name(self) -> str:
        """What the run, or the target, was called."""
        return str(self.summary["name"])

    @property
    def signature(self) -> str:
        """The signature of its scores."""
        return str(self.summary["signature"])

    @property
    def dataset(self) -> Path:
        """Where its queries were."""
        return Path(self.config["options"]["dataset"])

    @property
    def collection(self) -> Path | None:
        """Where the documents were, as far as the run knew."""
        named = self.config["options"].get("collection")
        return Path(named) if named else None

    @property
    def warnings(self) -> list[str]:
        """What its numbers leave out, a sentence each."""
        said = self.summary.get("warnings")
        return [visible(one) for one in said if isinstance(one, str)] if isinstance(said, list) else []

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """The measures with a value a query, `task.measure@k`."""
        return tuple(name for name in self._schema(_PER_QUERY) if "." in name and "@" in name)

    def values(self, measures: Sequence[str]) -> pl.DataFrame:
        """Return a row a query: `query_id`, `failure` and the measures, null where there is none."""
        return self._read(_PER_QUERY, ["query_id", "failure", *measures])

    def hits(self, queries: Collection[str], depth: int) -> pl.DataFrame:
        """Return the ranked hits of some queries, the first so many of each, by rank.

        Columns `query_id`, `rank`, `id` (the positive's where the hit is one), `score`, `positive`, and one a task.
        """
        tasks = [name for name, kind in self._schema("hits.parquet").items() if kind == pl.Boolean]
        tasks = [name for name in tasks if name not in ("self", "copy", "duplicate")]
        with _explained(self.path / "hits.parquet"):
            return (
                pl.scan_parquet(self.path / "hits.parquet", glob=False)
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
        """Return the gold task's judgments, best first: `query`, `document`, `grade`; none where there is no file."""
        path = self.path / _QRELS
        names = ("query", "iteration", "document", "grade")
        kinds = {"query": pl.String, "iteration": pl.String, "document": pl.String, "grade": pl.Float64}
        if not self.judged or not path.stat().st_size:
            return pl.DataFrame(schema={name: kinds[name] for name in names if name != "iteration"})
        with _explained(path):
            rows = pl.read_csv(path, separator=" ", has_header=False, schema=kinds, quote_char=None, glob=False)
        columns = ("query", "document")
        if any(rows[name].str.contains("%", literal=True).any() for name in columns):  # as `trec.token` writes them
            rows = rows.with_columns(pl.col(name).map_elements(identity_of, pl.String) for name in columns)
        return rows.drop("iteration").sort("grade", descending=True, maintain_order=True)

    def latencies(self) -> F64:
        """Return the milliseconds of each successful request, ascending."""
        attempts = self._read("requests.parquet", ["first_query", "attempt", "sent", "end", "error"])
        requests = attempts.group_by("first_query").agg(
            milliseconds=(pl.col("end").max() - pl.col("sent").min()) * 1e3,
            error=pl.col("error").sort_by("attempt").last(),
        )
        answered: F64 = requests.filter(pl.col("error").is_null())["milliseconds"].sort().to_numpy()
        return answered

    def _schema(self, name: str) -> dict[str, Any]:
        with _explained(self.path / name):
            return dict(pl.read_parquet_schema(self.path / name))

    def _read(self, name: str, columns: list[str]) -> pl.DataFrame:
        with _explained(self.path / name):
            return pl.read_parquet(self.path / name, columns=columns, glob=False)


@dataclass(frozen=True)
class LoadResults:
    """What a load test left."""

    path: Path
    url: str
    signature: str  # empty where the test was made before signatures were written
    queries: int
    top_k: int | None
    name: str
    steps: tuple[dict[str, Any], ...]  # as `summary.json` has them


def read_results(path: Path) -> list[Results] | LoadResults:
    """Read a results folder: one `Results` a service, or those of a load test.

    Raises
    ------
    InputError
        When it is none, or its run was not finished.
    """
    if path.resolve().name.endswith(_UNFINISHED):
        raise InputError(f"{path} was left by an unfinished run; finish it with `benchbench run --resume`")
    if not path.is_dir():
        raise InputError(f"{path} is not a folder" if path.exists() else f"{path} does not exist")
    if not (path / _SUMMARY).is_file():
        raise InputError(f"{path} is no results folder: it has no {_SUMMARY}")
    summary = _object(path / _SUMMARY)
    if "steps" in summary:
        return _load(path, summary)
    if "targets" in summary:
        if not isinstance(summary["targets"], dict):
            raise InputError(f"{path / _SUMMARY} is damaged: its targets are not a JSON object")
        return [_one(path / name) for name in summary["targets"]]
    return [_one(path)]


def _load(path: Path, summary: dict[str, Any]) -> LoadResults:
    steps, queries, signature = summary["steps"], summary.get("queries", 0), summary.get("signature", "")
    name = summary.get("name", path.resolve().name)
    if (
        not isinstance(steps, list)
        or not all(map(_is_step, steps))
        or not (type(queries) is int and type(signature) is type(name) is str)
    ):
        raise InputError(f"{path} is no results folder: its {_SUMMARY} is not that of a load test")
    options = _object(path / _CONFIG).get("options") if (path / _CONFIG).is_file() else None
    top_k = options.get("top_k") if isinstance(options, dict) else None
    return LoadResults(path, str(summary.get("url")), signature, queries, top_k, name, tuple(steps))


def _is_step(step: Any) -> bool:
    """Say whether it is one of a load test's, with numbers where they are needed."""
    values = step.get("values") if isinstance(step, dict) else None
    if not isinstance(values, dict) or "name" not in step:
        return False
    return values.keys() >= _STEP_NUMBERS and isinstance(values["batch_size"], int | float)


def _one(path: Path) -> Results:
    config, summary = _object(path / _CONFIG), _object(path / _SUMMARY)
    options = config.get("options")
    if not summary.keys() >= _SUMMARY_KINDS.keys() or not isinstance(options, dict):
        raise InputError(f"{path} is no results folder: its {_SUMMARY} is not that of a run")
    if not options.keys() >= _OPTION_KINDS.keys():
        raise InputError(f"{path} is no results folder: its {_CONFIG} is not that of a run")
    optional = {name: kind for name, kind in _OPTIONAL_KINDS.items() if options.get(name) is not None}
    for file, record, kinds in ((_SUMMARY, summary, _SUMMARY_KINDS), (_CONFIG, options, _OPTION_KINDS | optional)):
        wrong = [name for name, kind in kinds.items() if not isinstance(record[name], kind)]
        if wrong:
            raise InputError(f"{path / file} is damaged: {wrong[0]} is not what a run writes there")
    if not all(isinstance(count, int) for count in summary["counts"].values()):
        raise InputError(f"{path / _SUMMARY} is damaged: counts are whole numbers")
    if "queries_per_second" not in summary["throughput"]:
        raise InputError(f"{path / _SUMMARY} is damaged: throughput has no queries_per_second")
    return Results(path, config, summary)


def _object(path: Path) -> dict[str, Any]:
    value = json_file(path)
    if not isinstance(value, dict):
        raise InputError(f"{path} is not a JSON object")
    return value


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn what stops the reading of a file into one sentence."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise InputError(f"{path} cannot be read: {said_by(error)}") from None
