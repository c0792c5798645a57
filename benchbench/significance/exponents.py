"""Numbers so large or so small that their squares do not fit 64 bits: divided by a power of 2, which changes no bit."""

import numpy as np

from benchbench.kernels.arrays import F64

_FIT = 500  # exponents of 2 up to which squares, and sums of a million of them, fit


def common_exponent(*parts: F64) -> int:
    """Return the power of 2 to divide by, so that squares of all finite values fit; 0 where they do as they are."""
    largest = max(float(np.abs(part[np.isfinite(part)]).max(initial=0.0)) for part in parts)
    exponent = int(np.frexp(largest)[1])
    return exponent if abs(exponent) > _FIT else 0
