"""The quality of the answers of a step, judged as the answers of a run.

Conventions
-----------
Queries are asked over and over, some more often than others. So that every query weighs the
same, a value is first averaged over the times that a query was asked, then over queries, in their order. Where a
service gives a query the same hits each time, and all queries were asked, the values are those of a run, to the bit.

Metrics
-------
answered
    Over the answers only. Queries that never got one are left out.
asked
    Over all requests: the queries of a failed request count as those of an empty answer, 0 for nearly every measure.
change
    Of the answers from those of the reference pass, over the queries that have both. Steps ask different queries, so
    that their means differ where quality does not.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from benchbench.client.decode import AnswerReader
from benchbench.client.payload import Payload
from benchbench.client.profiles import Profile
from benchbench.client.response_layout import ProtocolError
from benchbench.kernels.arrays import F64, I64, Bools
from benchbench.kernels.judge_hits import COPY, DUPLICATE, KEPT, SELF, Judged
from benchbench.loads.batches import Batches, Requests, batches
from benchbench.loads.metrics import CHANGE
from benchbench.loads.recorder import ReceivedAnswers
from benchbench.loads.step import Load
from benchbench.measures.aggregate import Blocks, block_estimates, block_values, means_of
from benchbench.measures.catalog import CATALOG
from benchbench.measures.columns import Columns
from benchbench.significance.shares import MeanInterval
from benchbench.tables.groups import Groups
from benchbench.tables.hits import Hits
from benchbench.tables.queries import Queries
from benchbench.tasks.judging import Judging

_EMPTY = 4096  # answers that are judged together
Packed = tuple[I64, F64, I64, F64, I64, dict[int, str], tuple[Counter[str], Counter[str], Counter[str]]]


class Quality:
    """The values of queries, each over all of its answers: where those are equal, so are the bits of their mean.

    A query has the values of its first answer, and the sum of what the others differ from it by. `unusable` has the
    reason of each answer that could not be read, by number. The hits of all others are counted in `counts`, what was
    wrong with single ones in `faults`, and those without a label for a task in `unlabelled`; each as often as its
    answer came.
    """

    def __init__(self, queries: int, width: int) -> None:
        """Start without an answer; a query has so many values."""
        self._times: I64 = np.zeros(queries, np.int64)  # answers of a query
        self._first: F64 = np.zeros((queries, width))
        self._apart = np.zeros_like(self._first)
        self._hits: I64 = np.zeros(queries, np.int64)  # the most of a query's answers
        self.unusable: dict[int, str] = {}
        self.counts, self.faults, self.unlabelled = self._counters = (Counter[str](), Counter[str](), Counter[str]())

    def add(self, rows: I64, values: F64, times: int | I64, apart: F64 | float = 0.0) -> None:
        """Add so many answers to each of some queries, of which the first has these values and all are so far apart."""
        times = np.broadcast_to(times, self._times[rows].shape)
        first = np.where(self._times[rows, None] > 0, self._first[rows], values)
        apart = apart + times[:, None] * (values - first)
        if np.any(apart):  # else the memory is not touched, which for a million queries is half a gigabyte
            self._apart[rows] += apart
        self._first[rows] = first
        self._times[rows] += times

    @property
    def times(self) -> I64:
        """How many answers each query has."""
        return self._times

    @property
    def hits(self) -> I64:
        """The most hits that each query got; -1 without an answer."""
        return np.where(self._times > 0, self._hits, -1)

    def rows(self, asked: I64) -> F64:
        """Return the values of the queries that were asked, over so many times; times without an answer count as 0."""
        there = np.flatnonzero(asked)
        answered = self._times[there]
        mean = self._first[there] + self._apart[there] / np.maximum(answered, 1)[:, None]
        rows: F64 = mean * (answered / asked[there])[:, None]
        return rows

    def tally(self, rows: I64, hits: Hits, judged: Judged, judging: Judging, grades: F64, times: int) -> None:
        """Count the hits of an answer to some queries that came so often; `grades` are those of their judgments."""
        np.maximum.at(self._hits, rows, hits.counts)
        owner = np.repeat(np.arange(len(hits.counts)), hits.counts)
        kept = np.bincount(owner[judged.fate == KEPT], minlength=len(hits.counts))
        counts = {
            "hits": len(judged.fate),
            "self_hits": int((judged.fate == SELF).sum()),
            "copies": int((judged.fate == COPY).sum()),
            "duplicates": int((judged.fate == DUPLICATE).sum()),
            "short_lists": int((kept < (judging.criteria.deepest or 0)).sum()),
            "positive_hits": int((grades[judged.positive[judged.positive >= 0]] > 0).sum()),
        }
        unlabelled = dict(zip(judging.tasks, judged.unlabelled.tolist(), strict=True))
        for counter, numbers in zip(self._counters, (counts, hits.faults, unlabelled), strict=True):
            counter.update({name: times * number for name, number in numbers.items()})

    def packed(self) -> Packed:
        """Return the state that another process takes with `join`."""
        there = np.flatnonzero(self._times)
        columns = there, self._first[there], self._times[there], self._apart[there], self._hits[there]
        return *columns, self.unusable, self._counters

    def join(self, packed: Packed, numbers: Sequence[int]) -> None:
        """Add the answers of another process, whose answer `i` is `numbers[i]` here."""
        there, first, times, apart, hits, unusable, counters = packed
        self.add(there, first, times, apart)
        self._hits[there] = np.maximum(self._hits[there], hits)
        self.unusable |= {numbers[number]: reason for number, reason in unusable.items()}
        for mine, other in zip(self._counters, counters, strict=True):
            mine.update(other)


class QueryValues(NamedTuple):
    """The values of some queries, ascending: (queries, columns of `Judge.columns`)."""

    queries: I64
    rows: F64


class QualityChanges(NamedTuple):
    """How far the answers of a step are from the reference pass."""

    values: dict[str, float]  # under names such as `change.gold.nDCG@10`: means of step less reference
    intervals: dict[str, MeanInterval]  # of those that are not 0 for each query, by `task.M`
    compared: I64  # numbers of the queries that both have, ascending
    changed: I64  # of those, the ones with another value of any measure


@dataclass(frozen=True)
class Judge:
    """Makes requests of `size` queries of a data set, and judges the answers."""

    judging: Judging
    profile: Profile
    size: int
    groups: Groups | None = None  # of queries that belong together

    @property
    def queries(self) -> Queries:
        """Those of the data set."""
        return self.judging.queries

    @cached_property
    def columns(self) -> Columns:
        """Where the values of each measure stand in a row of `Quality`."""
        return self.judging.columns(averaged=True)

    def batches(self, load: Load) -> Batches:
        """Return the queries of each request of a step."""
        if load.trace is not None and load.trace.queries is not None:
            used, fixed = np.unique(load.trace.queries, return_inverse=True)
            return Batches(rows=used[:, None], fixed=fixed)
        return replace(batches(len(self.queries), self.size, load.order, load.seed), begins=load.begins)

    def requests(self, batches: Batches, top_k: int) -> Requests:
        """Return the requests of a step, encoded before a clock runs."""
        return Requests(batches, [self.payload(row, top_k) for row in batches.rows])

    def payload(self, queries: I64, top_k: int) -> Payload:
        """Return the request of a batch."""
        texts = self.queries.texts
        return self.profile.payload([texts[q] for q in queries.tolist()], top_k)

    def compile(self) -> None:
        """Compile the kernels, so that this does not happen between two steps."""
        self.judging.judge(0, Hits.none(1))

    def nothing(self) -> Quality:
        """Return the quality of no answers."""
        return Quality(len(self.queries), self.columns.width)

    def judge(self, answers: ReceivedAnswers, batches: Batches, hide: Callable[[str], str], top_k: int) -> Quality:
        """Judge the answers of a step, one after the other; equal ones are judged once and count each time.

        Parameters
        ----------
        answers
            Of the step.
        batches
            Of the step.
        hide
            Removes what is secret from a text of the service (`Transport.hide`).
        top_k
            Hits per query that were asked for.
        """
        quality = self.nothing()
        reader = self.reader(top_k)
        for number, batch, body in answers:
            rows = batches.rows[batch]
            try:
                hits = self.hits(rows, body, reader)
            except ProtocolError as error:
                quality.unusable[number] = f"protocol error: {error.text(hide)}"
                continue
            judged = self.judging.judge(rows, hits)
            quality.add(rows, self.columns.rows(judged.values), answers.times[number])
            quality.tally(rows, hits, judged, self.judging, self.queries.grades_at(rows), answers.times[number])
        return quality

    def reader(self, top_k: int) -> AnswerReader:
        """Return what reads answers to requests for so many hits per query."""
        return AnswerReader(self.queries.labels, self.queries.schema, self.profile.results, top_k)

    def hits(self, queries: I64, body: bytes, reader: AnswerReader) -> Hits:
        """Return the hits of an answer to some queries; ProtocolError when it cannot be read."""
        numbers = queries.tolist()
        together = range(numbers[0], numbers[0] + len(numbers))
        return reader.read(body, self.queries.compared_prefixes(together if numbers == list(together) else numbers))

    def values(self, quality: Quality, batches: Batches, numbers: I64, answered: Bools) -> dict[str, float]:
        """Return the values of a step under names such as `asked.gold.nDCG@10`.

        Parameters
        ----------
        quality
            As `judge` returns it.
        batches
            Of the step.
        numbers, answered
            Of each counted request: its number, and whether it was answered.
        """
        asked = self._times(batches, numbers)
        got = self._times(batches, numbers[answered])
        values = {"queries_asked": float((asked > 0).sum()), "queries_answered": float((got > 0).sum())}
        for name, times in (("asked", asked), ("answered", got)):
            rows, n = self._rows(quality, times)
            means = block_values(rows, n, self.columns)
            values.update({f"{name}.{task}.{measure}": value for (task, measure), value in means.items()})
        return values

    def intervals(self, quality: Quality, batches: Batches, numbers: I64) -> dict[str, MeanInterval]:
        """Return the intervals of the values over all queries asked where queries come in groups, by `task.M`."""
        asked = self._times(batches, numbers)
        if self.groups is None or not asked.any():
            return {}
        rows, n = self._rows(quality, asked)
        estimates = block_estimates(rows, n, self.columns, self.groups.part(np.flatnonzero(asked)))
        return {
            f"{row.task}.{row.measure}": MeanInterval(row.low, row.high, row.interval, row.design_effect)
            for row in estimates
        }

    def values_of(self, quality: Quality) -> QueryValues:
        """Return the values of all queries that have an answer which could be read."""
        return self._query_values(quality, quality.times)

    def changes(self, quality: Quality, batches: Batches, answered: I64, reference: QueryValues) -> QualityChanges:
        """Return how far the answers of a step are from a reference, in all measures that are means over queries.

        Parameters
        ----------
        quality, batches
            As `values` takes them.
        answered
            Numbers of the counted requests that were answered.
        reference
            Of each query once, without load.
        """
        step = self._query_values(quality, self._times(batches, answered))
        both, here, there = np.intersect1d(step.queries, reference.queries, True, return_indices=True)
        means = [(f"{task}.{m}", at[0]) for task, m, at in self.columns if CATALOG[m.name].aggregate == "mean"]
        apart = (step.rows[here] - reference.rows[there])[:, [at for _, at in means]]
        if not len(both):
            return QualityChanges({f"{CHANGE}{name}": float("nan") for name, _ in means}, {}, both, both)
        values = {f"{CHANGE}{name}": float(column.mean()) for (name, _), column in zip(means, apart.T, strict=True)}
        differing = [at for at in range(len(means)) if apart[:, at].any()]
        ends = _change_intervals(apart[:, differing], self.groups and self.groups.part(both))
        intervals = {means[at][0]: interval for at, interval in zip(differing, ends, strict=True)}
        return QualityChanges(values, intervals, both, both[np.any(apart != 0.0, axis=1)])

    def _rows(self, quality: Quality, asked: I64) -> tuple[Blocks, int]:
        """Return the values of the queries that were asked, over so many times, and how many queries those are."""
        values = self._query_values(quality, asked)
        return lambda: iter([(0, values.rows)]), len(values.queries)

    def _query_values(self, quality: Quality, asked: I64) -> QueryValues:
        rows, there, settled = quality.rows(asked), np.flatnonzero(asked), self.columns.settled
        for first in range(0, there.size if settled.size else 0, _EMPTY):
            part = there[first : first + _EMPTY]
            empty = self.judging.judge(part, Hits.none(part.size))
            rows[first : first + _EMPTY, settled] = self.columns.rows(empty.values)[:, settled]
        return QueryValues(there, rows)

    def _times(self, batches: Batches, numbers: I64) -> I64:
        """Return how often each query was in these requests."""
        times = np.zeros(len(self.queries), np.int64)
        sent = np.bincount(batches.of_all(numbers), minlength=len(batches))
        np.add.at(times, batches.rows, sent[:, None])
        return times


def _change_intervals(apart: F64, groups: Groups | None) -> list[MeanInterval]:
    """Return the interval of the mean of each column of differences, (queries, columns).

    They are brought to what lies between 0 and 1, which is what the intervals of means are made for.
    """
    most = np.abs(apart).max(axis=0, initial=0.0)
    intervals = []
    for (_, interval), scale in zip(means_of((apart / most + 1.0) / 2.0, groups), most.tolist(), strict=True):
        low, high = (None if end is None else scale * (2.0 * end - 1.0) for end in (interval.low, interval.high))
        intervals.append(replace(interval, low=low, high=high))
    return intervals
