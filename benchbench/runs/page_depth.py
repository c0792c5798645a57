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
EDGES = (1, 2, 3, 5, 10, 20, 100, 1_000)  # the last ranks of the bars

Point = tuple[float, float, float | None, float | None]  # where, the mean over queries, and its interval


class Depth(NamedTuple):
    """What the first hits of all queries have in them.

    Attributes
    ----------
    hits
        How many of each query were looked at.
    recall, precision
        By depth; recall is empty where it does not divide by all documents that are judged relevant.
    by_recall
        Precision by recall: the best one at that recall, or at a higher one.
    ranks
        Of the first relevant document of each query; 0 where none is among the hits.
    relevant
        Documents that are judged relevant, of each query; all 0 where recall is empty.
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
    relevant: I64
    graded: bool
    documents: Mapping[str, Sequence[str]]


def depth(
    folder: Path, task: str, ids: pl.Series, most: int | None, judged: bool, groups: Groups | None
) -> Depth | None:
    """Return how deep relevant documents stand; None where hits were not kept.

    Parameters
    ----------
    folder
        Of the run.
    task
        Whose relevant hits count.
    ids
        Of all queries, failed ones included.
    most
        Hits that are looked at; None for all.
    judged
        The judgments of the folder have every relevant document.
    groups
        Of queries that belong together.
    """
    if not (folder / "hits.parquet").is_file():
        return None
    rows = pl.scan_parquet(folder / "hits.parquet", glob=False)
    columns = rows.collect_schema().names()
    if task not in columns:
        return None
    if most is None:
        most = int(rows.select(pl.col("rank").max()).collect().item() or 0)
    places = pl.DataFrame({"query": ids, "place": np.arange(len(ids))})
    found = rows.filter(pl.col(task) & (pl.col("rank") <= most)).select(
        pl.col("query_id").alias("query"), pl.col("rank").cast(pl.Int64), document=pl.coalesce("positive_id", "id")
    )
    hits = found.collect(engine="streaming").join(places, on="query").sort("place", "rank")
    relevant, graded, best = np.zeros(len(ids), np.int64), False, np.ones(len(hits), bool)
    documents: dict[str, Sequence[str]] = {}
    if judged:
        judgments = stored_judgments(folder / "qrels.trec").filter(pl.col("grade") > 0).join(places, on="query")
        relevant = np.bincount(judgments["place"].to_numpy(), minlength=len(ids))
        graded = judgments["grade"].n_unique() > 1
        if graded:
            top = judgments.with_columns(best=pl.col("grade") == pl.col("grade").max().over("query"))
            grades = top.unique(["query", "document"]).select("query", "document", "best")
            best = hits.join(grades, on=["query", "document"], how="left", maintain_order="left")["best"].fill_null(
                False
            ).to_numpy()  # fmt: skip
        if len(ids) <= MOST_ROWS:
            first = judgments.group_by("query", maintain_order=True).agg(pl.col("document").head(_DOCUMENTS))
            documents = dict(first.iter_rows())
    query, rank = hits["place"].to_numpy(), hits["rank"].to_numpy()
    curves = _curves(query, rank, most, relevant, judged, groups)
    return Depth(most, *curves, _first(query[best], rank[best], len(ids)), relevant, graded, documents)


def rank_bins(ranks: I64, failed: Bools, hits: int) -> tuple[I64, list[int]]:
    """Return the bin of each rank, and the last rank of each bin: 0 is no answer, then ranks, then none found."""
    edges = [*(edge for edge in EDGES if edge < hits), hits]
    places = np.where(ranks > 0, 1 + np.searchsorted(edges, ranks), len(edges) + 1).astype(np.int64)
    places[failed] = 0
    return places, edges


def _curves(
    query: I64, rank: I64, most: int, relevant: I64, judged: bool, groups: Groups | None
) -> tuple[tuple[Point, ...], tuple[Point, ...], tuple[Point, ...]]:
    """Return recall and precision by depth, and precision by recall; hits are in the order of queries and ranks."""
    queries, depths = len(relevant), [*(depth for depth in _DEPTHS if depth < most), most]
    recall, precision, by_recall = [], [], []
    for deep in depths if most else []:
        count = np.bincount(query[rank <= deep], minlength=queries).astype(np.float64)
        precision.append(_point(deep, count / deep, groups))
        if judged:
            recall.append(_point(deep, count / np.maximum(relevant, 1), groups))
    if judged and most:
        starts = np.flatnonzero(np.r_[True, query[1:] != query[:-1]]) if len(query) else np.empty(0, np.int64)
        order = np.arange(len(query)) - np.repeat(starts, np.diff(np.r_[starts, len(query)])) + 1
        for level in np.linspace(0, 1, _LEVELS):
            reached = order >= level * relevant[query] - 1e-9
            best = np.zeros(queries)
            np.maximum.at(best, query[reached], (order / rank)[reached])
            by_recall.append(_point(level, best, groups))
    return tuple(recall), tuple(precision), tuple(by_recall)


def _point(where: float, values: F64, groups: Groups | None) -> Point:
    ((mean, ends),) = means_of(values[:, None], groups)
    return float(where), mean, ends.low, ends.high


def _first(query: I64, rank: I64, queries: int) -> I64:
    """Return the first rank of each query, 0 of those without one."""
    ranks = np.zeros(queries, np.int64)
    which, places = np.unique(query, return_index=True)
    ranks[which] = rank[places]
    return ranks
