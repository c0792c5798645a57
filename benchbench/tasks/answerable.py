"""Queries that no hit can be relevant for, since they lack what a task compares."""

import numpy as np

from benchbench.kernels.arrays import I64, Bools
from benchbench.kernels.rules import Rule
from benchbench.tables.queries import Queries
from benchbench.tasks.compiled import CompiledTasks


def lacking(compiled: CompiledTasks, queries: Queries) -> I64:
    """Return the number of queries that no hit can be relevant for, (tasks,)."""
    return np.array([_lacks(compiled, t, queries).sum() for t in range(len(compiled.tasks))], np.int64)


def _lacks(compiled: CompiledTasks, t: int, queries: Queries) -> Bools:
    """Say of each query whether no hit can be relevant for it in task `t`."""
    task = compiled.kernel.each[t]
    row, least = task["label"], task["least"]
    rule = compiled.tasks[t].rule
    match rule:
        case Rule.JUDGMENTS:
            return _none(queries.positives.offsets, queries.positives.grade >= compiled.rel[t])
        case Rule.SPAN:
            spans = queries.spans
            return _none(spans.offsets[row], spans.end - spans.start >= least)
        case Rule.WITHIN:
            flags = queries.codes[compiled.kernel.rows[task["unless"] : task["last"]]]
            lacks: Bools = np.isnan(queries.numbers[row]) & (flags < 0).all(axis=0)
            return lacks
        case Rule.OVERLAP if np.isinf(task["jaccard"]):
            sizes = np.append(np.diff(queries.labels.members().offsets), 0)  # the last is that of no set: code -1
            few: Bools = sizes[np.maximum(queries.codes[row], -1)] < least
            return few
        case Rule.EQUAL | Rule.OVERLAP | Rule.CONTAINS:
            missing: Bools = queries.codes[row] < 0
            return missing


def _none(offsets: I64, counts: Bools) -> Bools:
    """Say of each query whether none of what it has counts."""
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    none: Bools = before[offsets[1:]] == before[offsets[:-1]]
    return none
