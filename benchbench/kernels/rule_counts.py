"""How many documents are relevant for a query by a rule: distinct rows of labels against distinct rows.

Hits are documents here; `weights` says how many documents have the same row.
"""

import numpy as np

from benchbench.kernels._jit import jit
from benchbench.kernels.arrays import I64
from benchbench.kernels.rules import RELEVANT, HitColumns, Members, QueryColumns, Tasks, relevance


@jit
def count_relevant(
    tasks: Tasks, t: int, members: Members, hits: HitColumns, weights: I64, queries: QueryColumns
) -> I64:
    """Return the weight of the hits that are relevant for task `t`, (queries,)."""
    counts = np.zeros(queries.id.size, np.int64)
    for q in range(counts.size):
        for h in range(weights.size):
            if relevance(tasks, t, members, hits, h, queries, q) == RELEVANT:
                counts[q] += weights[h]
    return counts


@jit
def count_pairs(
    tasks: Tasks, t: int, members: Members, hits: HitColumns, hit: I64, queries: QueryColumns, query: I64
) -> I64:
    """Return how many of the pairs of a hit and a query are relevant for task `t`, (queries,)."""
    counts = np.zeros(queries.id.size, np.int64)
    for pair in range(hit.size):
        counts[query[pair]] += relevance(tasks, t, members, hits, hit[pair], queries, query[pair]) == RELEVANT
    return counts
