"""What a comparison finds. Reports show these numbers and compute none."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from benchbench.results import estimates
from benchbench.significance.comparison_settings import CompareSettings, Test
from benchbench.significance.shares import WILSON as WILSON  # for reports, which import no module that computes
from benchbench.tables.paired import Paired

BCA = "BCa bootstrap"
TOGETHER = "single-step maxT over the family"
_BESIDE: dict[Test, str] = {
    "randomization": f"{BCA} and inverted randomization test",
    "t": f"{BCA} and Student's t",
    "wilcoxon": "Hodges and Lehmann",
}
_BESIDE_GROUPED: dict[Test, str] = {
    "randomization": "inverted randomization test of groups",
    "t": "cluster-robust t",
}


def method(settings: CompareSettings, family: bool = False) -> str:
    """Return how intervals of differences are made: by the test that decides, and for a family so that all hold."""
    beside = (_BESIDE if settings.cluster is None else _BESIDE_GROUPED)[settings.test]
    return f"{TOGETHER}, {beside}" if family and settings.correction == "maxt" else beside


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemMean:
    """The mean of a system with its interval, and the ranks that it may have."""

    measure: str
    system: str
    mean: float
    low: float | None  # None of one query, or of one group of them
    high: float | None
    rank: int  # 1 is best; equal means share the better one
    rank_low: int  # best rank that the tests leave open
    rank_high: int  # worst
    interval: str = BCA  # how it is made


@dataclass(frozen=True, slots=True)
class Margin:
    """What is said of a difference and the margin of the settings."""

    verdict: str  # equivalent within it, better, worse, not inferior by more than it, or too few queries to say
    low: float | None  # the mean difference is above, with a chance of 1 - alpha, whatever queries not seen may do
    high: float | None  # … and below; None where there is no end
    equivalent: float  # p-value, corrected over the family, of a mean difference that is the margin or more
    not_inferior: float  # … of a mean difference that is worse by the margin or more


@dataclass(frozen=True, slots=True)
class PairedDifference(estimates.Difference):
    """System minus baseline, over the same queries; its interval stands beside the test that decides."""

    p: Mapping[Test, float]
    corrected: Mapping[Test, float]  # over the family
    significant: bool  # the corrected p-value of the chosen test is at most alpha, and the interval leaves out 0
    direction: int  # where significant, 1 better or -1 worse by the chosen test, whatever the mean says; else 0
    effect: float | None  # mean over standard deviation of the differences (Cohen's d_z); None where that is no number
    wins: int
    ties: int
    losses: int
    detectable: float | None  # true mean difference that a t-test shows with the power asked for, where there is one
    interval: str = BCA  # how it is made
    design_effect: float | None = None  # of queries in groups: variance of the mean over that of independent queries
    changed: int | None = None  # queries with another value, however small the difference
    found: int | None = None  # of them, those with a value above 0 by the system only
    lost: int | None = None  # … and by the baseline only
    need: int | None = None  # queries, or groups, that would show `settings.need` with the power asked for
    margin: Margin | None = None  # where one was asked for

    def reversed(self) -> "PairedDifference":
        """Return the baseline less the system; what is said of a margin has one direction, and is left out."""
        # 0.0 - x, for -x of 0.0 is -0.0, which is shown with a minus sign
        low, high = (None if end is None else 0.0 - end for end in (self.high, self.low))
        return replace(
            self,
            baseline=self.system,
            system=self.baseline,
            mean=0.0 - self.mean,
            low=low,
            high=high,
            direction=-self.direction,
            effect=None if self.effect is None else 0.0 - self.effect,
            wins=self.losses,
            losses=self.wins,
            found=self.lost,
            lost=self.found,
            margin=None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceDifference:
    """A difference over the queries that have one value in one column."""

    measure: str
    baseline: str
    system: str
    column: str
    value: str
    queries: int
    baseline_mean: float
    system_mean: float
    mean: float  # difference
    low: float | None
    high: float | None
    p: float  # of the chosen test: is the slice's mean difference 0
    corrected: float  # over all slices of this pair and measure
    significant: bool
    interval: str = BCA  # how it is made


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """All that was found."""

    paired: Paired
    settings: CompareSettings
    estimates: tuple[SystemMean, ...]  # measure by measure, systems in their order
    differences: tuple[PairedDifference, ...]  # measure by measure
    family: str  # in words, with the number of tests in it
    slices: tuple[SliceDifference, ...]  # of each pair and measure, greatest loss first
    notes: tuple[str, ...] = ()  # what the reader should know: few queries, exact tests, slices left out
    explained: frozenset[str] = frozenset()  # those that explain, and neither leave out nor contradict
    resamples: int | None = None  # of the randomisation test: more than the settings have where a correction needs them
