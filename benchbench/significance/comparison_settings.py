"""How a comparison is made: what a test is, what a family of tests is, when a difference counts."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, Literal

from benchbench.errors import InputError
from benchbench.results.ranges import ALPHA, DIFFERENCE, POWER, RESAMPLES, TIE
from benchbench.results.settings import (
    ADVANCED,
    MEASURED,
    NO_CLUSTER,
    Cluster,
    Opt,
    Seed,
    Slices,
    check_described,
    described,
    in_section,
)

Test = Literal["randomization", "t", "wilcoxon"]
Correction = Literal["holm", "maxt", "bonferroni", "bh", "none"]
Family = Literal["measure", "together"]

USUAL_POWER = 0.8  # chance of finding an effect, where no other is asked for

GROUPED: tuple[Test, ...] = ("randomization", "t")  # tests that have a form for queries in groups
TESTS: tuple[Test, ...] = ("randomization", "t", "wilcoxon")


@in_section(MEASURED)
@described
@dataclass(frozen=True, slots=True, kw_only=True)
class CompareSettings:
    """Everything that a verdict depends on besides the scores.

    A family is the set of tests that one correction is made over: all pairs of systems, or all systems against
    the baseline where one is named; of each measure by itself (`measure`), or of all measures (`together`).
    """

    baseline: Annotated[str | None, Opt("Compare all others with this one.", metavar="NAME")] = field(
        default=None, kw_only=False
    )
    test: Annotated[Test, Opt("Test.")] = "randomization"
    correction: Annotated[Correction, Opt("Correction.")] = "holm"
    family: Annotated[Family, Opt("Correct over.", section=ADVANCED)] = "measure"
    alpha: Annotated[float, Opt("Largest p-value that counts.", ALPHA, section=ADVANCED)] = 0.05
    resamples: Annotated[int, Opt("Resamples of the bootstrap and of the test.", RESAMPLES, section=ADVANCED)] = 10_000
    seed: Seed = 0
    tie: Annotated[float, Opt("Largest difference that counts as a tie.", TIE, section=ADVANCED)] = 0.0
    power: Annotated[float, Opt("Power of the smallest detectable difference.", POWER, section=ADVANCED)] = USUAL_POWER
    margin: Annotated[
        float | None,
        Opt(
            "Least difference that matters.",
            DIFFERENCE,
        ),
    ] = None
    need: Annotated[float | None, Opt("Queries needed to show this difference.", DIFFERENCE)] = None
    slices: Slices = ()
    cluster: Cluster = None

    @classmethod
    def of(cls, baseline: str | None, given: Mapping[str, Any]) -> "CompareSettings":
        """Return the settings with those that are given by name; InputError for a name that there is not."""
        names = [each.name for each in fields(cls)]
        for name in given:
            if name not in names:
                raise InputError(f"a comparison has no setting {name}; it has {', '.join(names)}")
        return cls(baseline=baseline, **given)

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
