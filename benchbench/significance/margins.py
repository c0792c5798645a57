"""Is a difference within a margin: equivalence and non-inferiority, for which no difference shown is no evidence.

Two one-sided tests by sign flips (TOST; Schuirmann 1987) see the queries that there are. Where few queries change, and
those by much, a sample may hold none of them: of 2 % that lose half a point 50 queries hold none in 36 % of samples.
So the mean is also held against what such queries could have hidden: for each size of change, the share of queries
that change by more is at most Clopper and Pearson's bound (1934), and no change is greater than the measure allows.
Both have to be within the margin. Where all changes have one size this is that bound times the size, and where no query
changed it is about 3 / queries, at alpha 0.05, times the greatest change.

A unit is a query, or a group of queries.
"""

from typing import NamedTuple

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.significance.distributions import share_at_most
from benchbench.significance.subset_means import bounds, most_beyond

_NODES = 64  # counts on each side of a half between which Clopper and Pearson's bound is taken to be straight
_HALVINGS = 25  # of the range of a p-value
_SMALLEST = 1e-9  # p-value that a bound on shares has


class MarginUnits(NamedTuple):
    """The differences of two systems, as sums over units, with what sign patterns keep of them."""

    sums: F64  # (units,)
    sizes: F64  # (units,): queries of each
    kept_sums: F64  # (patterns,): over the units that a pattern keeps, as `subset_means.kept` returns them
    kept_sizes: F64  # (patterns,)
    exact: bool  # whether the patterns are all that there are


class MarginTests(NamedTuple):
    """What units say of a margin, before any correction."""

    low: float  # the mean difference is above: each end holds with a chance of 1 - alpha
    high: float
    equivalent: float  # p-value of a mean difference that is a margin or more, up or down
    not_inferior: float  # p-value of a mean difference of a margin or more down


def within(units: MarginUnits, margin: float, largest: float, rounding: float, alpha: float) -> MarginTests:
    """Say whether the mean difference is within a margin.

    Parameters
    ----------
    units
        The differences.
    margin
        The least mean difference that matters, above 0.
    largest
        By how much a query can change at most: 1 for a measure from 0 to 1.
    rounding
        What arithmetic may have added to the difference of a query.
    alpha
        The chance of an error at each end.

    Returns
    -------
    MarginTests
        A p-value is the greatest of those of all tests that have to reject, so that it needs no correction for them.
        The ends are infinite where there are too few units for any.
    """
    size, total = float(units.sizes.sum()), float(units.sums.sum())
    mean, scale = total / size, len(units.sums) / size
    effects = np.where(np.abs(units.sums) > rounding * units.sizes, units.sums, 0.0) * scale
    most = largest * float(units.sizes.max()) * scale
    losses, gains = _Shares.of(-effects, most), _Shares.of(effects, most)
    sums = np.concatenate([units.kept_sums, total - units.kept_sums])
    sizes = np.concatenate([units.kept_sizes, size - units.kept_sizes])
    ends = bounds(sums, units.kept_sizes, size, most_beyond(2.0 * alpha, len(units.kept_sums), units.exact))
    low, high = (-np.inf, np.inf) if ends is None else ends
    empty = sizes <= 0.0  # and beyond any mean
    below = int(np.count_nonzero(empty | (sums <= (rounding - margin) * sizes)))
    above = int(np.count_nonzero(empty | (sums >= (margin - rounding) * sizes)))
    more = 0 if units.exact else 1
    not_less, not_more = ((count + more) / (2.0 * (len(units.kept_sizes) + more)) for count in (below, above))
    not_inferior = max(not_less, losses.p_of(mean + margin))
    return MarginTests(
        low=min(low, mean - losses.hidden(alpha)),
        high=max(high, mean + gains.hidden(alpha)),
        equivalent=min(1.0, max(not_inferior, not_more, gains.p_of(margin - mean))),
        not_inferior=min(1.0, not_inferior),
    )


def largest_change(values: F64) -> float:
    """Return by how much a query can change in a measure: 1 where all values are from 0 to 1, else their range."""
    low, high = float(values.min()), float(values.max())
    return 1.0 if low >= 0.0 and high <= 1.0 else high - low


class _Shares(NamedTuple):
    """How many units changed by more than each size, in one direction."""

    units: int
    counts: F64  # ascending
    widths: F64  # between the sizes that so many units, and one fewer, changed by more than

    @classmethod
    def of(cls, changes: F64, largest: float) -> "_Shares":
        """Count changes above 0 (units,)."""
        sizes = -np.sort(-changes[changes > 0.0])
        steps = np.concatenate([[max(largest, sizes.max(initial=0.0))], sizes, [0.0]])
        widths: F64 = steps[:-1] - steps[1:]
        counts = _nodes(len(changes), len(sizes))
        if len(counts) == 1:
            return cls(len(changes), counts, np.array([widths.sum()]))
        every = np.arange(len(widths))
        after = np.clip(np.searchsorted(counts, every), 1, len(counts) - 1)
        share = (every - counts[after - 1]) / (counts[after] - counts[after - 1])
        held: F64 = np.zeros(len(counts))
        np.add.at(held, after, widths * share)
        np.add.at(held, after - 1, widths * (1 - share))
        return cls(len(changes), counts, held)

    def hidden(self, alpha: float) -> float:
        """Return by how much more the mean could have changed, of which these units show nothing, at alpha."""
        most = share_at_most(self.counts, self.units, alpha)
        return float((most - self.counts / self.units) @ self.widths)

    def p_of(self, room: float) -> float:
        """Return the least alpha at which no more than `room` could be hidden; 1 where it is above a half."""
        low, high = np.log(_SMALLEST), np.log(0.5)
        if self.hidden(0.5) > room:
            return 1.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.hidden(float(np.exp(middle))) > room else (low, middle)
        return float(np.exp(high))


def _nodes(units: int, most: int) -> F64:
    """Return counts from 0 to `most`: all of few, and of many those between which the bound is nearly straight."""
    steps = np.concatenate([np.arange(_NODES // 4), np.geomspace(_NODES // 4, max(units / 2, _NODES), _NODES)])
    low = np.unique(np.rint(steps))
    every = np.concatenate([low, units - low, [most]])
    return np.unique(every[(every >= 0) & (every <= most)]).astype(np.float64)
