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

from benchbench.kernels._jit import inline
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


RELEVANT, OTHER, UNLABELLED = 1, 0, -1

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
    return members.offsets[code + 1] - members.offsets[code]


@inline
def fits(number: float, other: float, absolute: float, relative: float) -> bool:
    """Say whether numbers differ by at most `absolute` or `relative` of the first, whichever is larger."""
    most = max(absolute, relative * abs(number))
    return abs(number - other) <= most + _ROUNDING * max(abs(number), abs(other))


@inline
def _of_sets(tasks: Tasks, t: int, members: Members, code: int, wanted: int) -> bool:
    """Say whether a hit's set is relevant for OVERLAP or CONTAINS."""
    shared = _shared(members, code, wanted)
    size, size_wanted = _size(members, code), _size(members, wanted)
    if tasks.rule[t] == Rule.CONTAINS:
        return bool(shared == (size if tasks.inside[t] else size_wanted))
    return bool(shared >= tasks.least[t] or shared >= tasks.jaccard[t] * (size + size_wanted - shared))


@inline
def _of_numbers(tasks: Tasks, t: int, hits: HitColumns, h: int, queries: QueryColumns, q: int) -> int:
    is_set, is_equal = False, True
    hit_is_set = False
    for i in range(tasks.unless_offsets[t], tasks.unless_offsets[t + 1]):
        row = tasks.unless[i]
        code, wanted = hits.codes[row, h], queries.codes[row, q]
        hit_is_set |= code >= 0
        is_set |= code >= 0 or wanted >= 0
        is_equal &= code == wanted
    number, wanted_number = hits.numbers[tasks.label[t], h], queries.numbers[tasks.label[t], q]
    if np.isnan(number) and not hit_is_set:
        return UNLABELLED
    if is_set:
        return RELEVANT if is_equal else OTHER
    if np.isnan(wanted_number):
        return OTHER
    return RELEVANT if fits(wanted_number, number, tasks.absolute[t], tasks.relative[t]) else OTHER


@inline
def _of_spans(tasks: Tasks, t: int, hits: HitColumns, h: int, queries: QueryColumns, q: int) -> int:
    file = hits.codes[tasks.file[t], h]
    start, end = hits.numbers[tasks.start[t], h], hits.numbers[tasks.end[t], h]
    if file < 0 or np.isnan(start) or np.isnan(end):
        return UNLABELLED
    for s in range(queries.span_offsets[tasks.label[t], q], queries.span_offsets[tasks.label[t], q + 1]):
        overlap = min(end, queries.span_end[s]) - max(start, queries.span_start[s])
        if queries.span_file[s] == file and overlap >= tasks.least[t]:
            return RELEVANT
    return OTHER


@inline
def relevance(tasks: Tasks, t: int, members: Members, hits: HitColumns, h: int, queries: QueryColumns, q: int) -> int:
    """Return RELEVANT, OTHER, or UNLABELLED for a hit that lacks what the rule compares; not for JUDGMENTS."""
    rule = tasks.rule[t]
    if rule == Rule.SPAN:
        return _of_spans(tasks, t, hits, h, queries, q)
    found = UNLABELLED
    if rule == Rule.WITHIN:
        found = _of_numbers(tasks, t, hits, h, queries, q)
    else:
        code, wanted = hits.codes[tasks.label[t], h], queries.codes[tasks.label[t], q]
        if code >= 0:
            found = OTHER
            if code == wanted:
                found = RELEVANT if rule == Rule.EQUAL else found
            if rule != Rule.EQUAL and wanted >= 0:
                found = RELEVANT if _of_sets(tasks, t, members, code, wanted) else OTHER
    if found == RELEVANT:
        for i in range(tasks.same_offsets[t], tasks.same_offsets[t + 1]):
            if hits.codes[tasks.same[i], h] != queries.codes[tasks.same[i], q]:
                return OTHER
    return found
