"""The interval of a share: of a mean of values that are 0 or 1. It imports nothing heavy."""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

WILSON = "Wilson"
_ROUNDING = 1e-9  # of squared distances of values that are 0 or 1

USUAL_REACH = 1.959963984540054  # quantile .975 to the last bit, which that of the standard library misses
_USUAL = (0.05, USUAL_REACH)


@dataclass(frozen=True, slots=True)
class MeanInterval:
    """The ends of a mean's interval and how it was made; None where so few queries or groups have none."""

    low: float | None
    high: float | None
    method: str | None
    design_effect: float | None = None  # of queries in groups: variance over that of as many independent ones


def are_shares(squares: Any, count: int, mean: Any) -> Any:
    """Say whether numbers from 0 to 1 are all 0 or 1: else their squares are less than those of a share.

    Parameters
    ----------
    squares
        The sum of the squared distances from the mean: a number, or an array of those of several columns.
    count
        How many numbers there are.
    mean
        Their mean, or the mean of each column.
    """
    return squares >= count * mean * (1.0 - mean) * (1.0 - _ROUNDING)


def share_interval(successes: float, n: int, alpha: float = 0.05) -> tuple[float, float]:
    """Return Wilson's interval (1927) of a share of n independent trials.

    Of no success it begins at exactly 0, and of nothing but successes it ends at exactly 1; the other end is always
    off, so that it is never [1, 1].

    Parameters
    ----------
    successes
        How many of the trials, from 0 to n.
    n
        Trials, 1 or more.
    alpha
        The share of intervals that may miss, half of them on each side.
    """
    z = _USUAL[1] if alpha == _USUAL[0] else NormalDist().inv_cdf(1.0 - alpha / 2)
    share, scale = successes / n, 1.0 + z * z / n
    middle = (share + z * z / (2 * n)) / scale
    half = z * math.sqrt(share * (1.0 - share) / n + z * z / (4.0 * n * n)) / scale
    low = 0.0 if successes <= 0 else max(middle - half, 0.0)
    return low, 1.0 if successes >= n else min(middle + half, 1.0)
