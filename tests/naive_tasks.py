"""What a run measures of tasks by labels, written from the specification: on records, hit by hit."""

import math
from collections.abc import Sequence

from naive_rules import Record, is_relevant

from benchbench.tasks.task import Task


def scores(
    task: Task, query: Record, ranked: Sequence[Record], documents: Sequence[Record], cutoffs: Sequence[int]
) -> dict[str, float]:
    """Return P, R, Success, nDCG and RR of the hits in rank order; recall is counted from all documents."""
    there = sum(is_relevant(task, query, document) is True for document in documents)
    found = [rank for rank, hit in enumerate(ranked, 1) if is_relevant(task, query, hit)]
    values = {}
    for k in cutoffs:
        ranks = [rank for rank in found if rank <= k]
        ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(k, there) + 1))
        values |= {
            f"P@{k}": len(ranks) / k,
            f"R@{k}": min(1.0, len(ranks) / there) if there else 0.0,
            f"Success@{k}": float(bool(ranks)),
            f"nDCG@{k}": sum(1 / math.log2(rank + 1) for rank in ranks[:there]) / ideal if ideal else 0.0,
            f"RR@{k}": 1 / ranks[0] if ranks else 0.0,
        }
    return values
