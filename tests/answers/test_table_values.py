"""Values as tables take them."""

from typing import NamedTuple

from benchbench.answers.table_values import plain


class Place(NamedTuple):
    start: int
    text: str


def test_named_tuples_are_mappings_text_has_no_lone_surrogates_and_the_rest_stays():
    assert plain([Place(1, "a\ud800"), "b"]) == [{"start": 1, "text": "a?"}, "b"]
    assert plain((1, 2)) == (1, 2)
    assert plain(None) is None
