"""The rules by which values of hits become columns, and what is counted as a fault of a hit."""

import math
from collections.abc import Sequence
from string import hexdigits
from typing import Any

import numpy as np

from benchbench.kernels.arrays import F64, I32
from benchbench.tables.hashing import NO_HASH, reserved
from benchbench.tables.hits import Hits
from benchbench.tables.labels import Label, without_malformed

_DIGITS = 16  # hexadecimal, of a hash


def scores(values: Sequence[Any], hits: Hits) -> F64:
    """Return scores, NaN for what is missing or no number."""
    numbers = values if set(map(type, values)) == {float} else map(_score, values)
    column = np.fromiter(numbers, np.float64, len(values))
    hits.fault("missing_scores", int(np.isnan(column).sum()))
    return column


def _score(value: Any) -> float:
    try:
        return float(value) if type(value) is float or type(value) is int else math.nan
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def digest(value: Any) -> int:
    """Return what one hit gives as the hash of its text."""
    if type(value) is not str or len(value) != _DIGITS or value.strip(hexdigits):
        return NO_HASH
    return reserved(int(value, 16))


def usable_values(label: Label, values: Sequence[float], hits: Hits) -> I32 | F64:
    """Return values of a label as a column in which what is of a wrong type is missing, and count that."""
    column, times = without_malformed(label.kind, values)
    hits.fault(f"malformed_{label.name}", times)
    return column
