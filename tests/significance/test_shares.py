"""Wilson's interval of a share."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.significance.shares import share_interval


@given(st.integers(1, 10_000), st.floats(0, 1), st.floats(0.001, 0.5))
def test_the_interval_is_that_of_statsmodels(n: int, share: float, alpha: float) -> None:
    from statsmodels.stats.proportion import proportion_confint

    successes = round(share * n)
    theirs = proportion_confint(successes, n, alpha, method="wilson")
    assert share_interval(successes, n, alpha) == pytest.approx(theirs, abs=1e-12)


@given(st.integers(1, 1_000_000))
def test_nothing_but_successes_is_no_certainty(n: int) -> None:
    low, high = share_interval(n, n)
    assert (low < 1.0, high) == (True, 1.0)
    low, high = share_interval(0, n)
    assert (low, high > 0.0) == (0.0, True)
