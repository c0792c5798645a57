"""Judged hits as a frame, one row per hit."""

import numpy as np
import polars as pl

from benchbench.kernels.judge_hits import COPY, DUPLICATE, SELF, Judged
from benchbench.tables.hits import Hits
from benchbench.tables.queries import Queries


def hit_frame(queries: Queries, first: int, hits: Hits, judged: Judged, tasks: tuple[str, ...]) -> pl.DataFrame:
    """Return the hits of queries `first`, `first + 1`, … in response order.

    `place` counts from 1 in the response; `rank` counts from 1 in what is left after the removals and is
    null for a removed hit; each task has a column that says whether the hit is relevant for it.
    """
    counts = hits.counts
    starts = np.cumsum(counts) - counts
    ids = pl.Series(queries.ids[first : first + len(counts)], dtype=pl.String)
    offsets = queries.positives.offsets
    positives = pl.Series(queries.positives.ids[offsets[first] : offsets[first + len(counts)]], dtype=pl.String)
    relevant = queries.positives.grade[offsets[first] : offsets[first + len(counts)]] > 0
    no_positive = judged.positive < 0
    no_positive[~no_positive] = ~relevant[judged.positive[~no_positive]]
    owner = np.repeat(np.arange(len(counts)), counts)
    return pl.DataFrame(
        {
            "query_id": ids.gather(owner),
            "place": np.arange(len(owner)) - starts[owner] + 1,
            "rank": _nullable(judged.rank, judged.rank == 0),
            "id": pl.Series(list(hits.ids), dtype=pl.String),
            "score": pl.Series(hits.score, dtype=pl.Float64).fill_nan(None),
            "self": judged.fate == SELF,
            "copy": judged.fate == COPY,
            "duplicate": judged.fate == DUPLICATE,
            **dict(zip(tasks, judged.relevant, strict=True)),
            "positive_id": positives.gather(_nullable(judged.positive, no_positive)),
        }
    )


def _nullable(values: np.ndarray, missing: np.ndarray) -> pl.Series:
    return pl.Series(values).set(pl.Series(missing), None)
