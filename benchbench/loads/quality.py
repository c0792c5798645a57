"""The quality of the answers of a step, judged as the answers of a run.

Conventions
-----------
Queries are asked over and over, some more often than others. So that every query weighs the
same, a value is first averaged over the times that a query was asked, then over queries, in their order. Where a
service gives a query the same hits each time, and all queries were asked, the means are those of a run, to the bit.

Metrics
-------
answered
    Over the answers only. Queries that never got one are left out.
asked
    Over all requests: the queries of a failed request count as 0.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchbench.client.decode import decode
from benchbench.client.profiles import Profile
from benchbench.client.response_layout import ProtocolError
from benchbench.kernels.arrays import F64, I64, Bools
from benchbench.kernels.judge import COPY, DUPLICATE, KEPT, MEASURES, SELF, TASKS, Judged
from benchbench.loads.batches import Batches, Requests, batches
from benchbench.loads.received import ReceivedAnswers
from benchbench.loads.step import Load
from benchbench.measures.aggregate import group_intervals, means
from benchbench.significance.shares import MeanInterval
from benchbench.tables.groups import Groups
from benchbench.tables.hits import Hits
from benchbench.tables.queries import Queries
from benchbench.tasks.criteria import Criteria

Packed = tuple[I64, F64, I64, F64, dict[int, str], tuple[Counter[str], Counter[str], Counter[str]]]


class Quality:
    """The values of queries, each over all of its answers: where those are equal, so are the bits of their mean.

    A query has the values of its first answer, and the sum of what the others differ from it by. `unusable` has the
    reason of each answer that could not be read, by number. The hits of all others are counted in `counts`, what was
    wrong with single ones in `faults`, and those without a label for a task in `unlabelled`; each as often as its
    answer came.
    """

    def __init__(self, queries: int, cutoffs: int) -> None:
        """Start without an answer."""
        self._times: I64 = np.zeros(queries, np.int64)  # answers of a query
        self._first: F64 = np.zeros((queries, len(TASKS), cutoffs, len(MEASURES)))
        self._apart = np.zeros_like(self._first)
        self.unusable: dict[int, str] = {}
        self.counts, self.faults, self.unlabelled = self._counters = (Counter[str](), Counter[str](), Counter[str]())

    def add(self, rows: I64, values: F64, times: int | I64, apart: F64 | float = 0.0) -> None:
        """Add so many answers to each of some queries, of which the first has these values and all are so far apart."""
        times = np.broadcast_to(times, self._times[rows].shape)
        first = np.where(_across(self._times[rows]) > 0, self._first[rows], values)
        apart = apart + _across(times) * (values - first)
        if np.any(apart):  # else the memory is not touched, which for a million queries is half a gigabyte
            self._apart[rows] += apart
        self._first[rows] = first
        self._times[rows] += times

    def rows(self, asked: I64) -> F64:
        """Return the values of the queries that were asked, over so many times; times without an answer count as 0."""
        there = np.flatnonzero(asked)
        answered = self._times[there]
        mean = self._first[there] + self._apart[there] / _across(np.maximum(answered, 1))
        rows: F64 = mean * _across(answered / asked[there])
        return rows

    def tally(self, hits: Hits, judged: Judged, deepest: int, times: int) -> None:
        """Count the hits of an answer that came so often."""
        owner = np.repeat(np.arange(len(hits.counts)), hits.counts)
        kept = np.bincount(owner[judged.fate == KEPT], minlength=len(hits.counts))
        counts = {
            "hits": len(judged.fate),
            "self_hits": int((judged.fate == SELF).sum()),
            "copies": int((judged.fate == COPY).sum()),
            "duplicates": int((judged.fate == DUPLICATE).sum()),
            "short_lists": int((kept < deepest).sum()),
            "positive_hits": int((judged.positive >= 0).sum()),
        }
        unlabelled = dict(zip(TASKS, judged.unlabelled.tolist(), strict=True))
        for counter, found in zip(self._counters, (counts, hits.faults, unlabelled), strict=True):
            counter.update({name: times * number for name, number in found.items()})

    def packed(self) -> Packed:
        """Return the state that another process takes with `join`."""
        there = np.flatnonzero(self._times)
        columns = there, self._first[there], self._times[there], self._apart[there]
        return *columns, self.unusable, self._counters

    def join(self, packed: Packed, numbers: Sequence[int]) -> None:
        """Add the answers of another process, whose answer `i` is `numbers[i]` here."""
        there, first, times, apart, unusable, counters = packed
        self.add(there, first, times, apart)
        self.unusable |= {numbers[number]: reason for number, reason in unusable.items()}
        for mine, other in zip(self._counters, counters, strict=True):
            mine.update(other)


def _across(numbers: I64 | F64) -> Any:
    """Return one number per query so that it meets all of its values."""
    return numbers[:, None, None, None]


@dataclass(frozen=True)
class Judge:
    """Makes requests of `size` queries of a data set, and judges the answers."""

    queries: Queries
    profile: Profile
    criteria: Criteria
    tasks: tuple[str, ...]
    recall_denominators: I64  # what recall divides by, (queries, tasks)
    size: int
    groups: Groups | None = None  # of queries that belong together

    def batches(self, load: Load) -> Batches:
        """Return the queries of each request of a step."""
        if load.trace is not None and load.trace.queries is not None:
            used, fixed = np.unique(load.trace.queries, return_inverse=True)
            return Batches(used[:, None], fixed=fixed)
        return batches(len(self.queries), self.size, load.order, load.seed)

    def requests(self, batches: Batches, top_k: int) -> Requests:
        """Return the requests of a step, encoded before a clock runs."""
        return Requests(batches, [self.payload(row, top_k) for row in batches.rows])

    def payload(self, queries: I64, top_k: int) -> bytes:
        """Return the request of a batch."""
        texts = self.queries.texts
        return self.profile.payload([texts[q] for q in queries.tolist()], top_k)

    def compile(self) -> None:
        """Compile the kernels, so that this does not happen between two steps."""
        self.criteria.judge(self.queries, 0, Hits.none(1), self.recall_denominators)

    def nothing(self) -> Quality:
        """Return the quality of no answers."""
        return Quality(len(self.queries), len(self.criteria.cutoffs))

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
        for number, batch, body in answers:
            rows = batches.rows[batch]
            try:
                hits = self.hits(rows, body, top_k)
            except ProtocolError as error:
                quality.unusable[number] = f"protocol error: {error.text(hide)}"
                continue
            judged = self.criteria.judge(self.queries, rows, hits, self.recall_denominators)
            quality.add(rows, judged.values, answers.times[number])
            quality.tally(hits, judged, max(self.criteria.cutoffs), answers.times[number])
        return quality

    def hits(self, queries: I64, body: bytes, top_k: int) -> Hits:
        """Return the hits of an answer to some queries; ProtocolError when it cannot be read."""
        text_prefixes = self.queries.compared_prefixes_at(queries.tolist())
        return decode(body, text_prefixes, self.queries.labels, self.queries.schema, self.profile.results, top_k)

    def values(self, quality: Quality, batches: Batches, numbers: I64, answered: Bools) -> dict[str, float]:
        """Return the means of a step under names such as `asked.gold.nDCG@10`.

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
        values = {
            "queries_asked": float((asked > 0).sum()),
            "queries_answered": float((got > 0).sum()),
        }
        for name, times in (("asked", asked), ("answered", got)):
            whole = means(quality.rows(times))
            for task in self.tasks:
                for c, k in enumerate(self.criteria.cutoffs):
                    for m, measure in enumerate(MEASURES):
                        mean = whole[TASKS.index(task), c, m]
                        values[f"{name}.{task}.{measure}@{k}"] = float(mean)
        return values

    def intervals(self, quality: Quality, batches: Batches, numbers: I64) -> dict[str, MeanInterval]:
        """Return the intervals of the means over all queries asked where queries come in groups, by `task.M`."""
        asked = self._times(batches, numbers)
        if self.groups is None or not asked.any():
            return {}
        places = [TASKS.index(task) for task in self.tasks]
        rows = quality.rows(asked)[:, places]
        found = group_intervals(rows.reshape(len(rows), -1), self.groups.part(np.flatnonzero(asked)))
        names = [f"{task}.{measure}@{k}" for task in self.tasks for k in self.criteria.cutoffs for measure in MEASURES]
        return dict(zip(names, found, strict=True))

    def _times(self, batches: Batches, numbers: I64) -> I64:
        """Return how often each query was in these requests."""
        times = np.zeros(len(self.queries), np.int64)
        sent = np.bincount(batches.of_all(numbers), minlength=len(batches))
        np.add.at(times, batches.rows, sent[:, None])
        return times
