"""The means of the last runs against a reference: by flips of queries, and by a t-test of run means.

The two tests guard against different noise, and a difference is shown where both reject. Flips take what a query
gained or lost for what could as well have had the other sign: noise of each query by itself, whether it is new in each
run or stays from one commit to the next (ties in another order). What all queries of a run share, a loaded machine or
a judge on a bad day, flips take for a change; it shows in how much run means differ, which the t-test goes by.

The t-test's variance is pooled from the runs of the reference, from those of the window, and from those between, which
are taken in blocks of four, each about its own mean: so a change long ago adds little to it, and one bad run in a
window of several makes that window no alarm. Runs may resemble the one before them: as far as they do
(`autocorrelation`), variances of means are larger, and degrees of freedom fewer.

Of the level the t-test has a half, and three tenths over eight runs. Where ties in a new order and noise of runs come
together, neither test sees all of the noise: at the whole level 5.4 % of quiet series alarmed at an alpha of 5 %, and
at a half of it 4.6 %. Means of eight runs alarm most where runs resemble one another more than it seems.
"""

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from benchbench.kernels.arrays import F64, I64, Bools
from benchbench.significance.autocorrelation import OF_TESTS, autocorrelation, inflation
from benchbench.significance.distributions import t_cdf, t_quantile
from benchbench.significance.exponents import common_exponent
from benchbench.significance.randomization import flips, randomization
from benchbench.significance.subset_means import Tested

WINDOWS = (1, 2, 4, 8)  # runs
OF_RUNS = {1: 0.5, 2: 0.5, 4: 0.5, 8: 0.3}  # of the level, for the t-test, by window
Tests = Literal["both", "queries", "runs"]
_BLOCK = 4  # runs whose variance is taken about one mean
_ROUNDING = 32.0 * float(np.finfo(np.float64).eps)  # of a value: what adding up ten and dividing may have changed


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowTest:
    """What the last runs show.

    Attributes
    ----------
    runs
        Of the window.
    difference
        Mean over queries of the window's mean less the reference; above 0 is better.
    p_queries, p_runs
        Of flips of queries (or groups), and of the t-test of run means; two-sided.
    low, high
        The mean differences that not both tests reject; infinite where there are too few queries.
    rejects
        `p_queries` is at most the level, and `p_runs` at most its share `OF_RUNS` of that.
    """

    runs: int
    difference: float
    p_queries: float
    p_runs: float
    low: float
    high: float
    rejects: bool


class RunChanges(NamedTuple):
    """Runs less the reference."""

    runs: F64  # (runs, queries): NaN where there is no value; 0 where the difference is within rounding
    means: F64  # (runs,): of the queries that have a value
    before: F64  # (reference runs,): means of the reference's runs, less their mean
    scale: int  # all are divided by 2 to this power, so that squares fit


class Units(NamedTuple):
    """The differences of one window, as sums over queries or groups."""

    sums: F64  # (units,): exactly 0 where there is no difference
    sizes: F64  # (units,): queries with a value


def changes(reference: F64, reference_runs: F64, later: F64) -> RunChanges:
    """Return what runs have changed, in numbers whose squares fit; values that are not finite are missing.

    Parameters
    ----------
    reference
        (queries,): means of the runs of the reference.
    reference_runs
        (reference runs,): means of those runs over queries.
    later
        (runs, queries); a run without any value has no mean, and is left out.
    """
    there = np.isfinite(later) & np.isfinite(reference)
    scale = common_exponent(reference, later, reference_runs)
    old, new, runs = (
        np.ldexp(np.where(np.isfinite(part), part, 0.0), -scale) for part in (reference, later, reference_runs)
    )
    differences = new - old
    differences[np.abs(differences) <= _ROUNDING * np.maximum(np.abs(new), np.abs(old))] = 0.0
    number = there.sum(axis=1)
    kept = number > 0
    means = np.where(there, differences, 0.0)[kept].sum(axis=1) / number[kept]
    return RunChanges(np.where(there, differences, np.nan)[kept], means, _about_mean(runs), scale)


def units(window: F64, groups: I64 | None) -> Units:
    """Return the mean differences of a window (runs, queries), as sums over queries or groups that have a value."""
    there = ~np.isnan(window)
    number = there.sum(axis=0)
    seen = number > 0
    means = np.where(there, window, 0.0)[:, seen].sum(axis=0) / number[seen]
    if groups is None:
        return Units(means, np.ones(len(means)))
    _, codes = np.unique(groups[seen], return_inverse=True)
    sizes = np.bincount(codes).astype(np.float64)
    sums: F64 = np.bincount(codes, means).astype(np.float64)
    sums[np.abs(sums) <= _ROUNDING * np.bincount(codes, np.abs(means))] = 0.0
    return Units(sums, sizes)


def window_tests(
    since: RunChanges,
    groups: I64 | None,
    windows: tuple[int, ...],
    level: float,
    resamples: int,
    seed: int,
    tests: Tests = "both",
    least_spread: float = 0.0,
) -> list[WindowTest]:
    """Test the means of the last runs against the reference, one window after the other.

    Parameters
    ----------
    since
        The runs since the reference, the latest last; those before a window tell how much runs differ.
    groups
        (queries,): which belong together; None where each stands by itself.
    windows
        Numbers of runs; one that is longer than there are runs is left out.
    level
        Of the flips; the t-test has `OF_RUNS` of it.
    resamples, seed
        Of the flips.
    tests
        `queries`: runs have no noise, and flips decide alone. `runs`: a run has one value, and the t-test decides
        alone. The p-value of the other test is 0 where there is a difference.
    least_spread
        Standard deviation that means of runs are known to have at least.
    """
    lengths = [runs for runs in windows if runs <= len(since.means)]
    of_windows = [units(since.runs[-runs:], groups) for runs in lengths]
    differences = [float(window.sums.sum() / window.sizes.sum()) for window in of_windows]
    by_flips = (
        [Tested(float(difference == 0.0), difference, difference) for difference in differences]
        if tests == "runs"
        else flipped(of_windows, level, resamples, seed)
    )
    shown: list[WindowTest] = []
    for runs, difference, by_queries in zip(lengths, differences, by_flips, strict=True):
        means = (runs, len(since.before))
        share = level * OF_RUNS[runs]
        p, low, high = by_runs(since, runs, difference, means, share, tests, least_spread)
        ends = difference, min(low, by_queries.low), max(high, by_queries.high)
        change, low, high = np.ldexp(ends, since.scale).tolist()
        rejects = by_queries.p <= level and p <= share
        shown.append(
            WindowTest(
                runs=runs, difference=change, p_queries=by_queries.p, p_runs=p, low=low, high=high, rejects=rejects
            )
        )
    return shown


def by_runs(
    since: RunChanges,
    window: int,
    difference: float,
    runs: tuple[int, int],
    level: float,
    tests: Tests,
    least_spread: float = 0.0,
) -> tuple[float, float, float]:
    """Return what the t-test shows of a difference: the p-value and the interval, as `t_test_of_runs`.

    Parameters
    ----------
    since
        The runs since the reference.
    window
        How many of the last have a mean of their own.
    difference, runs, level
        As `t_test` has them.
    tests, least_spread
        As `window_tests` has them.
    """
    if tests == "queries":
        return t_test_of_runs(difference, [0.0 * since.before], runs, level)
    last, between = since.means[-window:], since.means[:-window]
    coefficient = autocorrelation(since.before, between, last, correction=OF_TESTS)
    least = math.ldexp(least_spread, -since.scale)
    return t_test_of_runs(difference, [since.before, last, *blocks(between)], runs, level, coefficient, least)


def flipped(windows: list[Units], level: float, resamples: int, seed: int) -> list[Tested]:
    """Return what flips show of each window; those with the same queries share the patterns."""
    done: dict[int, Tested] = {}
    for first, window in enumerate(windows):
        if first in done:
            continue
        same = [k for k, other in enumerate(windows) if k not in done and np.array_equal(other.sizes, window.sizes)]
        sums = np.stack([np.zeros(len(window.sizes)), *(windows[k].sums for k in same)])[None]
        patterns = next(flips(sums, window.sizes, [True], resamples, seed))
        for place, k in enumerate(same, 1):
            p, low, high = randomization(patterns, (0, place), windows[k].sums, window.sizes, level, resamples)
            done[k] = Tested(float(p), low, high)
    return [done[k] for k in range(len(windows))]


def t_test_of_runs(
    difference: float,
    parts: list[F64],
    runs: tuple[int, int],
    level: float,
    coefficient: float = 0.0,
    least_spread: float = 0.0,
) -> tuple[float, float, float]:
    """Return the p-value of the difference of two means of runs, and its interval at the level.

    Parameters
    ----------
    difference
        Of the means.
    parts
        Means of runs, each part about its own mean, which the variance is pooled from.
    runs
        Of each of the two means.
    level
        Of the interval, two-sided.
    coefficient
        Of an AR(1) of the runs. What the sum of squares of n runs about their mean is expected to be is then n less the
        inflation of n times the variance, and there are (1 - rho²) / (1 + rho²) as many degrees of freedom (Bayley and
        Hammersley 1946). These are of a coefficient that is known: one that is estimated has to be taken larger.
    least_spread
        Standard deviation that runs are known to have; where they differ by less, it is not estimated.

    Returns
    -------
    tuple of float
        p, low and high. Without any noise of runs p is 0 where there is a difference, and the interval a point.
    """
    squares = sum(float(about @ about) for about in map(_about_mean, parts))
    expected = sum(len(part) - inflation(len(part), coefficient) for part in parts if len(part) > 1)
    freedom = sum(len(part) - 1 for part in parts) * (1.0 - coefficient**2) / (1.0 + coefficient**2)
    if squares / expected < least_spread**2:
        squares, expected, freedom = least_spread**2, 1.0, math.inf
    error = math.sqrt(squares / expected * sum(inflation(number, coefficient) / number for number in runs))
    if error == 0.0:
        return float(difference == 0.0), difference, difference
    reach = -t_quantile(level / 2.0, freedom) * error
    p = min(1.0, 2.0 * t_cdf(-abs(difference) / error, freedom))
    return p, difference - reach, difference + reach


def blocks(means: F64) -> list[F64]:
    """Return means of runs in blocks of so few that a change adds little to the variance about their own means."""
    return [means[first : first + _BLOCK] for first in range(0, len(means), _BLOCK)]


def _about_mean(values: F64) -> F64:
    """Return values less their mean; what rounding alone made is 0."""
    distances: F64 = values - values.mean()
    within: Bools = np.abs(distances) <= _ROUNDING * np.abs(values).max()
    distances[within] = 0.0
    return distances
