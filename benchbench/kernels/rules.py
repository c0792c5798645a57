"""Which hits are relevant for a task, by its rule: from labels, numbers or character spans of a query and of its hits.

Conventions
-----------
Labels are dictionary-encoded: a code stands for a set of labels, equal sets have equal codes, a negative code says that
there is none. Queries and hits share the codes. Numbers are NaN where there is none. The rows of `codes` and
`numbers` are the labels of all tasks; `Tasks` names them by their row.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from benchbench.kernels._jit import inline, leaf
from benchbench.kernels.arrays import F64, I32, I64, U64, Bools


class Rule(IntEnum):
    """When a hit is relevant; the names are those of the rules."""

    JUDGMENTS = 0
    EQUAL = 1
    OVERLAP = 2
    CONTAINS = 3
    WITHIN = 4
    SPAN = 5


class HitColumns(NamedTuple):
    """Hits of a chunk; those of query `q` are `offsets[q]:offsets[q + 1]`, best first."""

    offsets: I64
    id: U64
    text: U64
    codes: I32  # (coded labels, hits)
    numbers: F64  # (numeric labels, hits)


class QueryColumns(NamedTuple):
    """Queries of a chunk, with their positives in file order and their gold spans."""

    id: U64
    text: U64
    codes: I32  # (coded labels, queries)
    numbers: F64  # (numeric labels, queries)
    positive_offsets: I64
    positive_id: U64
    positive_text: U64
    positive_grade: F64
    span_offsets: I64  # (span labels, queries + 1)
    span_file: I32
    span_start: F64
    span_end: F64  # behind the last character


class Tasks(NamedTuple):
    """One entry per task; what a rule does not use is 0."""

    rule: I64
    label: I64  # row of `codes` (EQUAL, OVERLAP, CONTAINS), of `numbers` (WITHIN), or of `span_offsets` (SPAN)
    least: F64  # members that sets share (OVERLAP; infinite where only `jaccard` counts), or characters (SPAN)
    jaccard: F64  # that suffices for OVERLAP; infinite where it does not count
    inside: Bools  # CONTAINS: whether the hit's set lies within the query's
    absolute: F64
    relative: F64
    file: I64  # SPAN: the row of `codes` with a hit's file …
    start: I64  # … and those of `numbers` with where it begins and ends
    end: I64
    same_offsets: I64  # (tasks + 1,): rows of `codes` that must be equal, `same[same_offsets[t]:same_offsets[t + 1]]`
    same: I64
    unless_offsets: I64  # (tasks + 1,): rows of `codes` of which a set one decides, for WITHIN
    unless: I64


class Members(NamedTuple):
    """The members of the set of each code, ascending: `member[offsets[code]:offsets[code + 1]]`."""

    offsets: I64
    member: I32


_ROUNDING = 1e-12  # of decimal fractions: 11.94 lies within 20 % of 9.95


@inline
def _shared(members: Members, one: int, other: int) -> int:
    """Return how many members two sets share."""
    i, i_end = members.offsets[one], members.offsets[one + 1]
    j, j_end = members.offsets[other], members.offsets[other + 1]
    shared = 0
    while i < i_end and j < j_end:
        a, b = members.member[i], members.member[j]
        shared += a == b
        i += a <= b
        j += b <= a
    return shared


@inline
def _size(members: Members, code: int) -> int:
    return int(members.offsets[code + 1] - members.offsets[code])


@inline
def _fits_sets(tasks: Tasks, t: int, members: Members, code: int, wanted: int) -> bool:
    """Say whether a hit's set is relevant for OVERLAP or CONTAINS."""
    shared = _shared(members, code, wanted)
    size, size_wanted = _size(members, code), _size(members, wanted)
    if tasks.rule[t] == Rule.CONTAINS:
        return bool(shared == (size if tasks.inside[t] else size_wanted))
    if shared >= tasks.least[t]:
        return True
    return bool(shared / (size + size_wanted - shared) >= tasks.jaccard[t])  # a product would round past 28 of 50: 0.56


class Relevant(NamedTuple):
    """The hits of some queries that are relevant for a task: those of query `q` end at `ends[q]` of `places`."""

    places: I64
    ends: I64


@inline
def _of_equal_labels(first: int, last: int, offsets: I64, rank: I32, codes: I32, wanted: I32, out: Relevant) -> None:
    found = 0
    for q in range(first, last):
        if wanted[q] >= 0:
            for h in range(np.uint64(offsets[q]), np.uint64(offsets[q + 1])):
                out.places[np.uint64(found)] = np.int64(h)
                found += (codes[h] == wanted[q]) & (rank[h] > 0)
        out.ends[q] = found


@inline
def _of_sets(
    tasks: Tasks,
    t: int,
    members: Members,
    first: int,
    last: int,
    offsets: I64,
    rank: I32,
    codes: I32,
    wanted: I32,
    out: Relevant,
) -> None:
    found = 0
    for q in range(first, last):
        if wanted[q] >= 0:
            for h in range(offsets[q], offsets[q + 1]):
                if codes[h] >= 0 and rank[h] > 0 and _fits_sets(tasks, t, members, codes[h], wanted[q]):
                    out.places[found] = h
                    found += 1
        out.ends[q] = found


@inline
def _of_numbers(
    tasks: Tasks,
    t: int,
    first: int,
    last: int,
    hits: HitColumns,
    queries: QueryColumns,
    rank: I32,
    unless: I64,
    out: Relevant,
) -> None:
    numbers, found, several = hits.numbers[tasks.label[t]], 0, unless.size > 0
    for q in range(first, last):
        wanted = queries.numbers[tasks.label[t], q]
        size, places = abs(wanted), out.places
        most = max(tasks.absolute[t], tasks.relative[t] * size)
        query_decides = False
        for row in unless:
            query_decides |= queries.codes[row, q] >= 0
        for h in range(np.uint64(hits.offsets[q]), np.uint64(hits.offsets[q + 1])):
            fits = abs(numbers[h] - wanted) <= most + _ROUNDING * max(abs(numbers[h]), size)
            if several:
                decides, is_equal = query_decides, True
                for row in unless:
                    decides |= hits.codes[row, h] >= 0
                    is_equal &= hits.codes[row, h] == queries.codes[row, q]
                fits = is_equal if decides else fits
            places[np.uint64(found)] = np.int64(h)
            found += fits & (rank[h] > 0)
        out.ends[q] = found


@inline
def _of_spans(
    tasks: Tasks, t: int, first: int, last: int, hits: HitColumns, queries: QueryColumns, rank: I32, out: Relevant
) -> None:
    files, starts, ends = hits.codes[tasks.file[t]], hits.numbers[tasks.start[t]], hits.numbers[tasks.end[t]]
    found = 0
    for q in range(first, last):
        begin, end = queries.span_offsets[tasks.label[t], q], queries.span_offsets[tasks.label[t], q + 1]
        for h in range(hits.offsets[q], hits.offsets[q + 1]):
            fits = False
            for s in range(begin, end):
                overlap = min(ends[h], queries.span_end[s]) - max(starts[h], queries.span_start[s])
                fits |= queries.span_file[s] == files[h] and overlap >= tasks.least[t]
            out.places[found] = h
            found += fits & (files[h] >= 0) & (rank[h] > 0)
        out.ends[q] = found


@inline
def _keep_same(first: int, last: int, codes: I32, wanted: I32, out: Relevant) -> None:
    """Leave out the hits that differ from their query in a label that must be the same."""
    begin, found = 0, 0
    for q in range(first, last):
        end = out.ends[q]
        for i in range(begin, end):
            h = out.places[i]
            out.places[found] = h
            found += codes[h] == wanted[q]
        begin, out.ends[q] = end, found


@inline
def _count_without(numbers: F64, codes: I32, rows: I64, rank: I32) -> int:
    """Return how many kept hits have neither a number nor one of some labels."""
    missing = 0
    for h in range(rank.size):
        decides = False
        for row in rows:
            decides |= codes[row, h] >= 0
        missing += np.isnan(numbers[h]) and not decides and rank[h] > 0
    return missing


@inline
def _none_set(codes: I32) -> bool:
    """Say whether no label is set."""
    found = 0
    for code in codes:
        found += code >= 0
    return found == 0


@inline
def _count_unset(codes: I32, rank: I32) -> int:
    """Return how many kept hits have no code."""
    unset = 0
    for h in range(rank.size):
        unset += (rank[h] > 0) & (codes[h] < 0)
    return unset


@inline
def _count_unplaced(files: I32, starts: F64, ends: F64, rank: I32) -> int:
    """Return how many kept hits lack a file, a start or an end."""
    unplaced = 0
    for h in range(rank.size):
        unplaced += (rank[h] > 0) & ((files[h] < 0) | np.isnan(starts[h] + ends[h]))
    return unplaced


@leaf
def find_relevant(
    tasks: Tasks,
    t: int,
    members: Members,
    first: int,
    last: int,
    hits: HitColumns,
    queries: QueryColumns,
    rank: I32,
    out: Relevant,
) -> int:
    """Find the hits that are relevant for a task, by any rule but JUDGMENTS.

    Parameters
    ----------
    tasks, t
        The task is the one numbered `t`.
    members
        Of all codes.
    first, last
        Which queries.
    hits, queries
        Of a chunk.
    rank
        Of each hit, 0 for a removed one, which is not relevant and not counted.
    out
        To be filled; `places` has one entry more than there are hits.

    Returns
    -------
    int
        The number of hits that lack what the rule compares.
    """
    rule, label = tasks.rule[t], tasks.label[t]
    h, end = hits.offsets[first], hits.offsets[last]
    if rule == Rule.WITHIN:
        unless = tasks.unless[tasks.unless_offsets[t] : tasks.unless_offsets[t + 1]]
        nowhere = True
        for row in unless:
            nowhere &= _none_set(hits.codes[row, h:end]) and _none_set(queries.codes[row, first:last])
        if nowhere:  # they decide nothing here
            unless = unless[:0]
        _of_numbers(tasks, t, first, last, hits, queries, rank, unless, out)
        missing = _count_without(hits.numbers[label, h:end], hits.codes[:, h:end], unless, rank[h:end])
    elif rule == Rule.SPAN:
        _of_spans(tasks, t, first, last, hits, queries, rank, out)
        numbers = hits.numbers[tasks.start[t], h:end], hits.numbers[tasks.end[t], h:end]
        missing = _count_unplaced(hits.codes[tasks.file[t], h:end], *numbers, rank[h:end])
    else:
        codes, wanted = hits.codes[label], queries.codes[label]
        if rule == Rule.EQUAL:
            _of_equal_labels(first, last, hits.offsets, rank, codes, wanted, out)
        else:
            _of_sets(tasks, t, members, first, last, hits.offsets, rank, codes, wanted, out)
        missing = _count_unset(codes[h:end], rank[h:end])
    for row in tasks.same[tasks.same_offsets[t] : tasks.same_offsets[t + 1]]:
        _keep_same(first, last, hits.codes[row], queries.codes[row], out)
    return missing
