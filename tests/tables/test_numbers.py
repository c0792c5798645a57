"""Numbers from outside: taken as Python's, or refused in one sentence."""

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from cases import check_rows
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.tables.numbers import COUNT, SEED, SHARE, TIMEOUT, Range, check

NONE = [math.nan, math.inf, -math.inf, 10**400, -(10**5000), True, np.True_, "5", None, b"5", 5 + 0j, [5]]


def test_what_is_no_number_within_bounds_is_refused_in_one_line():
    def check_case(value, allowed: Range) -> None:
        with pytest.raises(InputError) as refused:
            allowed.take(value, "--it")
        assert str(refused.value).startswith(f"--it is {allowed}, and not ")
        assert len(str(refused.value)) < 150

    check_rows(check_case, itertools.product(NONE, [COUNT, SHARE, TIMEOUT]))


def test_a_text_is_ascii_digits_or_refused():
    def check_case(text: str, allowed: Range) -> None:
        with pytest.raises(InputError, match=r"^--it is "):
            allowed.read(text, "--it")

    check_rows(
        check_case,
        itertools.product(
            ["nan", "inf", "-inf", "1e400", str(10**30), "-1", "", " ", "１２", "1_0", "0x1", "²"],
            [COUNT, SHARE, TIMEOUT],
        ),
    )


@pytest.mark.parametrize(
    ("allowed", "said"),
    [
        (COUNT, "a whole number from 1 to 1,000,000,000"),
        (SEED, "a whole number from 0 to 2^62"),
        (SHARE, "a number from 0 to 1"),
        (TIMEOUT, "a number of seconds above 0 and up to 1,000,000"),
        (Range(-(2**63), 2**64 - 1), "a whole number from -2^63 to 18,446,744,073,709,551,615"),
    ],
)
def test_a_range_says_what_it_takes(allowed: Range, said: str):
    assert str(allowed) == said


@given(st.integers(1, 10**9))
def test_whole_numbers_of_any_library_become_pythons(number: int):
    for value in (number, np.int64(number), np.uint32(number)):
        taken = COUNT.take(value, "--it")
        assert (type(taken), taken) == (int, number)
    assert COUNT.read(f" {number} ", "--it") == number


def test_real_numbers_of_any_library_become_pythons():
    for value in (0.5, np.float32(0.5), np.float64(0.5), Fraction(1, 2)):
        taken = SHARE.take(value, "--it")
        assert (type(taken), taken) == (float, 0.5)
    assert type(SHARE.take(np.int8(1), "--it")) is int
    assert SHARE.read("5e-1", "--it") == 0.5


def test_ends_belong_to_a_range_unless_it_is_above_one():
    assert [SHARE.take(end, "--it") for end in (0, 1)] == [0, 1]
    assert TIMEOUT.take(1_000_000, "--it") == 1_000_000
    for end in (0, 0.0, -0.0):
        with pytest.raises(InputError, match="a number of seconds above 0 and up to"):
            TIMEOUT.take(end, "--it")


@pytest.mark.parametrize("value", [0.5, 5.0, np.float64(5)])
def test_a_fraction_is_no_whole_number(value):
    with pytest.raises(InputError, match="is a whole number"):
        COUNT.take(value, "--it")


@dataclass(frozen=True, slots=True)
class Given:
    batch_size: object = 1
    shares: object = (0.5,)

    def __post_init__(self) -> None:
        check(self, batch_size=COUNT, shares=SHARE)


def test_a_frozen_dataclass_holds_pythons_numbers_or_names_the_option():
    assert Given(np.int64(3), [np.float64(0.25)]) == Given(3, (0.25,))
    with pytest.raises(InputError, match=r"^--batch-size is a whole number"):
        Given(0)
    with pytest.raises(InputError, match=r"^--shares is a number"):
        Given(1, (0.5, math.nan))
