"""Lists and ranges of labels."""

import re

import pytest
from cases import tables
from hypothesis import given
from hypothesis import strategies as st

from benchbench.answers.citations.series import LONGEST_RANGE, between, label, series, split

TABLES = tables(__file__)

NUMBER = label(r"\d+(?:\.\d+)?")


def paths(text, further=NUMBER):
    return [".".join(one.path) for one in series(text, 0, NUMBER, further, 0)]


@pytest.mark.parametrize(("text", "expected"), TABLES["lists"].items())
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
