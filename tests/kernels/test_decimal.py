"""Decimal text to float64, beside Python's own `float`."""

from decimal import Decimal

import numpy as np
import pytest
from helpers import called
from hypothesis import example, given
from hypothesis import strategies as st

from benchbench.kernels import decimal
from benchbench.kernels.decimal import BAD, PARSED, UNDECIDED

parse_float = called(decimal.parse_float)


def parsed(text: str) -> tuple[int, float]:
    data = np.frombuffer(f" {text} ".encode(), np.uint8)
    return parse_float(data, np.uint64(1), np.uint64(data.size - 1))


numbers = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.floats(0, 100).map(lambda value: f"{value:.6f}"),
    st.from_regex(r"[+-]?[0-9]{1,25}(\.[0-9]{0,25})?([eE][+-]?[0-9]{1,4})?", fullmatch=True),
    st.from_regex(r"[+-]?\.[0-9]{1,25}([eE][+-]?[0-9]{1,3})?", fullmatch=True),
)


@pytest.mark.slow  # a hundred thousand numbers
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


@pytest.mark.parametrize(
    "text",
    [
        "1e23",  # 5**23 has 54 bits: the largest power of ten that lies between two floats
        "9007199254740993",  # 2**53 + 1, and the next whole number between two floats
        "9007199254740995",
        "1125899906842624.125",  # 2**50 + 1/8, with three digits behind the point
        "1125899906842624.375",
        "562949953421312.0625",  # 2**49 + 1/16, with four: the most that one between two floats can have
        "562949953421312.1875",
    ],
)
def test_a_number_half_way_between_two_floats_is_the_even_one(text: str):
    assert parsed(text) == (PARSED, float(text))


@given(st.integers(1 << 52, (1 << 53) - 1), st.integers(0, 5), st.sampled_from(["", "0", "1"]))
def test_a_number_at_the_middle_of_two_floats_goes_where_python_has_it_go(mantissa: int, halvings: int, further: str):
    text = f"{Decimal(2 * mantissa + 1) / 2**halvings:f}"
    text += further if "." in text else ""
    assert parsed(text) in ((PARSED, float(text)), (UNDECIDED, 0.0))


@pytest.mark.parametrize(("text", "value"), [("inf", np.inf), ("-INF", -np.inf), ("+Infinity", np.inf)])
def test_infinity_is_a_number(text: str, value: float):
    assert parsed(text) == (PARSED, value)


@pytest.mark.parametrize("text", ["nan", "NaN", "0x10", "-", "+", ".", "e5", "1e", "1e+", "1.2.3", "1_0", "infi", "١"])
def test_what_is_no_decimal_number_is_bad(text: str):
    assert parsed(text)[0] == BAD
