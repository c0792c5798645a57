"""Where the values of a chart lie in its drawing."""

from math import log10
from typing import NamedTuple

from benchbench.report.page_blocks import Axis, Plot


class Frame(NamedTuple):
    """Where the scales lie in a drawing."""

    plot: Plot
    left: float
    right: float
    top: float
    bottom: float

    def x(self, value: float) -> float:
        """Return how far to the right a value is, in pixels."""
        return self.left + (self.right - self.left) * _share(self.plot.x, value)

    def y(self, value: float) -> float:
        """Return how far down a value is, in pixels."""
        return self.bottom - (self.bottom - self.top) * _share(self.plot.y, value)


def _share(axis: Axis, value: float) -> float:
    """Return where a value is between the ends of a scale, from 0 to 1."""
    low, high = axis.low, axis.high
    if axis.scale != "linear":
        low, high, value = (_scaled(axis, end) for end in (low, high, value))
    return 0.0 if high == low else (value - low) / (high - low)


def _scaled(axis: Axis, value: float) -> float:
    if axis.scale == "log":
        return log10(max(value, 1e-9))
    if axis.scale == "nines":
        return min(-log10(max(1 - value, 10**-9)), 9.0)
    return value
