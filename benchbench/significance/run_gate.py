"""Is a run worse than the reference? Asked after each run, with one chance of a false alarm for all of them.

The reference is the first ten runs, and the quiet ones that follow, up to thirty (`run_growth`); then it is frozen, so
that small losses add up to one that shows. Alpha is spent by distinct observations: a run
whose values equal those of an earlier one to the bit shows nothing new and costs nothing. `run_windows` tests each by
queries and by runs: the chance that one of all tests alarms is at most alpha where noise is that of queries (flips hold
it) and where it is that of whole runs (the t-test does). Where runs repeat themselves to the bit there is no noise of
runs: each state is tested once, by flips alone, which is the test of `compare`.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchbench.errors import InputError
from benchbench.kernels.arrays import F64, I64
from benchbench.results.ranges import ALPHA, COUNT, DIFFERENCE, RESAMPLES, SEED, check
from benchbench.significance.autocorrelation import FEWEST, autocorrelation, effective_runs, runs_needed
from benchbench.significance.corrections import enough_resamples
from benchbench.significance.randomization import smallest_p
from benchbench.significance.run_windows import OF_RUNS, WINDOWS, Tests, WindowTest, changes, window_tests
from benchbench.tables.shared_messages import counted

REFERENCE, LARGEST = 10, 30  # runs at first, and when quiet runs have joined them
_MANY = 1_000  # queries, of which random patterns are drawn
_FINE = 10  # patterns at a p-value of the level, so that it does not hang on a few
ALIKE = "Consecutive runs are alike"  # the beginning of the reason: a step within the reference has the same effect
_PLANNED = 0.8  # of alpha, for the planned observations; those beyond share the rest, without an end

Verdict = Literal["worse", "better", "not worse", "no measurable change", "too little data"]


@dataclass(frozen=True, slots=True)
class GateSettings:
    """What a gate accepts.

    Attributes
    ----------
    alpha
        Chance of any false alarm of these measures.
    planned
        Distinct observations that most of alpha is spent over, counted from the reference.
    measures
        That are tested together, so that all of them share alpha.
    margin
        The loss that matters, in the unit of the measure; None where it is not asked whether a run is `not worse`.
    resamples
        Random sign patterns at least; more are taken where the level needs them.
    seed
        Of the patterns.
    tests
        `queries`: runs repeat themselves to the bit, so that only the latest is tested, and by flips alone. `runs`: a
        run has one value, and the t-test of runs decides alone.
    least_spread
        Standard deviation that the means of runs are known to have at least, as counts have by chance.
    """

    alpha: float = 0.05
    planned: int = 60
    measures: int = 1
    margin: float | None = None
    resamples: int = 10_000
    seed: int = 0
    tests: Tests = "both"
    least_spread: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        check(self, alpha=ALPHA, planned=COUNT, measures=COUNT, resamples=RESAMPLES, seed=SEED)
        if self.margin is not None:
            check(self, margin=DIFFERENCE)
        if not self.can_reject(1):
            raise InputError(
                f"alpha {self.alpha:g} over {self.planned:,} planned runs and {counted(self.measures, 'measure')} "
                f"leaves {self.level(1):.2g} for each test, and a test of {self.patterns(1):,} resamples shows "
                f"{smallest_p(_MANY, self.patterns(1)):.2g} at least: plan fewer runs, or test fewer measures"
            )

    @property
    def windows(self) -> tuple[int, ...]:
        """How many of the last runs each test takes together."""
        return WINDOWS[:1] if self.tests == "queries" else WINDOWS

    def level(self, observation: int) -> float:
        """Return the level of each test by queries of an observation, from 1; that by runs has `OF_RUNS` of it.

        Planned observations have equal shares of most of alpha. Of the k-th beyond, of p planned, the share is in
        proportion to p / (k (k - 1)), and these sum to 1: the chance of an alarm is at most alpha however many follow.
        """
        if observation <= self.planned:
            share = _PLANNED / self.planned
        else:
            share = (1.0 - _PLANNED) * self.planned / (observation * (observation - 1))
        return self.alpha * share / (len(self.windows) * self.measures)

    def spent(self, observation: int) -> float:
        """Return how much of alpha the first so many observations take."""
        beyond = 1.0 - self.planned / max(observation, self.planned)
        return self.alpha * (_PLANNED * min(observation / self.planned, 1.0) + (1.0 - _PLANNED) * beyond)

    def patterns(self, observation: int) -> int:
        """Return how many random sign patterns each test takes: enough for its level."""
        return enough_resamples(self.resamples, math.ceil(_FINE / self.level(observation)))

    def can_reject(self, observation: int) -> bool:
        """Say whether the test of many queries can have a p-value as small as the level."""
        return smallest_p(_MANY, self.patterns(observation)) <= self.level(observation)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateFinding:
    """What is said of a run.

    Attributes
    ----------
    verdict
        `worse` where a window is shown to be below the reference, `better` where one is above it and none below;
        `not worse` where the longest window's interval ends above minus the margin, and no shorter window's mean is
        below that; else `no measurable change`, or `too little data` where no test could have shown any.
    windows
        The tests, shortest window first.
    decided
        The test that the verdict rests on: of those that reject the one with the smallest p-value; None where none.
    level
        Of each test.
    spent
        Of alpha, by the tests so far.
    planned, tested
        Distinct observations, since the reference.
    changed, compared
        Queries of the latest run whose value is not that of the reference, and queries that have a value in both.
    why
        One or several sentences.
    """

    verdict: Verdict
    windows: tuple[WindowTest, ...]
    decided: WindowTest | None
    level: float
    spent: float
    planned: int
    tested: int
    changed: int
    compared: int
    why: str


def gate(
    reference: F64, reference_runs: F64, later: F64, tested: int, groups: I64 | None, settings: GateSettings
) -> GateFinding:
    """Say whether the last runs are worse than the reference.

    Latency has its gate by this as well: for queries pass blocks of consecutive requests, and for values the means of
    the logarithms of their latencies. Flips hold their level where a block is five times as long as requests are alike,
    (1 + r) / (1 - r) of them for an autocorrelation r of one to the next: 15 for 0.5, 95 for 0.9. The t-test holds it
    for any blocks.

    Parameters
    ----------
    reference
        (queries,): the mean of each query over the runs of the reference; NaN where it has none. More is better: pass
        what is better when it is less with its sign turned, here and below.
    reference_runs
        (10 to 30,): the means of those runs, over queries that all of them have.
    later
        (runs, queries): the runs since the reference, or since the end of the last alert, latest last. Windows are the
        last eight at most; pass the earlier ones too, for they tell how much runs differ. NaN where a query has no
        value; it is compared in the runs that have one. What is not finite counts as missing, and is said.
    tested
        Which distinct observation since the reference the latest run is, from 1; 0 where it equals the reference.
    groups
        (queries,): which belong together; None where each stands by itself.
    settings
        Alpha, what it is spent over, and the margin.

    Returns
    -------
    GateFinding
        The same for the same input and seed.
    """
    since = changes(reference, reference_runs, later)
    last = since.runs[-1] if len(since.runs) else np.zeros(0)
    compared, changed = int((~np.isnan(last)).sum()), int(np.count_nonzero(np.nan_to_num(last)))
    level, patterns = settings.level(tested), settings.patterns(tested)
    few = _too_few(reference_runs, since.runs, groups, settings, tested)
    tests = (
        []
        if few
        else window_tests(
            since,
            groups,
            settings.windows,
            level,
            patterns,
            settings.seed,
            settings.tests,
            settings.least_spread,
        )
    )
    verdict, decided = _decided(tests, settings.margin) if tests else ("too little data", None)
    sentences = (
        [few]
        if few
        else [
            _said(verdict, decided, tests, settings, level),
            "" if settings.tests == "runs" else _queries_changed(since.runs, groups, level),
        ]
    )
    infinite = int(np.isinf(later).sum() + np.isinf(reference).sum())
    if infinite:
        sentences.append(f"{counted(infinite, 'infinite value')} counted as missing.")
    if len(since.runs) < len(later):
        sentences.append(f"{counted(len(later) - len(since.runs), 'run')} without any value of a query left out.")
    if tested > settings.planned:
        sentences.append(
            f"Alpha was planned for {settings.planned} runs and this is run {tested}: levels shrink with each further "
            "run. Accept a new reference, or plan more runs."
        )
    return GateFinding(
        verdict=verdict,
        windows=tuple(tests),
        decided=decided,
        level=level,
        spent=settings.spent(tested),
        planned=settings.planned,
        tested=tested,
        changed=changed,
        compared=compared,
        why=" ".join(sentence for sentence in sentences if sentence),
    )


def units_needed(level: float) -> int:
    """Return how many queries (or groups) have to change, all in one direction, for flips to show it at a level."""
    return math.ceil(1.0 - math.log2(level) - 1e-9)


def _decided(tests: list[WindowTest], margin: float | None) -> tuple[Verdict, WindowTest | None]:
    """Return the verdict and the test that it rests on."""
    signs: tuple[tuple[Verdict, float], ...] = (("worse", -1.0), ("better", 1.0))
    for verdict, sign in signs:
        shown = [test for test in tests if test.rejects and sign * test.difference > 0.0]
        if shown:
            return verdict, min(shown, key=lambda test: (max(test.p_queries, test.p_runs), -abs(test.difference)))
    longest = tests[-1]
    if margin is not None and longest.low > -margin and all(test.difference > -margin for test in tests):
        return "not worse", longest
    return "no measurable change", None


def _too_few(reference_runs: F64, runs: F64, groups: I64 | None, settings: GateSettings, tested: int) -> str:
    """Return why no test can show anything; empty where one can."""
    known = reference_runs[np.isfinite(reference_runs)]
    if len(known) < REFERENCE:
        return f"The reference has {counted(len(known), 'run')}, and needs {REFERENCE}."
    if not len(runs):
        return "No run since the reference has a value of a query that the reference has."
    there = (~np.isnan(runs[-WINDOWS[-1] :])).any(axis=0)
    number = int(there.sum()) if groups is None else len(np.unique(groups[there]))
    level = settings.level(tested)
    needed, unit = units_needed(level), "query" if groups is None else "group"
    if number < needed and settings.tests != "runs":
        return (
            f"{counted(number, unit)} can show no change at the level of each test, {level:.2g}: "
            f"{needed} are needed, all of which change in one direction."
        )
    if not settings.can_reject(tested):
        return (
            f"Alpha was planned for {settings.planned} runs and this is run {tested}: no test can "
            f"reach its level, {level:.2g}. Accept a new reference, or plan more runs."
        )
    return "" if settings.tests == "queries" else _too_alike(known, settings)


def _too_alike(runs: F64, settings: GateSettings) -> str:
    """Return why the runs of the reference cannot tell how much runs differ by chance; empty where they can."""
    if settings.tests == "runs" and settings.least_spread == 0.0 and bool((runs == runs[0]).all()):
        return (
            f"All {len(runs)} runs of the reference have the same value, so it is unknown how much "
            "runs differ by chance. A gate with --fail-if uses only the difference."
        )
    coefficient = autocorrelation(runs)
    effective = effective_runs(len(runs), coefficient)
    if effective >= FEWEST:
        return ""
    needed = runs_needed(coefficient)
    more = (
        f"That takes about {needed} runs, and the reference grows to {LARGEST} at most: leave more time between runs."
        if needed > LARGEST
        else f"That takes about {needed} runs; runs without a change join the reference."
    )
    return (
        f"{ALIKE} (autocorrelation {coefficient:.2f}): the {len(runs)} reference runs count as "
        f"{effective:.1f} independent ones, and at least {FEWEST:g} are required. {more}"
    )


def _said(
    verdict: Verdict, decided: WindowTest | None, tests: list[WindowTest], settings: GateSettings, level: float
) -> str:
    """Return what was tested, and what that shows."""
    if decided is None:
        runs = tests[-1].runs
        over = f"no window of the last {runs} runs is" if runs > 1 else "the run is not"
        return f"No measurable change: {over} told from the reference at a level of {level:.2g} per test."
    last = "The run is" if decided.runs == 1 else f"The last {decided.runs} runs are"
    if verdict == "not worse":
        return (
            f"{last} not worse than the reference by more than {settings.margin:g}: the difference is "
            f"{decided.difference:+.4g}, and at least {decided.low:+.4g}."
        )
    by_queries = f"p {decided.p_queries:.2g} by queries, required {level:.2g}"
    by_runs = f"{decided.p_runs:.2g} by runs, required {level * OF_RUNS[decided.runs]:.2g}"
    by = {"queries": by_queries, "runs": f"p {by_runs}", "both": f"{by_queries}, and {by_runs}"}[settings.tests]
    return (
        f"{last} {verdict} than the reference by {abs(decided.difference):.4g} ({decided.low:+.4g} to "
        f"{decided.high:+.4g}): {by}."
    )


def _queries_changed(runs: F64, groups: I64 | None, level: float) -> str:
    """Return how many queries of the latest run have another value, where those are too few to show a change."""
    last = runs[-1]
    compared, differ = int((~np.isnan(last)).sum()), np.nan_to_num(last) != 0.0
    number = int(differ.sum()) if groups is None else len(np.unique(groups[differ]))
    if number == 0:
        return f"No query of {compared:,} has another value than in the reference."
    needed = units_needed(level)
    if number >= needed:
        return ""
    worse, better = int((last < 0.0).sum()), int((last > 0.0).sum())
    unit = "queries" if groups is None else "groups"
    return (
        f"{counted(worse + better, 'query')} of {compared:,} changed, {worse} for the worse and {better} for the "
        f"better: fewer than {needed} {unit} show no change."
    )
