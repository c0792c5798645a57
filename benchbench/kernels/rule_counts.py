"""How many documents are relevant for a query by a rule: distinct rows of labels against distinct rows.

Hits are documents here; `weights` says how many documents have the same row.
"""

import numpy as np

from benchbench.kernels.arrays import I64
from benchbench.kernels.rules import HitColumns, Members, QueryColumns, Relevant, Tasks, find_relevant


def count_relevant(
    tasks: Tasks, t: int, members: Members, hits: HitColumns, weights: I64, queries: QueryColumns
) -> I64:
    """Return the weight of the hits that are relevant for task `t`, (queries,)."""
    counts = np.zeros(queries.id.size, np.int64)
    every, kept = hits._replace(offsets=np.array([0, weights.size])), np.ones(weights.size, np.int32)
    out = _room(weights.size, 1)
    for q in range(counts.size):
        one = queries._replace(
            id=queries.id[q : q + 1],
            codes=np.ascontiguousarray(queries.codes[:, q : q + 1]),
            numbers=np.ascontiguousarray(queries.numbers[:, q : q + 1]),
            span_offsets=np.ascontiguousarray(queries.span_offsets[:, q : q + 2]),
        )
        find_relevant(tasks, t, members, every, one, kept, out)
        counts[q] = weights[out.places[: out.ends[0]]].sum()
    return counts


def count_pairs(
    tasks: Tasks, t: int, members: Members, hits: HitColumns, hit: I64, queries: QueryColumns, query: I64
) -> I64:
    """Return how many of the pairs of a hit and a query are relevant for task `t`, (queries,)."""
    order = np.argsort(query, kind="stable")
    there = hit[order]
    pairs = hits._replace(
        offsets=np.searchsorted(query[order], np.arange(queries.id.size + 1)),
        codes=np.ascontiguousarray(hits.codes[:, there]),
        numbers=np.ascontiguousarray(hits.numbers[:, there]),
    )
    out = _room(hit.size, queries.id.size)
    find_relevant(tasks, t, members, pairs, queries, np.ones(hit.size, np.int32), out)
    return np.diff(out.ends, prepend=0)


def _room(hits: int, queries: int) -> Relevant:
    return Relevant(np.empty(hits + 1, np.int64), np.zeros(queries, np.int64))
