"""How much a service differs from itself: later passes over the same queries, each compared with the first.

Conventions
-----------
What is compared are the hits as they are scored: in rank order, without the query itself, copies and repeated ids. A
query that failed in the first pass or in a later one is not compared between these two, and neither is one that got a
hit without an id, because nothing says which document that is. Of several later passes a query has the mean of its
values.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from benchbench.kernels.arrays import F64, I64, U64, Bools
from benchbench.kernels.judge_hits import KEPT, Judged
from benchbench.measures.aggregate import block_values
from benchbench.measures.agreement import AgreementMeasure, P, agreement
from benchbench.measures.catalog import CATALOG
from benchbench.measures.columns import Columns
from benchbench.measures.notation import Measure
from benchbench.results.record import Number
from benchbench.runs.run_details import RepeatDetails
from benchbench.runs.run_settings import Settings
from benchbench.tables.dictionary_encoding import DictionaryEncoded
from benchbench.tables.hashing import NO_HASH
from benchbench.tables.hits import Hits
from benchbench.tables.qrels_runs import Rankings
from benchbench.tasks.judging import Judging

FRONT = "repeat_"  # of the names of numbers
SPREAD = "spread "


def agreement_measures(measures: Iterable[Measure]) -> list[AgreementMeasure]:
    """Return what passes are compared by, at the ranks at which some measures are cut off."""
    ranks = {int(m.cutoff) for m in measures if m.cutoff is not None and CATALOG[m.name].cutoff_type == "rank"}
    overlaps = [AgreementMeasure("overlap", k) for k in sorted(ranks)]
    return [*overlaps, AgreementMeasure("RBO", p=P), AgreementMeasure("tau"), AgreementMeasure("top_changed")]


def repeated_names(columns: Columns, measures: Sequence[Measure]) -> list[str]:
    """Return what gates may name besides, before anything was measured."""
    alike = [f"{FRONT}{measure}" for measure in agreement_measures(measures)]
    return alike + [f"{SPREAD}{task}.{measure}" for task, measure, _ in columns]


class Lists:
    """The ids of the hits of one pass, by rank: 8 bytes per hit."""

    def __init__(self, queries: int) -> None:
        """Start empty."""
        self._counts: list[I64] = []
        self._documents: list[U64] = []
        self.failed: Bools = np.zeros(queries, np.bool_)
        self.known: Bools = np.ones(queries, np.bool_)  # whether all hits have an id
        self.without_id = 0  # hits
        self._done = 0

    def add(self, hits: Hits, judged: Judged) -> None:
        """Add the hits of the next queries."""
        ids = hits.id
        kept = judged.fate == KEPT
        counts = hits.counts
        owner = np.repeat(np.arange(counts.size), counts)
        without = kept & (ids == NO_HASH)
        self.without_id += int(np.count_nonzero(without))
        self.known[self._done + owner[without]] = False
        self._done += counts.size
        self._counts.append(np.bincount(owner[kept], minlength=counts.size).astype(np.int64))
        self._documents.append(ids[kept])

    def fail(self, first: int, last: int) -> None:
        """Note that queries failed."""
        self.failed[first:last] = True

    @property
    def comparable(self) -> Bools:
        """Which queries may be compared with those of another pass."""
        return self.known & ~self.failed

    def rankings(self) -> Rankings:
        """Return the hits, a group per query."""
        counts = np.concatenate([np.zeros(1, np.int64), *self._counts])
        document = np.concatenate([np.empty(0, np.uint64), *self._documents])
        nothing = np.empty(0, np.uint64)
        return Rankings(nothing, np.cumsum(counts), document, np.empty(0, np.bool_), nothing, 0)


class Pass:
    """One later pass: its hits, and the value of each measure."""

    def __init__(self, judging: Judging) -> None:
        """Start empty."""
        self.lists = Lists(len(judging.queries))
        self.done = 0
        self._judging, self._columns = judging, judging.columns(averaged=True)
        self._values = DictionaryEncoded(len(judging.queries), self._columns.width)

    def add(self, first: int, hits: Hits, failure: str | None) -> None:
        """Judge the hits of the next queries."""
        judged = self._judging.judge(first, hits)
        last = self.done = first + len(hits.counts)
        self._values.put(first, self._columns.rows(judged.values))
        self.lists.add(hits, judged)
        if failure is not None:
            self.lists.fail(first, last)

    def values(self) -> dict[tuple[str, str], float]:
        """Return the value of each measure, by task and name; those of a run with the same hits, to the bit."""
        return block_values(self._values.blocks, len(self._judging.queries), self._columns)


@dataclass(frozen=True)
class Repeats:
    """What later passes came to."""

    details: RepeatDetails
    values: tuple[F64, ...]  # of each later pass (measures, queries); NaN where a query has no value

    def table(self, ids: Sequence[str]) -> pl.DataFrame:
        """Return one row per later pass and query: `pass`, from 2, `query_id`, and how alike its hits are."""
        names = [likeness.measure for likeness in self.details.agreement]
        return pl.concat(
            [
                pl.DataFrame([pl.Series("query_id", ids, pl.String), *map(pl.Series, names, rows)]).select(
                    pl.lit(number, pl.Int64).alias("pass"), pl.all()
                )
                for number, rows in enumerate(self.values, 2)
            ]
        ).fill_nan(None)

    def numbers(self) -> list[Number]:
        """Return the numbers of the record."""
        return numbers_of(self.details)


def repeats(
    first: Lists, values: Mapping[tuple[str, str], float], later: Sequence[Pass], settings: Settings
) -> Repeats:
    """Compare later passes with the first, whose values are given by task and measure."""
    from benchbench.runs.likeness import likenesses

    measures = agreement_measures(settings.criteria.measures)
    groups = np.arange(first.failed.size)
    ranked, alike, compared = first.rankings(), [], np.zeros(first.failed.size, np.bool_)
    for other in later:
        rows = agreement(ranked, other.lists.rankings(), (groups, groups), measures)
        both = first.comparable & other.lists.comparable
        rows[:, ~both] = np.nan
        compared |= both
        alike.append(rows)
    there = np.isfinite(alike).sum(axis=0)
    together = np.divide(np.nansum(alike, axis=0), there, out=np.full(there.shape, np.nan), where=there > 0)
    every = [values, *(other.values() for other in later)]
    by_task: dict[str, dict[str, tuple[float, ...]]] = {}
    for task, measure in every[1]:
        by_task.setdefault(task, {})[measure] = tuple(each[task, measure] for each in every)
    lists = [first, *(other.lists for other in later)]
    return Repeats(
        RepeatDetails(
            passes=len(every),
            queries=int(compared.sum()),
            failed=tuple(int(np.count_nonzero(hits.failed)) for hits in lists),
            without_id=sum(hits.without_id for hits in lists),
            agreement=likenesses(measures, together),
            measures=by_task,
        ),
        tuple(alike),
    )


def numbers_of(details: RepeatDetails) -> list[Number]:
    """Return the numbers of the record: how alike passes are, and the spread of each measure between them."""
    from benchbench.runs import likeness  # late: few runs have passes to compare

    return likeness.numbers_of(details.agreement, {}, FRONT) + [
        Number(
            name=f"{SPREAD}{measure}",
            value=details.spread(task, measure),
            n=details.passes,
            better="lower",
            scope={"task": task},
        )
        for task, measures in details.measures.items()
        for measure in measures
    ]
