"""How often the tests reject and the intervals cover where there is no true difference.

usage: python benchmarks/calibration.py [--pairs 2000] [--queries 50 --queries 200]

Each pair is drawn anew: two systems whose values have the same distribution, over the same queries. At alpha 0.05 a
test should reject in 5 % of the pairs, and a 95 % interval should cover the true difference, which is 0, in 95 %; of
2,000 pairs, 4 to 6 % and 94 to 96 % are within chance. The last column is the share of five equal systems whose rank
intervals all hold, which should be 95 % or more.
"""

import argparse
from collections.abc import Callable

import numpy as np
from machine import describe

from benchbench.significance.comparing import compare
from benchbench.significance.settings import TESTS, Settings
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


KINDS: dict[str, Drawer] = {
    "normal": normal,
    "like nDCG": ndcg,
    "like P@5": precision,
    "like Success": success,
    "like RR": reciprocal_rank,
    "same on 90 %": rare,
    "equal means, not equally distributed": skewed,
}


def paired_of(values: np.ndarray) -> Paired:
    measures, systems, queries = values.shape
    names = tuple(map(str, range(systems))), tuple(map(str, range(measures))), tuple(map(str, range(queries)))
    return Paired(*names, values)


def calibrated(draw: Drawer, pairs: int, queries: int) -> tuple[dict[str, float], float, float]:
    """Return the share of pairs that each test rejects, that intervals cover, and of ranks that all hold."""
    rng = np.random.default_rng(queries)
    rejected = dict.fromkeys(TESTS, 0)
    covered = held = 0
    for first in range(0, pairs, AT_ONCE):
        number = min(AT_ONCE, pairs - first)
        found = compare(paired_of(draw(rng, (number, 2, queries))), Settings(seed=first))
        for test in TESTS:
            rejected[test] += sum(one.p[test] <= 0.05 for one in found.differences)
        covered += sum(one.low <= 0.0 <= one.high for one in found.differences)
        several = compare(paired_of(draw(rng, (number, SYSTEMS, queries))), Settings(seed=first, resamples=1000))
        estimates = np.array([(one.rank_low, one.rank_high) for one in several.estimates]).reshape(number, SYSTEMS, 2)
        held += int(((estimates[:, :, 0] == 1) & (estimates[:, :, 1] == SYSTEMS)).all(axis=1).sum())
    return {test: count / pairs for test, count in rejected.items()}, covered / pairs, held / pairs


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--pairs", type=int, default=2_000)
    arguments.add_argument("--queries", type=int, action="append")
    options = arguments.parse_args()
    print(describe("scipy", "numba", "numpy"))
    print(f"{options.pairs:,} pairs of each kind, 10,000 resamples, alpha 0.05\n")
    print("| values | queries | randomisation | t | Wilcoxon | interval covers | ranks hold |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for queries in options.queries or (50, 200):
        for kind, draw in KINDS.items():
            rejected, covered, held = calibrated(draw, options.pairs, queries)
            shares = (*(rejected[test] for test in TESTS), covered, held)
            print(f"| {kind} | {queries} | " + " | ".join(f"{share:.1%}" for share in shares) + " |", flush=True)


if __name__ == "__main__":
    main()
