"""What hits that nobody judged may do to a comparison: how many each system has, and what the differences could be."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchbench.formats.qrels_runs import in_memory
from benchbench.kernels.arrays import I64
from benchbench.measures.notation import Measure
from benchbench.measures.scores import Scores
from benchbench.measures.what_if import Bounds, bounds
from benchbench.results import estimates
from benchbench.results.figures import interval, p_said, signed, value
from benchbench.results.record import Number
from benchbench.significance.comparing import compare
from benchbench.significance.comparison_settings import CompareSettings
from benchbench.significance.letters import MANY
from benchbench.significance.pairs import named_pairs
from benchbench.significance.result import Comparison, PairedDifference
from benchbench.tables.paired import Paired
from benchbench.tables.qrels_runs import QrelsTable, RunTable
from benchbench.tables.shared_messages import and_joined

_MOST_HITS = 20_000_000  # of all runs together: what the cases of a difference are computed from is kept in memory
NO_CASES = f"best and worst cases of unjudged hits are left out: the runs have more than {_MOST_HITS:,} hits"


@dataclass(frozen=True, slots=True)
class JudgedShare:
    """The judged share of a system's first hits, over the queries for which all systems have hits."""

    measure: str  # Judged@k
    system: str
    mean: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedDifference(estimates.Difference):
    """System minus baseline of that share."""

    p: float  # corrected, of the test that decides


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A mean difference, and what it would be if the unjudged hits of one of both were relevant."""

    measure: str
    baseline: str
    system: str
    mean: float
    worst: float  # at best for the baseline
    best: float  # at best for the system
    judged: str  # Judged@k: the share that it depends on


@dataclass(frozen=True, slots=True)
class Unjudged:
    """All of that; empty where every hit was judged."""

    shares: tuple[JudgedShare, ...] = ()
    differences: tuple[JudgedDifference, ...] = ()
    cases: tuple[Case, ...] = ()  # measure by measure

    def share(self, measure: str, system: str) -> float | None:
        """Return a share, None where nobody knows it."""
        return next((share.mean for share in self.shares if (share.measure, share.system) == (measure, system)), None)


def unjudged(
    qrels: QrelsTable,
    runs: Mapping[str, RunTable],
    scores: Mapping[str, Scores],
    measures: Sequence[Measure],
    counted: I64,
    paired: Paired,
    settings: CompareSettings,
) -> tuple[Unjudged, tuple[str, ...]]:
    """Return what unjudged hits may do, and sentences on it.

    There is one for each pair whose systems differ in the judged share, and one where cases are left out.

    Parameters
    ----------
    qrels, runs
        What is compared.
    scores
        Of each run.
    measures
        Those that are compared.
    counted
        The judged queries that means are over.
    paired
        Their values, and the columns that say which belong together.
    settings
        How differences of the judged share are tested.
    """
    names = list(next(iter(scores.values())).judged_shares)
    if not names:
        return Unjudged(), ()
    values = np.array([[its.judged_shares[name][counted] for its in scores.values()] for name in names])
    known = np.isfinite(values).all(axis=(0, 1))
    shares = tuple(
        JudgedShare(name, system, float(row[known].mean()))
        for name, rows in zip(names, values, strict=True)
        for system, row in zip(scores, rows, strict=True)
        if known.any()
    )
    whole = np.nanmin(values, initial=1.0) == 1.0
    differences: tuple[JudgedDifference, ...] = ()
    notes: tuple[str, ...] = ()
    if known.sum() > 1 and not whole:
        judged = replace(
            paired,
            measures=tuple(names),
            queries=[paired.queries[place] for place in np.flatnonzero(known).tolist()],
            values=np.ascontiguousarray(values[:, :, known]),
            columns=None if paired.columns is None else paired.columns.filter(known),
            counts={name: counts[known] for name, counts in paired.counts.items()},
        )
        compared = compare(judged, replace(settings, slices=()))
        differences = tuple(
            JudgedDifference(
                difference.measure,
                difference.baseline,
                difference.system,
                difference.mean,
                difference.low,
                difference.high,
                p=difference.corrected[settings.test],
            )
            for difference in compared.differences
        )
        significant = [difference for difference in compared.differences if difference.significant]
        if not (qrels.grade <= 0.0).any():  # then judged hits are relevant hits, and fewer of them are worse
            significant = []
        if len(scores) < MANY:
            notes = tuple(_sentence(difference, compared) for difference in significant)
        else:
            notes = tuple(sentence for name in names if (sentence := _of_many(name, significant, compared)))
    if whole or any(run.ties == "expected" for run in runs.values()):
        return Unjudged(shares, differences), notes
    if sum(its.hits for its in scores.values()) > _MOST_HITS:
        return Unjudged(shares, differences), (*notes, NO_CASES)
    read = {name: in_memory(run) for name, run in runs.items()}
    pairs = named_pairs(scores, settings.baseline)
    ends = {pair: bounds(qrels, read[pair[0]], read[pair[1]], measures) for pair in pairs}
    cases = tuple(
        _case(measure, pair, of_pair[measure], counted, names)
        for measure in measures
        for pair, of_pair in ends.items()
        if measure in of_pair
    )
    return Unjudged(shares, differences, cases), notes


def numbers_of(unjudged: Unjudged, queries: int) -> Iterator[Number]:
    """Yield the numbers of the record."""
    for share in unjudged.shares:
        yield Number(name=share.measure, value=share.mean, scope={"system": share.system})
    for difference in unjudged.differences:
        scope = {"system": difference.system, "baseline": difference.baseline}
        yield Number(
            name=f"Δ {difference.measure}", value=difference.mean, low=difference.low, high=difference.high, scope=scope
        )
        yield Number(name=f"p {difference.measure}", value=difference.p, scope=scope)
    for case in unjudged.cases:
        scope = {"system": case.system, "baseline": case.baseline}
        for name, end in (("worst", case.worst), ("best", case.best)):
            yield Number(name=f"{name} {case.measure}", value=end, n=queries, better="higher", scope=scope)


def _sentence(difference: PairedDifference, compared: Comparison) -> str:
    settings, measure = compared.settings, difference.measure
    means = {estimate.system: estimate.mean for estimate in compared.estimates if estimate.measure == measure}
    less, more = sorted((difference.system, difference.baseline), key=lambda name: means[name])
    ends = interval(difference.low, difference.high, shown=signed)
    return (
        f"hits of {less} are judged less often than those of {more}: {measure} {value(means[less])} against "
        f"{value(means[more])} (difference {signed(difference.mean)}, "
        f"{100 * (1 - settings.alpha):g} % interval {ends}, {p_said(difference.corrected[settings.test])}); "
        f"what nobody judged counts as not relevant, so {less} may look worse than it is"
    )


def _of_many(measure: str, significant: Sequence[PairedDifference], compared: Comparison) -> str:
    """Return which of many systems are judged less often than another; empty where none is."""
    means = {estimate.system: estimate.mean for estimate in compared.estimates if estimate.measure == measure}
    pairs = [(each.system, each.baseline) for each in significant if each.measure == measure]
    less = sorted({min(pair, key=means.__getitem__) for pair in pairs}, key=means.__getitem__)
    if not less:
        return ""
    most = max(means, key=means.__getitem__)
    ends = dict.fromkeys(value(means[name], 3) for name in (less[0], less[-1]))
    pronoun = "it" if len(less) == 1 else "they"
    return (
        f"{and_joined(less)} {'has' if len(less) == 1 else 'have'} fewer judged hits: {measure} {' to '.join(ends)}, "
        f"{most} {value(means[most], 3)}; unjudged hits count as not relevant, so {pronoun} may be better than shown"
    )


def _case(measure: Measure, pair: tuple[str, str], ends: Bounds, counted: I64, names: Sequence[str]) -> Case:
    mean, worst, best = (float(values[counted].mean()) for values in (ends.mean, ends.low, ends.high))
    judged = f"Judged@{measure.cutoff}"
    return Case(
        measure=str(measure),
        baseline=pair[0],
        system=pair[1],
        mean=mean,
        worst=worst,
        best=best,
        judged=judged if judged in names else names[0],
    )
