"""When an alert ends."""

import numpy as np
import pytest
from significance.quiet_runs import Runs, drawn, identical

from benchbench.significance.run_gate import GateSettings
from benchbench.significance.run_recovery import recovered

SETTINGS = GateSettings(planned=10)


def ends(runs: Runs, alarmed: int, groups: np.ndarray | None = None) -> bool:
    return recovered(runs.reference, runs.means, runs.later[:alarmed], runs.later[alarmed:], groups, SETTINGS)


def bad(runs: Runs, until: int, loss: float = 0.2) -> Runs:
    runs.later[:until] -= loss
    return runs


def test_with_identical_runs_the_first_one_after_the_fix_ends_it() -> None:
    runs = bad(identical(0), 5)
    first = [upto for upto in range(2, 9) if ends(Runs(runs.reference_runs, runs.later[:upto]), 1)]
    assert first == [6, 7, 8]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_large_loss_or_gain_ends_with_its_fix(sign: float) -> None:
    runs = bad(drawn(1, 8), 6, 0.3)
    turned = Runs(sign * runs.reference_runs, sign * runs.later)
    assert not ends(Runs(turned.reference_runs, turned.later[:6]), 1)
    assert ends(turned, 1)


@pytest.mark.slow  # a simulated rate
def test_a_loss_that_stays_seldom_ends() -> None:
    ended = 0
    for seed in range(30):
        runs = bad(drawn(100 + seed, 9), 9, 0.07)  # three errors of a paired difference
        ended += any(ends(Runs(runs.reference_runs, runs.later[:upto]), 1) for upto in range(2, 10))
    assert ended <= 3


def test_a_small_loss_that_was_fixed_ends_within_eight_runs() -> None:
    ended = sum(ends(bad(drawn(200 + seed, 16), 8, 0.05), 4) for seed in range(20))
    assert ended >= 17


def test_a_second_loss_in_the_other_direction_ends_nothing() -> None:
    runs = bad(drawn(2, 6), 3, 0.3)
    runs.later[3:] += 0.3
    assert not ends(runs, 1)


def test_without_a_later_run_it_does_not_end() -> None:
    runs = bad(drawn(3, 4), 4)
    assert not ends(runs, 4)
    runs.later[2:] = np.nan
    assert not ends(runs, 2)


def test_queries_that_the_alert_and_the_runs_since_do_not_share_show_nothing() -> None:
    runs = bad(drawn(4, 4), 2, 0.3)
    runs.later[:2, :20] = np.nan
    runs.later[2:, 20:] = np.nan
    assert not ends(runs, 2)


def test_groups_are_kept_together() -> None:
    runs = bad(drawn(5, 6), 4, 0.3)
    assert ends(runs, 1, np.arange(40) // 2)
    assert not ends(runs, 1, np.arange(40) // 20)  # two groups show nothing
