"""Holes: hits of compared runs that nobody judged, and what a difference could be because of them.

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


@dataclass(frozen=True, slots=True)
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


def depth_of(measures: Sequence[Measure], given: int | None) -> int:
    """Return how deep holes are looked for: as given, else to the deepest cut-off.

    Raises
    ------
    InputError
        For a measure that looks at all hits where no depth is given; for one that has no best and worst case.
    """
    for one in measures:
        row = CATALOG[one.name]
        if row.diverse or row.aggregate == "micro" or row.direction != "higher":
            raise InputError(f"{one} has no best and worst case of a difference; name another measure with -m")
    cutoffs = [one.cutoff for one in measures if CATALOG[one.name].cutoff_type == "rank"]
    if given is not None:
        return given
    without = [str(one) for one in measures if CATALOG[one.name].cutoff_type != "rank" or one.cutoff is None]
    if without:
        verb = "looks" if len(without) == 1 else "look"
        raise InputError(f"{and_joined(without)} {verb} at all hits: say with -k how far holes are to be judged")
    return max(int(k) for k in cutoffs if k is not None)


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
        for measure, one in bounds(qrels, runs[baseline], runs[system], measures).items():
            mean, worst, best = (float(np.mean(ends)) for ends in (one.mean, one.low, one.high))
            yield HoleCase(str(measure), baseline, system, labels, mean, worst, best, int(one.mean.size))


def numbers_of(found: Sequence[HoleCase], scope: Scope) -> Iterator[Number]:
    """Yield the numbers of the record: of each case the difference, and its worst and its best."""
    for one in found:
        its = {"system": one.system, "baseline": one.baseline, "labels": one.labels, **scope}
        for name, value in ((f"Δ {one.measure}", one.mean), (f"worst {one.measure}", one.worst),
                            (f"best {one.measure}", one.best)):  # fmt: skip
            yield Number(name=name, value=value, n=one.queries, better="higher", scope=its)
