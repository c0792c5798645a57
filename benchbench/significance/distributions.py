"""The distribution functions that the tests need, from scipy.

scipy.special alone: importing scipy.stats takes a second, which is most of the time of comparing two small runs. And
without the parts of numpy that it takes along: it imports all names of numpy, among them f2py and testing, which took
as long as the rest of it.
"""

import contextlib
import math
import sys
from importlib import util

import numpy as np

from benchbench.kernels.arrays import F64


def _when_used(part: str) -> None:
    """Give numpy a part that is imported when something of it is asked for, unless it is there already."""
    name = f"numpy.{part}"
    found = None if name in sys.modules else util.find_spec(name)
    if found is not None and found.loader is not None:
        found.loader = util.LazyLoader(found.loader)
        sys.modules[name] = module = util.module_from_spec(found)
        found.loader.exec_module(module)
        setattr(np, part, module)


if "scipy.special" not in sys.modules:
    for _part in ("f2py", "testing", "ctypeslib", "polynomial"):
        with contextlib.suppress(ImportError, ValueError):
            _when_used(_part)

from scipy import special  # type: ignore[import-untyped]  # noqa: E402  # the package has no types


def normal_cdf(x: F64 | float) -> F64:
    """P(Z <= x), of each."""
    shares: F64 = special.ndtr(x)
    return shares


def normal_quantile(share: F64 | float) -> F64:
    """Return the x with P(Z <= x) = share, of each."""
    quantiles: F64 = special.ndtri(share)
    return quantiles


def t_cdf(x: float, freedom: float) -> float:
    """P(T <= x) with so many degrees of freedom."""
    return float(special.stdtr(freedom, x))


def t_quantile(share: float, freedom: float) -> float:
    """Return the x with P(T <= x) = share."""
    return float(special.stdtrit(freedom, share))


def chi_square_above(share: float, freedom: float) -> float:
    """Return the x with P(chi² > x) = share."""
    return 2.0 * float(special.gammainccinv(freedom / 2, share))


def scales(freedom: int) -> tuple[F64, F64]:
    """Return values of sqrt(chi² / freedom) and weights, so that a weighted sum over them is a mean.

    The trapezoid rule over normal scores from -8 to 8: of a smooth function it is right to about 12 digits.
    """
    scores = np.linspace(-8.0, 8.0, 161)
    weights = np.exp(-(scores**2) / 2) / math.sqrt(2 * math.pi) * (scores[1] - scores[0])
    tails = special.ndtr(-np.abs(scores))  # of the nearer end, where 64 bits tell shares apart
    halves = np.where(scores < 0, special.gammaincinv(freedom / 2, tails), special.gammainccinv(freedom / 2, tails))
    return np.sqrt(2 * halves / freedom), weights


def share_at_most(counts: F64, units: int, alpha: float) -> F64:
    """Return Clopper and Pearson's upper bounds (1934) of shares, of counts of so many units; one-sided, at alpha."""
    rest = units - counts
    found: F64 = np.where(rest > 0, special.betaincinv(counts + 1.0, np.maximum(rest, 1.0), 1.0 - alpha), 1.0)
    return found
