"""How fast judges are compared with people, how often intervals cover, and how often probes accuse and find.

usage: python benchmarks/judge_agreement.py [speed] [coverage] [probes] [--tries 1000]

`speed` compares a million pairs, and as many read from files. `coverage` draws queries whose judge is better at some
than at others: a 95 % interval should cover the kappa of all queries in 95 % of tries; of 1,000, 93.6 to 96.3 % are
within chance. `probes` tries an unbiased judge, whose noise is its own and whose grades go with lengths through
people's grades only: at 5 % it should be accused of anything in at most 64 of 1,000 tries. Then biases are planted, a
small and a larger one, and the power is told. All of it takes a quarter of an hour.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from machine import describe

from benchbench.judging.agreement.agreement_run import judge_agreement
from benchbench.judging.agreement.grades import read_judges, read_people
from benchbench.judging.agreement.numbers import agreed
from benchbench.kernels.arrays import F64, I64
from benchbench.significance import raters
from benchbench.significance.judge_bias import corrected, paired_probe, probe

PAIRS = 1_000_000
GRADES = 4
LEVEL = 0.05
SHAPES = ((200, 1), (100, 2), (50, 5), (20, 20), (100, 40))  # queries, and pairs of each
World = tuple[F64, F64, F64, F64, F64, I64]


def speed() -> None:
    """Compare a million pairs, in arrays and in files."""
    rng = np.random.default_rng(0)
    query = np.repeat(np.arange(PAIRS // 100), 100)
    human = rng.integers(0, GRADES, PAIRS).astype(float)
    judge = np.where(rng.random(PAIRS) < 0.7, human, rng.integers(0, GRADES, PAIRS))
    lengths = rng.normal(9, 1, PAIRS)
    agreed(human[:1000], judge[:1000], query[:1000])  # kernels compile once
    timed(f"{PAIRS:,} pairs in arrays: all numbers with intervals", lambda: agreed(human, judge, query))
    timed(f"{PAIRS:,} pairs: one probe", lambda: probe("length", human, judge, lengths, query))
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("human.qrels", "judge.qrels")]
        for path, who, grades in zip(paths, ("0", "m/relevance.en@1"), (human, judge), strict=True):
            lines = zip(query.tolist(), grades.astype(int).tolist(), strict=True)
            path.write_text("".join(f"q{q} {who} d{n} {grade}\n" for n, (q, grade) in enumerate(lines)))
        timed(
            f"{PAIRS:,} pairs from two files of TREC text",
            lambda: judge_agreement(read_people(paths[0]), read_judges(paths[1])),
        )


def timed(what: str, work: Callable[[], object]) -> None:
    """Print how long it took."""
    began = time.perf_counter()
    work()
    print(f"| {what} | {time.perf_counter() - began:.2f} s |")


def coverage(tries: int) -> None:
    """Count how often the interval of kappa covers."""
    print("\n| queries | pairs of each | kappa, all | kappa@1 | alpha |\n|---:|---:|---:|---:|---:|")
    for queries, pairs in SHAPES:
        statistics = {"kappa": raters.kappa, "kappa@1": _first_cut, "alpha": raters.alpha}
        rng = np.random.default_rng(1)
        whole = counts(rng, 100_000, pairs).sum(axis=0)
        truth = {name: float(take(whole)) for name, take in statistics.items()}
        covered = dict.fromkeys(statistics, 0)
        for _ in range(tries):
            found = raters.jackknifed(counts(rng, queries, pairs), statistics, LEVEL)
            for name, one in found.items():
                covered[name] += one.low <= truth[name] <= one.high
        print(f"| {queries} | {pairs} | " + " | ".join(f"{100 * one / tries:.1f} %" for one in covered.values()) + " |")


def _first_cut(counts: F64) -> F64:
    return raters.kappa(raters.cut(counts, 1))


def counts(rng: np.random.Generator, queries: int, pairs: int) -> F64:
    """Return counts by query; grades of a query are alike, and so is how good the judge is at it."""
    easy, rich = rng.beta(4, 2, (queries, 1)), rng.beta(2, 4, (queries, 1))
    human = (rng.random((queries, pairs)) < rich) * rng.integers(1, GRADES, (queries, pairs))
    judge = np.where(rng.random((queries, pairs)) < easy, human, rng.integers(0, GRADES, (queries, pairs)))
    return raters.crossed(human.ravel(), judge.ravel(), GRADES, np.repeat(np.arange(queries), pairs), queries)


def world(seed: int, queries: int, pairs: int, length: float = 0.0, position: float = 0.0, own: float = 0.0) -> World:
    """Return grades by people and judge, logarithms of lengths and ranks, whose answer each is, and queries."""
    rng = np.random.default_rng(seed)
    query = np.repeat(np.arange(queries), pairs)
    logs = rng.normal(7, 1.2, query.size) + rng.normal(0, 0.6, queries)[query]
    ranks = np.log2(np.concatenate([rng.permutation(pairs) + 1.0 for _ in range(queries)]))
    mine = (rng.random(query.size) < 0.4).astype(float)
    hidden = 0.5 * (logs - 7) + rng.normal(0, 1, query.size) - 0.2 * ranks + 0.3 * mine
    human = np.digitize(hidden, [-0.4, 0.6, 1.5]).astype(float)
    noise = (rng.random(query.size) < 0.35) * rng.integers(-1, 2, query.size) + rng.normal(0, 0.5, queries)[query]
    planted = length * (logs - 7) - position * ranks + own * (mine - 0.4)
    return human, np.clip(np.rint(human + noise + planted), 0, 3), logs, ranks, mine, query


def probes(tries: int) -> None:
    """Count accusations of an unbiased judge, and how often planted biases are found."""
    print("\n| queries | pairs of each | accused of anything | length | position | own model |")
    print("|---:|---:|---:|---:|---:|---:|")
    for queries, pairs in SHAPES[:-1]:
        p = np.array([_p_values(world(seed, queries, pairs), seed) for seed in range(tries)])
        anything = np.count_nonzero((p <= LEVEL).any(axis=1))
        each = (np.count_nonzero(column <= LEVEL) for column in p.T)
        print(f"| {queries} | {pairs} | {anything} of {tries} | " + " | ".join(str(one) for one in each) + " |")
    again = sum(_asked_again(seed, 0.0) for seed in range(tries))
    print(f"\nAsked again in another order, unbiased: {again} of {tries} accused.")
    print("\n| planted | by | 50 × 5 pairs found | 20 × 20 pairs found |\n|---|---:|---:|---:|")
    few = max(tries // 5, 1)
    for place, (name, sizes) in enumerate((("length", (0.15, 0.3)), ("position", (0.15, 0.3)), ("own", (0.3, 0.6)))):
        for by in sizes:
            shares = []
            for queries, pairs in ((50, 5), (20, 20)):
                drawn = (world(seed, queries, pairs, **{name: by}) for seed in range(few))
                found = sum(_p_values(one, seed)[place] <= LEVEL for seed, one in enumerate(drawn))
                shares.append(f"{100 * found / few:.0f} %")
            print(f"| {name} | {by} | " + " | ".join(shares) + " |")
    for by in (0.1, 0.2):
        found = sum(_asked_again(seed, by) for seed in range(few))
        print(f"| position, asked again | {by} | {100 * found / few:.0f} % | |")


def _p_values(drawn: World, seed: int) -> list[float]:
    """Return the corrected p-values of length, position and own model; of what cannot be tested 1."""
    human, judge, logs, ranks, mine, query = drawn
    made = [
        probe(name, human, judge, value, query, LEVEL, seed)
        for name, value in (("length", logs), ("position", ranks), ("own", mine))
    ]
    return [1.0 if one.adjusted != one.adjusted else one.adjusted for one in corrected(made)]


def _asked_again(seed: int, bias: float) -> bool:
    """Say whether a judge is accused that grades the same pairs in two orders."""
    rng = np.random.default_rng(seed)
    human, _, _, ranks, _, query = world(seed, 50, 5)
    turned = np.log2(6 - 2**ranks)
    once, twice = (
        np.clip(np.rint(human + rng.normal(0, 0.6, human.size) - bias * place), 0, 3) for place in (ranks, turned)
    )
    return paired_probe("position", once, twice, turned - ranks, query, LEVEL, seed).p <= LEVEL


def main() -> None:
    """Do what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help="speed, coverage, probes; all by default")
    parser.add_argument("--tries", type=int, default=1_000)
    given = parser.parse_args()
    parts = given.parts or ["speed", "coverage", "probes"]
    print(describe("numpy", "scipy"))
    if "speed" in parts:
        speed()
    if "coverage" in parts:
        coverage(given.tries)
    if "probes" in parts:
        probes(given.tries)


if __name__ == "__main__":
    main()
