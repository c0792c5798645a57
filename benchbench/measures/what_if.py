"""What a difference would be if hits that nobody judged were relevant: its best and its worst case.

Conventions
-----------
The unjudged hits of a run are those to the cut-off of a measure, or all where it has none. Judged relevant, they have
the lowest grade that is relevant for the measure (1 for nDCG), and enter whatever a document that is judged relevant
enters: the ideal order of nDCG, and what recall and AP divide by. A document is the same document in both runs: where
both have it, it is relevant for both.

Of each query the least difference is that of three cases: no unjudged hit is relevant, all of the baseline are, or all
that the baseline has alone. The greatest is the same with those of the system. These are not all cases there are, since
any part of the hits may be relevant; where a measure adds up what single hits are worth, such as P, none goes further.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.kernels.formulas import NO_CUTOFF
from benchbench.kernels.judged_hits import scratch
from benchbench.kernels.lookup import RunHits, find, table
from benchbench.kernels.unjudged import Added, GradedDocuments, graded, unjudged_hits
from benchbench.measures.catalog import CATALOG
from benchbench.measures.evaluate import Evaluator
from benchbench.measures.notation import Measure
from benchbench.tables.qrels_runs import QrelsTable, RankedRun, Rankings


@dataclass(frozen=True, slots=True)
class Bounds:
    """The difference of each judged query as it is, at least and at most; system minus baseline."""

    mean: F64
    low: F64
    high: F64


def bounds(
    qrels: QrelsTable, baseline: RankedRun, system: RankedRun, measures: Sequence[Measure]
) -> dict[Measure, Bounds]:
    """Return them for each measure that looks at no subtopics.

    Parameters
    ----------
    qrels
        What was judged.
    baseline, system
        Two runs.
    measures
        Those with a value per query.
    """
    groups: dict[tuple[int, float], list[Measure]] = {}
    for measure in measures:
        if not CATALOG[measure.name].diverse:
            groups.setdefault(_kind(measure), []).append(measure)
    bounds_of: dict[Measure, Bounds] = {}
    pair = (baseline, system)
    for (depth, grade), wanted in groups.items():
        as_judged = _difference(qrels, pair, wanted)
        low, high = dict(as_judged), dict(as_judged)
        for extreme, ends, side in ((np.minimum, low, 0), (np.maximum, high, 1)):
            for alone in (False, True):
                case = _difference(_judged(qrels, pair[side], pair[1 - side], depth, grade, alone), pair, wanted)
                ends.update({measure: extreme(ends[measure], case[measure]) for measure in wanted})
        bounds_of |= {measure: Bounds(as_judged[measure], low[measure], high[measure]) for measure in wanted}
    return bounds_of


def _kind(measure: Measure) -> tuple[int, float]:
    """Return how deep a measure looks, and the lowest grade that is relevant for it."""
    row, given = CATALOG[measure.name], dict(measure.params)
    by_rank = row.cutoff_type == "rank" and measure.cutoff is not None and not given.get("judged_only")
    rel = given.get("rel", 1)
    return int(measure.cutoff or 0) if by_rank else int(NO_CUTOFF), float(rel) if isinstance(rel, int | float) else 1.0


def _difference(
    qrels: QrelsTable, pair: tuple[RankedRun, RankedRun], measures: Sequence[Measure]
) -> Mapping[Measure, F64]:
    evaluator = Evaluator(qrels, measures)
    ours, theirs = (evaluator.score(run).values for run in pair)
    return {measure: theirs[str(measure)] - ours[str(measure)] for measure in measures}


def _judged(qrels: QrelsTable, run: RankedRun, other: RankedRun, depth: int, grade: float, alone: bool) -> QrelsTable:
    """Return judgments in which the unjudged hits of a run are relevant."""
    ranked, against = (_hits(qrels, one.rankings) for one in (run, other))
    longest = max(int(np.diff(hits.offsets).max(initial=0)) for hits in (ranked, against))
    deepest = min(depth, longest)
    most = max(int(np.diff(qrels.offsets).max()), deepest)
    lengths = np.minimum(np.diff(ranked.offsets)[ranked.group[ranked.group >= 0]], deepest)
    judged = GradedDocuments(qrels.offsets, qrels.document, qrels.grade)
    added = Added(np.empty_like(qrels.offsets), np.empty(int(lengths.sum()), np.uint64))
    unjudged_hits(judged, ranked, against, deepest, alone, scratch(most), np.empty(most, np.bool_), added)
    size = qrels.document.size + int(added.offsets[-1])
    out = GradedDocuments(np.empty_like(qrels.offsets), np.empty(size, np.uint64), np.empty(size))
    graded(judged, added, grade, out)
    end = int(out.offsets[-1])
    return replace(qrels, offsets=out.offsets, document=out.document[:end], grade=out.grade[:end], subtopics=None)


def _hits(qrels: QrelsTable, run: Rankings) -> RunHits:
    """Return the hits of a run, and of each judged query which group of it that is."""
    return RunHits(run.offsets, run.document, find(table(run.query), run.query, qrels.query))
