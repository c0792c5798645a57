"""Judge the hits of a chunk of queries for any number of tasks, and score them, in one pass.

Conventions
-----------
Ragged data are columns with offsets: the hits of query `q` are `offsets[q]:offsets[q + 1]`, best first.
Texts and ids are 64-bit hashes; `NO_HASH` says that there is none. Labels are as `kernels.rules` has them.

A task with judgments counts each positive once: a second hit that is the same positive stays in the ranking and is not
relevant. A label task has grade and gain 1. Its ideal list has as many documents as are taken to be relevant, and no
more hits than that gain, so that no measure is above 1.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from benchbench.kernels._jit import inline, leaf
from benchbench.kernels.arrays import F64, I32, I64, U8, U64, Bools
from benchbench.kernels.plan import Lists, Plan, Recall, lists
from benchbench.kernels.rules import Chunk, Comparison, HitColumns, Members, QueryColumns, Relevant
from benchbench.kernels.task_values import fill_relevant, score

NO_HASH = np.uint64(0)
KEPT, SELF, COPY, DUPLICATE = 0, 1, 2, 3
_TOGETHER = 4096  # queries whose hits all steps look at before the next ones: they stay in the processor's cache


class Scoring(NamedTuple):
    """What is measured; the columns of `plan` stand before those of `condensed`."""

    plan: Plan
    condensed: Plan  # over the hits that were judged, for tasks with judgments
    rels: F64  # (tasks, grades of the plan): the lowest relevant grades, as each task has them
    condensed_rels: F64
    gains: F64  # (gain rows, positives)
    gain_row: I64  # (tasks, kinds): which of them
    rel: F64  # (tasks,): the lowest grade that is relevant for a task with judgments
    recall_rule: I64  # (tasks,): what recall divides by where a measure does not say it
    recall_limit: F64
    relevant: I64  # (queries, tasks): relevant documents, of a label task


class Judged(NamedTuple):
    """What `judge` returns."""

    fate: U8  # (hits,) KEPT, SELF, COPY or DUPLICATE
    rank: I32  # (hits,) from 1 among the kept hits, 0 when removed
    relevant: Bools  # (tasks, hits)
    positive: I64  # (hits,) the positive that the hit is, as an index into the positives, or -1
    values: F64  # (queries, tasks, columns)
    unlabelled: I64  # (tasks,) kept hits without what the task compares


@inline
def same_document(
    by_text: bool, text: np.uint64, identity: np.uint64, other_text: np.uint64, other_identity: np.uint64
) -> bool:
    """Equal text hashes; equal ids when asked for, or where one side has no text."""
    if by_text and text != NO_HASH and other_text != NO_HASH:
        return bool(text == other_text)
    return bool(identity != NO_HASH and identity == other_identity)


@inline
def _decide_fates(
    hit_id: U64,
    hit_text: U64,
    first: int,
    last: int,
    query_id: np.uint64,
    query_text: np.uint64,
    self_by_text: bool,
    fate: U8,
    seen: I64,
) -> None:
    """Fill `fate[first:last]`; `seen` is a scratch hash table, a power of two larger than any list."""
    own = np.int64(-1)
    for h in range(np.uint64(first), np.uint64(last)):
        fate[h] = KEPT
        if hit_id[h] != query_id and hit_text[h] != query_text:
            continue
        same_id = query_id != NO_HASH and hit_id[h] == query_id
        same_text = query_text != NO_HASH and hit_text[h] == query_text
        if same_text or same_document(self_by_text, hit_text[h], hit_id[h], query_text, query_id):
            fate[h] = COPY
            # The hit with the query's id is the query; without one, the best equal text is.
            if (same_id and (own < 0 or hit_id[own] != query_id)) or (own < 0 and self_by_text):
                own = np.int64(h)
    if own >= 0:
        fate[own] = SELF

    seen[:] = -1
    mask = np.uint64(seen.size - 1)
    for h in range(np.uint64(first), np.uint64(last)):
        if fate[h] == KEPT and hit_id[h] != NO_HASH:
            slot = hit_id[h] & mask
            while seen[slot] >= 0 and hit_id[np.uint64(seen[slot])] != hit_id[h]:
                slot = (slot + np.uint64(1)) & mask
            if seen[slot] >= 0:
                fate[h] = DUPLICATE
            else:
                seen[slot] = np.int64(h)


@inline
def _first_equal(wanted: np.uint64, hashes: U64, taken: Bools) -> int:
    """Return the first positive with this hash that no earlier hit is, or -1; without an early end it is faster."""
    first = -1
    for p in range(hashes.size):
        first = p if first < 0 and hashes[p] == wanted and not taken[p] else first
    return first


@inline
def _first_same(text: np.uint64, identity: np.uint64, texts: U64, ids: U64, taken: Bools) -> int:
    """Return the first positive that has this text, or where it has none this id, and that no earlier hit is, or -1."""
    for p in range(texts.size):
        if not taken[p] and same_document(True, text, identity, texts[p], ids[p]):
            return p
    return -1


@leaf
def _rank(
    first: int,
    last: int,
    offsets: I64,
    hit_id: U64,
    hit_text: U64,
    query_id: U64,
    query_text: U64,
    self_by_text: bool,
    seen: I64,
    fate: U8,
    rank: I32,
    depths: I64,
) -> None:
    """Fill the fate and rank of each hit, and how many of a query are kept."""
    for q in range(first, last):
        begin, end = offsets[q], offsets[q + 1]
        _decide_fates(hit_id, hit_text, begin, end, query_id[q], query_text[q], self_by_text, fate, seen)
        depth = 0
        for h in range(np.uint64(begin), np.uint64(end)):
            depth += fate[h] == KEPT
            rank[h] = depth if fate[h] == KEPT else 0
        depths[q] = depth


@leaf
def _match(
    first: int,
    last: int,
    offsets: I64,
    hit_id: U64,
    hit_text: U64,
    rank: I32,
    positive_offsets: I64,
    positive_text: U64,
    positive_id: U64,
    by_text: bool,
    taken: Bools,
    positive: I64,
    places: I64,
    ends: I64,
) -> None:
    """Fill the positive that each kept hit is; `places` has those that are one, as `rules.Relevant` has them."""
    found = 0
    for q in range(first, last):
        begin, end = positive_offsets[q], positive_offsets[q + 1]
        texts, ids = positive_text[begin:end], positive_id[begin:end]
        compared = texts if by_text else ids
        bloom, all_texts = np.uint64(0), True  # one word: the low six bits of each hash
        for p in range(texts.size):
            taken[p] = False
            bloom |= np.uint64(1) << (compared[p] & np.uint64(63))
            all_texts &= texts[p] != NO_HASH
        for h in range(np.uint64(offsets[q]), np.uint64(offsets[q + 1])):
            if rank[h] == 0:
                continue
            text, identity, p = hit_text[h], hit_id[h], -1
            if by_text and text != NO_HASH:
                if not all_texts:
                    p = _first_same(text, identity, texts, ids, taken)
                elif (bloom >> (text & np.uint64(63))) & np.uint64(1):
                    p = _first_equal(text, texts, taken)
            elif identity != NO_HASH and (by_text or (bloom >> (identity & np.uint64(63))) & np.uint64(1)):
                p = _first_equal(identity, ids, taken)
            if p >= 0:
                taken[p] = True
                positive[h] = begin + p
                places[found] = np.int64(h)
                found += 1
        ends[q] = found


@leaf
def _score(
    first: int,
    last: int,
    by_judgments: Bools,
    lowest: F64,
    recall_rule: I64,
    recall_limit: F64,
    rels: F64,
    condensed: bool,
    rare: bool | None,
    places: I64,
    ends: I64,
    rank: I32,
    depth: I64,
    positive: I64,
    positive_offsets: I64,
    grade: F64,
    gains: F64,
    gain_row: I64,
    number: I64,
    log2: F64,
    ideal_ones: F64,
    sorted_down: F64,
    here: Lists,
    relevant: Bools,
    values: F64,
    column: int,
) -> None:
    """Fill what is relevant, and the values from a column on; of label tasks no values of condensed lists."""
    for t in range(lowest.size):
        judged = by_judgments[t]
        if condensed and not judged:
            continue
        fill_relevant(places[t, : ends[t, last - 1]], positive, grade, lowest[t], judged, relevant[t])
        score(
            first, last, rels[t], Recall(recall_rule[t], recall_limit[t]), condensed, judged, places[t], ends[t],
            rank, depth, positive, positive_offsets, grade, gains, gain_row[t], number, log2, ideal_ones, sorted_down,
            here, rare, values, t, column,
        )  # fmt: skip


@lru_cache(maxsize=8)
def _logarithms(count: int) -> tuple[F64, F64]:
    """Return `log2(i + 2)`, as kernels have it (numpy's may have other bits), and its DCG of so many gains of 1."""
    logarithms = [math.log2(i + 2.0) for i in range(count)]
    return np.array(logarithms), np.array(list(accumulate((1.0 / one for one in logarithms), initial=0.0)))


def judge(
    hits: HitColumns,
    queries: QueryColumns,
    tasks: Sequence[Comparison | None],
    members: Members,
    scoring: Scoring,
    self_by_text: bool,
    gold_by_text: bool,
) -> Judged:
    """Remove self-retrievals, copies and duplicates, rank what is left, judge it and score it.

    Of `tasks`, None is one with judgments.
    """
    n_queries, n_hits, n_tasks = queries.id.size, hits.id.size, len(tasks)
    longest, most = _longest(hits.offsets), _longest(queries.positive_offsets)
    plan, condensed = scoring.plan, scoring.condensed
    largest = min(int(scoring.relevant.max(initial=0)), int(plan.gained["rank"].max(initial=0)))
    count = max(longest, most, largest)
    log2, ideal_ones = _logarithms(1 << count.bit_length())
    by_judgments = np.array([task is None for task in tasks], np.bool_)
    matched = np.flatnonzero(by_judgments).tolist()
    depth, seen = np.empty(n_queries, np.int64), np.empty(1 << (2 * longest).bit_length(), np.int64)
    taken, sorted_down = np.empty(most, np.bool_), np.empty(most)
    kinds = scoring.gain_row.shape[1]
    measured = [(plan, scoring.rels, lists(plan, longest + 1, kinds), 0)]
    if condensed.columns.size:
        room = lists(condensed, longest + 1, kinds)
        measured.append((condensed, scoring.condensed_rels, room, plan.columns.size))
    places = np.empty((n_tasks, min(n_hits, _TOGETHER * longest) + 1), np.int64)
    ends = np.empty((n_tasks, n_queries), np.int64)
    shape = n_queries, n_tasks, plan.columns.size + condensed.columns.size
    judged = Judged(
        np.empty(n_hits, np.uint8),
        np.empty(n_hits, np.int32),
        np.zeros((n_tasks, n_hits), np.bool_),
        np.full(n_hits, -1, np.int64),
        np.zeros(shape) if condensed.columns.size else np.empty(shape),  # label tasks leave the condensed ones
        np.zeros(n_tasks, np.int64),
    )
    for first in range(0, n_queries, _TOGETHER):
        last = min(first + _TOGETHER, n_queries)
        _rank(
            first, last, hits.offsets, hits.id, hits.text, queries.id, queries.text, self_by_text, seen,
            judged.fate, judged.rank, depth,
        )  # fmt: skip
        chunk = Chunk(first, last, hits, queries, members, judged.rank)
        for t, task in enumerate(tasks):
            if task is not None:
                judged.unlabelled[t] += task.find(chunk, Relevant(places[t], ends[t]))
        if matched:
            t = matched[0]
            _match(
                first, last, hits.offsets, hits.id, hits.text, judged.rank, queries.positive_offsets,
                queries.positive_text, queries.positive_id, gold_by_text, taken, judged.positive, places[t], ends[t],
            )  # fmt: skip
            for other in matched[1:]:
                places[other], ends[other] = places[t], ends[t]
        for one, rels, here, column in measured:
            _score(
                first, last, by_judgments, scoring.rel, scoring.recall_rule, scoring.recall_limit, rels,
                one is condensed, one.rare, places, ends, judged.rank, depth, judged.positive,
                queries.positive_offsets, queries.positive_grade, scoring.gains, scoring.gain_row, scoring.relevant,
                log2, ideal_ones, sorted_down, here, judged.relevant, judged.values, column,
            )  # fmt: skip
    return judged


def _longest(offsets: I64) -> int:
    return int((offsets[1:] - offsets[:-1]).max(initial=0))
