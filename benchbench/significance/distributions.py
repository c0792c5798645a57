"""The distribution functions that the tests need, from scipy.

Of scipy.special the compiled functions alone: importing scipy.stats takes a second, which is most of the time of
comparing two small runs, and of scipy.special whole two thirds go into what other kinds of arrays need.
"""

import math
import sys
from importlib import import_module, util
from typing import Any

import numpy as np

from benchbench.kernels.arrays import F64

_NEEDED = ("betaincinv", "gammaincinv", "gammainccinv", "ndtr", "ndtri", "stdtr", "stdtrit")


def _special() -> Any:
    """Return the functions of scipy.special without its other modules; whole where scipy has no such module.

    Of the modules that these take along none stays: an import of the whole package then binds them to it, where
    `scipy.special.seterr` looks for them.
    """
    name, functions = "scipy.special", "scipy.special._ufuncs"
    package = None if name in sys.modules else util.find_spec(name)
    if package is None:
        return import_module(name)
    before = {*sys.modules, functions}
    sys.modules[name] = util.module_from_spec(package)  # not executed
    try:
        alone = import_module(functions)
    except Exception:  # whatever they lack of the package
        alone = None
    finally:
        for module in sys.modules.keys() - before:
            if module == name or module.startswith(f"{name}."):
                del sys.modules[module]
    return alone if all(hasattr(alone, needed) for needed in _NEEDED) else import_module(name)


special = _special()


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
    bounds: F64 = np.where(rest > 0, special.betaincinv(counts + 1.0, np.maximum(rest, 1.0), 1.0 - alpha), 1.0)
    return bounds
