"""How many runs of a series make its reference: the first ten, and quiet runs after them, up to thirty.

Ten runs tell little of how much runs differ, and less where each resembles the one before. A run joins the reference
once eight runs have followed it, so that no window that is tested has a run of the reference, and while the last eight
are not told from the reference at 5 %: a loss that the gate needs more runs for does not become part of what it is held
against.
"""

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.significance.autocorrelation import autocorrelation
from benchbench.significance.run_gate import LARGEST, REFERENCE
from benchbench.significance.run_windows import WINDOWS, t_test_of_runs

_TOLD = 0.05  # at which the last runs are told from the reference


def joined(reference: F64, later: F64) -> int:
    """Return how many of the runs that followed the first ten are part of the reference.

    Parameters
    ----------
    reference
        (10,): means of the first runs.
    later
        (runs,): means of those that followed, up to the first alarm, in their order.

    Returns
    -------
    int
        0 to 20. With more runs it is the same or larger, whenever it is asked.
    """
    return joined_after_each(reference, later)[-1]


def joined_after_each(reference: F64, later: F64) -> list[int]:
    """Return the same after no run, after one, and so on: a list of runs + 1."""
    longest, most, quiet = WINDOWS[-1], LARGEST - REFERENCE, 0
    counts = [0] * min(longest + 1, len(later) + 1)
    for end in range(len(counts), len(later) + 1):
        if quiet < most:
            known, last = np.concatenate([reference, later[:quiet]]), later[end - longest : end]
            parts, runs = [known, last], (len(last), len(known))
            p, _, _ = t_test_of_runs(float(last.mean() - known.mean()), parts, runs, _TOLD, autocorrelation(known))
            if p > _TOLD:
                quiet = min(end - longest, most)
        counts.append(quiet)
    return counts
