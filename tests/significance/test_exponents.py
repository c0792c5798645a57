"""Numbers whose squares do not fit are divided by a power of 2."""

import numpy as np
import pytest

from benchbench.significance.exponents import common_exponent


def test_common_numbers_stay_as_they_are() -> None:
    assert common_exponent(np.array([0.0, 0.5, -1e9])) == 0
    assert common_exponent(np.zeros(3), np.zeros(0)) == 0


@pytest.mark.parametrize("large", [1e300, -1.7e308, 1e-200])
def test_after_division_the_largest_is_about_1(large: float) -> None:
    exponent = common_exponent(np.array([0.0, large / 4]), np.array([large, np.nan, np.inf]))
    assert 0.5 <= abs(np.ldexp(large, -exponent)) < 1.0
