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
from benchbench.kernels.arrays import F64, I32, I64, U8, U64, Bools, Boolsx2, F64x2, F64x3, I64x2
from benchbench.kernels.plan import FormulaPlan, lists
from benchbench.kernels.query_lists import QueryLists
from benchbench.kernels.rules import HitColumns, LabelComparison, Members, QueryColumns, RankedChunk, Relevant
from benchbench.kernels.task_values import MeasuredTasks, PositiveGrades, RankedHits, ScoringRoom, fill_relevant, score

NO_HASH = np.uint64(0)
KEPT, SELF, COPY, DUPLICATE = 0, 1, 2, 3
_TOGETHER = 4096  # queries whose hits all steps look at before the next ones: they stay in the processor's cache


class Scoring(NamedTuple):
    """What is measured; the columns of `plan` stand before those of `condensed`."""

    plan: FormulaPlan
    condensed: FormulaPlan  # over the hits that were judged, for tasks with judgments
    tasks: MeasuredTasks  # with the lowest relevant grades of `plan` …
    condensed_rels: F64  # … and those of `condensed`, which each task has
    gains: F64x2  # (gain rows, positives)
    relevant: I64x2  # (queries, tasks): relevant documents, of a label task


class Judged(NamedTuple):
    """What `judge` returns."""

    fate: U8  # (hits,) KEPT, SELF, COPY or DUPLICATE
    rank: I32  # (hits,) from 1 among the kept hits, 0 when removed
    relevant: Boolsx2  # (tasks, hits)
    positive: I64  # (hits,) the positive that the hit is, as an index into the positives, or -1
    values: F64x3  # (queries, tasks, columns)
    unlabelled: I64  # (tasks,) kept hits without what the task compares


class RelevantOfTasks(NamedTuple):
    """As `Relevant`, with a row a task."""

    places: I64x2
    ends: I64x2


class DocumentHashes(NamedTuple):
    """What documents of queries are known by: hits or positives."""

    offsets: I64
    id: U64
    text: U64


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
    hits: DocumentHashes,
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
        if hits.id[h] != query_id and hits.text[h] != query_text:
            continue
        same_id = query_id != NO_HASH and hits.id[h] == query_id
        same_text = query_text != NO_HASH and hits.text[h] == query_text
        if same_text or same_document(self_by_text, hits.text[h], hits.id[h], query_text, query_id):
            fate[h] = COPY
            # The hit with the query's id is the query; without one, the best equal text is.
            if (same_id and (own < 0 or hits.id[own] != query_id)) or (own < 0 and self_by_text):
                own = np.int64(h)
    if own >= 0:
        fate[own] = SELF

    seen[:] = -1
    mask = np.uint64(seen.size - 1)
    for h in range(np.uint64(first), np.uint64(last)):
        if fate[h] == KEPT and hits.id[h] != NO_HASH:
            slot = hits.id[h] & mask
            while seen[slot] >= 0 and hits.id[np.uint64(seen[slot])] != hits.id[h]:
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
    hits: DocumentHashes,
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
        begin, end = hits.offsets[q], hits.offsets[q + 1]
        _decide_fates(hits, begin, end, query_id[q], query_text[q], self_by_text, fate, seen)
        depth = 0
        for h in range(np.uint64(begin), np.uint64(end)):
            depth += fate[h] == KEPT
            rank[h] = depth if fate[h] == KEPT else 0
        depths[q] = depth


@leaf
def _match(
    first: int,
    last: int,
    hits: DocumentHashes,
    rank: I32,
    positives: DocumentHashes,
    by_text: bool,
    taken: Bools,
    positive: I64,
    matched: Relevant,
) -> None:
    """Fill the positive that each kept hit is; `matched` are those that are one."""
    number = 0
    for q in range(first, last):
        begin, end = positives.offsets[q], positives.offsets[q + 1]
        texts, ids = positives.text[begin:end], positives.id[begin:end]
        compared = texts if by_text else ids
        bloom, all_texts = np.uint64(0), True  # one word: the low six bits of each hash
        for p in range(texts.size):
            taken[p] = False
            bloom |= np.uint64(1) << (compared[p] & np.uint64(63))
            all_texts &= texts[p] != NO_HASH
        for h in range(np.uint64(hits.offsets[q]), np.uint64(hits.offsets[q + 1])):
            if rank[h] == 0:
                continue
            text, identity, p = hits.text[h], hits.id[h], -1
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
                matched.places[number] = np.int64(h)
                number += 1
        matched.ends[q] = number


@leaf
def _score(
    first: int,
    last: int,
    tasks: MeasuredTasks,
    condensed: bool,
    found: RelevantOfTasks,
    hits: RankedHits,
    positives: PositiveGrades,
    number: I64x2,
    room: ScoringRoom,
    here: QueryLists,
    relevant: Boolsx2,
    values: F64x3,
    column: int,
) -> None:
    """Fill what is relevant, and the values from a column on; of label tasks no values of condensed lists."""
    for t in range(tasks.rel.size):
        judged = tasks.judged[t]
        if condensed and not judged:
            continue
        its = Relevant(found.places[t], found.ends[t])
        fill_relevant(its.places[: its.ends[last - 1]], hits, positives, tasks.rel[t], judged, relevant[t])
        score(first, last, t, tasks, condensed, its, hits, positives, number, room, here, values, column)


@lru_cache(maxsize=8)
def _logarithms(count: int) -> tuple[F64, F64]:
    """Return `log2(i + 2)`, as kernels have it (numpy's may have other bits), and its DCG of so many gains of 1."""
    logarithms = [math.log2(i + 2.0) for i in range(count)]
    return np.array(logarithms), np.array(list(accumulate((1.0 / one for one in logarithms), initial=0.0)))


def judge(
    hits: HitColumns,
    queries: QueryColumns,
    tasks: Sequence[LabelComparison | None],
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
    matched = np.flatnonzero(scoring.tasks.judged).tolist()
    seen, taken = np.empty(1 << (2 * longest).bit_length(), np.int64), np.empty(most, np.bool_)
    room = ScoringRoom(log2, ideal_ones, np.empty(most))
    kinds = scoring.tasks.gain_row.shape[1]
    measured = [(plan, scoring.tasks, lists(plan, longest + 1, kinds), 0)]
    if condensed.columns.size:
        kept_alone = lists(condensed, longest + 1, kinds)
        rows = scoring.tasks._replace(rels=scoring.condensed_rels)
        measured.append((condensed, rows, kept_alone, plan.columns.size))
    found = RelevantOfTasks(
        np.empty((n_tasks, min(n_hits, _TOGETHER * longest) + 1), np.int64), np.empty((n_tasks, n_queries), np.int64)
    )
    shape = n_queries, n_tasks, plan.columns.size + condensed.columns.size
    judged = Judged(
        np.empty(n_hits, np.uint8),
        np.empty(n_hits, np.int32),
        np.zeros((n_tasks, n_hits), np.bool_),
        np.full(n_hits, -1, np.int64),
        np.zeros(shape) if condensed.columns.size else np.empty(shape),  # label tasks leave the condensed ones
        np.zeros(n_tasks, np.int64),
    )
    documents = DocumentHashes(hits.offsets, hits.id, hits.text)
    listed = DocumentHashes(queries.positive_offsets, queries.positive_id, queries.positive_text)
    ranked = RankedHits(judged.rank, np.empty(n_queries, np.int64), judged.positive)
    positives = PositiveGrades(queries.positive_offsets, queries.positive_grade, scoring.gains)
    for first in range(0, n_queries, _TOGETHER):
        last = min(first + _TOGETHER, n_queries)
        _rank(
            first, last, documents, queries.id, queries.text, self_by_text, seen, judged.fate, ranked.rank, ranked.depth
        )
        chunk = RankedChunk(first, last, hits, queries, members, judged.rank)
        for t, task in enumerate(tasks):
            if task is not None:
                judged.unlabelled[t] += task.find(chunk, Relevant(found.places[t], found.ends[t]))
        if matched:
            t, *others = matched
            its = Relevant(found.places[t], found.ends[t])
            _match(first, last, documents, ranked.rank, listed, gold_by_text, taken, ranked.positive, its)
            for other in others:
                found.places[other], found.ends[other] = its
        for chosen, rows, here, column in measured:
            _score(
                first, last, rows, chosen is condensed, found, ranked, positives, scoring.relevant, room,
                here, judged.relevant, judged.values, column,
            )  # fmt: skip
    return judged


def _longest(offsets: I64) -> int:
    return int((offsets[1:] - offsets[:-1]).max(initial=0))
