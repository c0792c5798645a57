"""Where the level of a long series changed: permutation tests of normal scores, part by part.

Were all runs alike, any order of them were as likely, so that p-values hold whatever the noise is like. Where runs
resemble the one before them, sums of neighbours vary more than those of random orders: their standard errors are
inflated as far as neighbours are alike beside the likeliest changes. Ranks are turned into normal scores (van der
Waerden 1952): as powerful as means where noise is normal, more so where its tails are heavy (Chernoff and Savage 1958),
and no single run, however bad, is a change. The statistic is the largest of all steps and of all parts that differ from
the rest (circular binary segmentation, Olshen et al. 2004), and where it is significant the parts are searched in turn.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from benchbench.kernels.arrays import F64, I64
from benchbench.kernels.change_points import permuted
from benchbench.significance.autocorrelation import inflations
from benchbench.significance.distributions import normal_quantile
from benchbench.significance.exponents import common_exponent

_ORDERS = 999  # random ones, at least: p-values have steps of a thousandth
# Lengths of parts up to which all are tried; of longer ones four in each doubling. A part between two of them is off by
# 9 % of its length at most, and its statistic, which goes with the root of the overlap, by 5 %
_EVERY = 8
# Of the correlation of neighbours: at 0.95 the variance of a mean is up to 39 times that of independent runs
_MOST = 0.95
_LIKELY = 7.35  # the likelihood-ratio statistic within which 95 % of changes are (Hansen 2000)
_FAR = 3 * 1.4826  # median absolute deviations: three standard ones of normal noise
# Taken off what parts inside have, of which there are more than steps: of series without a change the 95 % point of the
# largest is above that of steps by 0.3 standard errors in 15 runs, 0.4 in 30, 0.5 in 60 and 0.7 in 120 (simulated)
_LESS = 0.5
_TRIED = 200  # places of a likeliest step: enough for each of a series as long as most, and cheap for the longest
_ROUNDING = 1e-12  # relative: values that are one, with some 4,500 times what a rounding of 64 bits may change


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """A change of level.

    Attributes
    ----------
    first
        Place of the first run after it.
    earliest, latest
        Between which places `first` is, with 95 %.
    before, after
        Median of the runs back to the change before, and on to the one after.
    p
        Of no change.
    """

    first: int
    earliest: int
    latest: int
    before: float
    after: float
    p: float


class _Step(NamedTuple):
    """A change that was found."""

    at: int
    searched: float  # p-value of the part that it was found in
    p: float  # the greater of that and of the test between its neighbours


class _Where(NamedTuple):
    """Places of the first run after a change: the likeliest, and the ends of the interval."""

    first: int
    earliest: int
    latest: int


def change_points(values: F64, alpha: float = 0.01, seed: int = 0) -> list[ChangePoint]:
    """Return where the level of a series changed, in order.

    Parameters
    ----------
    values
        (runs,): in their order. Runs without a finite value are left out; places count them.
    alpha
        The chance that a series without any change is said to have one.
    seed
        Of the random orders.
    """
    there = np.flatnonzero(np.isfinite(values))
    scale = common_exponent(values)
    kept = np.ldexp(values[there], -scale)
    steps = _kept(kept, _searched(kept, alpha, seed), alpha, seed)
    return _points(kept, there, scale, [(step.at, step.p) for step in steps])


def likeliest_step(values: F64, p: float) -> list[ChangePoint]:
    """Return the step that fits a series best, of which another test has said with `p` that it moved; none of too few.

    A test of slopes finds a step in fewer runs than that of levels, which tries every place; `shape` tells which it is.
    """
    there = np.flatnonzero(np.isfinite(values))
    number = len(there)
    if number < 4:
        return []
    scale = common_exponent(values)
    kept = np.ldexp(values[there], -scale)
    # Of both sides at least two, for no single run is a change; `_where` looks between the places that are tried
    tried = np.unique(np.linspace(2, number - 2, _TRIED).astype(np.int64)).tolist()
    return _points(kept, there, scale, [(min(tried, key=lambda at: _apart(kept[:at]) + _apart(kept[at:])), p)])


def _apart(values: F64) -> float:
    """Return the sum of distances from the median, as `shape` compares them with those from a line."""
    return float(np.abs(values - np.median(values)).sum())


def _points(kept: F64, there: I64, scale: int, steps: Sequence[tuple[int, float]]) -> list[ChangePoint]:
    """Return changes with their levels and where they may be, of their places among the kept values and p-values."""
    if not steps:
        return []
    ends = [*(at for at, _ in steps[1:]), len(kept)]
    places: list[_Where] = []
    for (at, _), end in zip(steps, ends, strict=True):
        begin = places[-1].first if places else 0
        places.append(_Where(*(begin + place for place in _where(kept[begin:end], at - begin))))
    edges = [0, *(where.first for where in places), len(kept)]
    levels = np.ldexp([np.median(kept[begin:end]) for begin, end in itertools.pairwise(edges)], scale).tolist()
    return [
        ChangePoint(
            first=int(there[where.first]),
            earliest=int(there[where.earliest]),
            latest=int(there[where.latest]),
            before=levels[place],
            after=levels[place + 1],
            p=p,
        )
        for place, ((_, p), where) in enumerate(zip(steps, places, strict=True))
    ]


def normal_scores(values: F64) -> F64:
    """Return the normal quantiles of ranks, centred; equal values share the mean of theirs."""
    number = len(values)
    if not number:
        return np.zeros(0)
    order = np.argsort(values, kind="stable")
    near = _ROUNDING * float(np.abs(values).max())
    tie = np.cumsum(np.diff(values[order], prepend=values[order[0]]) > near)
    quantiles: F64 = (np.arange(number, dtype=np.float64) + 0.625) / (number + 0.25)  # Blom 1958
    scores = np.empty(number)
    scores[order] = (np.bincount(tie, normal_quantile(quantiles)) / np.bincount(tie))[tie]
    centred: F64 = scores - scores.mean()
    return centred


def _searched(values: F64, alpha: float, seed: int) -> list[tuple[int, float]]:
    """Return places of changes with the p-value of each, part by part until none is significant."""
    parts, changes = [(0, len(values))], []
    while parts:
        begin, end = parts.pop()
        p, places = _tested(values[begin:end], alpha, seed, inside=True)
        if p > alpha:
            continue
        changes += [(begin + place, p) for place in places]
        edges = [begin, *(begin + place for place in places), end]
        parts += itertools.pairwise(edges)
    return sorted(changes)


def _kept(values: F64, changes: list[tuple[int, float]], alpha: float, seed: int) -> list[_Step]:
    """Return those that are significant between their neighbours, each where it is most likely."""
    steps = [_Step(at, p, p) for at, p in changes]
    tested = cache(lambda begin, end: _tested(values[begin:end], alpha, seed, inside=False))
    for _ in range(2 * len(steps) + 2):
        before = [step.at for step in steps]
        for place, step in enumerate(steps):
            begin = steps[place - 1].at if place else 0
            end = steps[place + 1].at if place + 1 < len(steps) else len(values)
            p, (at,) = tested(begin, end)
            steps[place] = _Step(begin + at, step.searched, max(p, step.searched))
        worst = max(range(len(steps)), key=lambda place: steps[place].p, default=0)
        if steps and steps[worst].p > alpha:
            del steps[worst]
        elif [step.at for step in steps] == before:
            break
    return [step for step in steps if step.p <= alpha]


def _tested(values: F64, alpha: float, seed: int, inside: bool) -> tuple[float, list[int]]:
    """Return the p-value of no change in a part, and where its changes are: one, or `inside` also two."""
    number = len(values)
    scores = normal_scores(values)
    spread = float(np.sqrt(scores @ scores / max(number, 1)))
    if number < 4 or spread == 0.0:
        return 1.0, [max(number // 2, 1)]
    place: I64 = np.zeros(2, np.int64)
    orders = max(_ORDERS, int(10.0 / alpha) - 1)
    reached = int(alpha * (orders + 1)) + 1
    lengths = _lengths(number) if inside else np.zeros(0, np.int64)
    runs = np.arange(1, number)
    scales = np.sqrt((number - 1) / (runs * (number - runs))) / spread
    scratch = np.empty(number + 1)
    permuted(scores, scales, scales, _LESS, lengths, 0, 1, seed, scratch, place)
    coefficient = _coefficient(scores, [at for at in place.tolist() if at > 0])
    own = scales / np.sqrt(inflations(number // 2, coefficient)[np.minimum(runs, number - runs) - 1])
    drawn, as_large = permuted(scores, scales, own, _LESS, lengths, orders, reached, seed, scratch, place)
    p = as_large / drawn if as_large >= reached else (as_large + 1) / (drawn + 1)
    return p, [at for at in place.tolist() if at > 0]


def _coefficient(scores: F64, places: list[int]) -> float:
    """Return how much runs resemble the one before, about the levels before, between and after the likeliest changes.

    About one level a step would be taken for runs that resemble one another. What is left beside the likeliest changes
    correlates less than the noise does: of n independent runs by 7 / (n + 12), simulated for 10 to 120 runs.
    """
    parts = np.split(scores, places)
    about = np.concatenate([part - part.mean() for part in parts])
    squares = float(about @ about)
    if squares <= _ROUNDING * float(scores @ scores):
        return 0.0
    return min(max(float(about[1:] @ about[:-1]) / squares + 7.0 / (len(scores) + 12), 0.0), _MOST)


def _lengths(number: int) -> I64:
    """Return the lengths of parts inside that are tried: all of short ones, and some of long ones."""
    longest = number - 2
    some = np.geomspace(_EVERY, max(longest, _EVERY), max(2, int(4 * np.log2(max(longest / _EVERY, 2.0)))))
    every = np.unique(np.concatenate([np.arange(2, _EVERY), some.astype(np.int64)]))
    return every[every <= longest]


def _where(values: F64, at: int) -> _Where:
    """Return the place of a step by least squares, and the first and last that are as likely as 95 % of them are.

    Values farther from the level before the step and the one after it than three deviations are brought nearer, so that
    one bad run moves none of them.
    """
    number = len(values)
    before, after = float(np.median(values[:at])), float(np.median(values[at:]))
    off = np.concatenate([values[:at] - before, values[at:] - after])
    reach = _FAR * float(np.median(np.abs(off)))
    near = np.clip(values, min(before, after) - reach, max(before, after) + reach) - (before + after) / 2.0
    sums, counts = np.cumsum(near), np.arange(1, number)
    explained = sums[:-1] ** 2 / counts + (sums[-1] - sums[:-1]) ** 2 / (number - counts)
    left = np.maximum(float(near @ near) - explained, 0.0)
    best = int(np.argmin(left))
    bound = left[best] + _LIKELY * left[best] / max(number - 2, 1) + _ROUNDING * float(near @ near)
    likely = np.flatnonzero(left <= bound) + 1
    return _Where(best + 1, int(likely[0]), int(likely[-1]))
