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

from benchbench.kernels._jit import inline, leaf
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
def _fits_sets(
    contains: bool, inside: bool, least: float, jaccard: float, offsets: I64, member: I32, code: int, wanted: int
) -> bool:
    """Say whether a hit's set is relevant for OVERLAP or CONTAINS."""
    i, i_end = offsets[code], offsets[code + 1]
    j, j_end = offsets[wanted], offsets[wanted + 1]
    size, size_wanted = i_end - i, j_end - j
    shared = 0
    while i < i_end and j < j_end:
        a, b = member[i], member[j]
        shared += a == b
        i += a <= b
        j += b <= a
    if contains:
        return bool(shared == (size if inside else size_wanted))
    if shared >= least:
        return True
    return bool(shared / (size + size_wanted - shared) >= jaccard)  # a product would round past 28 of 50: 0.56


class Relevant(NamedTuple):
    """The hits of some queries that are relevant for a task: those of query `q` end at `ends[q]` of `places`."""

    places: I64
    ends: I64


@leaf
def _of_equal_labels(
    first: int, last: int, offsets: I64, rank: I32, codes: I32, wanted: I32, places: I64, ends: I64
) -> int:
    found, missing = 0, 0
    for q in range(first, last):
        for h in range(np.uint64(offsets[q]), np.uint64(offsets[q + 1])):
            places[np.uint64(found)] = np.int64(h)
            found += (codes[h] == wanted[q]) & (wanted[q] >= 0) & (rank[h] > 0)
            missing += (codes[h] < 0) & (rank[h] > 0)
        ends[q] = found
    return missing


@leaf
def _of_sets(
    contains: bool,
    inside: bool,
    least: float,
    jaccard: float,
    ends_of: I64,
    member: I32,
    first: int,
    last: int,
    offsets: I64,
    rank: I32,
    codes: I32,
    wanted: I32,
    places: I64,
    ends: I64,
) -> int:
    found, missing = 0, 0
    for q in range(first, last):
        for h in range(offsets[q], offsets[q + 1]):
            if rank[h] > 0:
                missing += codes[h] < 0
                if (
                    wanted[q] >= 0
                    and codes[h] >= 0
                    and _fits_sets(contains, inside, least, jaccard, ends_of, member, codes[h], wanted[q])
                ):
                    places[found] = h
                    found += 1
        ends[q] = found
    return missing


@leaf
def _of_numbers(
    absolute: float,
    relative: float,
    rows: I64,
    first: int,
    last: int,
    offsets: I64,
    rank: I32,
    numbers: F64,
    wanted: F64,
    codes: I32,
    wanted_codes: I32,
    places: I64,
    ends: I64,
) -> int:
    """Find the hits whose number fits; of hits and queries where one of some labels is set, all these must be equal."""
    found, missing, several = 0, 0, rows.size > 0
    for q in range(first, last):
        number = wanted[q]
        size = abs(number)
        most = max(absolute, relative * size)
        query_decides = False
        for row in rows:
            query_decides |= wanted_codes[row, q] >= 0
        for h in range(np.uint64(offsets[q]), np.uint64(offsets[q + 1])):
            fits = abs(numbers[h] - number) <= most + _ROUNDING * max(abs(numbers[h]), size)
            lacks = np.isnan(numbers[h])
            if several:
                decides, is_equal = False, True
                for row in rows:
                    decides |= codes[row, h] >= 0
                    is_equal &= codes[row, h] == wanted_codes[row, q]
                lacks &= not decides
                fits = is_equal if decides or query_decides else fits
            places[np.uint64(found)] = np.int64(h)
            found += fits & (rank[h] > 0)
            missing += lacks & (rank[h] > 0)
        ends[q] = found
    return missing


@leaf
def _of_spans(
    least: float,
    first: int,
    last: int,
    offsets: I64,
    rank: I32,
    files: I32,
    starts: F64,
    stops: F64,
    span_offsets: I64,
    span_file: I32,
    span_start: F64,
    span_end: F64,
    places: I64,
    ends: I64,
) -> int:
    found, missing = 0, 0
    for q in range(first, last):
        for h in range(offsets[q], offsets[q + 1]):
            fits = False
            for s in range(span_offsets[q], span_offsets[q + 1]):
                overlap = min(stops[h], span_end[s]) - max(starts[h], span_start[s])
                fits |= span_file[s] == files[h] and overlap >= least
            places[found] = h
            found += fits & (files[h] >= 0) & (rank[h] > 0)
            missing += (rank[h] > 0) & ((files[h] < 0) | np.isnan(starts[h] + stops[h]))
        ends[q] = found
    return missing


@leaf
def _keep_same(first: int, last: int, codes: I32, wanted: I32, places: I64, ends: I64) -> None:
    """Leave out the hits that differ from their query in a label that must be the same."""
    begin, found = 0, 0
    for q in range(first, last):
        end = ends[q]
        for i in range(begin, end):
            h = places[i]
            places[found] = h
            found += codes[h] == wanted[q]
        begin, ends[q] = end, found


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
    """Find the hits that are relevant for a task, by any rule but JUDGMENTS; each kernel is compiled when it is needed.

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

    Raises
    ------
    NotImplementedError
        A rule without a branch, JUDGMENTS among them.
    """
    task: Any = tasks.each[t].item()
    rule, label, least, jaccard, inside, absolute, relative, file, start, stop, same, unless, end = task
    given: tuple[Any, Any, Any, Any] = first, last, hits.offsets, rank
    codes, wanted = hits.codes, queries.codes
    if rule == Rule.WITHIN:
        begin, behind = hits.offsets[first], hits.offsets[last]
        rows = tasks.rows[unless:end]
        if rows.size and (codes[rows, begin:behind] < 0).all() and (wanted[rows, first:last] < 0).all():
            rows = rows[:0]  # they decide nothing here
        missing = _of_numbers(
            absolute, relative, rows, *given, hits.numbers[label], queries.numbers[label], codes, wanted, *out
        )
    elif rule == Rule.SPAN:
        missing = _of_spans(
            least, *given, codes[file], hits.numbers[start], hits.numbers[stop], queries.span_offsets[label],
            queries.span_file, queries.span_start, queries.span_end, *out,
        )  # fmt: skip
    elif rule == Rule.EQUAL:
        missing = _of_equal_labels(*given, codes[label], wanted[label], *out)
    elif rule in (Rule.OVERLAP, Rule.CONTAINS):
        contains = rule == Rule.CONTAINS
        missing = _of_sets(contains, inside, least, jaccard, *members, *given, codes[label], wanted[label], *out)
    else:
        raise NotImplementedError(f"find_relevant has no branch for rule {rule}")
    for row in tasks.rows[same:unless]:
        _keep_same(first, last, codes[row], wanted[row], *out)
    return missing
