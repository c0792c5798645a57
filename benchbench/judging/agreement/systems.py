"""Whether a judge ranks systems as people do, and what its labels are worth where people have labelled some queries.

Conventions
-----------
A system is a run; its value per query is what `measures.evaluate` gives under the labels of people, and under those of
the judge. Ranks are compared over the queries that both have labelled. Which of two systems is better is decided under
people and under the judge by the same test, signs of queries flipped, with Holm's correction over all pairs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from benchbench.errors import InputError
from benchbench.kernels.arrays import F64, I64
from benchbench.measures.evaluate import Evaluator
from benchbench.significance.corrections import holm
from benchbench.significance.prediction_powered import prediction_powered_mean
from benchbench.significance.randomization import flips, randomization
from benchbench.significance.ranks import ranks
from benchbench.tables.qrels_runs import QrelsTable, RunTable

_RESAMPLES = 10_000
_ROUNDING = 1e-12
_FEWEST = 2  # labelled queries that a variance needs
_DECISIONS = {1: "better", -1: "worse", 0: "open"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Powered:
    """A mean by people alone, and the one with the judge's help."""

    people: float
    people_low: float | None
    people_high: float | None
    mean: float
    low: float | None
    high: float | None
    tuning: float
    labelled: int
    unlabelled: int
    worth: float

    def within_shares(self) -> "Powered":
        """Return the same of a measure that is from 0 to 1: no interval of it goes on beyond these."""
        people_low, people_high, low, high = (
            None if end is None else min(max(end, 0.0), 1.0)
            for end in (self.people_low, self.people_high, self.low, self.high)
        )
        return replace(self, people_low=people_low, people_high=people_high, low=low, high=high)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedSystem:
    """The means of a system, its ranks, and its mean with the help of the judge; None where there is none."""

    name: str
    people: float
    judge: float
    people_rank: int
    judge_rank: int
    powered: Powered | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A pair of systems that is decided differently: by how much the second is better, and what the tests say.

    A decision is `better`, `worse` or `open`, of the second system.
    """

    one: str
    other: str
    people: float
    judge: float
    people_decision: str
    judge_decision: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemRanking:
    """Systems by one measure, under people and judge.

    Attributes
    ----------
    measure
        Its name.
    queries
        That both have labelled; none leaves the ranks out.
    systems
        In the order of their runs.
    tau, spearman
        Kendall's tau-b and Spearman's correlation of the means; None where all means of a side are alike.
    largest_rank_change
        By how many places a system moves, at most.
    swapped_pairs
        Pairs of systems whose means are in the other order.
    pairs
        All pairs.
    decided_differently
        The pairs of which the decision of the tests is another.
    """

    measure: str
    queries: int
    systems: Sequence[RankedSystem] = ()
    tau: float | None = None
    spearman: float | None = None
    largest_rank_change: int = 0
    swapped_pairs: int = 0
    pairs: int = 0
    decided_differently: Sequence[Decided] = ()


def ranked_systems(
    people: QrelsTable,
    judge: QrelsTable,
    runs: Mapping[str, RunTable],
    measures: Sequence[str],
    level: float = 0.05,
    seed: int = 0,
) -> list[SystemRanking]:
    """Return each measure's systems under people and judge.

    Parameters
    ----------
    people, judge
        The labels.
    runs
        The systems, by name.
    measures
        As `measures.notation` reads them; each has a value per query.
    level
        Of the tests, and the share of intervals that may miss.
    seed
        Of the signs that are flipped.

    Raises
    ------
    InputError
        An unknown measure, or one without a value per query; a fault of a run.
    """
    values = [_values(labels, runs, measures) for labels in (people, judge)]
    shared, in_people, in_judge = np.intersect1d(people.query, judge.query, return_indices=True)
    order = np.argsort(in_people)
    in_people, in_judge = in_people[order], in_judge[order]
    alone = np.flatnonzero(~np.isin(judge.query, shared))
    return [
        _ranked(name, list(runs), values[0][name][:, in_people], values[1][name], in_judge, alone, level, seed)
        for name in values[0]
    ]


def _values(labels: QrelsTable, runs: Mapping[str, RunTable], measures: Sequence[str]) -> dict[str, F64]:
    """Return the values (systems, labelled queries) by measure."""
    evaluator = Evaluator(labels, measures)
    scores = [evaluator.score(run) for run in runs.values()]
    names = [str(measure) for measure in evaluator.measures]
    missing = next((name for name in names if name not in scores[0].values), None)
    if missing is not None:
        raise InputError(f"{missing} has no value per query, so systems cannot be compared by it")
    return {name: np.stack([score.values[name] for score in scores]) for name in names}


def _ranked(
    measure: str, names: Sequence[str], people: F64, judge: F64, shared: I64, alone: I64, level: float, seed: int
) -> SystemRanking:
    """Return the systems of one measure; `people` (systems, shared queries), `judge` (systems, its queries)."""
    powered: list[Powered | None] = [None] * len(names)
    if len(shared) >= _FEWEST and len(alone):
        powered = [powered_mean(a, b[shared], b[alone], level) for a, b in zip(people, judge, strict=True)]
        if all(values.min() >= 0.0 and values.max() <= 1.0 for values in (people, judge)):
            powered = [mean and mean.within_shares() for mean in powered]
    if not len(shared):
        return SystemRanking(measure=measure, queries=0)
    judge = judge[:, shared]
    means = people.mean(axis=1), judge.mean(axis=1)
    places = [ranks(side, _ROUNDING) for side in means]
    columns = (*(side.tolist() for side in (*means, *places)), powered)
    systems = [
        RankedSystem(name=name, people=a, judge=b, people_rank=first, judge_rank=second, powered=power)
        for name, a, b, first, second, power in zip(names, *columns, strict=True)
    ]
    pairs = list(combinations(range(len(names)), 2))
    signs = [np.array([_sign(side[j] - side[i]) for i, j in pairs], np.int64) for side in means]
    decisions = [_decisions(values, pairs, level, seed) for values in (people, judge)]
    differ = np.flatnonzero(decisions[0] != decisions[1]).tolist() if pairs else []
    return SystemRanking(
        measure=measure,
        queries=len(shared),
        systems=systems,
        tau=_tau(*signs),
        spearman=_spearman(*means),
        largest_rank_change=int(np.abs(places[0] - places[1]).max(initial=0)),
        swapped_pairs=int(np.count_nonzero(signs[0] * signs[1] < 0)),
        pairs=len(pairs),
        decided_differently=[
            Decided(
                one=names[i],
                other=names[j],
                people=float(means[0][j] - means[0][i]),
                judge=float(means[1][j] - means[1][i]),
                people_decision=_DECISIONS[int(decisions[0][pair])],
                judge_decision=_DECISIONS[int(decisions[1][pair])],
            )
            for pair in differ
            for i, j in [pairs[pair]]
        ],
    )


def powered_mean(people: F64, judge: F64, judge_alone: F64, level: float) -> Powered:
    """Return a prediction-powered mean; without an interval where all values are alike."""
    powered = prediction_powered_mean(people, judge, judge_alone, level)
    people_low, people_high = _ends(powered.classical_low, powered.classical_high)
    low, high = _ends(powered.low, powered.high)
    return Powered(
        people=powered.classical,
        people_low=people_low,
        people_high=people_high,
        low=low,
        high=high,
        **{name: getattr(powered, name) for name in ("mean", "tuning", "labelled", "unlabelled", "worth")},
    )


def _ends(low: float, high: float) -> tuple[float | None, float | None]:
    return (low, high) if high > low else (None, None)


def _decisions(values: F64, pairs: Sequence[tuple[int, int]], level: float, seed: int) -> I64:
    """Return of each pair whether the second system is better (1), worse (-1), or that is open (0)."""
    sizes = np.ones(values.shape[1])
    if not pairs:
        return np.zeros(0, np.int64)
    (flipped,) = flips(values[None], sizes, [True], _RESAMPLES, seed)
    p = np.ones(len(pairs))
    signs = np.zeros(len(pairs), np.int64)
    for place, (i, j) in enumerate(pairs):
        differences = np.where(np.abs(values[j] - values[i]) > _ROUNDING, values[j] - values[i], 0.0)
        if differences.any():
            p[place] = randomization(flipped, (i, j), differences, sizes, level, _RESAMPLES).p
            signs[place] = _sign(float(differences.sum()))
    decisions: I64 = np.where(holm(p) <= level, signs, 0)
    return decisions


def _sign(difference: float) -> int:
    return int(np.sign(difference)) if abs(difference) > _ROUNDING else 0


def _tau(first: I64, other: I64) -> float | None:
    """Return Kendall's tau-b (1945) of two rankings, by the signs of all pairs."""
    untied = float(np.count_nonzero(first)) * float(np.count_nonzero(other))
    return float(first @ other) / untied**0.5 if untied else None


def _spearman(first: F64, other: F64) -> float | None:
    """Return the correlation of mean ranks."""
    if len(first) < _FEWEST:
        return None
    places = [_mean_ranks(side) for side in (first, other)]
    off = [side - side.mean() for side in places]
    spread = float((off[0] @ off[0]) * (off[1] @ off[1]))
    return float(off[0] @ off[1]) / spread**0.5 if spread > 0.0 else None


def _mean_ranks(means: F64) -> F64:
    """Return ranks from 1 for the lowest; equal means share the mean of theirs."""
    less = (means[:, None] - means[None, :] > _ROUNDING).sum(axis=1)
    alike = (np.abs(means[:, None] - means[None, :]) <= _ROUNDING).sum(axis=1)
    mean_ranks: F64 = less + (alike + 1) / 2
    return mean_ranks
