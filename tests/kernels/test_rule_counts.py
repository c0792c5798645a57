"""Rows of labels are counted by their weights, and pairs one by one."""

import numpy as np

from benchbench.kernels.rule_counts import count_pairs, count_relevant
from benchbench.kernels.rules import HitColumns, Members, QueryColumns
from benchbench.tasks.compiled import compiled
from benchbench.tasks.reading import parse_tasks

NONE, WHOLE, REAL = np.empty(0, np.uint64), np.empty(0, np.int32), np.empty(0, np.float64)
KERNEL = compiled(parse_tasks(["equal=equal(kind)", "near=within(price, absolute=1)"])).kernel
MEMBERS = Members(np.array([0, 1, 2], np.int64), np.array([0, 1], np.int32))
HITS = HitColumns(
    np.zeros(1, np.int64), NONE, NONE, np.array([[0, 1, -1, 0]], np.int32), np.array([[1.0, 2.0, 3.0, np.nan]])
)
QUERIES = QueryColumns(
    np.arange(3, dtype=np.uint64), np.zeros(3, np.uint64), np.array([[0, 1, -1]], np.int32),
    np.array([[1.0, 3.0, np.nan]]),
    np.zeros(4, np.int64), NONE, NONE, REAL, np.zeros((0, 4), np.int64), WHOLE, REAL, REAL,
)  # fmt: skip


def test_the_weights_of_relevant_rows_are_added_up() -> None:
    weights = np.array([1, 10, 100, 1000], np.int64)
    assert count_relevant(KERNEL, 0, MEMBERS, HITS, weights, QUERIES).tolist() == [1001, 10, 0]
    assert count_relevant(KERNEL, 1, MEMBERS, HITS, weights, QUERIES).tolist() == [11, 110, 0]


def test_relevant_pairs_are_counted_for_their_queries() -> None:
    hit, query = np.array([0, 0, 3, 1, 2], np.int64), np.array([0, 1, 0, 1, 2], np.int64)
    assert count_pairs(KERNEL, 0, MEMBERS, HITS, hit, QUERIES, query).tolist() == [2, 1, 0]
    assert count_pairs(KERNEL, 1, MEMBERS, HITS, hit[:0], QUERIES, query[:0]).tolist() == [0, 0, 0]
