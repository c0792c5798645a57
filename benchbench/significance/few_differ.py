"""The sign-flip test of two systems that few units tell apart: exact, whatever the number of units.

A unit without a difference adds nothing to any sum, so that the patterns of those that differ are all there are. Of
other means than 0 all units count: how many of the others a subset has is binomial (a convolution, where their sizes
differ), so that the distribution of the means of all 2^units subsets is known without going through them.
"""

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.significance.subset_means import Tested, kept

# A bound between -1 and 1 lies in a range of 2: 2 / 2^60 is below the distance of two numbers of 64 bits above 0.008,
# and smaller ones end the search by `_NEAR`
_HALVINGS = 60
# Relative distance of two means that are one. A mean is a quotient of two sums, and a sum of u units loses at most u
# times 1.1e-16 of its size, mostly the root of u times: of 10,000 units 1.1e-14
_NEAR = 1e-13
# Units of which shares are whole numbers of subsets, over 2^units: the transform of so many loses some 1e-15 of a
# share, and half a subset of 2^40 is 4.5e-13, so that rounding finds the right one; from 2^48 on not
_WHOLE = 40
# A size is a whole number, and a reach that equals one is off by what the quotient of a sum and a mean loses, 1.1e-16
# of the size: of a million queries 1e-10. Sizes that differ do so by 1
_TIED = 1e-9


def few_differ(sums: F64, sizes: F64, alpha: float, resamples: int, lost: float) -> Tested:
    """Test a mean difference, and return the interval that the test leaves open.

    Parameters
    ----------
    sums, sizes
        (units,): of the differences, exactly 0 where there is none.
    alpha
        Of the interval.
    resamples
        At least as many as there are patterns of the units that differ.
    lost
        What adding in 64 bits may lose of a sum.
    """
    differ = sums != 0.0
    total, size = float(sums.sum()), float(sizes.sum())
    kept_sums, kept_sizes = kept(np.stack([sums[differ], sizes[differ]]), resamples, 0)
    p = 1.0
    if abs(total) > lost:
        p = min(1.0, 2.0 * np.count_nonzero(np.sign(total) * kept_sums <= lost) / len(kept_sums))
    if 2.0 ** (1 - len(sums)) > alpha:
        return Tested(p, -np.inf, np.inf)
    if not differ.any():
        return Tested(1.0, 0.0, 0.0)
    others = _kept_sizes(sizes[~differ])
    each = sums / sizes
    kept_sums = np.where(np.abs(kept_sums) <= lost, 0.0, kept_sums)
    mean = total / size if abs(total) > lost else 0.0
    low = _least(kept_sums, kept_sizes, others, mean, float(each.min()), alpha)
    high = -_least(-kept_sums, kept_sizes, others, -mean, -float(each.max()), alpha)
    return Tested(p, low, high)


def _least(sums: F64, sizes: F64, others: F64, mean: float, start: float, alpha: float) -> float:
    """Return the least mean with a p-value above alpha; that of `mean` is 1, and below `start` there is none."""
    above = 1.0 - others

    def accepted(candidate: float) -> bool:
        """Say whether more than alpha / 2 of all subsets have a mean of at most this."""
        if candidate == 0.0:
            return bool(2.0 * np.count_nonzero(sums <= 0.0) / len(sums) > alpha)
        reach = sums / candidate  # of the size of the others that a subset has
        reach -= sizes
        if candidate > 0.0:
            reach -= _TIED
            shares, places = above, np.ceil(reach, out=reach)
        else:
            reach += _TIED
            shares, places = others, np.floor(reach, out=reach)
            places += 1.0
        np.maximum(places, 0.0, out=places)
        np.minimum(places, len(others) - 1, out=places)
        return 2.0 * float(np.add.reduce(shares[places.astype(np.int64)])) / len(sums) > alpha

    if accepted(start):
        return start
    low, high = start, mean
    if low < 0.0 < high:
        low, high = (low, 0.0) if accepted(0.0) else (0.0, high)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if accepted(middle) else (middle, high)
        if high - low <= _NEAR * max(abs(low), abs(high)):
            break
    if high == 0.0:
        return 0.0
    means = sums / np.maximum(sizes + np.clip(np.round(sums / high - sizes), 0.0, len(others) - 2), 1.0)
    nearest = float(means[np.argmin(np.abs(means - high))])
    return nearest if abs(nearest - high) <= 2 * _TIED * abs(high) else high


def _kept_sizes(sizes: F64) -> F64:
    """Return P(size of a random subset < m) of units of whole sizes, for m from 0 to one more than their sum.

    The generating function of the sizes is a product over the units, (1 + z^size) / 2 each; its values at the roots of
    unity are the Fourier transform of the shares.
    """
    length = int(sizes.sum()) + 1
    roots = np.arange(length // 2 + 1)
    spectrum = np.ones(len(roots), np.complex128)
    different, counts = np.unique(sizes.astype(np.int64), return_counts=True)
    for size, count in zip(different.tolist(), counts.tolist(), strict=True):
        turned = np.exp(-2j * np.pi / length * (roots * size % length))
        spectrum *= ((1.0 + turned) / 2) ** count
    shares = np.clip(np.fft.irfft(spectrum, length), 0.0, 1.0)
    if len(sizes) <= _WHOLE:  # whole numbers of subsets
        shares = np.round(shares * 2.0 ** len(sizes)) / 2.0 ** len(sizes)
    return np.concatenate([[0.0], np.cumsum(shares)])
