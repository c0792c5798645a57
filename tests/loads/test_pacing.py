import numpy as np
import pytest

from benchbench.errors import InputError
from benchbench.loads.pacing import due_times


def test_constant_arrivals_are_evenly_spaced_through_warm_up_and_step():
    assert due_times("constant", 4.0, 0.5, 1.0, 0).tolist() == [-0.5, -0.25, 0.0, 0.25, 0.5, 0.75]


def test_a_rate_is_requests_a_second_of_the_step():
    assert (due_times("constant", 37.0, 1.3, 10.0, 0) >= 0).sum() == 370


def test_poisson_arrivals_have_exponential_gaps_of_the_rates_mean():
    times = due_times("poisson", 100.0, 5.0, 1000.0, 1)
    gaps = np.diff(times)
    assert times[0] >= -5.0
    assert times[-1] < 1000.0
    assert gaps.mean() == pytest.approx(0.01, rel=0.02)
    assert gaps.std() == pytest.approx(0.01, rel=0.02)
    assert (gaps > 0.01).mean() == pytest.approx(np.exp(-1), abs=0.01)


def test_a_seed_fixes_poisson_arrivals():
    first, again, other = (due_times("poisson", 50.0, 1.0, 9.0, seed) for seed in (3, 3, 4))
    assert np.array_equal(first, again)
    assert not np.array_equal(first[:5], other[:5])


@pytest.mark.parametrize("arrivals", ["constant", "poisson"])
def test_a_step_in_which_nothing_is_due_is_refused(arrivals):
    if arrivals == "constant":
        assert len(due_times(arrivals, 0.1, 0.0, 1.0, 0)) == 1
    else:
        with pytest.raises(InputError, match=r"^at 0\.001 requests/s none is due within --duration 1 s; "):
            due_times(arrivals, 0.001, 0.0, 1.0, 0)
