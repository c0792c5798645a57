"""How often 95 % intervals of means hold the mean that the queries were drawn from, beside those of earlier versions.

usage: python benchmarks/mean_intervals.py [RESULTS ...] [--samples 2000] [--queries 5 --queries 10]

RESULTS are folders of `benchbench run`: queries are drawn with replacement from the values per query of each measure,
whose mean is then the true one. Without any, values have the shapes that measures, grades and accuracies have. Each
column has the share of samples whose interval holds the true mean; the last rows are the mean over all kinds of values,
the lowest of them, and the mean width. Means that are only 0 and 1 have Wilson's interval in every column.

A second table has queries that come in groups, of one size and of sizes from 2 to 36, and are alike within them
(correlations of the normal scores of 0.1 and 0.5).
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
from machine import describe
from scipy import special

from benchbench.significance.bootstrap import interval, resampled_means
from benchbench.significance.mean_intervals import GroupSpread, mean_interval
from benchbench.significance.shares import share_interval
from benchbench.significance.subset_means import bounds, kept, most_beyond, patterns

SIZES = (5, 10, 20, 50, 200, 1000)
GROUPS = (3, 6, 10, 20, 50)
CORRELATIONS = (0.1, 0.5)
RESAMPLES, PATTERNS = 1000, 2000
Z = 1.959963984540054
Ends = tuple[np.ndarray, np.ndarray]


def shapes() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    hardness = rng.beta(0.6, 0.9, 1000)
    ranks = rng.geometric(0.05 + 0.9 * hardness)
    return {
        "like nDCG": np.where(rng.random(1000) < 0.25, 0.0, np.clip(hardness + rng.normal(0, 0.15, 1000), 0.0, 1.0)),
        "like RR": np.where(ranks > 10, 0.0, 1.0 / ranks),
        "like P@5": rng.binomial(5, hardness) / 5,
        "hits, 70 %": np.repeat([0.0, 1.0], [300, 700]),
        "hits, 95 %": np.repeat([0.0, 1.0], [50, 950]),
        "accuracies, mean 0.92": np.repeat([0.0, 0.5, 1.0], [30, 100, 870]),
        "accuracies, mean 0.985": np.repeat([0.0, 0.5, 0.67, 1.0], [5, 10, 15, 970]),
        "grades 1 to 5": np.repeat([0.0, 0.25, 0.5, 0.75, 1.0], [40, 60, 150, 350, 400]),
        "few found": np.repeat([0.0, 0.1, 0.2, 0.5, 1.0], [850, 80, 40, 20, 10]),
    }


def of_runs(folders: list[Path]) -> dict[str, np.ndarray]:
    found = {}
    for folder in folders:
        frame = pl.read_parquet(folder / "per_query.parquet")
        for name in frame.columns:
            if "." in name:
                found[f"{folder.name} {name}"] = frame[name].to_numpy()
    return found


def percentile(samples: np.ndarray) -> Ends:
    low, high = np.quantile(resampled_means(samples[:, None], RESAMPLES, 3)[:, 0], (0.025, 0.975), axis=1)
    return low, high


def bca(samples: np.ndarray) -> Ends:
    means = resampled_means(samples[:, None], RESAMPLES, 3)[:, 0]
    low, high = np.array([interval(*each, 0.05, 1e-15) for each in zip(samples, means, strict=True)]).T
    return low, high


def normal(samples: np.ndarray) -> Ends:
    mean, reach = samples.mean(axis=1), Z * samples.std(axis=1, ddof=1) / np.sqrt(samples.shape[1])
    return np.maximum(mean - reach, 0.0), np.minimum(mean + reach, 1.0)


def ours(samples: np.ndarray) -> Ends:
    means = samples.mean(axis=1)
    squares = ((samples - means[:, None]) ** 2).sum(axis=1)
    found = [mean_interval(samples.shape[1], *each) for each in zip(means.tolist(), squares.tolist(), strict=True)]
    return np.array([one.low for one in found]), np.array([one.high for one in found])


METHODS: dict[str, Callable[[np.ndarray], Ends]] = {
    "percentile bootstrap": percentile,
    "BCa": bca,
    "normal": normal,
    "now": ours,
}


def of_shares(samples: np.ndarray, ends: Ends) -> Ends:
    """Give samples of 0 and 1 Wilson's interval."""
    low, high = ends
    n = samples.shape[1]
    for row in np.flatnonzero(((samples == 0.0) | (samples == 1.0)).all(axis=1)):
        low[row], high[row] = share_interval(samples[row].sum(), n)
    return low, high


def of_queries(kinds: dict[str, np.ndarray], samples: int, sizes: list[int]) -> None:
    print("| queries | values | " + " | ".join(METHODS) + " |")
    print("|---:|---|" + "---:|" * len(METHODS))
    for queries in sizes:
        rng = np.random.default_rng(queries)
        covered: dict[str, list[float]] = {name: [] for name in METHODS}
        widths: dict[str, list[float]] = {name: [] for name in METHODS}
        for kind, values in kinds.items():
            drawn, true = rng.choice(values, (samples if queries <= 50 else samples // 4, queries)), values.mean()
            for name, method in METHODS.items():
                low, high = of_shares(drawn, method(drawn))
                covered[name].append(float(((low <= true + 1e-12) & (high >= true - 1e-12)).mean()))
                widths[name].append(float((high - low).mean()))
            print(f"| {queries} | {kind} | " + " | ".join(f"{its[-1]:.1%}" for its in covered.values()) + " |")
        for said, shown in (("mean", np.mean), ("lowest", np.min)):
            print(f"| {queries} | **{said}** | " + " | ".join(f"{shown(its):.1%}" for its in covered.values()) + " |")
        print(
            f"| {queries} | width | " + " | ".join(f"{np.mean(its):.3f}" for its in widths.values()) + " |", flush=True
        )


def flips(values: np.ndarray, codes: np.ndarray, sizes: np.ndarray) -> tuple[float, float] | None:
    """Return the means that sign flips of the groups leave open, as earlier versions had them."""
    groups = len(sizes)
    if np.ptp(values) == 0.0 and values[0] in (0.0, 1.0):
        return share_interval(groups * values[0], groups) if groups >= 6 else None
    sums, kept_sizes = kept(np.stack([np.bincount(codes, values), sizes]), PATTERNS, 0)
    most = most_beyond(0.05, len(sums), patterns(groups, PATTERNS) is not None)
    return bounds(np.concatenate([sums, values.sum() - sums]), kept_sizes, float(sizes.sum()), most)


def now(values: np.ndarray, codes: np.ndarray) -> tuple[float, float]:
    mean = values.mean()
    sums = np.bincount(codes, values - mean)
    spread = GroupSpread("document", len(sums), float(sums @ sums))
    found = mean_interval(len(values), float(mean), float(((values - mean) ** 2).sum()), groups=spread)
    return found.low, found.high


def of_groups(kinds: dict[str, np.ndarray], samples: int) -> None:
    print("\n| groups | sizes | sign flips: mean | lowest | width | now: mean | lowest | width |")
    print("|---:|---|" + "---:|" * 6)
    for groups in GROUPS:
        for kind, sizes in (
            ("equal", np.full(groups, 8)),
            ("unequal", np.maximum(1, np.round(8 * np.exp(np.linspace(-1.5, 1.5, groups)))).astype(int)),
        ):
            rng, codes = np.random.default_rng(groups), np.repeat(np.arange(groups), sizes)
            covered: list[list[float]] = [[], []]
            widths: list[list[float]] = [[], []]
            for values in kinds.values():
                ordered, true = np.sort(values), values.mean()
                for alike in CORRELATIONS:
                    ends: list[list[tuple[float, float]]] = [[], []]
                    for _ in range(samples):
                        scores = np.sqrt(alike) * rng.normal(size=groups)[codes]
                        scores += np.sqrt(1.0 - alike) * rng.normal(size=len(codes))
                        places = np.minimum((special.ndtr(scores) * len(ordered)).astype(int), len(ordered) - 1)
                        drawn = ordered[places]
                        before = flips(drawn, codes, sizes.astype(float))
                        ends[0] += [] if before is None else [before]
                        ends[1].append(now(drawn, codes))
                    for which, its in enumerate(ends):
                        if its:
                            low, high = np.array(its).T
                            covered[which].append(float(((low <= true + 1e-12) & (high >= true - 1e-12)).mean()))
                            widths[which].append(float((high - low).mean()))
            cells = [
                f"{np.mean(its):.1%} | {np.min(its):.1%} | {np.mean(wide):.3f}" if its else "none | none | none"
                for its, wide in zip(covered, widths, strict=True)
            ]
            print(f"| {groups} | {kind} | " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="*", type=Path)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--queries", type=int, action="append")
    options = parser.parse_args()
    kinds = of_runs(options.results) or shapes()
    print(describe(), flush=True)
    of_queries(kinds, options.samples, options.queries or list(SIZES))
    of_groups(kinds, max(1, options.samples // 10))


if __name__ == "__main__":
    main()
