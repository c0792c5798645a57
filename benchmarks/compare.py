"""The randomisation test of all pairs and the bootstrap of all means, beside scipy's, and a whole comparison.

usage: python benchmarks/compare.py [--systems 10] [--queries 50000] [--measures 10] [--resamples 10000] [--rounds 3]

All take turns. scipy, which has one core, would need hours: it does one pair and measure, or the mean of one system
and measure, with a twentieth of the resamples, and its time is multiplied by 20 and by how many there are. Its test is
given the differences (one sample whose signs are flipped); it has the better of two batch sizes, because it spends much
on each batch, and memory on a large one. Its bootstrap is of the percentile method: BCa needs a jackknife besides.
"""

import argparse
from collections.abc import Callable
from itertools import combinations

import numpy as np
from machine import describe, in_turn
from scipy import stats

from benchbench.significance.bootstrap import resampled_means
from benchbench.significance.comparing import compare
from benchbench.significance.comparison_settings import CompareSettings
from benchbench.significance.randomization import flips, randomization
from benchbench.tables import threads
from benchbench.tables.paired import Paired

FRACTION = 20
BATCHES = (50, 500)


def workload(systems: int, queries: int, measures: int) -> Paired:
    """Draw values as measures have them: bounded, many of them 0 or equal, and alike between systems."""
    rng = np.random.default_rng(7)
    common = rng.beta(0.4, 0.8, (measures, 1, queries))
    values = np.clip(common + 0.2 * rng.standard_normal((measures, systems, queries)), 0.0, 1.0)
    values[: measures // 2] = np.round(values[: measures // 2] * 10) / 10
    names = tuple(f"system {s}" for s in range(systems)), tuple(f"measure {m}" for m in range(measures))
    return Paired(*names, range(queries), values)  # type: ignore[arg-type]  # nothing here reads the ids


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--systems", type=int, default=10)
    arguments.add_argument("--queries", type=int, default=50_000)
    arguments.add_argument("--measures", type=int, default=10)
    arguments.add_argument("--resamples", type=int, default=10_000)
    arguments.add_argument("--rounds", type=int, default=3)
    options = arguments.parse_args()
    paired = workload(options.systems, options.queries, options.measures)
    pairs = len(list(combinations(range(options.systems), 2)))
    settings = CompareSettings(resamples=options.resamples)
    few = options.resamples // FRACTION
    differences = paired.difference(0, 0, 1)

    def test() -> None:
        sizes = np.ones(options.queries)
        patterns = flips(paired.values, sizes, [True] * options.measures, options.resamples, settings.seed)
        for m, flipped in enumerate(patterns):
            for pair in combinations(range(options.systems), 2):
                randomization(flipped, pair, paired.difference(m, *pair), sizes, settings.alpha, options.resamples)

    def bootstrap() -> None:
        resampled_means(paired.values, options.resamples, settings.seed)

    def ours(cores: int, work: Callable[[], None]) -> None:
        threads.THREADS, all_cores = cores, threads.THREADS
        work()
        threads.THREADS = all_cores

    def their_test(batch: int) -> None:
        stats.permutation_test(
            (differences,),
            lambda x, axis: np.mean(x, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=few,
            batch=batch,
            rng=np.random.default_rng(1),
        )

    def their_bootstrap(batch: int) -> None:
        stats.bootstrap(
            (differences,), np.mean, n_resamples=few, batch=batch, method="percentile", rng=np.random.default_rng(1)
        )

    compare(workload(3, 60, 2), settings)  # compiles
    cores = sorted({1, threads.THREADS})
    work = {f"test {batch}": (lambda batch=batch: their_test(batch)) for batch in BATCHES}
    work |= {f"bootstrap {batch}": (lambda batch=batch: their_bootstrap(batch)) for batch in BATCHES}
    work |= {f"our test, {number}": (lambda number=number: ours(number, test)) for number in cores}
    work |= {f"our bootstrap, {number}": (lambda number=number: ours(number, bootstrap)) for number in cores}
    work["whole"] = lambda: compare(paired, settings)
    seconds = in_turn(options.rounds, **work)

    print(describe("scipy", "numba", "numpy"))
    print(
        f"{options.systems} systems, {options.queries:,} queries, {options.measures} measures, "
        f"{options.resamples:,} resamples; median of {options.rounds} in turn\n"
    )
    print("| work | seconds | times as fast |\n|---|---:|---:|")
    rows = (
        ("test", "permutation_test", "randomisation test", pairs * options.measures),
        ("bootstrap", "bootstrap", "bootstrap", options.systems * options.measures),
    )
    for name, peer, own, times in rows:
        once = min(seconds[f"{name} {batch}"] for batch in BATCHES)
        whole = once * FRACTION * times
        print(f"| scipy.stats.{peer}, {times} times, from {once:.2f} s | {whole:,.0f} | 1 |")
        for number in cores:
            took = seconds[f"our {name}, {number}"]
            print(f"| benchbench, {own}, {number} core{'s' * (number > 1)} | {took:.1f} | {whole / took:,.0f} |")
    print(f"| benchbench, whole comparison, {threads.THREADS} cores | {seconds['whole']:.1f} | |")


if __name__ == "__main__":
    main()
