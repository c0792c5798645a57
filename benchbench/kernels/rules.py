"""Which hits are relevant for a task, by its rule: from labels, numbers or character spans of a query and of its hits.

Conventions
-----------
Labels are dictionary-encoded: a code stands for a set of labels, equal sets have equal codes, a negative code says that
there is none. Queries and hits share the codes. Numbers are NaN where there is none. The rows of `codes` and
`numbers` are the labels of all tasks; `Tasks` names them by their row.
"""

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from benchbench.kernels._jit import inline, leaf, step
from benchbench.kernels.arrays import F64, I32, I64, U64, Records


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


TASK = np.dtype(
    [
        ("rule", np.int64),
        ("label", np.int64),  # row of `codes` (EQUAL, OVERLAP, CONTAINS), `numbers` (WITHIN), or `span_offsets` (SPAN)
        ("least", np.float64),  # members that sets share (OVERLAP; infinite where only `jaccard` counts), or characters
        ("jaccard", np.float64),  # that suffices for OVERLAP; infinite where it does not count
        ("inside", np.bool_),  # CONTAINS: whether the hit's set lies within the query's
        ("absolute", np.float64),
        ("relative", np.float64),
        ("file", np.int64),  # SPAN: the row of `codes` with a hit's file …
        ("start", np.int64),  # … and those of `numbers` with where it begins and ends
        ("end", np.int64),
        ("same", np.int64),  # `rows[same:unless]`: rows of `codes` that must be equal …
        ("unless", np.int64),  # … and `rows[unless:last]`, for WITHIN: those of which a set one decides
        ("last", np.int64),
    ],
    align=True,
)


class Tasks(NamedTuple):
    """What tasks compare."""

    each: Records  # `TASK`; what a rule does not use is 0
    rows: I64


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
def _fits_sets(task: Any, members: Members, code: int, wanted: int) -> bool:
    """Say whether a hit's set is relevant for OVERLAP or CONTAINS."""
    shared = _shared(members, code, wanted)
    size, size_wanted = _size(members, code), _size(members, wanted)
    if task.rule == Rule.CONTAINS:
        return bool(shared == (size if task.inside else size_wanted))
    if shared >= task.least:
        return True
    return bool(shared / (size + size_wanted - shared) >= task.jaccard)  # a product would round past 28 of 50: 0.56


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
    task: Any,
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
                if codes[h] >= 0 and rank[h] > 0 and _fits_sets(task, members, codes[h], wanted[q]):
                    out.places[found] = h
                    found += 1
        out.ends[q] = found


@inline
def _of_numbers(
    task: Any,
    first: int,
    last: int,
    offsets: I64,
    rank: I32,
    numbers: F64,
    wanted: F64,
    codes: I32,
    wanted_codes: I32,
    unless: I64,
    places: I64,
    ends: I64,
) -> None:
    found, several = 0, unless.size > 0
    for q in range(first, last):
        number = wanted[q]
        size = abs(number)
        most = max(task.absolute, task.relative * size)
        query_decides = False
        for row in unless:
            query_decides |= wanted_codes[row, q] >= 0
        for h in range(np.uint64(offsets[q]), np.uint64(offsets[q + 1])):
            fits = abs(numbers[h] - number) <= most + _ROUNDING * max(abs(numbers[h]), size)
            if several:
                decides, is_equal = query_decides, True
                for row in unless:
                    decides |= codes[row, h] >= 0
                    is_equal &= codes[row, h] == wanted_codes[row, q]
                fits = is_equal if decides else fits
            places[np.uint64(found)] = np.int64(h)
            found += fits & (rank[h] > 0)
        ends[q] = found


@inline
def _of_spans(
    least: float,
    first: int,
    last: int,
    offsets: I64,
    rank: I32,
    files: I32,
    starts: F64,
    ends: F64,
    span_offsets: I64,
    span_file: I32,
    span_start: F64,
    span_end: F64,
    out: Relevant,
) -> None:
    found = 0
    for q in range(first, last):
        begin, end = span_offsets[q], span_offsets[q + 1]
        for h in range(offsets[q], offsets[q + 1]):
            fits = False
            for s in range(begin, end):
                overlap = min(ends[h], span_end[s]) - max(starts[h], span_start[s])
                fits |= span_file[s] == files[h] and overlap >= least
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
def _count_without(numbers: F64, codes: I32, rows: I64, rank: I32, first: int, last: int) -> int:
    """Return how many kept hits have neither a number nor one of some labels."""
    missing = 0
    for h in range(np.uint64(first), np.uint64(last)):
        decides = False
        for row in rows:
            decides |= codes[row, h] >= 0
        missing += np.isnan(numbers[h]) and not decides and rank[h] > 0
    return missing


@inline
def _none_set(codes: I32, first: int, last: int) -> bool:
    """Say whether no label is set."""
    found = 0
    for i in range(np.uint64(first), np.uint64(last)):
        found += codes[i] >= 0
    return found == 0


@inline
def _count_unset(codes: I32, rank: I32, first: int, last: int) -> int:
    """Return how many kept hits have no code."""
    unset = 0
    for h in range(np.uint64(first), np.uint64(last)):
        unset += (rank[h] > 0) & (codes[h] < 0)
    return unset


@inline
def _count_unplaced(files: I32, starts: F64, ends: F64, rank: I32, first: int, last: int) -> int:
    """Return how many kept hits lack a file, a start or an end."""
    unplaced = 0
    for h in range(np.uint64(first), np.uint64(last)):
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
    """Do what `relevant_hits` says, for Python."""
    return relevant_hits(tasks, t, members, first, last, hits, queries, rank, out)


@step
def relevant_hits(
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
    task = tasks.each[t]
    rule, label, offsets, codes, numbers = task.rule, task.label, hits.offsets, hits.codes, hits.numbers
    h, end = offsets[first], offsets[last]
    if rule == Rule.WITHIN:
        unless, wanted = tasks.rows[task.unless : task.last], queries.codes
        nowhere = True
        for row in unless:
            nowhere &= _none_set(codes[row], h, end) and _none_set(wanted[row], first, last)
        if nowhere:  # they decide nothing here
            unless = unless[:0]
        _of_numbers(
            task, first, last, offsets, rank, numbers[label], queries.numbers[label], codes, wanted, unless,
            out.places, out.ends,
        )  # fmt: skip
        missing = _count_without(numbers[label], codes, unless, rank, h, end)
    elif rule == Rule.SPAN:
        files, starts, ends = codes[task.file], numbers[task.start], numbers[task.end]
        _of_spans(
            task.least, first, last, offsets, rank, files, starts, ends, queries.span_offsets[label],
            queries.span_file, queries.span_start, queries.span_end, out,
        )  # fmt: skip
        missing = _count_unplaced(files, starts, ends, rank, h, end)
    else:
        code, sought = codes[label], queries.codes[label]
        if rule == Rule.EQUAL:
            _of_equal_labels(first, last, offsets, rank, code, sought, out)
        else:
            _of_sets(task, members, first, last, offsets, rank, code, sought, out)
        missing = _count_unset(code, rank, h, end)
    for row in tasks.rows[task.same : task.unless]:
        _keep_same(first, last, codes[row], queries.codes[row], out)
    return missing
