"""How often gates on runs alarm where nothing changed, and how soon they find what did.

usage: python benchmarks/history_gates.py [--series 1000] [--power 200] [--seed 1]

A series is ten runs of the reference and 60 runs that are checked one after the other; it counts as alarmed from its
first alarm on, up or down. Noise is scaled so that the standard error of one paired difference, of one run and another,
is 0.01, over 200 queries; steps are given in such standard errors. The rules on means know of no pairs; two tests of
pairs against a single run, at alpha / 60, are beside them.

Flips are a test of minutes for so many series. They are left out where they cannot reject: where the t-test does not,
or where the sum of the differences is less than 2.9 roots of the sum of their squares (of 9 equal ones, which have the
smallest p-value at that sum, it is 2^-8).
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from machine import describe

from benchbench.significance.autocorrelation import FEWEST, autocorrelation, effective_runs
from benchbench.significance.distributions import normal_quantile
from benchbench.significance.run_gate import REFERENCE, GateSettings, gate
from benchbench.significance.run_growth import joined, joined_after_each
from benchbench.significance.run_recovery import recovered
from benchbench.significance.run_windows import OF_RUNS, WINDOWS, RunChanges, blocks, by_runs, t_test_of_runs

QUERIES, RUNS, ERROR = 200, 60, 0.01
SETTINGS = GateSettings(planned=RUNS, resamples=1_000)
STATES = GateSettings(planned=RUNS, resamples=1_000, tests="queries")
STEPS = (4.0, 2.0, 1.0)
Rng = np.random.Generator


@dataclass(frozen=True)
class Kind:
    """Noise of quiet runs."""

    name: str
    queries: float = 1.0  # of each query, new in each run; in ERROR
    runs: float = 0.0  # shared by all queries of a run
    commits: float = 0.0  # of each query, new with a commit
    every: float = 0.0  # chance of a commit per run
    groups: int = 0
    resembling: float = 0.0  # coefficient of an AR(1) of the noise shared by a run
    period: float = 0.0  # runs of a cycle, whose amplitude is `cycle` ERROR
    cycle: float = 0.0
    heavy: bool = False  # noise of queries is t with 3 degrees

    @property
    def settings(self) -> GateSettings:
        """What its runs are judged by: flips alone where equal runs are equal to the bit."""
        return SETTINGS if self.queries or self.runs else STATES


QUIET = (
    Kind("plain"),
    Kind("run noise of 1.5", runs=1.5),
    Kind("run noise of 0.7", runs=0.7),
    Kind("commits reorder ties", commits=1.0, every=0.2),
    Kind("commits and run noise of 0.7", commits=1.0, runs=0.7, every=0.2),
    Kind("deterministic, rare commits", queries=0.0, commits=1.0, every=0.05),
    Kind("40 groups of 1 to 12 queries", groups=40),
    Kind("40 groups and run noise of 1.5", groups=40, runs=1.5),
    Kind("heavy tails", heavy=True),
    Kind("AR(.3), run noise of 1.5", runs=1.5, resembling=0.3),
    Kind("AR(.5), run noise of 1.5", runs=1.5, resembling=0.5),
    Kind("AR(.5) alone", queries=0.05, runs=1.5, resembling=0.5),
    Kind("a cycle of 17 runs", cycle=2.0, period=17.0),
    Kind("a cycle of 7 runs", cycle=2.0, period=7.0),
)


@dataclass
class Series:
    """Runs of one system."""

    values: np.ndarray  # (REFERENCE + later runs, queries)
    groups: np.ndarray | None
    settings: GateSettings = SETTINGS

    @property
    def reference(self) -> np.ndarray:
        """The first runs."""
        return self.values[:REFERENCE]

    @property
    def later(self) -> np.ndarray:
        """The runs that are checked."""
        return self.values[REFERENCE:]


def drawn(kind: Kind, rng: Rng, runs: int = RUNS) -> Series:
    """Draw a quiet series; half of the noise is that of a tenth of the queries."""
    total = REFERENCE + runs
    groups = None
    if kind.groups:
        groups = np.sort(rng.choice(kind.groups, QUERIES, p=(weights := np.arange(kind.groups) + 4.0) / weights.sum()))
    spread = np.where(np.arange(QUERIES) % 10 == 0, 3.0, 1.0) * rng.uniform(0.5, 1.5, QUERIES)

    def noise(rows: int) -> np.ndarray:
        if groups is None:
            size = (rows, QUERIES)
            drawn = rng.standard_t(3, size) / np.sqrt(3.0) if kind.heavy else rng.normal(size=size)
            shape, of_mean = drawn * spread, np.sqrt(spread @ spread)
        else:
            shape = rng.normal(size=(rows, kind.groups))[:, groups]
            of_mean = np.sqrt((np.bincount(groups).astype(float) ** 2).sum())
        return shape * (ERROR / np.sqrt(2) * QUERIES / of_mean)

    commit = np.cumsum(rng.random(total) < kind.every)
    values = rng.beta(0.6, 0.9, QUERIES) + kind.queries * noise(total)
    shared = rng.normal(size=total)
    for run in range(1, total if kind.resembling else 1):
        shared[run] = kind.resembling * shared[run - 1] + np.sqrt(1.0 - kind.resembling**2) * shared[run]
    cycle = kind.cycle * np.sin(2.0 * np.pi * (np.arange(total) / (kind.period or 1.0) + rng.random()))
    values = values + kind.commits * noise(commit[-1] + 1)[commit] + ERROR * (kind.runs * shared + cycle)[:, None]
    return Series(values, groups, kind.settings)


def first_alarm(series: Series, only_worse: bool = False) -> int:
    """Return which run is the first that the gate tells from the reference, from 1; 0 for none."""
    if series.settings is STATES:
        return _first_state(series, only_worse)
    means, worth = _means(series), {}
    grown = joined_after_each(means[:REFERENCE], means[REFERENCE:])
    for run in range(1, len(series.later) + 1):
        number = REFERENCE + grown[run]
        reference, before = series.values[:number].mean(axis=0), means[:number]
        if effective_runs(number, autocorrelation(before)) < FEWEST:
            continue
        if number not in worth:
            worth[number] = _worth(series.later - reference, series.groups)
        later, since = means[number : REFERENCE + run] - before.mean(), series.values[number : REFERENCE + run]
        for runs in WINDOWS:
            if runs > len(later) or not worth[number][runs][run - runs]:
                continue
            level, difference = SETTINGS.level(run) * OF_RUNS[runs], float(later[-runs:].mean())
            if by_runs(RunChanges(later, later, before, 0), runs, difference, (runs, number), level, "both")[0] > level:
                continue
            said = gate(reference, before, since, run, series.groups, SETTINGS).verdict
            if said == "worse" or (said == "better" and not only_worse):
                return run
            break
    return 0


def _first_state(series: Series, only_worse: bool) -> int:
    """Return the first alarm of a system whose equal states are equal to the bit: each is tested once, by flips."""
    reference, before = series.reference.mean(axis=0), series.reference.mean(axis=1)
    known = {series.reference.mean(axis=0).tobytes()}
    for run, values in enumerate(series.later, 1):
        if (state := values.tobytes()) in known:
            continue
        known.add(state)
        said = gate(reference, before, values[None], len(known) - 1, series.groups, STATES).verdict
        if said == "worse" or (said == "better" and not only_worse):
            return run
    return 0


def refused(series: Series, later: int) -> bool:
    """Say whether after so many runs the gate cannot decide, because runs resemble the one before."""
    means = _means(series)
    number = REFERENCE + joined(means[:REFERENCE], means[REFERENCE : REFERENCE + later])
    return series.settings is SETTINGS and effective_runs(number, autocorrelation(means[:number])) < FEWEST


def as_before(series: Series) -> int:
    """Return the first alarm of ten runs that stay the reference, whose noise is taken for independent."""
    reference, means = series.reference.mean(axis=0), _means(series)
    later, before = means[REFERENCE:] - means[:REFERENCE].mean(), means[:REFERENCE]
    worth = _worth(series.later - reference, series.groups)
    for run in range(1, len(later) + 1):
        for runs in WINDOWS:
            if runs > run or not worth[runs][run - runs]:
                continue
            parts = [before, later[run - runs : run], *blocks(later[: run - runs])]
            level = SETTINGS.level(run) / 2.0
            if t_test_of_runs(float(later[run - runs : run].mean()), parts, (runs, REFERENCE), level)[0] <= level:
                return run
    return 0


def _worth(differences: np.ndarray, groups: np.ndarray | None) -> dict[int, np.ndarray]:
    """Return of each window where flips could reject."""
    if groups is not None:
        differences = np.stack([np.bincount(groups, row) for row in differences])
    sums = np.concatenate([np.zeros((1, differences.shape[1])), np.cumsum(differences, axis=0)])
    found = {}
    for runs in WINDOWS:
        windows = sums[runs:] - sums[:-runs]
        found[runs] = np.abs(windows.sum(axis=1)) > 2.9 * np.sqrt((windows**2).sum(axis=1))
    return found


Rule = Callable[[Series], int]


def first(alarms: np.ndarray) -> int:
    return int(np.argmax(alarms)) + 1 if alarms.any() else 0


def _means(series: Series) -> np.ndarray:
    return series.values.mean(axis=1)


def below_last(series: Series) -> int:
    means = _means(series)
    return first(np.diff(means)[REFERENCE - 1 :] < -2.0 * ERROR)


def below_best(series: Series) -> int:
    means = _means(series)
    return first(means[REFERENCE:] - np.maximum.accumulate(means)[REFERENCE - 1 : -1] < -2.0 * ERROR)


def below_threshold(series: Series) -> int:
    means = _means(series)
    return first(means[REFERENCE:] < means[:REFERENCE].mean() - 2.0 * ERROR)


def three_sigma(series: Series) -> int:
    last = np.lib.stride_tricks.sliding_window_view(_means(series), 10)[:-1]
    return first(np.abs(_means(series)[REFERENCE:] - last.mean(axis=1)) > 3.0 * last.std(axis=1, ddof=1) + 1e-12)


def paired_with(best: bool) -> Rule:
    """Return the rule that tests pairs of each run and the last one, or the best one so far, at alpha / runs."""

    def rule(series: Series) -> int:
        values, means = series.values, _means(series)
        against = np.array([int(np.argmax(means[:r])) if best else r - 1 for r in range(REFERENCE, len(values))])
        differences = values[REFERENCE:] - values[against]
        if series.groups is not None:
            differences = np.stack([np.bincount(series.groups, row) for row in differences])
        z = differences.sum(axis=1) / np.maximum(np.sqrt((differences**2).sum(axis=1)), 1e-300)
        return first(np.abs(z) > -float(normal_quantile(SETTINGS.alpha / RUNS / 2.0)))

    return rule


def flips_alone(series: Series) -> int:
    """Return the first alarm of flips without the t-test, of so many queries that their sums are normal."""
    differences = series.later - series.reference.mean(axis=0)
    if series.groups is not None:
        differences = np.stack([np.bincount(series.groups, row) for row in differences])
    sums = np.concatenate([np.zeros((1, differences.shape[1])), np.cumsum(differences, axis=0)])
    edge, alarms = -float(normal_quantile(SETTINGS.level(1) / 2.0)), np.zeros(len(differences), np.bool_)
    for runs in (one for one in WINDOWS if one <= len(differences)):
        window = sums[runs:] - sums[:-runs]
        alarms[runs - 1 :] |= np.abs(window.sum(axis=1)) > edge * np.sqrt((window**2).sum(axis=1))
    return first(alarms)


RULES: dict[str, Rule] = {
    "gate": first_alarm,
    "ten runs, taken for independent": as_before,
    "flips alone": flips_alone,
    "pairs with the last run, alpha / 60": paired_with(best=False),
    "pairs with the best run so far, alpha / 60": paired_with(best=True),
    "mean 2 errors below the last run": below_last,
    "mean 2 errors below the best so far": below_best,
    "mean 2 errors below a fixed threshold": below_threshold,
    "3 sigma of the last ten runs": three_sigma,
}


def false_alarms(series: int, seed: int) -> None:
    print(f"\nQuiet series of {RUNS} runs that alarm, of {series:,} of each kind:\n")
    after = (1, 10, 20)
    heads = [*RULES, *(f"cannot decide after {REFERENCE + later} runs" for later in after)]
    print(f"| noise | {' | '.join(heads)} |\n|---|{'---:|' * len(heads)}")
    total = dict.fromkeys(RULES, 0)
    for k, kind in enumerate(QUIET):
        rng = np.random.default_rng((seed, k))
        alarmed, unsure = dict.fromkeys(RULES, 0), [0] * len(after)
        for _ in range(series):
            one = drawn(kind, rng)
            unsure = [count + refused(one, later) for count, later in zip(unsure, after, strict=True)]
            for name, rule in RULES.items():
                alarmed[name] += rule(one) > 0
        for name in RULES:
            total[name] += alarmed[name]
        counts = [*alarmed.values(), *unsure]
        print(f"| {kind.name} | {' | '.join(f'{count / series:.1%}' for count in counts)} |", flush=True)
    print(f"| all | {' | '.join(f'{total[name] / series / len(QUIET):.1%}' for name in RULES)} |")


def with_loss(one: Series, at: int, loss: np.ndarray | float) -> Series:
    """Return a series that loses so much from its run `at` on, counted from 0 after the reference."""
    values = one.values.copy()
    values[REFERENCE + at :] -= np.reshape(loss, (-1, 1))
    return replace(one, values=values)


def delays(rule: Rule, kind: Kind, at: int, loss: np.ndarray | float, series: int, seed: int) -> np.ndarray:
    """Return after how many runs each series alarmed, infinite for never; those that alarmed before are left out."""
    rng = np.random.default_rng((seed, at))
    found = []
    for _ in range(series):
        alarmed = rule(with_loss(drawn(kind, rng, at + 20), at, loss))
        if alarmed == 0 or alarmed > at:
            found.append(alarmed - at if alarmed else np.inf)
    return np.array(found)


WITHIN = (1, 2, 5, 8, 20)


def power(series: int, seed: int) -> None:
    print(f"\nSeries in which a loss is found within so many runs, by the gate / as before, of {series:,} each:\n")
    print(
        "| noise | loss, errors | quiet runs before |", " | ".join(map(str, WITHIN)), "|\n|---|---:|---:|" + "---:|" * 5
    )
    for kind in (QUIET[0], QUIET[1], QUIET[5]):
        for step in STEPS:
            for at in (0, 10, 20):
                both = [delays(rule, kind, at, step * ERROR, series, seed) for rule in (first_alarm, as_before)]
                shares = " | ".join(
                    " / ".join(f"{(found <= within).mean():.0%}" for found in both) for within in WITHIN
                )
                print(f"| {kind.name} | {step:g} | {at} | {shares} |", flush=True)
    print("\nRules, after 20 quiet runs, within 1 / 5 / 20 runs; the drift loses 0.1 errors more with each run:\n")
    print(
        f"| noise | rule | {' | '.join(f'loss of {step:g}' for step in STEPS)} | drift |\n|---|---|---:|---:|---:|---:|"
    )
    for kind in QUIET[:2]:
        for name, rule in RULES.items():
            cells = []
            for loss in (*(step * ERROR for step in STEPS), 0.1 * ERROR * np.arange(1.0, 21.0)):
                found = delays(rule, kind, 20, loss, series, seed)
                shares = " / ".join(f"{(found <= within).mean():.0%}" for within in (1, 5, 20)) if len(found) else ""
                cells.append(shares or "all alarmed before")
            print(f"| {kind.name} | {name} | {' | '.join(cells)} |", flush=True)


def smallest_losses(series: int, seed: int) -> None:
    print("\nThe loss, in errors, that the gate finds in 80 % of series within so many runs (plain noise):\n")
    print("| quiet runs before |", " | ".join(map(str, WITHIN)), "|\n|---:|" + "---:|" * 5)
    grid = np.arange(0.5, 8.01, 0.25)
    for at in (0, 20):
        left, cells = set(WITHIN), {}
        for step in grid[::-1]:
            found = delays(first_alarm, QUIET[0], at, step * ERROR, series, seed)
            for within in sorted(left):
                if (found <= within).mean() >= 0.8:
                    cells[within] = step
                else:
                    left.discard(within)
            if not left:
                break
        found_at = [f"{cells[within]:g}" if within in cells else f"over {grid[-1]:g}" for within in WITHIN]
        print(f"| {at} |", " | ".join(found_at), "|", flush=True)


def episodes(series: int, seed: int, bad: int = 12) -> None:
    """Print how soon an alert begins after a bad commit and ends after its fix, and how often it flickers."""
    print(f"\nA bad commit after 20 quiet runs, its fix {bad} runs later, 20 runs more; {series:,} series each:\n")
    print(
        "| noise | loss, errors | alert before the fix | ends before the fix | ends within 1 run of it | 2 | 4 | 8 "
        "| 16 | a second alert |\n|---|---:|" + "---:|" * 8
    )
    for kind in (QUIET[0], QUIET[1], QUIET[5]):
        for step in STEPS:
            rng = np.random.default_rng((seed, 7))
            began, early, second, ends = 0, 0, 0, []
            for _ in range(series):
                one = drawn(kind, rng, 20 + bad + 20)
                values = one.values.copy()
                values[REFERENCE + 20 : REFERENCE + 20 + bad] -= step * ERROR
                alerts = _alerts(replace(one, values=values))
                during = [(at, end) for at, end in alerts if 20 < at <= 20 + bad]
                if not during:
                    continue
                began += 1
                second += len(alerts) > alerts.index(during[0]) + 1
                early += during[0][1] <= 20 + bad
                ends.append(during[0][1] - 20 - bad)
            after = np.array(ends, float)
            shares = " | ".join(f"{(after <= within).mean():.0%}" for within in (1, 2, 4, 8, 16)) if ends else "| | | |"
            early_share, again = (f"{n / began:.0%}" if began else "" for n in (early, second))
            print(f"| {kind.name} | {step:g} | {began / series:.0%} | {early_share} | {shares} | {again} |", flush=True)


def _alerts(series: Series) -> list[tuple[int, float]]:
    """Return at which runs alerts of a loss begin and end, from 1; infinite for an end that does not come."""
    reference, before = series.reference.mean(axis=0), series.reference.mean(axis=1)
    alerts: list[tuple[int, float]] = []
    base = 0
    while True:
        rest = replace(series, values=np.concatenate([series.reference, series.later[base:]]))
        at = first_alarm(rest, only_worse=True)
        if not at:
            return alerts
        said = gate(reference, before, series.later[base : base + at], at, series.groups, series.settings)
        began = base + at
        alarmed = series.later[began - (said.decided.runs if said.decided else 1) : began]
        for run in range(began + 1, len(series.later) + 1):
            if recovered(reference, before, alarmed, series.later[began:run], series.groups, series.settings):
                alerts.append((began, run))
                base = run
                break
        else:
            return [*alerts, (began, np.inf)]


def latency(series: int, seed: int, requests: int = 2_000) -> None:
    print(
        f"\nQuiet series of latencies that alarm, {requests:,} requests per run, log-normal AR(1), blocks as queries:\n"
    )
    print("| autocorrelation | requests per block | blocks | flips alone | gate |\n|---:|---:|---:|---:|---:|")
    for phi in (0.0, 0.5, 0.9, 0.99):
        for size in (1, 10, 50, 100):
            rng = np.random.default_rng((seed, int(100 * phi), size))
            flips, both = 0, 0
            for _ in range(series):
                noise = rng.normal(size=(REFERENCE + RUNS, requests)) * np.sqrt(1.0 - phi**2)
                noise[:, 0] /= np.sqrt(1.0 - phi**2)
                for k in range(1, requests if phi else 1):
                    noise[:, k] += phi * noise[:, k - 1]
                one = Series(noise.reshape(REFERENCE + RUNS, -1, size).mean(axis=2), None)
                both += first_alarm(one) > 0
                flips += flips_alone(one) > 0
            print(
                f"| {phi:g} | {size} | {requests // size} | {flips / series:.1%} | {both / series:.1%} |",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--series", type=int, default=1_000, help="quiet series of each kind")
    parser.add_argument("--power", type=int, default=200, help="series of each loss")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(describe(), f"seed {given.seed}", sep="; ")
    false_alarms(given.series, given.seed)
    power(given.power, given.seed)
    smallest_losses(given.power, given.seed)
    episodes(given.power, given.seed)
    latency(given.power, given.seed)


if __name__ == "__main__":
    main()
