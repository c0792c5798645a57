"""Values as measures have them: bounded, many of them 0, many equal; and exact ones, to hold sums against."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
from hypothesis import strategies as st

from benchbench.significance.randomization import flips, randomization
from benchbench.significance.subset_means import Tested, bounds, kept, most_beyond, patterns
from benchbench.tables.paired import Paired

tenths = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=2, max_size=9)


def exactly(pairs: list[tuple[int, int]]) -> list[Fraction]:
    """Return the differences of tenths."""
    return [Fraction(b - a, 10) for a, b in pairs]


def in_floats(pairs: list[tuple[int, int]]) -> np.ndarray:
    """Return the same values as measures have them (measures, systems, queries), with all their roundings."""
    return np.array([[[a / 10 for a, _ in pairs], [b / 10 for _, b in pairs]]])


def paired_of(values: np.ndarray, columns=None) -> Paired:
    """Name what is compared by letters and numbers."""
    measures, systems, queries = values.shape
    names = tuple("ABCDEFGHIJ"[:systems]), tuple(f"M{m}" for m in range(measures)), [f"q{q}" for q in range(queries)]
    return Paired(*names, values) if columns is None else Paired(*names, values, columns)


def like_measures(seed: int, measures: int = 2, systems: int = 3, queries: int = 60) -> np.ndarray:
    """Draw (measures, systems, queries): a third 0, tenths in the first measure, alike between systems."""
    rng = np.random.default_rng(seed)
    common = rng.beta(0.5, 1.0, (measures, 1, queries)) * (rng.random((measures, 1, queries)) < 0.7)
    values = np.clip(common + rng.normal(0, 0.15, (measures, systems, queries)), 0.0, 1.0)
    values[0] = np.round(values[0] * 10) / 10
    return values


def six_gains_and_54_losses() -> np.ndarray:
    """Return two systems: the second gains much on six queries, and loses a little on all others."""
    rng = np.random.default_rng(0)
    first = 0.4 + 0.2 * rng.random(60)
    second = first - 0.05 * rng.random(60)
    second[:6] = first[:6] + 0.39
    return np.array([[first, second]])


def randomized(
    values: np.ndarray, resamples: int = 10_000, seed: int = 0, alpha: float = 0.05, sizes: np.ndarray | None = None
) -> dict[tuple[int, int, int], Tested]:
    """Return what the randomisation test says of each measure and pair of systems."""
    paired = paired_of(values)
    measures, systems, queries = values.shape
    sizes = np.ones(queries) if sizes is None else sizes
    return {
        (m, *pair): randomization(flipped, pair, paired.difference(m, *pair), sizes, alpha, resamples)
        for m, flipped in enumerate(flips(values, sizes, [True] * measures, resamples, seed))
        for pair in combinations(range(systems), 2)
    }


def left_open_by_flips(values: np.ndarray, alpha: float, resamples: int, seed: int) -> tuple[float, float]:
    """Return the ends of the means that sign flips of the values do not reject; there are enough of them."""
    sums, sizes = kept(np.stack([values, np.ones(len(values))]), resamples, seed)
    most = most_beyond(alpha, len(sums), patterns(len(values), resamples) is not None)
    ends = bounds(np.concatenate([sums, values.sum() - sums]), sizes, len(values), most)
    assert ends is not None
    return ends


def flipped(sums: np.ndarray, sizes: np.ndarray, mean: float) -> float:
    """Return the p-value of a mean by going through all signs of the groups' distances from it."""
    off = sums - mean * sizes
    signs = np.array(list(product([-1, 1], repeat=len(sums))))
    return float((abs(signs @ off) >= abs(off.sum()) - 1e-9).mean())


def covariance(runs: int, coefficient: float) -> np.ndarray:
    """Return the covariance matrix of so many runs of an AR(1) with a variance of 1."""
    places = np.arange(runs)
    return coefficient ** np.abs(places[:, None] - places).astype(float)


def alike(runs: int, coefficient: float, rng: np.random.Generator, series: int) -> np.ndarray:
    """Draw series (series, runs) of an AR(1)."""
    return rng.normal(size=(series, runs)) @ np.linalg.cholesky(covariance(runs, coefficient)).T
