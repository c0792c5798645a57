"""Pairs of query and document with the grades of several: one column per pair that anybody graded."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from benchbench.kernels.arrays import F64, I64, U64, Bools
from benchbench.tables.qrels_runs import QrelsTable

_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Rated:
    """Grades of people and judges.

    Attributes
    ----------
    key
        (pairs,): what each pair is known by, rising.
    query
        (pairs,): its query, from 0, in the order in which the first rater has them.
    grades
        (raters, pairs): NaN where a rater has given none. People come first.
    queries
        How many there are.
    own
        Of each rater, (its pairs,): the places of its pairs, in its own order.
    """

    key: U64
    query: I64
    grades: F64
    queries: int
    own: tuple[I64, ...]

    @cached_property
    def given(self) -> Bools:
        """(raters, pairs): whether there is a grade."""
        found: Bools = ~np.isnan(self.grades)
        return found

    def both(self, judge: int) -> Bools:
        """Return which pairs have grades by people and by a judge, whose place is from 1."""
        found: Bools = self.given[0] & self.given[judge]
        return found

    def at(self, queries: U64, documents: U64) -> I64:
        """Return the places of pairs by the hashes of their ids; -1 for one that nobody graded."""
        key = keys(queries, documents)
        place = np.minimum(np.searchsorted(self.key, key), max(self.key.size - 1, 0))
        found: I64 = np.where(self.key[place] == key, place, -1)
        return found


def keys(queries: U64, documents: U64) -> U64:
    """Return what pairs are known by: two pairs of a million share it with probability 3e-8."""
    found: U64 = documents ^ (queries * _ODD)
    return found


def rated(raters: Sequence[QrelsTable]) -> Rated:
    """Return the pairs that any of some raters has graded."""
    known, order = np.unique(np.concatenate([one.query for one in raters]), return_index=True)
    number = np.empty(known.size, np.int64)
    number[np.argsort(order)] = np.arange(known.size)
    sizes = [np.diff(one.offsets) for one in raters]
    owners = [np.repeat(one.query, size) for one, size in zip(raters, sizes, strict=True)]
    queries = [
        np.repeat(number[np.searchsorted(known, one.query)], size) for one, size in zip(raters, sizes, strict=True)
    ]
    their_keys = np.concatenate([keys(query, one.document) for query, one in zip(owners, raters, strict=True)])
    key, first, places = np.unique(their_keys, return_index=True, return_inverse=True)
    own = np.split(places, np.cumsum([one.document.size for one in raters])[:-1])
    grades = np.full((len(raters), key.size), np.nan)
    for row, at, one in zip(grades, own, raters, strict=True):
        row[at] = one.grade
    return Rated(key, np.concatenate(queries)[first], grades, int(known.size), tuple(own))
