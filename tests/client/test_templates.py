from hypothesis import given
from hypothesis import strategies as st

from benchbench.client.templates import NOTHING, fill, inner_places, places


def test_a_place_that_is_the_whole_string_takes_a_value_of_any_type():
    assert fill({"q": "{queries}", "k": "{top_k}"}, {"queries": ["a"], "top_k": 3}) == {"q": ["a"], "k": 3}


def test_a_place_within_a_string_takes_the_value_as_text():
    assert fill(["{!edismax qf={field}}{query}"], {"field": "body", "query": "a {top_k}", "top_k": 3}) == [
        "{!edismax qf=body}a {top_k}"
    ]


def test_names_of_members_have_places_too():
    assert fill({"match": {"{field}": "{query}"}}, {"field": "text", "query": "a"}) == {"match": {"text": "a"}}


def test_a_member_or_element_filled_with_nothing_is_left_out():
    assert fill({"using": "{using}", "a": ["{using}", 1], "b": "-{using}-"}, {"using": NOTHING}) == {
        "a": [1],
        "b": "--",
    }


def test_variables_of_the_environment_and_other_braces_are_no_places():
    assert places({"a": "${token}", "b": "{ id }", "c": "{ID}", "d": "{}", "e": ["{x}"], "{y}": 1}) == {"x", "y"}


def test_a_place_that_shares_its_string_is_an_inner_one():
    assert inner_places(["{a}", "x{b}", {"c": "{d}{d}"}]) == {"b", "d"}


@given(st.text())
def test_a_query_is_sent_as_it_is_whatever_is_in_it(text: str):
    assert fill({"q": "{query}", "many": "{queries}", "in": "<{query}>"}, {"query": text, "queries": [text]}) == {
        "q": text,
        "many": [text],
        "in": f"<{text}>",
    }
