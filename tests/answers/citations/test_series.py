"""Lists and ranges of labels."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.answers.citations.series import LONGEST_RANGE, between, label, series, split

NUMBER = label(r"\d+(?:\.\d+)?")


def paths(text, further=NUMBER):
    return [".".join(one.path) for one in series(text, 0, NUMBER, further, 0)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("33", ["33"]),
        ("33, 34 and 36(1)(a) to (c)", ["33", "34", "36.1.a", "36.1.b", "36.1.c"]),
        ("3.4(2)(a) and (b)", ["3.4.2.a", "3.4.2.b"]),
        ("3.4(2)(a)(i) or (ii)", ["3.4.2.a.i", "3.4.2.a.ii"]),
        ("3.4(2)(a)(i) or (b)", ["3.4.2.a.i", "3.4.2.b"]),
        ("3.4(2) and (3)", ["3.4.2", "3.4.3"]),
        ("3.4 and (b)", ["3.4"]),
        ("1–3", ["1", "2", "3"]),
        ("1 and 2, 14 days before", ["1", "2"]),
        ("1, 2, and 3", ["1", "2", "3"]),
        ("7 (the power)", ["7"]),
        ("7th", []),
        ("x", []),
    ],
)
def test_the_labels_of_a_list(text, expected):
    assert paths(text) == expected


def test_without_a_further_form_only_brackets_go_on():
    assert paths("3(a), (b) and 4", further=None) == ["3.a", "3.b"]


@given(st.integers(1, 500), st.integers(1, 500))
def test_a_range_counts_up_or_is_its_two_ends(low, high):
    found = between((str(low),), (str(high),))
    counted = [(str(number),) for number in range(low, high + 1)]
    assert found == (counted if low < high and len(counted) <= LONGEST_RANGE else [(str(low),), (str(high),)])


def test_a_range_over_different_provisions_is_its_two_ends():
    assert between(("3", "4"), ("5", "6")) == [("3", "4"), ("5", "6")]


def test_a_label_is_split_at_its_dots_and_brackets():
    assert split("24.2(3)(a)") == ("24", "2", "3", "a")
    assert split("51ZG3.2") == ("51ZG3", "2")
    assert re.fullmatch(NUMBER, "24.2(3) (a)")
