"""A folder of results beside the plain-Python twin: every value of every query, by the labels of the collection."""

from pathlib import Path

import orjson
import polars as pl
from naive_measures import Ranked, value
from naive_rules import is_relevant

from benchbench.formats.datasets.locate import locate
from benchbench.measures.notation import Measure
from benchbench.tasks.defined import tasks_of

MEASURES = ("P", "R", "Success", "nDCG", "RR")


def check(data: Path, results: Path, tasks: tuple[str, ...], cutoffs: tuple[int, ...], *texts: str) -> pl.DataFrame:
    """Compare some tasks of a run with the twin; return the values per query."""
    found = locate(data)
    assert found.collection is not None
    documents = {one["_id"]: one for one in map(orjson.loads, found.collection.path.read_bytes().splitlines())}
    queries = list(map(orjson.loads, found.queries.path.read_bytes().splitlines()))
    per_query = pl.read_parquet(results / "per_query.parquet")
    ranked: dict[str, list[str]] = {}
    hits = pl.read_parquet(results / "hits.parquet").filter(pl.col("rank") > 0).sort("rank")
    for query, document in hits.select("query_id", "id").iter_rows():
        ranked.setdefault(query, []).append(document)
    known = {task.name: task for task in tasks_of(found, texts)}
    for line, row in zip(queries, per_query.iter_rows(named=True), strict=True):
        assert row["query_id"] == str(line["query_id"])
        listed = [documents[one] for one in ranked.get(row["query_id"], ())]
        for name in tasks:
            there = sum(is_relevant(known[name], line["query"], one) is True for one in documents.values())
            grades = [1 if is_relevant(known[name], line["query"], one) else None for one in listed]
            twin = Ranked(grades, [1] * there, by_labels=True)
            for measure in (Measure(one, (), k) for one in MEASURES for k in cutoffs):
                assert abs(row[f"{name}.{measure}"] - value(measure, twin)) <= 1e-12, (name, measure, line)
    return per_query
