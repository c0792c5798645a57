import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.client.messages import FIELDS, MAX_QUERIES, MAX_TOP_K, SearchRequest
from benchbench.client.profiles import PROFILES

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


def test_our_own_request_asks_for_hashes_instead_of_texts():
    assert PROFILES["benchbench"].request(["甲", "乙"], 20) == {
        "queries": ["甲", "乙"],
        "top_k": 20,
        "fields": ["id", "score", "text_hash", "meta"],
    }


def test_the_seeds_request_names_its_texts_facts_and_has_nothing_else():
    assert PROFILES["legal-agent"].request(["甲"], 5) == {"facts": ["甲"], "top_k": 5}


@given(st.lists(st.text(), min_size=1, max_size=5), st.integers(1, MAX_TOP_K))
def test_what_our_client_asks_our_service_reads(texts: list[str], top_k: int):
    request = SearchRequest.read(PROFILES["benchbench"].request(texts, top_k))
    assert (request.queries, request.top_k) == (texts, top_k)


def test_a_request_without_options_gets_ten_hits_with_text_and_labels():
    assert SearchRequest.read({"queries": ["a"]}) == SearchRequest(["a"], 10, ("id", "score", "text", "meta"))


def test_a_single_search_reads_the_member_query():
    assert SearchRequest.read({"query": "a", "top_k": 3}, batch=False).queries == ["a"]


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (["a"], "the body is not a JSON object"),
        ({}, '"queries" is not a list of strings'),
        ({"queries": "a"}, '"queries" is not a list of strings'),
        ({"queries": ["a", 1]}, '"queries" is not a list of strings'),
        ({"queries": []}, '"queries" has 0 members'),
        ({"queries": ["a"] * (MAX_QUERIES + 1)}, f'"queries" has {MAX_QUERIES + 1} members'),
        ({"queries": ["a"], "top_k": 0}, '"top_k" is not a whole number'),
        ({"queries": ["a"], "top_k": MAX_TOP_K + 1}, '"top_k" is not a whole number'),
        ({"queries": ["a"], "top_k": True}, '"top_k" is not a whole number'),
        ({"queries": ["a"], "top_k": 2.0}, '"top_k" is not a whole number'),
        ({"queries": ["a"], "top_k": None}, '"top_k" is not a whole number'),
        ({"queries": ["a"], "fields": "id"}, '"fields" is not a list of names'),
        ({"queries": ["a"], "fields": ["vector"]}, '"fields" is not a list of names'),
        ({"queries": ["a"], "fields": [["id"]]}, '"fields" is not a list of names'),
    ],
)
def test_a_bad_request_is_refused_with_its_reason(message: object, reason: str):
    with pytest.raises(ValueError, match="^" + re.escape(reason)):
        SearchRequest.read(message)


def test_a_single_search_without_a_query_is_refused():
    with pytest.raises(ValueError, match='"query" is not a string'):
        SearchRequest.read({"queries": ["a"]}, batch=False)


@given(st.fixed_dictionaries({}, optional={"queries": json_values, "top_k": json_values, "fields": json_values}))
def test_whatever_is_asked_is_read_or_refused_with_a_sentence(message: dict):
    try:
        request = SearchRequest.read(message)
    except ValueError as error:
        refused = str(error)
        assert refused
    else:
        assert 1 <= request.top_k <= MAX_TOP_K
        assert set(request.fields) <= set(FIELDS)
