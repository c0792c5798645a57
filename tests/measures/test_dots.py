import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.measures.dots import drawn


@given(st.lists(st.floats(0, 1e6), max_size=200), st.integers(40, 120))
def test_no_more_than_may_be_are_drawn_each_once_and_the_slowest_among_them(times, most):
    given_times = np.array(times)
    found = drawn(given_times, most).tolist()
    assert found == sorted(set(found))
    assert len(found) == min(len(times), most)
    assert not times or max(times) in given_times[found]


def test_of_many_the_slowest_tenth_is_whole():
    times = np.random.default_rng(1).exponential(10.0, 10_000)
    found = drawn(times, 2_000)
    assert len(found) == 2_000
    assert set(np.argsort(times)[-1_000:]) <= set(found.tolist())


def test_slow_times_that_come_with_a_period_keep_their_share():
    times = np.where(np.arange(100_000) % 2, 100.0, 1.0)
    assert np.mean(times[drawn(times, 2_000)] > 50.0) == pytest.approx(0.5, abs=0.05)


def test_the_same_are_drawn_each_time():
    times = np.random.default_rng(2).exponential(10.0, 5_000)
    assert (drawn(times, 500) == drawn(times, 500)).all()
