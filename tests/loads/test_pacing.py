import numpy as np
import pytest

from benchbench.client.profiles import PROFILES
from benchbench.client.service import Service
from benchbench.errors import InputError
from benchbench.load_test import LoadSettings
from benchbench.loads.pacing import due_times


def test_constant_arrivals_are_evenly_spaced_through_warm_up_and_step():
    assert due_times("constant", 4.0, 0.5, 1.0, 0).tolist() == [-0.5, -0.25, 0.0, 0.25, 0.5, 0.75]


def test_a_rate_is_requests_a_second_of_the_step():
    assert (due_times("constant", 37.0, 1.3, 10.0, 0) >= 0).sum() == 370


def test_a_rate_that_is_not_exact_in_floating_point_has_no_request_at_the_end_of_the_step():
    assert due_times("constant", 1.1, 0.0, 10.0, 0).tolist() == pytest.approx([n / 1.1 for n in range(11)])


def test_poisson_arrivals_have_exponential_gaps_of_the_rates_mean():
    times = due_times("poisson", 100.0, 5.0, 1000.0, 1)
    gaps = np.diff(times)
    assert times[0] >= -5.0
    assert times[-1] < 1000.0
    assert gaps.mean() == pytest.approx(0.01, rel=0.001)
    assert gaps.std() == pytest.approx(0.01, rel=0.02)
    assert (gaps > 0.01).mean() == pytest.approx(np.exp(-1), abs=0.01)


@pytest.mark.parametrize(("rate", "seconds"), [(50.0, 6.0), (22.5, 40.0), (100.0, 30.0)])
def test_poisson_arrivals_offer_the_rate_that_was_asked_for_in_the_warm_up_and_in_the_step(rate, seconds):
    for seed in range(20):
        times = due_times("poisson", rate, 4.0, seconds, seed)
        assert (times < 0.0).sum() == rate * 4.0
        assert (times >= 0.0).sum() == rate * seconds


def test_a_seed_and_a_stream_fix_poisson_arrivals():
    times = [due_times("poisson", 50.0, 1.0, 9.0, *of) for of in ((3, (0,)), (3, (0,)), (4, (0,)), (3, (1,)))]
    assert np.array_equal(times[0], times[1])
    assert not np.array_equal(times[0], times[2])
    assert not np.array_equal(times[0], times[3])


def test_poisson_arrivals_of_two_rates_are_no_scaled_copies():
    few, many = LoadSettings(
        "synthetic-cases", Service("http://127.0.0.1:1", PROFILES["benchbench"]), rates=(50.0, 100.0), warm_up=0.0,
        arrivals="poisson",
    ).loads()  # fmt: skip
    slow, fast = few.due_times(), many.due_times()
    assert slow is not None
    assert fast is not None
    moved = [np.histogram(times / times[-1], 50)[0] / len(times) for times in (slow, fast)]
    assert abs(np.corrcoef(*moved)[0, 1]) < 0.6, "a scaled copy correlates by 1"


@pytest.mark.parametrize("arrivals", ["constant", "poisson"])
def test_a_step_in_which_nothing_is_due_is_refused(arrivals):
    if arrivals == "constant":
        assert len(due_times(arrivals, 0.1, 0.0, 1.0, 0)) == 1
    else:
        with pytest.raises(InputError, match=r"^at 0\.001 requests/s none is due within --duration 1 s; "):
            due_times(arrivals, 0.001, 0.0, 1.0, 0)
