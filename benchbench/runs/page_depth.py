"""How deep relevant documents stand: recall and precision by depth, precision by recall, the rank of the first one.

Only relevant hits are read, and one column of values is in memory at a time, so that a million queries need little.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from benchbench.formats.stored_judgments import stored_judgments
from benchbench.kernels.arrays import F64, I64, Bools
from benchbench.measures.aggregate import means_of
from benchbench.runs.page_queries import MOST_ROWS
from benchbench.tables.groups import Groups

_DEPTHS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 500, 1_000)
_DOCUMENTS = 3  # of a query, in which its words are looked for
_LEVELS = 11  # of recall, as TREC has them: 0, 0.1, … 1
_EDGES = (1, 2, 3, 5, 10, 20, 100, 1_000)  # the last ranks of the bars

Point = tuple[float, float, float | None, float | None]  # where, the mean over queries, and its interval


class Depth(NamedTuple):
    """What the first hits of all queries have in them.

    Attributes
    ----------
    hits
        How many of each query were looked at.
    recall, precision
        By depth; recall divides by all documents that are judged relevant.
    by_recall
        Precision by recall: the best one at that recall, or at a higher one.
    ranks
        Of the first relevant document of each query; 0 where none is among the hits.
    edges
        The last rank of each bin of ranks.
    counts
        Queries by bin: without an answer, then by rank, then with none among the hits.
    relevant
        Documents that are judged relevant, of each query.
    graded
        Ranks are those of the first document with the best grade that the query has.
    documents
        The first that are judged relevant, best first, by query; of no more than `MOST_ROWS` queries.
    """

    hits: int
    recall: tuple[Point, ...]
    precision: tuple[Point, ...]
    by_recall: tuple[Point, ...]
    ranks: I64
    edges: tuple[int, ...]
    counts: tuple[int, ...]
    relevant: I64
    graded: bool
    documents: Mapping[str, Sequence[str]]


def depth(
    folder: Path, task: str, ids: pl.Series, failed: Bools, most: int | None, groups: Groups | None
) -> Depth | None:
    """Return how deep relevant documents stand; None where hits were not kept.

    Parameters
    ----------
    folder
        Of the run; its judgments are those of the task.
    task
        Whose relevant hits count.
    ids
        Of all queries.
    failed
        Queries without an answer.
    most
        Hits that are looked at; None for all.
    groups
        Of queries that belong together.
    """
    if not (folder / "hits.parquet").is_file():
        return None
    places = pl.DataFrame({"query": ids, "place": np.arange(len(ids))})
    best = pl.col("grade") == pl.col("grade").max().over("query")
    judgments = stored_judgments(folder / "qrels.trec").filter(pl.col("grade") > 0).join(places, on="query")
    judgments = judgments.unique(["query", "document"], maintain_order=True).with_columns(best=best)
    relevant = np.bincount(judgments["place"].to_numpy(), minlength=len(ids))
    documents: dict[str, Sequence[str]] = {}
    if len(ids) <= MOST_ROWS:
        first = judgments.group_by("query", maintain_order=True).agg(pl.col("document").head(_DOCUMENTS))
        documents = dict(first.iter_rows())
    rows = pl.scan_parquet(folder / "hits.parquet", glob=False)
    deepest = rows.select(pl.col("rank").max()).collect().item() or 1
    most = deepest if most is None else most
    found = rows.filter(pl.col(task) & (pl.col("rank") <= most)).select(
        query="query_id", document=pl.coalesce("positive_id", "id"), rank=pl.col("rank").cast(pl.Int64)
    )
    hits = found.collect(engine="streaming").join(places, on="query").sort("place", "rank")
    hits = hits.with_columns(order=pl.int_range(1, pl.len() + 1).over("place"))
    hits = hits.join(judgments, on=["query", "document"], how="left", maintain_order="left")
    query, rank, order = (hits[name].to_numpy() for name in ("place", "rank", "order"))
    is_best = hits["best"].fill_null(value=True).to_numpy()
    ranks = np.zeros(len(ids), np.int64)
    np.maximum.at(ranks, query[is_best], most + 1 - rank[is_best])  # the lowest rank of each query, counted from below
    ranks = np.where(ranks > 0, most + 1 - ranks, 0)
    edges = (*(edge for edge in _EDGES if edge < most), most)
    bins = np.where(failed, 0, 1 + np.where(ranks > 0, np.searchsorted(edges, ranks), len(edges)))
    counts = tuple(np.bincount(bins, minlength=len(edges) + 2).tolist())
    recall, precision, by_recall = _curves(query, rank, order, most, relevant, groups)
    graded = judgments["grade"].n_unique() > 1
    return Depth(most, recall, precision, by_recall, ranks, edges, counts, relevant, graded, documents)


def _curves(
    query: I64, rank: I64, order: I64, most: int, relevant: I64, groups: Groups | None
) -> tuple[tuple[Point, ...], tuple[Point, ...], tuple[Point, ...]]:
    """Return recall and precision by depth, and precision by recall; `order` counts the relevant hits of a query."""
    recall, precision, by_recall = [], [], []
    for deep in (*(depth for depth in _DEPTHS if depth < most), most):
        count = np.bincount(query[rank <= deep], minlength=len(relevant)).astype(np.float64)
        precision.append(_point(deep, count / deep, groups))
        recall.append(_point(deep, count / np.maximum(relevant, 1), groups))
    for level in np.linspace(0, 1, _LEVELS):
        reached = order >= level * relevant[query] - 1e-9
        best = np.zeros(len(relevant))
        np.maximum.at(best, query[reached], (order / rank)[reached])
        by_recall.append(_point(level, best, groups))
    return tuple(recall), tuple(precision), tuple(by_recall)


def _point(where: float, values: F64, groups: Groups | None) -> Point:
    ((mean, ends),) = means_of(values[:, None], groups)
    return float(where), mean, ends.low, ends.high
