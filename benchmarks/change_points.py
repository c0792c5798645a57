"""Changes of level that are found, and those that are none, beside Otava and ruptures where they are installed.

usage: python benchmarks/change_points.py [--series 200] [--seed 1]

Quiet series of 60 runs are looked at after each run from the eleventh on, as a history is: the share that ever shows a
change, and the share that shows one at the end. Steps are given in standard deviations of the run means, and are found
where a change is said to be within five runs. Otava is at its defaults (p 0.001), ruptures is PELT of least squares
with a penalty of 3 log(runs) deviations squared, which it is told.
"""

import argparse
import time
from collections.abc import Callable
from typing import get_args

import numpy as np
from machine import describe

from benchbench.significance.change_points import change_points
from benchbench.significance.cycles import cycles
from benchbench.significance.drift import Shape, drift, shape

RUNS = 60
Find = Callable[[np.ndarray], list[int]]
Draw = Callable[[np.random.Generator, int], np.ndarray]


def ours(values: np.ndarray) -> list[int]:
    return [one.first for one in change_points(values)]


def others() -> dict[str, Find]:
    """Return the peers that are installed."""
    found: dict[str, Find] = {}
    try:
        from otava.analysis import compute_change_points

        found["Otava"] = lambda values: [one.index for one in compute_change_points(values.tolist())[0]]
    except ImportError:
        print("Otava is not installed: pip install apache-otava")
    try:
        import ruptures

        def pelt(values: np.ndarray) -> list[int]:
            return ruptures.KernelCPD("linear", min_size=2).fit(values).predict(pen=3.0 * np.log(len(values)))[:-1]

        found["ruptures"] = pelt
    except ImportError:
        print("ruptures is not installed: pip install ruptures")
    return found


def heavy(rng: np.random.Generator, runs: int) -> np.ndarray:
    return rng.standard_t(3, runs) / np.sqrt(3.0)


def outliers(rng: np.random.Generator, runs: int) -> np.ndarray:
    return rng.normal(size=runs) - 8.0 * (rng.random(runs) < 0.03)


def tied(rng: np.random.Generator, runs: int) -> np.ndarray:
    return np.where(rng.random(runs) < 0.1, rng.normal(size=runs), 0.0)


NOISE: dict[str, Draw] = {
    "normal": lambda rng, runs: rng.normal(size=runs),
    "t with 3 degrees": heavy,
    "normal, 3 % bad runs": outliers,
    "nine of ten runs equal": tied,
}


def quiet(find: dict[str, Find], series: int, seed: int) -> None:
    print(f"\nQuiet series that show a change, {series:,} of each kind, looked at after each run / at the end:\n")
    print(f"| noise | {' | '.join(find)} |\n|---|{'---:|' * len(find)}")
    for name, draw in NOISE.items():
        cells = []
        for one in find.values():
            rng = np.random.default_rng(seed)
            ever, end = 0, 0
            for _ in range(series):
                values = draw(rng, RUNS)
                seen = [bool(one(values[:runs])) for runs in range(11, RUNS + 1)]
                ever, end = ever + any(seen), end + seen[-1]
            cells.append(f"{ever / series:.1%} / {end / series:.1%}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def resembling(rng: np.random.Generator, runs: int, coefficient: float) -> np.ndarray:
    values = rng.normal(size=runs)
    for run in range(1, runs):
        values[run] = coefficient * values[run - 1] + np.sqrt(1.0 - coefficient**2) * values[run]
    return values


def cycle(rng: np.random.Generator, runs: int, period: float) -> np.ndarray:
    return 2.0 * np.sin(2.0 * np.pi * (np.arange(runs) / period + rng.random())) + 0.7 * rng.normal(size=runs)


ALIKE: dict[str, Draw] = {
    "AR(.3)": lambda rng, runs: resembling(rng, runs, 0.3),
    "AR(.5)": lambda rng, runs: resembling(rng, runs, 0.5),
    "AR(.8)": lambda rng, runs: resembling(rng, runs, 0.8),
    "a cycle of 17 runs": lambda rng, runs: cycle(rng, runs, 17.0),
    "a cycle of 7 runs": lambda rng, runs: cycle(rng, runs, 7.0),
}


def beside_cycles(values: np.ndarray) -> list[int]:
    """Return the changes that a trend has: those of what is left beside cycles."""
    return ours(values - cycles(values).sums)


def alike(find: dict[str, Find], series: int, seed: int) -> None:
    find = {"benchbench": beside_cycles, **{name: one for name, one in find.items() if name != "benchbench"}}
    print(f"\nRuns that resemble one another: share of {series:,} series with a change / changes per series:\n")
    print(f"| noise | {' | '.join(find)} |\n|---|{'---:|' * len(find)}")
    for name, draw in ALIKE.items():
        cells = []
        for one in find.values():
            rng = np.random.default_rng(seed)
            counts = np.array([len(one(draw(rng, RUNS))) for _ in range(series)])
            cells.append(f"{(counts > 0).mean():.1%} / {counts.mean():.2f}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def changed(at: int, until: int, step: float) -> np.ndarray:
    runs = np.arange(RUNS)
    return np.where((runs >= at) & (runs < until), -step, 0.0)


CHANGES = {
    "1 in the middle": (30, RUNS, 1.0),
    "2 in the middle": (30, RUNS, 2.0),
    "4 in the middle": (30, RUNS, 4.0),
    "2, ten runs ago": (50, RUNS, 2.0),
    "4, ten runs ago": (50, RUNS, 4.0),
    "4, five runs ago": (55, RUNS, 4.0),
    "2 for eight runs": (30, 38, 2.0),
    "4 for five runs": (30, 35, 4.0),
}


def power(find: dict[str, Find], series: int, seed: int) -> None:
    print(f"\nChanges in {series:,} series of 60 runs: share found / mean error of place / points that are none:\n")
    print(f"| noise | change | {' | '.join(find)} | interval holds the place | runs in it |")
    print(f"|---|---|{'---:|' * (len(find) + 2)}")
    for name in ("normal", "t with 3 degrees", "normal, 3 % bad runs"):
        for what, (at, until, step) in CHANGES.items():
            true = [at] if until == RUNS else [at, until]
            cells = []
            for one in find.values():
                rng = np.random.default_rng((seed, at))
                found, extra, off = 0, 0, []
                for _ in range(series):
                    places = one(NOISE[name](rng, RUNS) + changed(at, until, step))
                    near = [min((abs(place - start) for place in places), default=RUNS) for start in true]
                    extra += sum(min(abs(place - start) for start in true) > 5 for place in places)
                    if max(near) <= 5:
                        found += 1
                        off += near
                error = f"{np.mean(off):.1f}" if off else "-"
                cells.append(f"{found / series:.0%} / {error} / {extra / series:.2f}")
            print(
                f"| {name} | {what} | {' | '.join(cells)} | {_held(name, at, until, step, series, seed)} |", flush=True
            )


def _held(name: str, at: int, until: int, step: float, series: int, seed: int) -> str:
    """Return how often the interval of a change that was found holds its first run, and how many runs are in it."""
    rng = np.random.default_rng((seed, at))
    held, widths = [], []
    for _ in range(series):
        for one in change_points(NOISE[name](rng, RUNS) + changed(at, until, step)):
            true = min((at, until), key=lambda start, first=one.first: abs(start - first))
            if abs(one.first - true) <= 5:
                held.append(one.earliest <= true <= one.latest)
                widths.append(one.latest - one.earliest + 1)
    return f"{np.mean(held):.0%} | {np.mean(widths):.1f}" if held else "- | -"


def drifts(series: int, seed: int) -> None:
    print(f"\nDrift, at 1 %, {series:,} series each: share that is found, and of intervals that hold it:\n")
    print("| noise | runs | none | 0.02 per run | 0.05 per run | intervals |\n|---|---:|---:|---:|---:|---:|")
    for name, draw in NOISE.items():
        for runs in (20, 60):
            rng = np.random.default_rng(seed)
            shares, held = [], []
            for slope in (0.0, 0.02, 0.05):
                found = [drift(draw(rng, runs) + slope * np.arange(runs)) for _ in range(series)]
                shares.append(f"{np.mean([one.p <= 0.01 for one in found]):.1%}")
                held += [one.low <= slope <= one.high for one in found]
            print(f"| {name} | {runs} | {' | '.join(shares)} | {np.mean(held):.1%} |", flush=True)


def shapes(series: int, seed: int) -> None:
    print(f"\nWhat 60 runs are said to be, {series:,} series each:\n\n| runs | {' | '.join(get_args(Shape))} |")
    print(f"|---|{'---:|' * len(get_args(Shape))}")
    runs = np.arange(RUNS)
    for name, moved in {
        "quiet": 0.0 * runs,
        "a step of 2": changed(30, RUNS, 2.0),
        "a step of 4": changed(20, RUNS, 4.0),
        "two steps of 2": changed(20, RUNS, 2.0) + changed(40, RUNS, 2.0),
        "drift of 0.03 per run": -0.03 * runs,
        "drift of 0.05 per run": -0.05 * runs,
        "drift of 0.1 per run": -0.1 * runs,
    }.items():
        rng = np.random.default_rng(seed)
        said = []
        for _ in range(series):
            values = rng.normal(size=RUNS) + moved
            said.append(shape(values, change_points(values), drift(values)))
        print(f"| {name} | {' | '.join(f'{said.count(one) / series:.0%}' for one in get_args(Shape))} |", flush=True)


def speed(find: dict[str, Find], seed: int) -> None:
    print("\nCPU milliseconds for 1,000 runs, least of three:\n")
    print(f"| changes | {' | '.join(find)} | drift |\n|---:|{'---:|' * (len(find) + 1)}")
    for number in (0, 1, 5, 10):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=1_000)
        for k in range(number):
            values[(k + 1) * 1_000 // (number + 1) :] += 2.0 * (-1) ** k
        cells = []
        for one in (*find.values(), drift):
            took = []
            for _ in range(3):
                started = time.process_time()
                one(values)
                took.append(time.process_time() - started)
            cells.append(f"{1e3 * min(took):.0f}")
        print(f"| {number} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--series", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    find: dict[str, Find] = {"benchbench": ours, **others()}
    print(describe(), f"seed {given.seed}", sep="; ")
    quiet(find, given.series, given.seed)
    alike(find, given.series, given.seed)
    power(find, given.series, given.seed)
    drifts(5 * given.series, given.seed)
    shapes(given.series, given.seed)
    speed(find, given.seed)


if __name__ == "__main__":
    main()
