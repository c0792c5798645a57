"""How good the answers of a step were: each is judged against the queries that it answers.

Conventions
-----------
Queries are asked over and over, and a step may end in the middle of a round. So that every query weighs the
same, a value is first averaged over the times that a query was asked, then over queries.

Metrics
-------
answered
    Over the answers: what a user saw who got one. Queries that never got one are left out.
asked
    Over all times asked: a failed request's queries count as 0.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from benchbench.client.decode import decode
from benchbench.client.profiles import Profile
from benchbench.client.results import ProtocolError
from benchbench.kernels.arrays import F64, I64, Bools
from benchbench.kernels.judge import MEASURES, TASKS
from benchbench.load.answers import Answers
from benchbench.tables.hits import Hits
from benchbench.tables.queries import Queries
from benchbench.tasks.criteria import Criteria


@dataclass(frozen=True)
class Judge:
    """Makes requests of `size` consecutive queries of a data set, and judges what answers them.

    All batches have that many queries, so that latencies compare; the last one begins earlier for it.
    """

    queries: Queries
    profile: Profile
    criteria: Criteria
    tasks: tuple[str, ...]
    limits: I64  # what recall divides by, (queries, tasks)
    size: int
    hide: Callable[[str], str] = str  # takes the secrets out of what an answer is quoted with

    @cached_property
    def first(self) -> I64:
        """The first query of each batch."""
        last = len(self.queries) - self.size
        return np.minimum(np.arange(0, len(self.queries), self.size), last)

    def payloads(self, top_k: int) -> list[bytes]:
        """Return the request of each batch, encoded before a clock runs."""
        texts = self.queries.texts
        return [self.profile.payload(texts[q : q + self.size], top_k) for q in self.first.tolist()]

    def compile(self) -> None:
        """Compile what judges, which must not happen between two steps."""
        self.criteria.judge(self.queries, 0, Hits.none(1), self.limits)

    def nothing(self) -> F64:
        """Return the sums of no answers, as `judge` returns them."""
        return np.zeros((len(self.queries), len(TASKS), len(self.criteria.cutoffs), len(MEASURES)))

    def judge(self, answers: Answers) -> tuple[F64, dict[int, str]]:
        """Judge the answers of a step, one after the other; equal ones are judged once and count each time.

        Returns
        -------
        sums
            (queries, tasks, cut-offs, measures): values summed over a query's answers.
        unusable
            Reason by number of the answers that could not be read.
        """
        sums = self.nothing()
        unusable: dict[int, str] = {}
        for number, batch, body in answers:
            first = int(self.first[batch])
            span = slice(first, first + self.size)
            openings = self.queries.sought(first, self.size)
            try:
                hits = decode(body, openings, self.queries.labels, self.profile.results)
            except ProtocolError as error:
                unusable[number] = f"protocol error: {error.text(self.hide)}"
                continue
            judged = self.criteria.judge(self.queries, first, hits, self.limits)
            sums[span] += answers.times[number] * judged.values
        return sums, unusable

    def values(self, sums: F64, batches: I64, answered: Bools) -> dict[str, float]:
        """Return the means of a step under names such as `asked.gold.nDCG@10`.

        Parameters
        ----------
        sums
            As `judge` returns them.
        batches, answered
            Of each counted request: its batch, and whether it was answered.
        """
        asked = self._times(batches)
        got = self._times(batches[answered])
        values = {
            "queries_asked": float((asked > 0).sum()),
            "queries_answered": float((got > 0).sum()),
        }
        for name, times in (("asked", asked), ("answered", got)):
            there = times > 0
            rows = sums[there] / times[there, None, None, None]
            means = rows.mean(axis=0) if len(rows) else np.full(sums.shape[1:], np.nan)
            for task in self.tasks:
                for c, k in enumerate(self.criteria.cutoffs):
                    for m, measure in enumerate(MEASURES):
                        mean = means[TASKS.index(task), c, m]
                        values[f"{name}.{task}.{measure}@{k}"] = float(mean)
        return values

    def _times(self, batches: I64) -> I64:
        """Return how often each query was in these batches."""
        times = np.zeros(len(self.queries), np.int64)
        for batch, number in enumerate(np.bincount(batches, minlength=len(self.first)).tolist()):
            times[self.first[batch] : self.first[batch] + self.size] += number
        return times
