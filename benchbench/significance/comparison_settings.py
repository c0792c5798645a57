"""How a comparison is made: what a test is, what a family of tests is, when a difference counts."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from benchbench.errors import InputError
from benchbench.results.ranges import ALPHA, DIFFERENCE, POWER, RESAMPLES, TIE
from benchbench.results.settings import NO_CLUSTER, Cluster, Opt, Seed, Slices, check_described, described

Test = Literal["randomization", "t", "wilcoxon"]
Correction = Literal["holm", "maxt", "bonferroni", "bh", "none"]
Family = Literal["measure", "together"]

USUAL_POWER = 0.8  # chance of finding an effect, where no other is asked for

GROUPED: tuple[Test, ...] = ("randomization", "t")  # tests that have a form for queries in groups
TESTS: tuple[Test, ...] = ("randomization", "t", "wilcoxon")


@described
@dataclass(frozen=True, slots=True, kw_only=True)
class CompareSettings:
    """Everything that a verdict depends on besides the scores.

    A family is the set of tests that one correction is made over: all pairs of systems, or all systems against
    the baseline where one is named; of each measure by itself (`measure`), or of all measures (`together`).
    """

    baseline: Annotated[str | None, Opt("Compare all others with this one, instead of all pairs.", metavar="NAME")] = (
        field(default=None, kw_only=False)
    )
    test: Annotated[Test, Opt("Test that decides; the p-values of all are reported.")] = "randomization"
    correction: Annotated[
        Correction, Opt("Correction for many tests: Holm, step-down maxT, Bonferroni, Benjamini and Hochberg, or none.")
    ] = "holm"
    family: Annotated[Family, Opt("Correct over the pairs of each measure, or over all measures too.")] = "measure"
    alpha: Annotated[float, Opt("Significance level: largest p-value that counts.", ALPHA)] = 0.05
    resamples: Annotated[int, Opt("Resamples of the bootstrap and of the test.", RESAMPLES)] = 10_000
    seed: Seed = 0
    tie: Annotated[float, Opt("Largest difference that counts as a tie.", TIE)] = 0.0
    power: Annotated[float, Opt("Power at which the smallest detectable difference is given.", POWER)] = USUAL_POWER
    margin: Annotated[
        float | None,
        Opt(
            "Smallest difference that matters: test whether systems are equivalent within it, or not inferior by more.",
            DIFFERENCE,
        ),
    ] = None
    need: Annotated[
        float | None, Opt("Print how many queries it takes to detect a difference of this size.", DIFFERENCE)
    ] = None
    slices: Slices = ()
    cluster: Cluster = None

    def __post_init__(self) -> None:
        """Refuse what cannot be; the name of one column may stand alone."""
        if self.baseline is not None and not isinstance(self.baseline, str):
            raise InputError(f"baseline is the name of a run, and not of type {type(self.baseline).__name__}")
        check_described(self)
        if self.cluster is not None and not isinstance(self.cluster, str):
            raise InputError(f"cluster is the name of a column, and not of type {type(self.cluster).__name__}")
        if self.cluster == NO_CLUSTER:
            object.__setattr__(self, "cluster", None)
        if self.cluster is not None and self.test not in GROUPED:
            raise InputError(
                f"--test {self.test} takes every query for independent: with --cluster it is {' or '.join(GROUPED)}"
            )
        if self.correction == "maxt" and self.test != "randomization":
            raise InputError(f"--correction maxt is of the randomization test, and not of --test {self.test}")
        if self.margin is not None and self.alpha >= 0.5:
            raise InputError(f"--margin needs an --alpha below 0.5, and not {self.alpha:g}")
        if self.power <= self.alpha:
            raise InputError(f"--power {self.power} is not above --alpha {self.alpha}, as 0.8 is")

    @property
    def tests(self) -> tuple[Test, ...]:
        """The tests whose p-values are reported."""
        return TESTS if self.cluster is None else GROUPED
