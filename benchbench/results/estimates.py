"""Numbers with their intervals, as results hold them; whoever only reads them imports nothing that computes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % interval; None for what there is none of."""

    value: float | None
    low: float | None = None
    high: float | None = None

    def is_apart(self, other: "Estimate") -> bool:
        """Say whether both have intervals, and these do not overlap."""
        if self.low is None or self.high is None or other.low is None or other.high is None:
            return False
        return self.high < other.low or other.high < self.low


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of a system less that of its baseline, over the same queries."""

    measure: str
    baseline: str  # of all pairs, the one named first
    system: str
    mean: float
    low: float | None  # of its interval; None where it has no end
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureEstimate:
    """A reported number; `stderr`, `low` and `high` (95 % interval) are None for one query, or one group of them."""

    task: str
    measure: str  # as ir_measures writes it, e.g. "nDCG@10"
    value: float
    stderr: float | None = None
    low: float | None = None
    high: float | None = None
    interval: str | None = None  # how it was made
    design_effect: float | None = None  # where queries come in groups: variance over that of as many independent ones


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """A mean over the queries that have a value; None where none has."""

    measure: str
    mean: float | None
    low: float | None
    high: float | None
    queries: int
    interval: str | None  # its method
