"""What each pair of systems shows in one measure: its differences, prepared once, and all that is said of them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.significance.bootstrap import interval, resampled_measures
from benchbench.significance.comparison_settings import CompareSettings, Test
from benchbench.significance.design_effects import design_effect, group_variance
from benchbench.significance.hodges_lehmann import rank_interval
from benchbench.significance.paired_tests import deviation, rank_direction, t_test, wilcoxon
from benchbench.significance.pairs import Pair
from benchbench.significance.randomization import Flips, flips, randomization
from benchbench.significance.subset_means import Tested, patterns
from benchbench.tables.groups import Groups
from benchbench.tables.paired import Paired
from benchbench.tables.threads import in_order


@dataclass(frozen=True)
class PairDifferences:
    """The differences of one pair in one measure."""

    differences: F64  # (queries,), as `Paired.difference` has them
    rounding: float  # what arithmetic may have added to a value
    groups: Groups | None  # of queries that belong together

    @cached_property
    def units(self) -> tuple[F64, F64]:
        """The sums and sizes of what a pattern of signs turns: of queries, or of groups; sums within rounding are 0."""
        if self.groups is None:
            return self.differences, np.ones(len(self.differences))
        sums = self.groups.sums(self.differences)
        return np.where(np.abs(sums) <= self.rounding * self.groups.sizes, 0.0, sums), self.groups.sizes

    @cached_property
    def mean(self) -> float:
        """The mean difference; what is within rounding of 0 is 0."""
        mean = float(self.differences.mean())
        return mean if abs(mean) > self.rounding else 0.0

    @cached_property
    def spread(self) -> float:
        """The standard deviation of the differences."""
        return deviation(self.differences)

    @cached_property
    def error(self) -> tuple[float, int]:
        """The standard error of the mean, and its degrees of freedom: of groups as alike as they are, one less."""
        if self.groups is None:
            return self.spread / math.sqrt(len(self.differences)), len(self.differences) - 1
        if self.groups.number < 2:
            return math.nan, 0
        off = self.units[0] - self.mean * self.groups.sizes
        if np.all(np.abs(off) <= self.rounding * self.groups.sizes):
            return 0.0, self.groups.number - 1
        return math.sqrt(group_variance(self.differences, self.groups)), self.groups.number - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one pair shows in one measure, before any correction."""

    mean: float
    spread: float
    error: float  # standard error of the mean
    p: Mapping[Test, float]
    low: float  # of the interval beside the difference; infinite where it has no end
    high: float
    direction: int  # the way the chosen test sees it: 1 better, -1 worse, or 0
    wins: int
    ties: int
    losses: int
    found: int  # queries with a value above 0 by the system only
    lost: int  # … and by the baseline only
    changed: int  # queries that have a difference
    differ: int  # queries, or groups, that have a difference
    exact: bool  # whether the randomisation test went through all patterns
    design_effect: float | None  # of queries in groups
    together: tuple[float, float] | None = None  # interval that holds together with the others of a family

    @property
    def excludes_0(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low > 0.0 or self.high < 0.0

    def decided(self, corrected: float, alpha: float) -> tuple[bool, float | None, float | None]:
        """Return whether the difference is significant, and its interval, by a corrected p-value.

        It is when both agree: the p-value is at most alpha, and the interval leaves out 0. What the corrected test
        leaves open the interval does, so that it reaches to 0 where the difference is not significant. An end that
        there is none of is None. An interval that holds together with others may reach beyond 0 where the step-down
        p-value, which knows more, is at most alpha: there it ends at 0.
        """
        significant = self.excludes_0 and corrected <= alpha
        low, high = self.low, self.high
        if self.together is not None:
            low, high = min(low, self.together[0]), max(high, self.together[1])
        if not significant:
            low, high = min(low, 0.0), max(high, 0.0)
        elif self.low > 0.0:
            low = max(low, 0.0)
        else:
            high = min(high, 0.0)
        return significant, finite(low), finite(high)

    def turned(self) -> "Finding":
        """Return the same of the pair the other way round."""
        return replace(
            self,
            mean=-self.mean,
            low=-self.high,
            high=-self.low,
            direction=-self.direction,
            wins=self.losses,
            losses=self.wins,
            found=self.lost,
            lost=self.found,
        )


def finite(end: float) -> float | None:
    """Return an end of an interval; None where it is infinite."""
    return float(end) + 0.0 if math.isfinite(end) else None  # -0.0 + 0.0 is 0.0


def findings(
    paired: Paired, settings: CompareSettings, pairs: Sequence[Pair], tests: Sequence[Test], resamples: int
) -> Iterator[list[Finding]]:
    """Yield what each pair shows, of one measure after the other.

    Parameters
    ----------
    paired
        The values, with the groups of their queries where those belong together.
    settings
        The chosen test, which the interval belongs to, and its resamples.
    pairs
        Places of baseline and system.
    tests
        Whose p-values are wanted, the chosen one among them.
    resamples
        Of the bootstrap; queries in groups are not resampled.
    """
    values, (sums, sizes) = paired.values, paired.units
    drawn = [_many_differ(sums[m], settings) and "randomization" in tests for m in range(len(values))]
    none: Iterator[F64] = (np.zeros((values.shape[1], 0)) for _ in values)
    bootstrap = resampled_measures(values, resamples, settings.seed) if paired.groups is None else none
    patterned = flips(sums, sizes, drawn, settings.resamples, settings.seed)
    for m, (resampled, flipped) in enumerate(zip(bootstrap, patterned, strict=True)):
        calls = (partial(_finding, paired, settings, m, pair, tests, resampled, flipped) for pair in pairs)
        yield list(in_order(calls))


def _many_differ(sums: F64, settings: CompareSettings) -> bool:
    """Say whether some pair of systems differs on so many units that not all patterns are gone through."""
    units = int(np.count_nonzero(np.ptp(sums, axis=0)))
    return patterns(units, settings.resamples) is None


def _finding(
    paired: Paired, settings: CompareSettings, m: int, pair: Pair, tests: Sequence[Test], resampled: F64, flipped: Flips
) -> Finding:
    a, b = pair
    observed = PairDifferences(paired.difference(m, a, b), paired.rounding[m], paired.groups)
    values = observed.differences
    p: dict[Test, float] = {}
    ends = -math.inf, math.inf
    for test in tests:
        result = _tested(test, observed, settings, pair, flipped)
        p[test] = float(result.p)
        if test == settings.test:
            ends = result.low, result.high
    if resampled.shape[1] and settings.test != "wilcoxon":
        low, high = interval(values, resampled[b] - resampled[a], settings.alpha, observed.rounding)
        ends = min(ends[0], low), max(ends[1], high)
    low, high = (0.0 if abs(end) <= observed.rounding else end for end in ends)
    least = settings.tie + observed.rounding
    wins, losses = int((values > least).sum()), int((values < -least).sum())
    above = paired.values[m, [a, b]] > 0.0
    differ = int(np.count_nonzero(observed.units[0]))
    by_ranks = settings.test == "wilcoxon"
    return Finding(
        mean=observed.mean,
        spread=observed.spread,
        error=observed.error[0],
        p=p,
        low=low,
        high=high,
        direction=rank_direction(values, observed.rounding) if by_ranks else int(np.sign(observed.mean)),
        wins=wins,
        ties=len(values) - wins - losses,
        losses=losses,
        found=int(np.count_nonzero(above[1] & ~above[0])),
        lost=int(np.count_nonzero(above[0] & ~above[1])),
        changed=int(np.count_nonzero(values)),
        differ=differ,
        exact=patterns(differ, settings.resamples) is not None,
        design_effect=None if paired.groups is None else design_effect(values, paired.groups),
    )


def _tested(test: Test, observed: PairDifferences, settings: CompareSettings, pair: Pair, flipped: Flips) -> Tested:
    """Return the p-value of one test, and its interval where it is the chosen one."""
    if test == "randomization":
        return randomization(flipped, pair, *observed.units, settings.alpha, settings.resamples)
    if test == "t":
        return t_test(observed.mean, *observed.error, settings.alpha)
    p = wilcoxon(observed.differences, observed.rounding)
    if settings.test != test:
        return Tested(p, -math.inf, math.inf)
    return Tested(p, *rank_interval(observed.differences, observed.rounding, settings.alpha))
