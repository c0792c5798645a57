"""Cycles of a series of runs, such as one of a week: known once two periods of them have been seen.

The largest share of the variance that a sine of any period explains is held against what it is in series that only
resemble their neighbours: an AR(1) with the coefficient of the runs, drawn many times. A cycle that is no sine takes
several, one after the other.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.significance.exponents import common_exponent

ALPHA = 0.001  # per sine: a check looks for cycles after each run
_DRAWN = 999
_AT_ONCE = 111  # of these: most series have no cycle, and the first few say so
_MOST = 4  # sines
_FEWEST = 12  # runs: in fewer a sine explains most of anything
_LONGEST = 300  # runs, the last ones: the cost grows with the square
_FINE = 4  # frequencies between those that a series of so many runs tells apart


class Cycle(NamedTuple):
    """A sine: how many runs a period has, and how far it goes up and down."""

    period: float
    amplitude: float


class Cycles(NamedTuple):
    """The cycles of a series, the largest first, and what they add up to at each of its runs."""

    found: list[Cycle]
    sums: F64  # (runs,)


def cycles(values: F64, ahead: int = 0, alpha: float = ALPHA, seed: int = 0) -> Cycles:
    """Return the cycles of a series.

    Parameters
    ----------
    values
        (runs,): finite, in their order.
    ahead
        Runs after these for which `sums` says how the cycles go on.
    alpha
        The chance that a series without a cycle is said to have one, if it is an AR(1).
    seed
        Of the series that are drawn.
    """
    number, first = len(values), max(len(values) - _LONGEST, 0)
    nothing, used = np.zeros(number + ahead), len(values) - first
    if used < _FEWEST or bool((values == values[0]).all()):
        return Cycles([], nothing)
    scale = common_exponent(values)
    left = np.ldexp(values[first:], -scale)
    frequencies, basis = _sines(used)
    places = np.arange(-first, used + ahead)
    sines, sums, rng = [], nothing, np.random.default_rng([seed, used])
    for _ in range(_MOST):
        left = left - left.mean()
        coefficient = _coefficient(left)
        explained = _explained(left[None], basis)[0]
        best = int(explained.argmax())
        if _as_large(explained[best], alpha, coefficient, basis, rng):
            break
        angle = 2.0 * math.pi * frequencies[best] * places
        wave = np.stack([np.cos(angle), np.sin(angle), np.ones(len(places))], axis=1)
        fitted, *_ = np.linalg.lstsq(wave[first : first + used], left, rcond=None)
        sine: F64 = wave[:, :2] @ fitted[:2]
        left = left - sine[first : first + used]
        sums = sums + np.ldexp(sine, scale)
        sines.append(Cycle(float(1.0 / frequencies[best]), math.ldexp(float(np.hypot(*fitted[:2])), scale)))
    return Cycles(sines, sums)


@lru_cache(maxsize=4)  # the measures of a check have as many runs
def _sines(runs: int) -> tuple[F64, F64]:
    """Return frequencies, and two orthonormal columns of each (runs, 2 x frequencies) that span its sines, centred."""
    frequencies = np.arange(2 * _FINE, runs * _FINE // 2 + 1) / (runs * _FINE)
    angles = 2.0 * math.pi * frequencies[:, None] * np.arange(runs)
    pairs = np.stack([np.cos(angles), np.sin(angles)], axis=2)
    pairs = pairs - pairs.mean(axis=1, keepdims=True)
    directions, lengths, _ = np.linalg.svd(pairs, full_matrices=False)
    directions *= (lengths > 1e-9 * lengths.max(axis=1, keepdims=True))[:, None, :]
    basis: F64 = np.ascontiguousarray(directions.transpose(1, 0, 2).reshape(runs, -1))
    return frequencies, basis


def _explained(series: F64, basis: F64) -> F64:
    """Return the share of the squares of each series (series, runs) that each frequency explains."""
    squares = (series**2).sum(axis=1, keepdims=True)
    along = series @ basis  # of both columns of every frequency: one product, not one for each frequency
    shares: F64 = (along**2).reshape(len(series), -1, 2).sum(axis=2) / np.maximum(squares, np.finfo(float).tiny)
    return shares


def _as_large(largest: float, alpha: float, coefficient: float, basis: F64, rng: np.random.Generator) -> bool:
    """Say whether so many series of an AR(1) explain as large a share that it may be chance."""
    as_large = 0
    for first in range(0, _DRAWN, _AT_ONCE):
        drawn = _drawn(coefficient, min(_AT_ONCE, _DRAWN - first), len(basis), rng)
        shares = _explained(drawn - drawn.mean(axis=1, keepdims=True), basis)
        as_large += int(np.count_nonzero(shares.max(axis=1) >= largest))
        if (1 + as_large) / (_DRAWN + 1) > alpha:
            return True
    return False


def _coefficient(about: F64) -> float:
    """Return the coefficient of an AR(1), corrected for its bias (Kendall 1954)."""
    squares, number = float(about @ about), len(about)
    raw = float(about[1:] @ about[:-1]) / squares if squares else 0.0
    return min(max(raw + (1.0 + 4.0 * raw) / number, 0.0), 0.98)


def _drawn(coefficient: float, series: int, runs: int, rng: np.random.Generator) -> F64:
    """Return series of an AR(1), (series, runs)."""
    drawn: F64 = rng.normal(size=(series, runs))
    drawn[:, 1:] *= math.sqrt(1.0 - coefficient**2)
    for run in range(1, runs if coefficient else 1):
        drawn[:, run] += coefficient * drawn[:, run - 1]
    return drawn
