"""How a comparison is made: what a test is, what a family of tests is, when a difference counts."""

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal, get_args

from benchbench.errors import InputError

Test = Literal["randomization", "t", "wilcoxon"]
Correction = Literal["holm", "bh", "none"]
Family = Literal["measure", "together"]

TESTS: tuple[Test, ...] = ("randomization", "t", "wilcoxon")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a verdict depends on besides the scores.

    A family is the set of tests that one correction is made over: all pairs of systems, or all systems against
    the baseline where one is named; of each measure by itself (`measure`), or of all measures (`together`).
    """

    baseline: str | None = None
    test: Test = "randomization"  # the one whose corrected p-value decides; all are reported
    correction: Correction = "holm"
    family: Family = "measure"
    alpha: float = 0.05
    resamples: int = 10_000
    seed: int = 0
    tie: float = 0.0  # a query counts as won or lost when the values differ by more
    power: float = 0.8  # of the smallest difference that could have been shown
    slices: tuple[str, ...] = ()  # query columns

    def __post_init__(self) -> None:
        """Refuse what cannot be; the name of one column may stand alone."""
        if isinstance(self.slices, str):
            object.__setattr__(self, "slices", (self.slices,))
        if self.baseline is not None and not isinstance(self.baseline, str):
            raise InputError(f"baseline is the name of a run, and not of type {type(self.baseline).__name__}")
        for name in ("alpha", "power", "tie"):
            if not isinstance(getattr(self, name), Real):
                raise InputError(f"--{name} is a number, and not {getattr(self, name)!r}")
        for name, kind in (("test", Test), ("correction", Correction), ("family", Family)):
            given = getattr(self, name)
            if given not in get_args(kind):
                raise InputError(f"--{name} is one of {', '.join(get_args(kind))}, and not {given}")
        if not 1e-6 <= self.alpha < 1.0:
            raise InputError("--alpha is a share between 0 and 1, such as 0.05, and not below 0.000001")
        if not self.alpha < self.power <= 0.999:
            raise InputError("--power is a share above --alpha and up to 0.999, such as 0.8")
        if not isinstance(self.resamples, Integral) or not 100 <= self.resamples <= 10_000_000:
            raise InputError("--resamples is a whole number from 100 to 10,000,000")
        if not isinstance(self.seed, Integral) or not 0 <= self.seed <= 2**62:
            raise InputError("--seed is a whole number from 0 to 2^62")
        if not 0.0 <= self.tie < float("inf"):
            raise InputError("--tie is a number from 0")
