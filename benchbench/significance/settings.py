"""How a comparison is made: what a test is, what a family of tests is, when a difference counts."""

from dataclasses import dataclass
from typing import Literal, get_args

from benchbench.errors import InputError
from benchbench.significance.power import USUAL_POWER
from benchbench.tables.groups import NO_CLUSTER
from benchbench.tables.numbers import ALPHA, DIFFERENCE, POWER, RESAMPLES, SEED, TIE, check

Test = Literal["randomization", "t", "wilcoxon"]
Correction = Literal["holm", "maxt", "bonferroni", "bh", "none"]
Family = Literal["measure", "together"]

GROUPED: tuple[Test, ...] = ("randomization", "t")  # tests that have a form for queries in groups
TESTS: tuple[Test, ...] = ("randomization", "t", "wilcoxon")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a verdict depends on besides the scores.

    A family is the set of tests that one correction is made over: all pairs of systems, or all systems against
    the baseline where one is named; of each measure by itself (`measure`), or of all measures (`together`).

    Attributes
    ----------
    baseline
        The system that all others are compared with; all pairs by default. (`--baseline`)
    test
        The test whose corrected p-value decides, `randomization` (the default), `t` or `wilcoxon`; all are reported.
        (`--test`)
    correction
        For several tests at once: `holm` (the default), `maxt`, which is of the randomisation test only, `bonferroni`,
        `bh` or `none`. (`--correction`)
    family
        What one correction is made over, `measure` (the default) or `together`. (`--family`)
    alpha
        Chance of an error that a verdict accepts; 0.05 by default. (`--alpha`)
    resamples
        Of the randomization test and the bootstrap; 10,000 by default. The test takes more where no p-value of so
        many could pass the correction. (`--resamples`)
    seed
        Of the resamples; 0 by default. (`--seed`)
    tie
        A query counts as won or lost when the values differ by more; 0 by default. (`--tie`)
    power
        Of the smallest difference that could have been shown; 0.8 by default. (`--power`)
    margin
        The least mean difference that matters: whether one is equivalent within it, or not inferior by more, is said
        too; by default it is not asked. (`--margin`)
    need
        A mean difference of which is said how many queries would show it, with the power asked for; by default it is
        not asked. (`--need`)
    slices
        Columns of the queries by which results are also shown, one or several; none by default. (`--slice`)
    cluster
        The column whose values say which queries belong together; `none` for none. By default that of the runs where
        they name one, else none, and each query stands by itself. (`--cluster`)
    """

    baseline: str | None = None
    test: Test = "randomization"
    correction: Correction = "holm"
    family: Family = "measure"
    alpha: float = 0.05
    resamples: int = 10_000
    seed: int = 0
    tie: float = 0.0
    power: float = USUAL_POWER
    margin: float | None = None
    need: float | None = None
    slices: tuple[str, ...] = ()
    cluster: str | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be; the name of one column may stand alone."""
        if isinstance(self.slices, str):
            object.__setattr__(self, "slices", (self.slices,))
        if self.baseline is not None and not isinstance(self.baseline, str):
            raise InputError(f"baseline is the name of a run, and not of type {type(self.baseline).__name__}")
        for name, kind in (("test", Test), ("correction", Correction), ("family", Family)):
            given = getattr(self, name)
            if given not in get_args(kind):
                raise InputError(f"--{name} is one of {', '.join(get_args(kind))}, and not {given}")
        if self.cluster is not None and not isinstance(self.cluster, str):
            raise InputError(f"cluster is the name of a column, and not of type {type(self.cluster).__name__}")
        if self.cluster == NO_CLUSTER:
            object.__setattr__(self, "cluster", None)
        if self.cluster is not None and self.test not in GROUPED:
            raise InputError(
                f"--test {self.test} takes every query for independent: with --cluster it is {' or '.join(GROUPED)}"
            )
        check(self, alpha=ALPHA, power=POWER, resamples=RESAMPLES, seed=SEED, tie=TIE)
        for name in ("margin", "need"):
            if getattr(self, name) is not None:
                check(self, **{name: DIFFERENCE})
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
