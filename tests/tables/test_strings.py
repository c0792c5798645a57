"""Strings in one piece of memory behave as a list of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.tables.strings import Strings


@given(st.lists(st.text(st.characters(), max_size=5), max_size=9), st.slices(9))
def test_they_are_a_list_to_those_who_read_them(strings: list[str], part: slice):
    packed = Strings(strings)
    assert list(packed) == strings
    assert len(packed) == len(strings)
    assert packed[part] == strings[part]
    assert [packed[place] for place in range(-len(strings), len(strings))] == strings + strings
    assert packed == strings
    assert packed == Strings(strings)
    assert packed != [*strings, ""]


def test_half_a_surrogate_pair_is_kept():
    assert Strings(["\ud800"])[0] == "\ud800"


@pytest.mark.parametrize("place", [-2, 1])
def test_there_is_nothing_beyond_the_ends(place: int):
    with pytest.raises(IndexError):
        Strings(["a"])[place]


@given(st.lists(st.text()))
def test_strings_of_one_text_are_those_between_its_ends(strings: list[str]):
    encoded = [string.encode() for string in strings]
    text = np.frombuffer(b"".join(encoded), np.uint8)
    made = Strings.of(text, np.cumsum([len(one) for one in encoded], dtype=np.int64))
    assert made == strings
    made.append("more")
    assert made == [*strings, "more"]
