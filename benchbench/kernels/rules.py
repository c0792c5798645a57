"""Which hits are relevant for a task, by its rule: from labels, numbers or character spans of a query and of its hits.

Conventions
-----------
Labels are dictionary-encoded: a code stands for a set of labels, equal sets have equal codes, a negative code says that
there is none. Queries and hits share the codes. Numbers are NaN where there is none. The rows of `codes` and
`numbers` are the labels of all tasks; a `LabelComparison` names them by their row.

A rule that compares labels is a class of `LabelComparison` here, with its kernel.
What is said of the rule is a row of `tasks.rules`, whose parameters are the fields of the class.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from benchbench.kernels._jit import inline, leaf
from benchbench.kernels.arrays import F64, I32, I64, U64, Bools, F64x2, I32x2, I64x2


class HitColumns(NamedTuple):
    """Hits of a chunk; those of query `q` are `offsets[q]:offsets[q + 1]`, best first."""

    offsets: I64
    id: U64
    text: U64
    codes: I32x2  # (coded labels, hits)
    numbers: F64x2  # (numeric labels, hits)


class QueryColumns(NamedTuple):
    """Queries of a chunk, with their positives in file order and their gold spans."""

    id: U64
    text: U64
    codes: I32x2  # (coded labels, queries)
    numbers: F64x2  # (numeric labels, queries)
    positive_offsets: I64
    positive_id: U64
    positive_text: U64
    positive_grade: F64
    span_offsets: I64x2  # (span labels, queries + 1)
    span_file: I32
    span_start: F64
    span_end: F64  # behind the last character


class Members(NamedTuple):
    """The members of the set of each code, ascending: `member[offsets[code]:offsets[code + 1]]`."""

    offsets: I64
    member: I32


class RankedQueries(NamedTuple):
    """Queries `first:last`, which hits they have, and the rank of each hit, 0 for a removed one."""

    first: int
    last: int
    offsets: I64
    rank: I32


class RankedChunk(NamedTuple):
    """Queries `first:last`, and their hits."""

    first: int
    last: int
    hits: HitColumns
    queries: QueryColumns
    members: Members  # of all codes
    rank: I32  # of each hit, 0 for a removed one, which is not relevant and not counted

    @property
    def ranked(self) -> RankedQueries:
        """What every kernel takes."""
        return RankedQueries(self.first, self.last, self.hits.offsets, self.rank)


class Relevant(NamedTuple):
    """The hits of some queries that are relevant for a task: those of query `q` end at `ends[q]` of `places`."""

    places: I64  # with room for one more than there are hits
    ends: I64


@dataclass(frozen=True)
class LabelComparison(ABC):
    """What a task compares, by one rule; `label` is a row of `codes`, `numbers` or `span_offsets`."""

    label: int
    is_equality: ClassVar[bool] = False  # whether hits are relevant exactly where they have the code of the query

    @abstractmethod
    def find(self, chunk: RankedChunk, found: Relevant) -> int:
        """Fill in the hits that are relevant; return the number of hits that lack what is compared."""

    @abstractmethod
    def compared(self, columns: HitColumns | QueryColumns) -> Sequence[I32 | F64] | None:
        """Return columns of which equal rows are compared alike; None where no columns are compared."""

    @abstractmethod
    def lacking(self, queries: QueryColumns, members: Members) -> Bools:
        """Say of each query whether it lacks what is compared, so that no hit can be relevant for it."""


_ROUNDING = 1e-12  # of decimal fractions: 11.94 lies within 20 % of 9.95


@inline
def _fits_sets(
    contains: bool, inside: bool, least: float, jaccard: float, members: Members, code: int, wanted: int
) -> bool:
    """Say whether a hit's set overlaps the query's, or contains it."""
    i, i_end = members.offsets[code], members.offsets[code + 1]
    j, j_end = members.offsets[wanted], members.offsets[wanted + 1]
    size, size_wanted = i_end - i, j_end - j
    shared = 0
    while i < i_end and j < j_end:
        a, b = members.member[i], members.member[j]
        shared += a == b
        i += a <= b
        j += b <= a
    if contains:
        return bool(shared == (size if inside else size_wanted))
    if shared >= least:
        return True
    return bool(shared / (size + size_wanted - shared) >= jaccard)  # a product would round past 28 of 50: 0.56


@leaf
def _of_equal_labels(hits: RankedQueries, codes: I32, wanted: I32, relevant: Relevant) -> int:
    count, missing = 0, 0
    for q in range(hits.first, hits.last):
        for h in range(np.uint64(hits.offsets[q]), np.uint64(hits.offsets[q + 1])):
            relevant.places[np.uint64(count)] = np.int64(h)
            count += (codes[h] == wanted[q]) & (wanted[q] >= 0) & (hits.rank[h] > 0)
            missing += (codes[h] < 0) & (hits.rank[h] > 0)
        relevant.ends[q] = count
    return missing


class SetComparison(LabelComparison):
    """Sets of labels, each by its code."""

    def compared(self, columns: HitColumns | QueryColumns) -> Sequence[I32]:
        """Return codes."""
        return [columns.codes[self.label]]

    def lacking(self, queries: QueryColumns, members: Members) -> Bools:
        """Look for queries without a set."""
        missing: Bools = queries.codes[self.label] < 0
        return missing


class EqualSets(SetComparison):
    """Sets are equal."""

    is_equality = True

    def find(self, chunk: RankedChunk, found: Relevant) -> int:
        """Compare codes."""
        codes, wanted = chunk.hits.codes[self.label], chunk.queries.codes[self.label]
        return _of_equal_labels(chunk.ranked, codes, wanted, found)


@leaf
def _of_sets(
    contains: bool,
    inside: bool,
    least: float,
    jaccard: float,
    members: Members,
    hits: RankedQueries,
    codes: I32,
    wanted: I32,
    relevant: Relevant,
) -> int:
    count, missing = 0, 0
    for q in range(hits.first, hits.last):
        for h in range(hits.offsets[q], hits.offsets[q + 1]):
            if hits.rank[h] > 0:
                missing += codes[h] < 0
                if (
                    wanted[q] >= 0
                    and codes[h] >= 0
                    and _fits_sets(contains, inside, least, jaccard, members, codes[h], wanted[q])
                ):
                    relevant.places[count] = h
                    count += 1
        relevant.ends[q] = count
    return missing


@dataclass(frozen=True)
class OverlappingSets(SetComparison):
    """Sets share enough members, or enough of all that either has; infinite where the other alone decides."""

    least: float = math.inf
    jaccard: float = math.inf

    def find(self, chunk: RankedChunk, found: Relevant) -> int:
        """Count the members that are shared."""
        codes, wanted = chunk.hits.codes[self.label], chunk.queries.codes[self.label]
        return _of_sets(False, False, self.least, self.jaccard, chunk.members, chunk.ranked, codes, wanted, found)

    def lacking(self, queries: QueryColumns, members: Members) -> Bools:
        """Look for those with too few members as well, unless a share of them suffices."""
        if self.jaccard < math.inf:
            return super().lacking(queries, members)
        sizes = np.append(np.diff(members.offsets), 0)  # the last is that of no set: code -1
        few: Bools = sizes[np.maximum(queries.codes[self.label], -1)] < self.least
        return few


@dataclass(frozen=True)
class ContainedSets(SetComparison):
    """A hit's set has all members of the query's, or lies within it."""

    within: bool

    def find(self, chunk: RankedChunk, found: Relevant) -> int:
        """Count the members that are shared."""
        codes, wanted = chunk.hits.codes[self.label], chunk.queries.codes[self.label]
        return _of_sets(True, self.within, 0.0, 0.0, chunk.members, chunk.ranked, codes, wanted, found)


@leaf
def _keep_same(hits: RankedQueries, codes: I32, wanted: I32, relevant: Relevant) -> None:
    """Leave out the hits that differ from their query in a label that must be the same."""
    begin, count = 0, 0
    for q in range(hits.first, hits.last):
        end = relevant.ends[q]
        for i in range(begin, end):
            h = relevant.places[i]
            relevant.places[count] = h
            count += codes[h] == wanted[q]
        begin, relevant.ends[q] = end, count


@leaf
def _of_numbers(
    absolute: float,
    relative: float,
    rows: I64,
    hits: RankedQueries,
    numbers: F64,
    wanted: F64,
    codes: I32x2,
    wanted_codes: I32x2,
    relevant: Relevant,
) -> int:
    """Find the hits whose number fits; of hits and queries where one of some labels is set, all these must be equal."""
    count, missing, several = 0, 0, rows.size > 0
    for q in range(hits.first, hits.last):
        number = wanted[q]
        size = abs(number)
        most = max(absolute, relative * size)
        query_decides = False
        for row in rows:
            query_decides |= wanted_codes[row, q] >= 0
        for h in range(np.uint64(hits.offsets[q]), np.uint64(hits.offsets[q + 1])):
            fits = abs(numbers[h] - number) <= most + _ROUNDING * max(abs(numbers[h]), size)
            lacks = np.isnan(numbers[h])
            if several:
                decides, is_equal = False, True
                for row in rows:
                    decides |= codes[row, h] >= 0
                    is_equal &= codes[row, h] == wanted_codes[row, q]
                lacks &= not decides
                fits = is_equal if decides or query_decides else fits
            relevant.places[np.uint64(count)] = np.int64(h)
            count += fits & (hits.rank[h] > 0)
            missing += lacks & (hits.rank[h] > 0)
        relevant.ends[q] = count
    return missing


@dataclass(frozen=True)
class NearNumbers(LabelComparison):
    """Numbers lie so near to one another; `same` and `unless` are rows of `codes`.

    Those of `same` must be equal besides. Where a hit or a query has one of `unless`, the equality of all these decides
    instead of the numbers.
    """

    same: I64
    unless: I64
    absolute: float = 0.0
    relative: float = 0.0

    def find(self, chunk: RankedChunk, found: Relevant) -> int:
        """Compare numbers, and what decides instead of them or besides."""
        first, last, hits, queries, *_ = chunk
        rows = self.unless
        if rows.size:
            begin, behind = hits.offsets[first], hits.offsets[last]
            if (hits.codes[rows, begin:behind] < 0).all() and (queries.codes[rows, first:last] < 0).all():
                rows = rows[:0]  # they decide nothing here
        numbers, wanted = hits.numbers[self.label], queries.numbers[self.label]
        missing = _of_numbers(
            self.absolute, self.relative, rows, chunk.ranked, numbers, wanted, hits.codes, queries.codes, found
        )
        for row in self.same:
            _keep_same(chunk.ranked, hits.codes[row], queries.codes[row], found)
        return missing

    def compared(self, columns: HitColumns | QueryColumns) -> Sequence[I32 | F64]:
        """Return numbers, and all labels."""
        return [columns.numbers[self.label], *columns.codes[self.same], *columns.codes[self.unless]]

    def lacking(self, queries: QueryColumns, members: Members) -> Bools:
        """Look for queries without a number, and without what decides instead."""
        lacks: Bools = np.isnan(queries.numbers[self.label]) & (queries.codes[self.unless] < 0).all(axis=0)
        return lacks


class GoldSpans(NamedTuple):
    """Spans of queries for one label."""

    offsets: I64
    file: I32
    start: F64
    end: F64


def none_counts(offsets: I64, counts: Bools) -> Bools:
    """Say of each query whether none of what it has counts."""
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    none: Bools = before[offsets[1:]] == before[offsets[:-1]]
    return none


@leaf
def _of_spans(
    least: float,
    hits: RankedQueries,
    files: I32,
    starts: F64,
    stops: F64,
    gold: GoldSpans,
    relevant: Relevant,
) -> int:
    count, missing = 0, 0
    for q in range(hits.first, hits.last):
        for h in range(hits.offsets[q], hits.offsets[q + 1]):
            fits = False
            for s in range(gold.offsets[q], gold.offsets[q + 1]):
                overlap = min(stops[h], gold.end[s]) - max(starts[h], gold.start[s])
                fits |= gold.file[s] == files[h] and overlap >= least
            relevant.places[count] = h
            count += fits & (files[h] >= 0) & (hits.rank[h] > 0)
            missing += (hits.rank[h] > 0) & ((files[h] < 0) | np.isnan(starts[h] + stops[h]))
        relevant.ends[q] = count
    return missing


@dataclass(frozen=True)
class SharedSpans(LabelComparison):
    """Characters of a file that a hit and a gold span of the query share; the others are rows of what hits have."""

    least: float
    file: int
    start: int
    end: int

    def find(self, chunk: RankedChunk, found: Relevant) -> int:
        """Compare with each span of the query."""
        hits, queries = chunk.hits, chunk.queries
        gold = GoldSpans(queries.span_offsets[self.label], queries.span_file, queries.span_start, queries.span_end)
        files, starts, stops = hits.codes[self.file], hits.numbers[self.start], hits.numbers[self.end]
        return _of_spans(self.least, chunk.ranked, files, starts, stops, gold, found)

    def compared(self, columns: HitColumns | QueryColumns) -> Sequence[I32 | F64] | None:
        """Return what hits have; of queries, which have any number of spans, None."""
        if isinstance(columns, QueryColumns):
            return None
        return [columns.codes[self.file], columns.numbers[self.start], columns.numbers[self.end]]

    def lacking(self, queries: QueryColumns, members: Members) -> Bools:
        """Look for queries without a span of enough characters."""
        return none_counts(queries.span_offsets[self.label], queries.span_end - queries.span_start >= self.least)
