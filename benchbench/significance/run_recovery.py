"""When an alert ends: the runs since are like the reference again, and shown to be unlike those that alarmed."""

import numpy as np

from benchbench.kernels.arrays import F64, I64
from benchbench.significance.run_gate import GateSettings
from benchbench.significance.run_windows import by_runs, changes, flipped, units, window_tests

_TOLD = 0.05  # at which a window is still told from the reference
_AWAY = 0.01  # at which it is shown to be away from the alert: at 0.05 a sixth of alerts ended before the loss did


def recovered(
    reference: F64, reference_runs: F64, alarmed: F64, later: F64, groups: I64 | None, settings: GateSettings
) -> bool:
    """Say whether an alert ends with the latest run.

    It does when a window of the last 1, 2, 4 or 8 runs is shown to be away from all runs of the alert before it, back
    towards the reference, and neither it nor a shorter one is told from the reference. These tests have levels of their
    own, 1 % and 5 %: at alpha's small shares no window would be told from the reference after a small loss. After the
    end pass `gate` the runs that follow, and none before.

    Parameters
    ----------
    reference, reference_runs, groups, settings
        As `gate` has them.
    alarmed
        (runs, queries): those of the window that the alert began with.
    later
        (runs, queries): all runs after the one that the alert began with, latest last.
    """
    since = changes(reference, reference_runs, np.concatenate([alarmed, later]))
    first = len(changes(reference, reference_runs, alarmed).means)
    patterns, seed, tests = settings.resamples, settings.seed, settings.tests
    if not first or len(since.means) == first:
        return False
    down = since.means[:first].mean() < 0.0
    for runs in settings.windows:
        if runs > len(since.means) - first:
            return False
        now = since._replace(runs=since.runs[first:], means=since.means[first:])
        (against,) = window_tests(now, groups, (runs,), _TOLD, patterns, seed, tests, settings.least_spread)
        if against.rejects:
            return False
        before, window = since.runs[: first if tests == "queries" else -runs], since.runs[-runs:]
        shared = ~(np.isnan(before).all(axis=0) | np.isnan(window).all(axis=0))
        if not shared.any():
            continue
        kept = None if groups is None else groups[shared]
        old, new = units(before[:, shared], kept), units(window[:, shared], kept)
        moved = new._replace(sums=new.sums - old.sums)
        difference = float(moved.sums.sum() / moved.sizes.sum())
        p, _, _ = by_runs(since, runs, difference, (runs, len(since.means) - runs), _AWAY, tests, settings.least_spread)
        if tests != "runs":
            p = max(p, flipped([moved], _AWAY, patterns, seed)[0].p)
        if p <= _AWAY and (difference > 0.0) == down:
            return True
    return False
