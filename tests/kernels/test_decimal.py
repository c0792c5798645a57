"""Decimal text to float64, beside Python's own `float`."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchbench.kernels.decimal import BAD, PARSED, UNDECIDED, parse_float


def parsed(text: str) -> tuple[int, float]:
    data = np.frombuffer(f" {text} ".encode(), np.uint8)
    return parse_float(data, np.uint64(1), np.uint64(data.size - 1))


numbers = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.floats(0, 100).map(lambda value: f"{value:.6f}"),
    st.from_regex(r"[+-]?[0-9]{1,25}(\.[0-9]{0,25})?([eE][+-]?[0-9]{1,4})?", fullmatch=True),
    st.from_regex(r"[+-]?\.[0-9]{1,25}([eE][+-]?[0-9]{1,3})?", fullmatch=True),
)


@given(numbers)
@example("9007199254740993")  # 2**53 + 1: between two floats
@example("1e400")
@example("-1e-400")
@example("5e-324")
@example("2.2250738585072011e-308")
@example("7.2057594037927933e16")
@example("0." + "0" * 30 + "1")
def test_a_number_is_the_float_that_python_reads(text: str):
    status, value = parsed(text)
    assert status in (PARSED, UNDECIDED)
    if status == PARSED:
        assert repr(value) == repr(float(text))


@pytest.mark.parametrize("text", ["0", "12.5", "29.411843", "1e-5", "3.141592653589793", "-7E+2", "5.", ".5"])
def test_an_everyday_number_is_decided(text: str):
    assert parsed(text) == (PARSED, float(text))


@pytest.mark.parametrize(("text", "value"), [("inf", np.inf), ("-INF", -np.inf), ("+Infinity", np.inf)])
def test_infinity_is_a_number(text: str, value: float):
    assert parsed(text) == (PARSED, value)


@pytest.mark.parametrize("text", ["nan", "NaN", "0x10", "-", "+", ".", "e5", "1e", "1e+", "1.2.3", "1_0", "infi", "١"])
def test_what_is_no_decimal_number_is_bad(text: str):
    assert parsed(text)[0] == BAD
