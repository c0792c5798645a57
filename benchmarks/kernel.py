"""The judging kernel: hits a second, for four tasks, six measures and three cut-offs at once, on one core.

usage: python benchmarks/kernel.py [--queries 50000] [--depth 20] [--rounds 5]

The time must grow in proportion to the queries: the table shows three sizes.
"""

import argparse

import numpy as np
from machine import describe, in_turn

from benchbench.kernels.judge import HitColumns, QueryColumns, judge

POSITIVES = 10


def workload(queries: int, depth: int) -> tuple[HitColumns, QueryColumns]:
    rng = np.random.default_rng(7)
    hits, positives = queries * depth, queries * POSITIVES

    def hashes(n: int) -> np.ndarray:
        return rng.integers(2, 2**63, n, dtype=np.uint64)

    def codes(n: int, kinds: int) -> np.ndarray:
        return rng.integers(0, kinds, n, dtype=np.int32)

    text, positive_text, query_text = hashes(hits), hashes(positives), hashes(queries)
    half = rng.random(positives) < 0.5  # half of the positives are among the hits
    place = np.repeat(np.arange(queries) * depth, POSITIVES) + rng.integers(1, depth, positives)
    text[place[half]] = positive_text[half]
    text[::depth] = query_text  # the query itself comes first
    penalty = np.zeros(hits, np.uint8)
    columns = HitColumns(
        np.arange(0, hits + 1, depth), hashes(hits), text, codes(hits, 50), codes(hits, 80), codes(hits, 60), penalty
    )
    asked = QueryColumns(
        hashes(queries),
        query_text,
        codes(queries, 50),
        codes(queries, 80),
        codes(queries, 60),
        penalty[:queries],
        np.arange(0, positives + 1, POSITIVES),
        hashes(positives),
        positive_text,
        rng.integers(1, 6, positives).astype(np.float64),
        np.full((queries, 4), 10),
    )
    return columns, asked


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--queries", type=int, default=50_000)
    arguments.add_argument("--depth", type=int, default=20)
    arguments.add_argument("--rounds", type=int, default=5)
    options = arguments.parse_args()
    cutoffs = np.array([3, 5, 10])
    print(describe("numba", "numpy"))
    print(f"median of {options.rounds} in turn\n\n| queries | hits | seconds | million hits/s |\n|---:|---:|---:|---:|")
    sizes = [options.queries // 4, options.queries, options.queries * 4]
    loads = {size: workload(size, options.depth) for size in sizes}
    judge(*loads[sizes[0]], cutoffs, True, True)
    work = {f"{size}": (lambda size=size: judge(*loads[size], cutoffs, True, True)) for size in sizes}
    for size, seconds in in_turn(options.rounds, **work).items():
        hits = int(size) * options.depth
        print(f"| {int(size):,} | {hits:,} | {seconds:.3f} | {hits / seconds / 1e6:.1f} |")


if __name__ == "__main__":
    main()
