"""Where the level of a long series changed: permutation tests of normal scores, part by part.

Were all runs alike, any order of them were as likely, so that p-values hold whatever the noise is like, as long as runs
are independent. Ranks are turned into normal scores (van der Waerden 1952): as powerful as means where noise is normal,
more so where its tails are heavy (Chernoff and Savage 1958), and no single run, however bad, is a change. The statistic
is the largest of all steps and of all parts that differ from the rest (circular binary segmentation, Olshen et al.
2004), and where it is significant the parts are searched in turn.
"""

import itertools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from benchbench.kernels.arrays import F64, I64
from benchbench.kernels.change_points import permuted
from benchbench.significance.distributions import normal_quantile

_ORDERS = 999
_EVERY = 8  # lengths of parts up to which all are tried
_LIKELY = 7.35  # the likelihood-ratio statistic within which 95 % of changes are (Hansen 2000)
_FAR = 3 * 1.4826  # median absolute deviations: three standard ones of normal noise
_LESS = 0.7  # taken off what parts inside have: of those there are more
_ROUNDING = 1e-12  # relative: values that are one


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
    """A change inside a part."""

    at: int
    p: float


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
    kept = values[there]
    found = _kept(kept, dict(_searched(kept, alpha, seed)), alpha, seed)
    edges = [0, *(step.at for step in found), len(kept)]
    points = []
    for place, step in enumerate(found):
        begin, at, end = edges[place : place + 3]
        first, earliest, latest = (int(there[begin + one]) for one in _where(kept[begin:end], at - begin))
        points.append(
            ChangePoint(
                first=first,
                earliest=earliest,
                latest=latest,
                before=float(np.median(kept[begin:at])),
                after=float(np.median(kept[at:end])),
                p=step.p,
            )
        )
    return points


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
    parts, found = [(0, len(values))], []
    while parts:
        begin, end = parts.pop()
        p, places = _tested(values[begin:end], alpha, seed, inside=True)
        if p > alpha:
            continue
        found += [(begin + place, p) for place in places]
        edges = [begin, *(begin + place for place in places), end]
        parts += itertools.pairwise(edges)
    return sorted(found)


def _kept(values: F64, found: dict[int, float], alpha: float, seed: int) -> list[_Step]:
    """Return those that are significant between their neighbours, each where it is most likely."""
    steps = [_Step(at, p) for at, p in found.items()]
    for _ in range(2 * len(steps) + 2):
        edges = [0, *(step.at for step in steps), len(values)]
        again = []
        for place, step in enumerate(steps):
            begin, end = edges[place], edges[place + 2]
            p, (at,) = _tested(values[begin:end], alpha, seed, inside=False)
            again.append(_Step(begin + at, max(p, found.get(step.at, step.p))))
        worst = max(range(len(again)), key=lambda k: again[k].p, default=0)
        if again and again[worst].p > alpha:
            del steps[worst]
        elif [step.at for step in again] == [step.at for step in steps]:
            return again
        else:
            steps = again
    return steps


def _tested(values: F64, alpha: float, seed: int, inside: bool) -> tuple[float, list[int]]:
    """Return the p-value of no change in a part, and where its changes are: one, or `inside` also two."""
    number = len(values)
    scores = normal_scores(values)
    spread = float(np.sqrt(scores @ scores / max(number, 1)))
    if number < 4 or spread == 0.0:
        return 1.0, [max(number // 2, 1)]
    place: I64 = np.zeros(4, np.int64)
    reached = int(alpha * (_ORDERS + 1)) + 1
    lengths = _lengths(number) if inside else np.zeros(0, np.int64)
    runs = np.arange(1, number)
    scales = np.sqrt((number - 1) / (runs * (number - runs))) / spread
    drawn, as_large = permuted(scores, scales, _LESS, lengths, _ORDERS, reached, seed, np.empty(number + 1), place)
    p = as_large / drawn if as_large >= reached else (as_large + 1) / (drawn + 1)
    return p, [at for at in place[:2].tolist() if at > 0]


def _lengths(number: int) -> I64:
    """Return the lengths of parts inside that are tried: all of short ones, and some of long ones."""
    longest = number - 2
    some = np.geomspace(_EVERY, max(longest, _EVERY), max(2, int(4 * np.log2(max(longest / _EVERY, 2.0)))))
    every = np.unique(np.concatenate([np.arange(2, _EVERY), some.astype(np.int64)]))
    return every[every <= longest]


def _where(values: F64, at: int) -> tuple[int, int, int]:
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
    return best + 1, int(likely[0]), int(likely[-1])
