"""Holes: hits of compared runs that nobody judged, and the range of a difference because of them.

A hole is an unjudged document among the first hits of a query that is judged. Before and after a judge has filled them,
the difference of two runs has a best and a worst case (`measures.what_if`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from benchbench.errors import InputError
from benchbench.measures.catalog import CATALOG
from benchbench.measures.notation import Measure
from benchbench.measures.what_if import bounds
from benchbench.results.record import Number, Scope
from benchbench.tables.qrels_runs import QrelsTable, RankedRun
from benchbench.tables.shared_messages import and_joined

BEFORE, AFTER = "before", "after"


@dataclass(frozen=True, slots=True, kw_only=True)
class HoleCase:
    """A mean difference of two runs, and what it could be."""

    measure: str
    baseline: str
    system: str
    labels: str  # before or after
    mean: float
    worst: float  # at best for the baseline
    best: float  # at best for the system
    queries: int

    @property
    def width(self) -> float:
        """Return how far the best case is from the worst."""
        return self.best - self.worst


def depth_of(measures: Sequence[Measure], depth: int | None) -> int:
    """Return how deep holes are looked for: as given, else to the deepest cut-off.

    Raises
    ------
    InputError
        For a measure that looks at all hits where no depth is given; for one that has no best and worst case.
    """
    for measure in measures:
        row = CATALOG[measure.name]
        if row.diverse or row.aggregate == "micro" or row.direction != "higher":
            raise InputError(f"{measure} has no best and worst case of a difference; name another measure with -m")
    if depth is not None:
        return depth
    ranked = [measure for measure in measures if CATALOG[measure.name].cutoff_type == "rank"]
    without = [str(measure) for measure in measures if measure not in ranked or measure.cutoff is None]
    if without:
        verb = "looks" if len(without) == 1 else "look"
        raise InputError(f"{and_joined(without)} {verb} at all hits: set with -k how deep to judge holes")
    return max(int(measure.cutoff) for measure in ranked if measure.cutoff is not None)


def of_judged_queries(pool: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """Return the pairs of queries that have a label: no other query counts in a comparison."""
    return pool.join(labels.select("query").unique(), on="query", how="semi", maintain_order="left")


def cases(
    qrels: QrelsTable, runs: Mapping[str, RankedRun], measures: Sequence[Measure], labels: str
) -> Iterator[HoleCase]:
    """Yield best and worst case of each measure and each pair of runs, the first of two being the baseline.

    Parameters
    ----------
    qrels
        The labels as they are.
    runs
        In memory, by name.
    measures
        Those with a value per query.
    labels
        `before` or `after`.
    """
    for baseline, system in combinations(runs, 2):
        for measure, by_query in bounds(qrels, runs[baseline], runs[system], measures).items():
            mean, worst, best = (float(np.mean(ends)) for ends in (by_query.mean, by_query.low, by_query.high))
            yield HoleCase(
                measure=str(measure), baseline=baseline, system=system, labels=labels,
                mean=mean, worst=worst, best=best, queries=int(by_query.mean.size),
            )  # fmt: skip


def numbers_of(cases: Sequence[HoleCase], scope: Scope) -> Iterator[Number]:
    """Yield the numbers of the record: of each case the difference, and its worst and its best."""
    for case in cases:
        of_case = {"system": case.system, "baseline": case.baseline, "labels": case.labels, **scope}
        for kind, value in (("Δ", case.mean), ("worst", case.worst), ("best", case.best)):
            yield Number(name=f"{kind} {case.measure}", value=value, n=case.queries, better="higher", scope=of_case)
