"""Judge the hits of a chunk of queries for any number of tasks, and score them, in one pass.

Conventions
-----------
Ragged data are columns with offsets: the hits of query `q` are `offsets[q]:offsets[q + 1]`, best first.
Texts and ids are 64-bit hashes; `NO_HASH` says that there is none. Labels are as `kernels.rules` has them.

A task with judgments counts each positive once: a second hit that is the same positive stays in the ranking and is not
relevant. A label task has grade and gain 1. Its ideal list has as many documents as are taken to be relevant, and no
more hits than that gain, so that no measure is above 1.
"""

from typing import NamedTuple

import numpy as np

from benchbench.kernels._jit import inline, jit, leaf
from benchbench.kernels.arrays import F64, I32, I64, U8, U64, Bools
from benchbench.kernels.formulas import add_up_ideals, fill_values
from benchbench.kernels.plan import Lists, Plan, Recall, lists
from benchbench.kernels.rules import HitColumns, Members, QueryColumns, Relevant, Rule, Tasks, find_relevant

NO_HASH = np.uint64(0)
KEPT, SELF, COPY, DUPLICATE = 0, 1, 2, 3


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
    hits: HitColumns,
    first: int,
    last: int,
    query_id: np.uint64,
    query_text: np.uint64,
    self_by_text: bool,
    fate: U8,
    seen: I64,
) -> None:
    """Fill `fate[first:last]`; `seen` is a scratch hash table, a power of two larger than any list."""
    own = -1
    for h in range(first, last):
        fate[h] = KEPT
        same_id = query_id != NO_HASH and hits.id[h] == query_id
        same_text = query_text != NO_HASH and hits.text[h] == query_text
        if same_text or same_document(self_by_text, hits.text[h], hits.id[h], query_text, query_id):
            fate[h] = COPY
            # The hit with the query's id is the query; without one, the best equal text is.
            if (same_id and (own < 0 or hits.id[own] != query_id)) or (own < 0 and self_by_text):
                own = h
    if own >= 0:
        fate[own] = SELF

    seen[:] = -1
    for h in range(first, last):
        if fate[h] == KEPT and hits.id[h] != NO_HASH:
            slot = np.int64(hits.id[h] & np.uint64(seen.size - 1))
            while seen[slot] >= 0 and hits.id[seen[slot]] != hits.id[h]:
                slot = (slot + 1) & (seen.size - 1)
            if seen[slot] >= 0:
                fate[h] = DUPLICATE
            else:
                seen[slot] = h


@inline
def _first_equal(wanted: np.uint64, hashes: U64, taken: Bools) -> int:
    """Return the first positive with this hash that no earlier hit is, or -1; without an early end it is faster."""
    first = -1
    for p in range(hashes.size - 1, -1, -1):
        first = p if hashes[p] == wanted and not taken[p] else first
    return first


@inline
def _first_same(text: np.uint64, identity: np.uint64, texts: U64, ids: U64, taken: Bools) -> int:
    """Return the first positive that has this text, or where it has none this id, and that no earlier hit is, or -1."""
    for p in range(texts.size):
        if not taken[p] and same_document(True, text, identity, texts[p], ids[p]):
            return p
    return -1


@inline
def _sort_down(values: F64, sorted_down: F64) -> None:
    """Fill with the values in descending order; insertion: there are some ten, and np.sort would allocate."""
    for p in range(values.size):
        place = p
        while place > 0 and sorted_down[place - 1] < values[p]:
            sorted_down[place] = sorted_down[place - 1]
            place -= 1
        sorted_down[place] = values[p]


@leaf
def _rank(
    hits: HitColumns,
    query_id: U64,
    query_text: U64,
    self_by_text: bool,
    seen: I64,
    fate: U8,
    rank: I32,
    depths: I64,
) -> None:
    """Fill the fate and rank of each hit, and how many of a query are kept."""
    for q in range(query_id.size):
        first, last = hits.offsets[q], hits.offsets[q + 1]
        _decide_fates(hits, first, last, query_id[q], query_text[q], self_by_text, fate, seen)
        depth = 0
        for h in range(first, last):
            depth += fate[h] == KEPT
            rank[h] = depth if fate[h] == KEPT else 0
        depths[q] = depth


@leaf
def _match(
    hits: HitColumns,
    rank: I32,
    positive_offsets: I64,
    positive_text: U64,
    positive_id: U64,
    by_text: bool,
    taken: Bools,
    positive: I64,
    out: Relevant,
) -> None:
    """Fill the positive that each kept hit is; `out` has those that are one."""
    found = 0
    for q in range(positive_offsets.size - 1):
        first, last = positive_offsets[q], positive_offsets[q + 1]
        texts, ids = positive_text[first:last], positive_id[first:last]
        compared = texts if by_text else ids
        bloom, all_texts = np.uint64(0), True  # one word: the low six bits of each hash
        for p in range(texts.size):
            taken[p] = False
            bloom |= np.uint64(1) << (compared[p] & np.uint64(63))
            all_texts &= texts[p] != NO_HASH
        for h in range(hits.offsets[q], hits.offsets[q + 1]):
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
                positive[h] = first + p
                out.places[found] = h
                found += 1
        out.ends[q] = found


@leaf
def _score_positives(
    plan: Plan,
    rels: F64,
    recall: Recall,
    condensed: bool,
    matched: Relevant,
    rank: I32,
    depth: I64,
    positive: I64,
    positive_offsets: I64,
    grade: F64,
    gains: F64,
    gain_row: I64,
    log2: F64,
    sorted_down: F64,
    here: Lists,
    values: F64,
) -> None:
    """Fill `values` (queries, columns) of a task with judgments; `condensed`: over the hits that were judged."""
    i = 0
    for q in range(values.shape[0]):
        first, last = positive_offsets[q], positive_offsets[q + 1]
        found = 0
        while i < matched.ends[q]:
            h = matched.places[i]
            i += 1
            p = positive[h]
            if condensed and grade[p] < 0.0:
                continue
            here.ranks[found], here.grades[found] = found if condensed else rank[h] - 1, grade[p]
            for kind in range(gain_row.size):
                here.gains[kind, found] = gains[gain_row[kind], p]
            found += 1
        for which in range(rels.size):
            number = 0
            for p in range(first, last):
                number += grade[p] >= rels[which]
            here.number[which] = number
        for kind in range(gain_row.size):
            _sort_down(gains[gain_row[kind], first:last], sorted_down)
            add_up_ideals(sorted_down[: last - first], plan, kind, log2, here.ideal)
        returned = found if condensed else depth[q]
        fill_values(plan, rels, here, found, returned, grade[first:last], recall, log2, values[q])


@leaf
def _score_labelled(
    plan: Plan,
    rels: F64,
    recall: Recall,
    relevant: Relevant,
    rank: I32,
    depth: I64,
    number: I64,
    log2: F64,
    ideal_ones: F64,
    here: Lists,
    values: F64,
) -> None:
    """Fill `values` (queries, columns) of a label task; `number` are the relevant documents of each query."""
    i, none = 0, ideal_ones[:0]
    for q in range(values.shape[0]):
        found = 0
        while i < relevant.ends[q]:
            here.ranks[found], here.grades[found] = rank[relevant.places[i]] - 1, 1.0
            for kind in range(here.gains.shape[0]):
                here.gains[kind, found] = 1.0 if found < number[q] else 0.0
            found += 1
            i += 1
        for which in range(rels.size):
            here.number[which] = number[q] if rels[which] <= 1.0 else 0
        for g in range(plan.gained.size):
            here.ideal[g] = ideal_ones[min(plan.gained[g], number[q])]
        fill_values(plan, rels, here, found, depth[q], none, recall, log2, values[q])


@jit
def _logarithms(count: int) -> F64:
    """Return `log2(i + 2)`; numpy's own may have other bits."""
    logarithms: F64 = np.log2(np.arange(count) + 2.0)
    return logarithms


def judge(
    hits: HitColumns,
    queries: QueryColumns,
    tasks: Tasks,
    members: Members,
    scoring: Scoring,
    self_by_text: bool,
    gold_by_text: bool,
) -> Judged:
    """Remove self-retrievals, copies and duplicates, rank what is left, judge it and score it."""
    n_queries, n_hits, n_tasks = queries.id.size, hits.id.size, tasks.rule.size
    longest = int(np.diff(hits.offsets).max(initial=0))
    most = int(np.diff(queries.positive_offsets).max(initial=0))
    fate, rank, positive = np.zeros(n_hits, np.uint8), np.zeros(n_hits, np.int32), np.full(n_hits, -1, np.int64)
    depth, seen = np.empty(n_queries, np.int64), np.empty(1 << (2 * longest).bit_length(), np.int64)
    _rank(hits, queries.id, queries.text, self_by_text, seen, fate, rank, depth)
    by_label = tasks.rule != Rule.JUDGMENTS
    matched = Relevant(np.empty(n_hits + 1, np.int64), np.empty(n_queries, np.int64))
    if not by_label.all():
        _match(
            hits, rank, queries.positive_offsets, queries.positive_text, queries.positive_id, gold_by_text,
            np.empty(most, np.bool_), positive, matched,
        )  # fmt: skip
    plan, condensed = scoring.plan, scoring.condensed
    width = plan.formula.size
    largest = int(min(scoring.relevant[:, by_label].max(initial=0), plan.gained.max(initial=0)))
    log2 = _logarithms(max(longest, most, largest))
    ideal_ones = np.cumsum(np.append(0.0, 1.0 / log2[:largest]))  # DCG of so many relevant documents of gain 1
    here, here_condensed = (lists(part, longest + 1, scoring.gain_row.shape[1]) for part in (plan, condensed))
    found = Relevant(np.empty(n_hits + 1, np.int64), np.empty(n_queries, np.int64))
    relevant = np.zeros((n_tasks, n_hits), np.bool_)
    unlabelled = np.zeros(n_tasks, np.int64)
    values = np.zeros((n_tasks, n_queries, width + condensed.formula.size))
    for t in range(n_tasks):
        recall = Recall(scoring.recall_rule[t], scoring.recall_limit[t])
        if by_label[t]:
            unlabelled[t] = find_relevant(tasks, t, members, hits, queries, rank, found)
            relevant[t, found.places[: found.ends[-1] if n_queries else 0]] = True
            _score_labelled(
                plan, scoring.rels[t], recall, found, rank, depth, np.ascontiguousarray(scoring.relevant[:, t]),
                log2, ideal_ones, here, values[t, :, :width],
            )  # fmt: skip
            continue
        places = matched.places[: matched.ends[-1] if n_queries else 0]
        relevant[t, places] = queries.positive_grade[positive[places]] >= scoring.rel[t]
        for part, rels, room, columns in (
            (plan, scoring.rels[t], here, slice(width)),
            (condensed, scoring.condensed_rels[t], here_condensed, slice(width, None)),
        ):
            if part.formula.size:
                _score_positives(
                    part, rels, recall, part is condensed, matched, rank, depth, positive, queries.positive_offsets,
                    queries.positive_grade, scoring.gains, scoring.gain_row[t], log2, np.empty(most), room,
                    values[t, :, columns],
                )  # fmt: skip
    return Judged(fate, rank, relevant, positive, values.transpose(1, 0, 2), unlabelled)
