"""The scale on which runs of a measure differ by noise alike, and how its differences are told."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchbench.history.check.details import WindowDetails
from benchbench.history.check.measures import Judged
from benchbench.kernels.arrays import F64
from benchbench.significance.run_windows import WindowTest

_FAILURES = ("errors", "error_rate", "failed_requests")  # counts of what seldom happens, and their share
_LEAST = 1e-3  # of what has a logarithm: milliseconds that a clock can tell
_OF_ROOT = 0.375  # twice the root of a count plus 3/8 has a variance of about 1 (Anscombe 1948)

Kind = Literal["linear", "logarithm", "root"]


@dataclass(frozen=True)
class Scale:
    """How values of a measure become such that more is better, and differences such as people read them.

    Attributes
    ----------
    sign
        -1 where less is better.
    kind
        Times and rates differ by factors, so that their logarithms are compared, and counts of failures by their roots.
    number
        What a share of failures is of.
    base
        The reference on this scale: a difference of roots is one of counts only from there.
    """

    sign: float
    kind: Kind
    number: float = 1.0
    base: float = 0.0

    @classmethod
    def of(cls, measure: Judged, number: float = 1.0) -> "Scale":
        """Return the scale of a measure; `number` is what a share of failures is of."""
        sign, last = 1.0 if measure.better == "higher" else -1.0, measure.name.rpartition(".")[2]
        if measure.per == "run" and last in _FAILURES:
            return cls(sign, "root", number if last == "error_rate" else 1.0)
        return cls(sign, "logarithm" if measure.per == "block" or (measure.per == "run" and measure.unit) else "linear")

    @property
    def is_ratio(self) -> bool:
        """Whether a difference is a share of the reference."""
        return self.kind == "logarithm"

    @property
    def least_spread(self) -> float:
        """Return the standard deviation that values have by chance at least."""
        return 1.0 if self.kind == "root" else 0.0

    def scaled(self, values: F64) -> F64:
        """Return values of the measure on this scale."""
        if self.kind == "logarithm":
            logarithms: F64 = np.log(np.maximum(values, _LEAST))
            return logarithms
        if self.kind == "root":
            roots: F64 = 2.0 * np.sqrt(values * self.number + _OF_ROOT)
            return roots
        return values

    def shown(self, value: float) -> float:
        """Return a value on this scale in the unit of the measure."""
        if self.kind == "logarithm":
            return math.exp(value)
        if self.kind == "root":
            return (max(round((value / 2.0) ** 2 - _OF_ROOT, 9), 0.0) + 0.0) / self.number  # whole again, and never -0
        return value

    def margin(self, given: float | None) -> float | None:
        """Return a margin on this scale; of a ratio it is given as a share."""
        if given is None or self.kind == "linear":
            return given
        if self.kind == "logarithm":
            return math.log1p(given)
        return float(self.scaled(np.array([self.shown(self.base) + given]))[0]) - self.base

    def window(self, one: WindowTest) -> WindowDetails:
        """Return a test in the unit of the measure; of a ratio, in shares of the reference."""
        ends = sorted((self.sign * one.low, self.sign * one.high))
        low, high = (self._difference(end) if math.isfinite(end) else None for end in ends)
        difference = self._difference(self.sign * one.difference)
        return WindowDetails(
            runs=one.runs,
            difference=difference,
            low=low,
            high=high,
            p_queries=one.p_queries,
            p_runs=one.p_runs,
            rejects=one.rejects,
        )

    def _difference(self, value: float) -> float:
        if self.kind == "logarithm":
            return math.expm1(value)
        if self.kind == "root":
            return self.shown(self.base + value) - self.shown(self.base)
        return value + 0.0
