"""Standard errors and 95 % intervals of means over queries, and of micro averages, from sums over some of the queries.

Conventions
-----------
Columns are those of `measures.columns`. A sample is the means of all columns over some of the queries:
`Resampled` has queries drawn with replacement, `Grouped` the queries of some of the groups. A micro average of a sample
comes from the sample's means.
"""

from collections.abc import Callable, Iterator

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.kernels.bootstrap import add_drawn
from benchbench.kernels.bootstrap_counts import draw
from benchbench.kernels.simd import LANES
from benchbench.significance.mean_intervals import flips_of, unanimous
from benchbench.significance.shares import WILSON, MeanInterval, share_interval
from benchbench.significance.subset_means import ends, kept, most_beyond, patterns, subset_means
from benchbench.tables.groups import Groups

RESAMPLES = 1000
PATTERNS = 10_000  # of groups that are kept: they cost less than resamples of queries
SEED = 20240229
ALPHA = 0.05
BOOTSTRAP = f"percentile bootstrap over queries, {RESAMPLES:,} resamples"

Blocks = Callable[[], Iterator[tuple[int, F64]]]
NONE = MeanInterval(None, None, None)


class Resampled:
    """Means of queries drawn with replacement; `squares` are the squared distances of all queries from the means."""

    def __init__(self, blocks: Blocks, n: int, squares: F64) -> None:
        """Draw the samples; of one query there are none."""
        samples: F64 = np.zeros((RESAMPLES if n > 1 else 0, len(squares)))
        for start in range(0, len(samples), LANES):
            part = samples[start : start + LANES]
            picks = draw(n, start, len(part), SEED)  # of a million queries 32 MB
            sums: F64 = np.zeros((len(squares), LANES))
            for first, rows in blocks():
                add_drawn(rows, picks, first, sums)
            part[:] = sums.T[: len(part)]
        samples /= n
        self.samples = samples
        self.errors = np.sqrt(squares / max(n - 1, 1) / n)
        self._n = n

    def of(self, samples: F64) -> MeanInterval:
        """Return the interval of what has these values in the samples."""
        if not samples.size:
            return NONE
        low, high = np.quantile(samples, (0.025, 0.975))
        return MeanInterval(float(low), float(high), BOOTSTRAP)

    def of_share(self, mean: float) -> MeanInterval:
        """Return the interval of a mean of values that are 0 or 1."""
        return MeanInterval(*share_interval(round(mean * self._n), self._n), WILSON) if self._n > 1 else NONE


class Grouped:
    """Means of the queries of some groups: quantiles of them are what sign flips of the groups do not reject."""

    def __init__(self, blocks: Blocks, n: int, means: F64, groups: Groups) -> None:
        """Add up the groups, and draw which ones to keep."""
        sums: F64 = np.zeros((groups.number, len(means)))
        for first, rows in blocks():
            np.add.at(sums, groups.codes[first : first + len(rows)], rows)
        apart = sums - groups.sizes[:, None] * means
        self.errors: F64 = np.sqrt((apart * apart).sum(axis=0) * groups.number / max(groups.number - 1, 1)) / n
        drawn = kept(np.concatenate([sums.T, groups.sizes[None]]), PATTERNS, SEED)
        self.samples = np.stack(
            [subset_means(row, drawn[-1], n * mean, n) for row, mean in zip(drawn, means, strict=False)], axis=1
        )
        most = most_beyond(ALPHA, drawn.shape[1], patterns(groups.number, PATTERNS) is not None)
        self._beyond = most - (2 * drawn.shape[1] - len(self.samples))  # a subset without a group is beyond any mean
        self._groups = groups

    def of(self, samples: F64) -> MeanInterval:
        """Return the interval of what has these values in the samples."""
        found = ends(samples, self._beyond)
        return NONE if found is None else MeanInterval(*found, flips_of(self._groups.number, self._groups.column))

    def of_share(self, mean: float) -> MeanInterval:
        """Return the interval of a mean of values that are all 0 or all 1."""
        return NONE if self._beyond < 0 else MeanInterval(*unanimous(mean, self._groups.number, self._groups.column))
