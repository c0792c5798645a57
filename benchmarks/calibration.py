"""How often tests reject, intervals cover and gates hold where there is no true difference.

usage: python benchmarks/calibration.py [--pairs 2000] [--queries 50 --queries 200]

Each pair is drawn anew: two systems with the same mean, over the same queries, or over queries that come in groups. At
alpha 0.05 a test should reject in 5 % of the pairs, a 95 % interval should cover the true difference, which is 0, in
95 %, and each of the two gates on an end of the interval should hold in 2.5 %; of 2,000 pairs, 4 to 6 %, 94 to 96 % and
1.8 to 3.2 % are within chance. The last column is the share of five equal systems whose rank intervals all hold, which
should be 95 % or more.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
from machine import describe

from benchbench.significance.comparing import compare
from benchbench.significance.comparison_settings import TESTS, CompareSettings
from benchbench.significance.result import PairedDifference
from benchbench.tables.paired import Paired

AT_ONCE = 250  # pairs that share the resamples, each of them a measure of one comparison
SYSTEMS = 5  # of rank intervals
Drawer = Callable[[np.random.Generator, tuple[int, int, int]], np.ndarray]


def normal(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    return rng.normal(size=shape)


def hardness(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Return how well a query can be answered, the same for all systems."""
    return rng.beta(0.6, 0.9, (shape[0], 1, shape[2]))


def ndcg(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Bounded, alike between systems, and 0 for a third."""
    values = np.clip(hardness(rng, shape) + rng.normal(0, 0.15, shape), 0.0, 1.0)
    return np.where(rng.random(shape) < 0.25, 0.0, values)


def precision(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """P@5: six values."""
    return rng.binomial(5, np.broadcast_to(hardness(rng, shape), shape)) / 5


def success(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """0 or 1: most differences are 0."""
    return (rng.random(shape) < hardness(rng, shape)) * 1.0


def reciprocal_rank(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """1, 1/2, 1/3, …, and 0 beyond rank 10."""
    ranks = rng.geometric(0.05 + 0.9 * np.broadcast_to(hardness(rng, shape), shape))
    return np.where(ranks > 10, 0.0, 1.0 / ranks)


def rare(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Systems that are the same on nine queries of ten."""
    same, own = ndcg(rng, (shape[0], 1, shape[2])), ndcg(rng, shape)
    return np.where(rng.random((shape[0], 1, shape[2])) < 0.1, own, same)


def skewed(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Equal means and nothing else: the second system is a little better on most queries, and much worse on few."""
    values = rng.normal(0, 0.05, shape)
    values[:, 1] += 1.0 - rng.exponential(1.0, (shape[0], shape[2]))
    return values


def rarely(share: float, gain: float) -> Drawer:
    """Return what draws a second system that gains much on few queries, and loses as much in all on the others."""
    loss = share * gain / (1.0 - share)

    def draw(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
        values = np.repeat(hardness(rng, shape), shape[1], axis=1)
        values[:, 1] += np.where(rng.random((shape[0], shape[2])) < share, gain, -loss)
        return values

    return draw


KINDS: dict[str, Drawer] = {
    "normal": normal,
    "like nDCG": ndcg,
    "like P@5": precision,
    "like Success": success,
    "like RR": reciprocal_rank,
    "same on 90 %": rare,
    "equal means, not equally distributed": skewed,
    "90 % lose .04, 10 % gain .36": rarely(0.1, 0.36),
    "98 % lose .01, 2 % gain .49": rarely(0.02, 0.49),
}
MORE = 4  # times as many pairs of grouped queries: they are soon compared
SHAPES = ((95, 10, 0.27), (30, 10, 0.27), (12, 10, 0.27), (12, 10, 0.0))  # groups, queries of each, correlation


def paired_of(values: np.ndarray, columns: pl.DataFrame | None = None) -> Paired:
    measures, systems, queries = values.shape
    names = tuple(map(str, range(systems))), tuple(map(str, range(measures))), tuple(map(str, range(queries)))
    return Paired(*names, values, pl.DataFrame() if columns is None else columns)


class Tally:
    """What was found in pairs without a true difference."""

    def __init__(self) -> None:
        self.rejected: Counter[str] = Counter()
        self.pairs = self.covered = self.below = self.above = 0

    def add(self, found: Sequence[PairedDifference]) -> None:
        """Count one pair each."""
        for one in found:
            self.rejected.update(test for test, p in one.p.items() if p <= 0.05)
            low = -np.inf if one.low is None else one.low
            high = np.inf if one.high is None else one.high
            self.pairs += 1
            self.covered += low <= 0.0 <= high
            self.below += high < 0.0
            self.above += low > 0.0

    def cells(self) -> list[str]:
        """Return the shares: of each test, of intervals that cover, and of gates that hold."""
        tests = [f"{self.rejected[test] / self.pairs:.1%}" if test in self.rejected else "" for test in TESTS]
        return [*tests, *(f"{count / self.pairs:.1%}" for count in (self.covered, self.below, self.above))]


def calibrated(draw: Drawer, pairs: int, queries: int) -> list[str]:
    """Return the cells of one kind: those of a tally, and the share of ranks that all hold."""
    rng = np.random.default_rng(queries)
    tally, held = Tally(), 0
    for first in range(0, pairs, AT_ONCE):
        number = min(AT_ONCE, pairs - first)
        tally.add(compare(paired_of(draw(rng, (number, 2, queries))), CompareSettings(seed=first)).differences)
        several = compare(paired_of(draw(rng, (number, SYSTEMS, queries))), CompareSettings(seed=first, resamples=1000))
        estimates = np.array([(one.rank_low, one.rank_high) for one in several.estimates]).reshape(number, SYSTEMS, 2)
        held += int(((estimates[:, :, 0] == 1) & (estimates[:, :, 1] == SYSTEMS)).all(axis=1).sum())
    return [*tally.cells(), f"{held / pairs:.1%}"]


def grouped(groups: int, size: int, correlation: float, pairs: int, cluster: str | None) -> list[str]:
    """Return the cells of pairs whose differences are alike within groups."""
    rng = np.random.default_rng(groups)
    columns = pl.DataFrame({"document": np.repeat(np.arange(groups), size)})
    tally = Tally()
    for first in range(0, pairs, AT_ONCE):
        number = min(AT_ONCE, pairs - first)
        common, own = rng.normal(size=(number, groups, 1)), rng.normal(size=(number, groups, size))
        differences = (np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own).reshape(number, 1, -1)
        values = np.concatenate([np.zeros_like(differences), differences], axis=1)
        tally.add(compare(paired_of(values, columns), CompareSettings(seed=first, cluster=cluster)).differences)
    return tally.cells()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--pairs", type=int, default=2_000)
    arguments.add_argument("--queries", type=int, action="append")
    options = arguments.parse_args()
    print(describe("scipy", "numba", "numpy"))
    print(f"{options.pairs:,} pairs of each kind, 10,000 resamples, alpha 0.05\n")
    found = "randomisation | t | Wilcoxon | interval covers | `high M < 0` | `low M > 0`"
    print(f"| values | queries | {found} | ranks hold |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for queries in options.queries or (50, 200):
        for kind, draw in KINDS.items():
            print(f"| {kind} | {queries} | {' | '.join(calibrated(draw, options.pairs, queries))} |", flush=True)
    print(f"\n{MORE * options.pairs:,} pairs of each shape\n")
    print(f"| groups x queries | correlation | `--cluster` | {found} |")
    print("|---:|---:|---|---:|---:|---:|---:|---:|---:|")
    for groups, size, correlation in SHAPES:
        for cluster in (None, "document"):
            cells = " | ".join(grouped(groups, size, correlation, MORE * options.pairs, cluster))
            print(f"| {groups} x {size} | {correlation} | {cluster or ''} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
