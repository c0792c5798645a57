"""The largest change of mean in a series, and how large it is in the same values dealt out at random.

Conventions
-----------
Scores are centred: their sum is 0. A part is the runs `i <= r < j`, and its statistic is how far its sum is from 0, in
standard errors of the sum of so many drawn without replacement. A part that begins or ends with the series is one step;
any other one is two, a change and its end, and of those there are more to choose from: it has `less` taken off.
"""

import numpy as np

from benchbench.kernels._jit import leaf
from benchbench.kernels.arrays import F64, I64
from benchbench.kernels.random import key, mix, next_state

# Relative. A sum of n scores is rounded n times, in an order of its own where they are dealt out, so that the statistic
# of the order given may come back lower by n 2^-53: by no more than this of 9,000 runs
_ROUNDING = 1e-12
_TRIED = 4  # beginnings of a part within its own length: the nearest one overlaps seven eighths of it


@leaf
def permuted(
    scores: F64,
    scales: F64,
    own_scales: F64,
    less: float,
    lengths: I64,
    most: int,
    reached: int,
    seed: int,
    sums: F64,
    place: I64,
) -> tuple[int, int]:
    """Return how many random orders were drawn, and how many of them have as large a statistic as the order given.

    Parameters
    ----------
    scores
        (runs,), centred; they are left in another order.
    scales
        (runs - 1,): one over the standard deviation of the sum of 1, 2, … scores drawn without replacement.
    own_scales
        (runs - 1,): the same of the order given, where runs that follow one another are alike.
    less
        Taken off the statistic of parts inside.
    lengths
        Of parts inside, each at most runs - 2; long ones are tried at every quarter of their length (`_TRIED`).
    most, reached
        Orders that are drawn; fewer when so many of them have a statistic as large.
    seed
        Of the orders.
    sums
        (runs + 1,): scratch.
    place
        (2,): where the part with the largest statistic begins and ends.
    """
    n = scores.size
    as_large, drawn, observed, state = 0, -1, 0.0, key(seed, n)
    sums[0] = 0.0
    while drawn < most and as_large < reached:
        if drawn >= 0:
            for i in range(n - 1, 0, -1):
                state = next_state(state)
                k = np.int64((mix(state) >> np.uint64(32)) * np.uint64(i + 1) >> np.uint64(32))
                scores[i], scores[k] = scores[k], scores[i]
        best, begin, end = -1.0, 0, 0
        over = own_scales if drawn < 0 else scales
        for j in range(1, n + 1):
            sums[j] = sums[j - 1] + scores[j - 1]
            if j < n and abs(sums[j]) * over[j - 1] > best:
                best, end = abs(sums[j]) * over[j - 1], j
        for at in range(lengths.size):
            length = lengths[at]
            least = (best + less) / over[length - 1]
            for i in range(1, n - length, max(1, length // _TRIED)):
                if abs(sums[i + length] - sums[i]) > least:
                    least = abs(sums[i + length] - sums[i])
                    best, begin, end = least * over[length - 1] - less, i, i + length
        if drawn < 0:
            observed, place[0], place[1] = best * (1.0 - _ROUNDING), begin, end
        elif best >= observed:
            as_large += 1
        drawn += 1
    return drawn, as_large
