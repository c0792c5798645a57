"""The randomisation test of all pairs, beside `scipy.stats.permutation_test`, and a whole comparison.

usage: python benchmarks/compare.py [--systems 10] [--queries 50000] [--measures 10] [--resamples 10000] [--rounds 3]

All take turns. scipy, which has one core, would need hours: it does one pair and measure with a twentieth of the
resamples, and its time is multiplied by 20 and by the number of pairs and measures. It is given the differences (one
sample whose signs are flipped), and the better of two batch sizes: it spends much on each batch, and memory on a large
one.
"""

import argparse
from itertools import combinations

import numpy as np
from machine import describe, in_turn
from scipy import stats

from benchbench.significance.comparing import compare
from benchbench.significance.randomization import randomization
from benchbench.significance.settings import Settings
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
    settings = Settings(resamples=options.resamples)
    few = options.resamples // FRACTION
    differences = paired.difference(0, 0, 1)

    def ours(cores: int) -> None:
        threads.THREADS, all_cores = cores, threads.THREADS
        randomization(paired.values, options.resamples, settings.seed)
        threads.THREADS = all_cores

    def theirs(batch: int) -> None:
        stats.permutation_test(
            (differences,),
            lambda x, axis: np.mean(x, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=few,
            batch=batch,
            rng=np.random.default_rng(1),
        )

    compare(workload(3, 60, 2), settings)  # compiles
    work = {f"scipy {batch}": (lambda batch=batch: theirs(batch)) for batch in BATCHES}
    cores = sorted({1, threads.THREADS})
    work |= {f"ours {number}": (lambda number=number: ours(number)) for number in cores}
    work["whole"] = lambda: compare(paired, settings)
    seconds = in_turn(options.rounds, **work)
    peer = min(seconds[f"scipy {batch}"] for batch in BATCHES)
    hours = peer * FRACTION * pairs * options.measures

    print(describe("scipy", "numba", "numpy"))
    print(
        f"{options.systems} systems, {options.queries:,} queries, {options.measures} measures, "
        f"{options.resamples:,} resamples; median of {options.rounds} in turn\n"
    )
    print("| work | seconds | times as fast |\n|---|---:|---:|")
    print(f"| scipy.stats.permutation_test, {pairs * options.measures} times, from {peer:.2f} s | {hours:,.0f} | 1 |")
    for number in cores:
        name = f"benchbench, randomisation test, {number} core{'s' * (number > 1)}"
        print(f"| {name} | {seconds[f'ours {number}']:.1f} | {hours / seconds[f'ours {number}']:,.0f} |")
    print(f"| benchbench, whole comparison, {threads.THREADS} cores | {seconds['whole']:.1f} | |")


if __name__ == "__main__":
    main()
