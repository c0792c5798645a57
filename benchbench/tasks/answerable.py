"""Queries that no hit can be relevant for, since they lack what a task compares."""

import numpy as np

from benchbench.kernels.arrays import I64
from benchbench.kernels.rules import none_counts
from benchbench.tables.queries import Queries
from benchbench.tasks.compiled import CompiledTasks


def lacking(compiled: CompiledTasks, queries: Queries) -> I64:
    """Return the number of queries that no hit can be relevant for, (tasks,)."""
    columns, members = queries.columns(0, len(queries)), queries.labels.members()
    return np.array(
        [
            none_counts(columns.positive_offsets, columns.positive_grade >= rel).sum()
            if comparison is None
            else comparison.lacking(columns, members).sum()
            for comparison, rel in zip(compiled.comparisons, compiled.rel, strict=True)
        ],
        np.int64,
    )
