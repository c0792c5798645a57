"""What corrections find among many systems, and how often a margin is said to be kept that is not.

usage: python benchmarks/families.py [--samples 1000]

Families: ten systems over 50 queries, all 45 pairs. Five are better by 0.08 (25 pairs differ, 20 do not); or all are
equal, eight of them near-twins and two noisy. A correction should find as many of the pairs that differ as it can, and
another one in 5 % of the samples at most. The randomised Tukey test shuffles the systems of each query and takes the
largest difference of means. The last column is the share of samples in which all 45 intervals hold the true difference.

Margins: a system loses exactly 0.01, the margin, or nothing. "Equivalent" is to be said in 5 % of the samples at most
where it loses the margin, and in as many as possible where it loses nothing. The two one-sided tests are also shown by
themselves, and with the bound on the share of changed queries, not below each size, times 1, as other reports make it.
"""

import argparse
from collections.abc import Callable
from itertools import combinations

import numpy as np
from calibration import paired_of
from machine import describe

from benchbench.significance.comparing import compare
from benchbench.significance.comparison_settings import CompareSettings, Correction
from benchbench.significance.distributions import share_at_most
from benchbench.significance.result import PairedDifference
from benchbench.significance.subset_means import bounds, kept, most_beyond

SYSTEMS, QUERIES, RESAMPLES = 10, 50, 2_000
PAIRS = list(combinations(range(SYSTEMS), 2))
CORRECTIONS: tuple[Correction, ...] = ("bonferroni", "holm", "maxt")
MARGIN, ALPHA = 0.01, 0.05
Draw = Callable[[np.random.Generator, int], np.ndarray]


def five_better(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return values (systems, queries) and true means: five systems, and five that are better by 0.08."""
    effects = np.repeat([0.0, 0.08], SYSTEMS // 2)
    hardness = rng.beta(0.6, 0.9, QUERIES)
    return np.clip(hardness + rng.normal(0, 0.15, (SYSTEMS, QUERIES)), 0, 1) + effects[:, None], effects


def two_noisy(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the same of equal systems: eight that hardly differ, and two that differ much on every query."""
    noise = np.repeat([0.02, 0.3], [SYSTEMS - 2, 2])
    return rng.beta(0.6, 0.9, QUERIES) + rng.normal(0, 1, (SYSTEMS, QUERIES)) * noise[:, None], np.zeros(SYSTEMS)


def tukey(values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return which pairs the randomised Tukey test calls different (Carterette 2012)."""
    largest = np.empty(RESAMPLES)
    for sample in range(RESAMPLES):
        means = np.take_along_axis(values, rng.random(values.shape).argsort(axis=0), axis=0).mean(axis=1)
        largest[sample] = np.ptp(means)
    means = values.mean(axis=1)
    return np.array([abs(means[a] - means[b]) for a, b in PAIRS]) >= np.quantile(largest, 1 - ALPHA)


def families(samples: int) -> None:
    print("| systems | correction | pairs found | one falsely found or more | all intervals hold |")
    print("|---|---|---:|---:|---:|")
    for name, draw in (("five better by 0.08", five_better), ("equal, two of them noisy", two_noisy)):
        rng = np.random.default_rng(1)
        found, false, held = (dict.fromkeys((*CORRECTIONS, "tukey"), 0.0) for _ in range(3))
        for seed in range(samples):
            values, means = draw(rng)
            true = np.array([means[b] - means[a] for a, b in PAIRS])
            differ = true != 0.0
            for way in CORRECTIONS:
                settings = CompareSettings(correction=way, resamples=RESAMPLES, seed=seed)
                differences = compare(paired_of(values[None]), settings).differences
                significant = np.array([one.significant for one in differences])
                found[way] += significant[differ].sum() / max(1, differ.sum())
                false[way] += significant[~differ].any()
                held[way] += all(one.low <= at <= one.high for one, at in zip(differences, true, strict=True))
            significant = tukey(values, rng)
            found["tukey"] += significant[differ].sum() / max(1, differ.sum())
            false["tukey"] += significant[~differ].any()
        for way, said in (*((way, way) for way in CORRECTIONS), ("tukey", "randomised Tukey")):
            shown = f"{found[way] / samples:.0%}" if differ.any() else "-"
            all_held = "-" if way == "tukey" else f"{held[way] / samples:.1%}"
            print(f"| {name} | {said} | {shown} | {false[way] / samples:.1%} | {all_held} |", flush=True)


def losing(share: float, loss: float) -> Draw:
    return lambda rng, queries: -loss * (rng.random(queries) < share)


def moving(mean: float, spread: float, share: float = 1.0) -> Draw:
    def draw(rng: np.random.Generator, queries: int) -> np.ndarray:
        return np.where(rng.random(queries) < share, rng.normal(mean / share, spread, queries), 0.0)

    return draw


def jittered(draw: Draw) -> Draw:
    return lambda rng, queries: draw(rng, queries) + rng.normal(0, 0.001, queries)


LOSING: dict[str, Draw] = {
    "2 % lose 0.5": losing(0.02, 0.5),
    "2 % lose 0.5, all others jitter": jittered(losing(0.02, 0.5)),
    "1 % lose 1": losing(0.01, 1.0),
    "5 % lose 0.2": losing(0.05, 0.2),
    "all change, spread 0.05": moving(-0.01, 0.05),
    "30 % change, spread 0.2": moving(-0.01, 0.2, 0.3),
}
EQUAL: dict[str, Draw] = {
    "no change": losing(0.0, 0.0),
    "all change, spread 0.02": moving(0.0, 0.02),
    "all change, spread 0.05": moving(0.0, 0.05),
    "30 % change, spread 0.2": moving(0.0, 0.2, 0.3),
}


def said_of(one: PairedDifference, differences: np.ndarray, seed: int) -> list[bool]:
    """Return whether the tests alone, the tests with all changes as large as can be, and we say "equivalent"."""
    queries = len(differences)
    sums, sizes = kept(np.stack([differences, np.ones(queries)]), RESAMPLES, seed)
    both = np.concatenate([sums, differences.sum() - sums])
    ends = bounds(both, sizes, queries, most_beyond(2 * ALPHA, RESAMPLES, False))
    tests = ends is not None and ends[0] > -MARGIN and ends[1] < MARGIN
    changed = np.array([float(np.count_nonzero(differences))])
    bounded = bool(share_at_most(changed, queries, ALPHA)[0] <= MARGIN)
    return [tests, tests and bounded, one.margin is not None and one.margin.verdict.startswith("equivalent")]


def margins(samples: int) -> None:
    print("| the system | truly | queries | TOST alone | share of changed × 1 | benchbench |")
    print("|---|---|---:|---:|---:|---:|")
    for truly, kinds in (("loses 0.01", LOSING), ("loses nothing", EQUAL)):
        for name, draw in kinds.items():
            for queries in (50, 300, 1000):
                rng = np.random.default_rng(queries)
                said = np.zeros(3)
                for seed in range(samples):
                    differences = draw(rng, queries)
                    values = 0.5 + np.array([[-differences / 2, differences / 2]])
                    settings = CompareSettings(margin=MARGIN, resamples=RESAMPLES, seed=seed)
                    said += said_of(compare(paired_of(values), settings).differences[0], differences, seed)
                shares = " | ".join(f"{share:.1%}" for share in said / samples)
                print(f"| {name} | {truly} | {queries} | {shares} |", flush=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--samples", type=int, default=1_000)
    samples = arguments.parse_args().samples
    print(describe("scipy", "numba", "numpy"))
    print(f"{samples:,} samples of each kind, {RESAMPLES:,} resamples, alpha {ALPHA:g}, margin {MARGIN:g}\n")
    families(samples)
    print()
    margins(samples)


if __name__ == "__main__":
    main()
