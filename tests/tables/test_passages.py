"""Places of passages, and whether all passages have one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.tables.passages import Passage, Passages, Place


@given(st.builds(Place, st.text(min_size=1), st.integers(0, 10**14), st.integers(0, 10**14)))
def test_a_place_reads_back_what_it_prints(place: Place):
    assert Place.parse(str(place)) == place


@pytest.mark.parametrize("text", ["", "d1", "#1-2", "a#1", "a#1-", "a#-1-2", "a#1-2 ", "a#1-1234567890123456"])
def test_another_text_names_no_place(text: str):
    assert Place.parse(text) is None


def test_passages_are_placed_when_there_are_some_and_none_is_without_a_place():
    at = Passage("x", Place("a", 0, 1))
    for passages, placed in ({"q": [at], "r": []}, True), ({"q": []}, False), ({"q": [at], "r": [Passage("x")]}, False):
        assert Passages("name", passages).are_placed is placed
