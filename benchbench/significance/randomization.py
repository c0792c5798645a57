"""The randomisation test: were the systems the same, each query's difference could as well have the other sign.

All pairs and measures share the signs of a resample, so that a pair's sum is the difference of two systems' sums, and
only those are added up: ten systems need nine columns per measure, not 45.
"""

from functools import partial

import numpy as np

from benchbench.kernels.arrays import F64, I64
from benchbench.kernels.sign_flips import GROUP, WIDTH, kept_sums
from benchbench.tables.threads import in_order

_BLOCK = 1024  # resamples a call: enough to pay for the sums of all subsets
_STREAM = 0x7369676E  # so that signs and bootstrap draws of one seed are independent
_EPSILON = float(np.finfo(np.float64).eps)


def patterns(queries: int, resamples: int) -> int | None:
    """Return the number of all sign patterns if the test goes through them, which it does when they are not more."""
    return 1 << queries if queries < 40 and 1 << queries <= resamples else None


def smallest_p(queries: int, resamples: int) -> float:
    """Return the p-value below which no test of so many queries can be."""
    exact = patterns(queries, resamples)
    return 1.0 / (resamples + 1) if exact is None else 2.0 / exact


def randomization(values: F64, resamples: int, seed: int) -> F64:
    """Return the two-sided p-value of the mean difference of each two systems.

    Parameters
    ----------
    values
        (measures, systems, queries).
    resamples
        Random sign patterns; all patterns are gone through instead when they are not more.
    seed
        Of the signs.

    Returns
    -------
    F64
        (measures, systems, systems), symmetric: the share of all patterns whose sum is at least as far from 0 as the
        one observed, or (c + 1) / (n + 1) of n random ones (Davison and Hinkley 1997). A sum counts as equal when it is
        within what adding in 64 bits can lose, so that equal values in another order are not less.
    """
    measures, systems, queries = values.shape
    exact = patterns(queries, resamples)
    # Of differences to one system sums lose least, and its own column is 0 and need not be added.
    columns = (values[:, 1:] - values[:, :1]).reshape(-1, queries)
    tiles = np.zeros((-(-len(columns) // WIDTH), -(-queries // GROUP) * GROUP, WIDTH))
    for c, column in enumerate(columns):
        tiles[c // WIDTH, :queries, c % WIDTH] = column
    shape = (measures, systems - 1)
    half = _with_first(columns.sum(axis=1).reshape(shape) / 2)
    size = _with_first(np.abs(columns).sum(axis=1).reshape(shape))
    lost = _EPSILON * ((queries / GROUP + 2 * GROUP) * size + 4 * np.abs(values).sum(axis=2))
    halves = half[:, :, None] - half[:, None, :]
    bounds = np.abs(halves) - (lost[:, :, None] + lost[:, None, :])

    def count(first: int, number: int) -> I64:
        sums = kept_sums(tiles, first, number, seed ^ _STREAM, exact is not None)
        sums = sums.transpose(0, 2, 1).reshape(-1, number)[: len(columns)]
        kept = np.zeros((measures, systems, number))
        kept[:, 1:] = sums.reshape(*shape, number)
        counts: I64 = np.zeros((measures, systems, systems), np.int64)
        for m in range(measures):
            for a in range(systems - 1):
                far = np.abs(kept[m, a] - kept[m, a + 1 :] - halves[m, a, a + 1 :, None]) >= bounds[m, a, a + 1 :, None]
                counts[m, a, a + 1 :] = far.sum(axis=1)
        return counts

    drawn = exact or resamples
    blocks = ((first, min(_BLOCK, drawn - first)) for first in range(0, drawn, _BLOCK))
    counts = sum(in_order(partial(count, *block) for block in blocks), np.zeros((measures, systems, systems), np.int64))
    counts += counts.transpose(0, 2, 1)
    p: F64 = counts / drawn if exact else (counts + 1) / (drawn + 1)
    p[:, range(systems), range(systems)] = 1.0
    return p


def _with_first(sums: F64) -> F64:
    """Put the first system's sums of 0 before those of the others."""
    return np.concatenate([np.zeros((len(sums), 1)), sums], axis=1)
