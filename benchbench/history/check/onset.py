"""Since which run a measure has changed: the step that explains the run means best."""

import numpy as np

from benchbench.kernels.arrays import F64


def onset(differences: F64) -> int:
    """Return the first run after a change downwards.

    Of all steps from 0 down to one level it is the most likely one where run means have the same normal spread: the
    k of the greatest (sum of the differences from k on)² / runs from k on (Hinkley 1970, with the level before the
    change known). Of a step that is small beside that spread it is off by some runs.

    Parameters
    ----------
    differences
        (runs,): mean of each run less that of the reference, the latest last, worse below 0; NaN: no value.

    Returns
    -------
    int
        Place of the run. Where no sum is below 0, the last place.
    """
    known = np.flatnonzero(np.isfinite(differences))
    if not len(known):
        return max(len(differences) - 1, 0)
    sums = np.cumsum(differences[known][::-1])[::-1]
    explained = np.where(sums < 0.0, sums**2 / np.arange(len(known), 0, -1), -1.0)
    return int(known[int(explained.argmax()) if explained.max() >= 0.0 else -1])
