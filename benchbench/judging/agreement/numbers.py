"""How far a judge agrees with people: every number of a calibration, of pairs of grades.

Conventions
-----------
A pair is a query and a document, or whatever else was judged, with a grade by people and one by the judge. A cut takes
a grade as relevant from some grade on: `kappa@2` is Cohen's kappa of the grades from 2 on against those below. There is
a cut at each whole number above the lowest grade, or at each grade where some are no whole numbers; where that would
be more than `MOST_CUTS`, at whole numbers if these are fewer, and else at none. A constant
predictor gives every pair the grade that people give most often; what it reaches is what a judge has to beat.

Intervals are a jackknife over queries (`significance.raters`), for pairs of one query are alike. Where people and judge
agreed on every pair a jackknife has no width; then the lower end is what Wilson's interval leaves of the agreement. One
query has no interval.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np

from benchbench.kernels.arrays import F64, I64
from benchbench.results.estimates import Estimate
from benchbench.results.record import Number, Scope
from benchbench.significance import raters
from benchbench.significance.randomization import flips, randomization
from benchbench.significance.raters import JACKKNIFE, Estimated, Statistic
from benchbench.significance.shares import share_interval

MOST_CUTS = 20
_OF_CUT = ("prevalence", "judge_prevalence", "constant_agreement")
_RESAMPLES = 10_000
WILSON = "Wilson over queries"
ONE_GRADE = "people and judge gave a single grade, so they could not disagree"
MANY_GRADES = f"there are more than {raters.MOST_GRADES} different grades: these are scores"
NO_PAIR = "no pair has a grade by both"


class AgreementMeasure(NamedTuple):
    """A number of how far people and a judge agree on all grades.

    Attributes
    ----------
    title
        What reports call it.
    statistic
        Makes it of the grades, rising.
    is_signed
        Whether it is a difference, which has no scale from 0 to 1.
    where_uneven
        Whether it is there only where grades are not evenly spaced.
    """

    title: str
    statistic: Callable[[F64], Statistic]
    is_signed: bool = False
    where_uneven: bool = False


MEASURES: Mapping[str, AgreementMeasure] = {  # in the order of reports
    "kappa": AgreementMeasure("kappa, all grades", lambda grades: raters.kappa),
    "weighted_kappa": AgreementMeasure("kappa, quadratic weights", lambda grades: raters.weighted_kappa),
    "weighted_kappa_by_value": AgreementMeasure("kappa, quadratic by value", raters.weighted_kappa_by, False, True),
    "alpha": AgreementMeasure("alpha, ordinal", lambda grades: raters.alpha),
    "agreement": AgreementMeasure("same grade", lambda grades: raters.agreement),
    "bias": AgreementMeasure("mean grade, judge − people", raters.bias, is_signed=True),
}
ALWAYS = tuple(name for name, measure in MEASURES.items() if not measure.where_uneven)


def finite(value: float) -> float | None:
    """Return a number, or None for NaN and infinity."""
    return float(value) if math.isfinite(value) else None


def grade_name(grade: float) -> str:
    """Return a grade as text; different grades have different texts."""
    return repr(float(grade)).removesuffix(".0")


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeCut:
    """The grade from which on a pair counts as relevant, and how often people and judge find pairs relevant."""

    name: str  # how names of its numbers end: `@2`
    grade: float
    prevalence: float  # share of pairs that people find relevant
    judge_prevalence: float
    constant_agreement: float
    missed: int  # pairs that people alone find relevant
    added: int  # … and the judge alone
    p: float  # that the judge finds as many relevant as people: signs of queries flipped


@dataclass(frozen=True, slots=True)
class Constant:
    """The agreement of a constant: every pair gets the grade that people give most often; no kappa for one grade."""

    grade: float
    agreement: float
    kappa: float | None
    weighted_kappa: float | None
    alpha: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreed:
    """How far people and a judge agree.

    Attributes
    ----------
    n, queries
        Pairs with both grades, and the queries that they are of.
    unparsed
        Pairs whose grade by the judge is missing.
    grades
        That either gave, rising.
    confusion
        (grades, grades): pairs with the grade of the row by people and of the column by the judge.
    values
        Those of `MEASURES` by name, and of each cut `kappa@2`, `agreement@2`, `bias@2`; NaN where there is none.
    undefined
        Why a value is missing, by name.
    cuts
        By rising grade.
    constant
        None without a pair.
    level
        The share of intervals that may miss.
    """

    n: int
    queries: int
    unparsed: int
    grades: F64
    confusion: I64
    values: Mapping[str, Estimated]
    undefined: Mapping[str, str]
    cuts: Sequence[GradeCut] = ()
    constant: Constant | None = None
    level: float
    perfect: frozenset[str] = field(default_factory=frozenset)  # names of values whose low end is Wilson's

    @property
    def estimates(self) -> dict[str, Estimate]:
        """Return the values by name, with their intervals; None for a missing value."""
        ends = {name: (value.value, value.low, value.high) for name, value in self.values.items()}
        return {name: Estimate(*map(finite, parts)) for name, parts in ends.items()}

    @property
    def prevalence(self) -> dict[str, dict[str, float]]:
        """Return how often people and judge gave each grade, as shares of the pairs."""
        names, counts = [grade_name(grade) for grade in self.grades], self.confusion
        return {
            side: dict(zip(names, (counts.sum(axis=axis) / max(self.n, 1)).tolist(), strict=True))
            if counts.size
            else {}
            for side, axis in (("human", 1), ("judge", 0))
        }

    def numbers(self, scope: Scope | None = None) -> list[Number]:
        """Return all numbers, each with this scope."""
        scope = scope or {}
        every = [self._number(name, value, scope) for name, value in self.values.items()]
        alone = partial(Number, n=self.n, scope=scope)
        for cut in self.cuts:
            every += [alone(name=f"{name}{cut.name}", value=getattr(cut, name)) for name in _OF_CUT]
            every.append(alone(name=f"p bias{cut.name}", value=cut.p))
        if self.constant is not None:
            every += [
                alone(name="constant_agreement", value=self.constant.agreement),
                alone(name="constant_alpha", value=self.constant.alpha),
            ]
        return [*every, alone(name="unparsed", value=float(self.unparsed), better="lower")]

    def _number(self, name: str, value: Estimated, scope: Scope) -> Number:
        kind = name.partition("@")[0]
        return Number(
            name=name, value=value.value, low=value.low, high=value.high, interval=self.interval(name), n=self.n,
            better=None if kind == "bias" else "higher", scope=scope,
        )  # fmt: skip

    def interval(self, name: str) -> str | None:
        """Return the method of a value's interval; None where it has no interval."""
        value = self.values[name]
        if not np.isfinite(value.low):
            return None
        method = WILSON if name in self.perfect else f"{JACKKNIFE} over {_blocks(value.blocks, self.queries)}"
        return f"{method}, {100 * (1 - self.level):g} %"


def _blocks(blocks: int, queries: int) -> str:
    return f"{blocks:,} queries" if blocks == queries else f"{blocks:,} blocks of queries"


def agreed(human: F64, judge: F64, groups: I64 | None = None, level: float = 0.05, seed: int = 0) -> Agreed:
    """Return how far people and a judge agree.

    Parameters
    ----------
    human, judge
        (pairs,): grades, of any numbers; NaN where one has given none. A pair without a grade by people says nothing.
    groups
        (pairs,): the query of each pair, any whole numbers; None takes each pair for a query of its own.
    level
        The share of intervals that may miss.
    seed
        Of the signs that are flipped where there are too many patterns to go through.
    """
    human, judge = np.asarray(human, np.float64), np.asarray(judge, np.float64)
    groups = np.arange(human.size) if groups is None else np.asarray(groups)
    unparsed = int(np.count_nonzero(~np.isnan(human) & np.isnan(judge)))
    both = ~(np.isnan(human) | np.isnan(judge))
    human, judge = human[both], judge[both]
    query, group = np.unique(groups[both], return_inverse=True)
    grades = np.unique(np.concatenate([human, judge])) + 0.0  # -0 is 0
    if not human.size or grades.size > raters.MOST_GRADES:
        return Agreed(
            n=human.size,
            queries=len(query),
            unparsed=unparsed,
            grades=grades,
            confusion=np.zeros((0, 0), np.int64),
            values=dict.fromkeys(ALWAYS, Estimated(np.nan, np.nan, np.nan, 0)),
            undefined=dict.fromkeys(ALWAYS, MANY_GRADES if human.size else NO_PAIR),
            level=level,
        )
    block, blocks = raters.blocks_of(group, len(query), grades.size)
    first, second = (np.searchsorted(grades, side) for side in (human, judge))
    counts = raters.crossed(first, second, grades.size, block, blocks)
    return _of_counts(counts, grades, len(query), unparsed, level, seed)


def _of_counts(counts: F64, grades: F64, queries: int, unparsed: int, level: float, seed: int) -> Agreed:
    places = cut_places(grades)
    uneven = grades.size > 2 and not np.allclose(np.diff(grades), grades[1] - grades[0])
    names = [*ALWAYS, *(name for name in MEASURES if uneven and name not in ALWAYS)]
    statistics = {name: MEASURES[name].statistic(grades) for name in names}
    for grade, place in places:
        of_cut = {"kappa": raters.kappa, "agreement": raters.agreement, "bias": raters.bias(np.array([0.0, 1.0]))}
        for name, statistic in of_cut.items():
            statistics[f"{name}@{grade_name(grade)}"] = partial(_at, statistic, place)
    values = raters.jackknifed(counts, statistics, level)
    perfect = {name for name in values if _agrees_always(name, values)} if len(counts) > 1 else set()
    for name in perfect:
        values[name] = _without_width(name, values[name], counts, places, level)
    undefined = {name: ONE_GRADE for name, value in values.items() if np.isnan(value.value)}
    whole = counts.sum(axis=0)
    return Agreed(
        n=int(whole.sum()),
        queries=queries,
        unparsed=unparsed,
        grades=grades,
        confusion=whole.astype(np.int64),
        values={name: _within(name, value, float(grades[-1] - grades[0])) for name, value in values.items()},
        undefined=undefined,
        cuts=_cuts(counts, places, seed, level),
        constant=_constant(whole, grades),
        level=level,
        perfect=frozenset(perfect),
    )


def cut_places(grades: F64) -> list[tuple[float, int]]:
    """Return each cut with the place of the lowest grade that it takes as relevant; none where they are too many."""
    is_whole = np.array_equal(grades, np.rint(grades))
    cuts = grades[1:]
    if is_whole or len(cuts) > MOST_CUTS:
        span = min(grades[-1] - np.floor(grades[0]), MOST_CUTS + 1.0)
        cuts = np.floor(grades[0]) + 1.0 + np.arange(np.floor(span))
    return [(float(cut), int(np.searchsorted(grades, cut))) for cut in cuts] if len(cuts) <= MOST_CUTS else []


def _at(statistic: Statistic, place: int, counts: F64) -> F64:
    return statistic(raters.cut(counts, place))


def _agrees_always(name: str, values: Mapping[str, Estimated]) -> bool:
    kind, at, grade = name.partition("@")
    return kind != "bias" and values[f"agreement{at}{grade}"].value == 1.0 and np.isfinite(values[name].value)


def _without_width(
    name: str, value: Estimated, counts: F64, places: Sequence[tuple[float, int]], level: float
) -> Estimated:
    """Return the interval of a value without any disagreement, for which a jackknife gives a single point."""
    kind, at, grade = name.partition("@")
    if kind == "agreement":
        return Estimated(1.0, share_interval(value.blocks, value.blocks, level)[0], 1.0, value.blocks)
    place = next((place for cut, place in places if at and grade_name(cut) == grade), None)
    table = counts if place is None else raters.cut(counts, place)
    return Estimated(value.value, raters.perfect(table, value.blocks, level), 1.0, value.blocks)


def _within(name: str, value: Estimated, span: float) -> Estimated:
    """Return a value with its interval cut to the possible range; `span` is the highest grade less the lowest."""
    if np.isnan(value.low):
        return value
    most = span if name == "bias" else 1.0
    least = 0.0 if name.partition("@")[0] == "agreement" else -most
    return Estimated(value.value, max(value.low, least), min(value.high, most), value.blocks)


def _cuts(counts: F64, places: Sequence[tuple[float, int]], seed: int, level: float) -> list[GradeCut]:
    if not places:
        return []
    tables = np.stack([raters.cut(counts, place) for _, place in places])  # (cuts, blocks, 2, 2)
    net = tables[..., 0, 1] - tables[..., 1, 0]
    sizes = tables[0].sum(axis=(-1, -2))
    p_values = flipped_signs(net, sizes, level, seed)
    cuts = []
    for (grade, _), table, p in zip(places, tables.sum(axis=1), p_values, strict=True):
        people, judged = table.sum(axis=1) / table.sum(), table.sum(axis=0) / table.sum()
        cuts.append(
            GradeCut(
                name=f"@{grade_name(grade)}",
                grade=grade,
                prevalence=float(people[1]),
                judge_prevalence=float(judged[1]),
                constant_agreement=float(people.max()),
                missed=int(table[1, 0]),
                added=int(table[0, 1]),
                p=p,
            )
        )
    return cuts


def flipped_signs(sums: F64, sizes: F64, level: float, seed: int) -> list[float]:
    """Return, of each row of sums (rows, blocks), the p-value of a mean of 0: signs of blocks are flipped.

    Of pairs that are each a block of their own this is McNemar's test (1947).
    """
    systems = np.stack([np.zeros_like(sums), sums], axis=1)
    patterns = flips(systems, sizes, [bool(row.any()) for row in sums], _RESAMPLES, seed)
    return [
        float(randomization(flipped, (0, 1), row, sizes, level, _RESAMPLES).p) if row.any() else 1.0
        for flipped, row in zip(patterns, sums, strict=True)
    ]


def _constant(whole: F64, grades: F64) -> Constant:
    people = whole.sum(axis=1)
    most = int(people.argmax())
    constant = np.zeros_like(whole)
    constant[:, most] = people
    chance = None if len(grades) == 1 else 0.0
    alpha = finite(float(raters.alpha(constant)))
    return Constant(float(grades[most]), float(people[most] / whole.sum()), chance, chance, alpha)
