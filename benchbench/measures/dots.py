"""Which of many times are drawn, so that a page stays small and no slow one is missing."""

import numpy as np

from benchbench.kernels.arrays import F64, I64

_SLOW = 0.9  # share of the times of which none above is left out while there is room
_SEED = 20240229


def drawn(times: F64, most: int) -> I64:
    """Return which of the times are drawn, ascending: the slowest tenth, and of the others so many at random.

    Every so many-th one would hide slow ones that come with a period. Where the slowest tenth is more than half of what
    may be drawn, it has that half, the slowest of all in it.

    Parameters
    ----------
    times
        In any order.
    most
        How many are drawn.
    """
    if len(times) <= most:
        return np.arange(len(times))
    random = np.random.default_rng(_SEED)
    is_slow = times >= np.quantile(times, _SLOW)
    slow, others = np.flatnonzero(is_slow), np.flatnonzero(~is_slow)
    if len(slow) > most // 2:
        slow = np.union1d(random.choice(slow, most // 2 - 1, replace=False), int(np.argmax(times)))
    others = random.choice(others, min(len(others), most - len(slow)), replace=False)
    return np.sort(np.concatenate([slow, others]))
