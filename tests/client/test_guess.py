# ruff: noqa: E501  # a request, or a hit, is one line
"""What is made of a request and of an answer that nobody has described."""

import base64
from typing import Any

import pytest
from cases import check_each, tables
from client.answers import rows
from hypothesis import given
from hypothesis import strategies as st

from benchbench.client.curl import parse
from benchbench.client.describe import described
from benchbench.client.guess_hits import guess
from benchbench.client.guess_request import Draft, draft
from benchbench.client.jmespath_fields import FieldPath
from benchbench.client.toml_lines import toml
from benchbench.errors import InputError
from benchbench.tables.text_files import toml_value

TABLES = tables(__file__)


def of(line: str, **given: Any) -> Draft:
    made = draft(parse(line), **given)
    described("m", made.description, {}, "m", {"MY_KEY": "x", **made.environment})  # is a description that can be used
    return made


# Requests


def test_query_and_number_of_hits_are_found():
    def check(row: dict[str, Any]) -> None:
        made = of(row["line"])
        assert (made.description, made.query, made.url) == (row["description"], row["query"], "http://h")

    check_each(check, rows("drafts.jsonl"))


def test_a_text_that_stands_twice_is_the_query_in_both_places():
    made = of(
        """curl 'h/s?q=foo+bar' --json '{"retrievers": [{"match": {"t": "foo bar"}}, {"semantic": {"query": "foo bar", "field": "s"}}]}'"""
    )
    assert made.description["params"] == {"q": "{query}"}
    assert made.description["body"] == {
        "retrievers": [{"match": {"t": "{query}"}}, {"semantic": {"query": "{query}", "field": "s"}}]
    }
    assert made.query_at == "params.q and body.retrievers.1.semantic.query and body.retrievers.0.match.t"
    assert made.others == []


@pytest.mark.parametrize(
    ("line", "at"),
    [
        (r"""curl h/v1/graphql --json '{"query": "{ Get { A(bm25: {query: \"food\"}) { a } } }"}'""", "body.query"),
        ("""curl h/1/indexes/i/query --json '{"params": "query=food&hitsPerPage=2"}'""", "body.params"),
        ("""curl -G h/search/ --data-urlencode 'yql=select * from music where album contains "food"'""", "params.yql"),
    ],
)
def test_a_program_around_the_query_is_not_taken_for_the_query(line: str, at: str):
    with pytest.raises(InputError, match=rf"{at} is a program .*--query TEXT"):
        of(line)
    made = of(line, query="food")
    assert "{query}" in toml(made.description)
    assert "a query with quotes or & in it breaks it" in made.notes[0]


def test_a_field_before_the_text_is_told():
    assert "params.q, text: too" in of("curl h/s?q=text:foo").notes[0]
    assert of("curl h/s?q=text:foo", query="foo").description["params"] == {"q": "text:{query}"}


def test_a_text_that_is_given_says_where_the_query_stands():
    line = """curl h --json '{"query": "type:doc AND (foo bar)", "user": "foo", "lang": "foo bar"}'"""
    assert of(line, query="foo bar").description["body"]["lang"] == "{query}"
    assert of(line, query="AND (").description["body"]["query"] == "type:doc {query}foo bar)"
    assert of(line).query_at == "body.query"


def test_a_place_that_is_named_is_the_place():
    line = """curl 'h/q?a=1' --json '{"query": "x", "must": {"title": "foo"}}'"""
    made = of(line, query_place="must.title", top_k_place="params.n")
    assert (made.query_at, made.query, made.top_k_at) == ("body.must.title", "foo", "params.n")
    assert made.description["params"] == {"a": "1", "n": "{top_k}"}
    assert of(line, query_place="title", top_k_place="body.size").description["body"]["size"] == "{top_k}"
    with pytest.raises(InputError, match=r"^--query-place no is not there; the request has params\.a, body\.query, "):
        of(line, query_place="no")


def test_a_request_without_a_query_says_what_it_has():
    with pytest.raises(
        InputError, match=r"write \{query\} in its place, .*--query-place; the request has body\.a, body\.b"
    ):
        of("""curl h --json '{"a": "x", "b": "y"}'""")
    with pytest.raises(InputError, match="the request has no texts"):
        of("curl h/healthz")
    with pytest.raises(InputError, match=r"the URL has \{index\} in its path"):
        of("curl h/{index}/_search?q=foo")
    with pytest.raises(InputError, match="nested too deep"):
        of(f"""curl h --json '{{"q": "x", "a": {"[" * 500}{"]" * 500}}}'""")
    with pytest.raises(InputError, match="the body is neither JSON nor a form"):
        of("""curl h -H 'Content-Type: application/json' -d '{"q": foo}'""")


SECRET = "s3cr3t-value"


@pytest.mark.parametrize(("line", "variable"), TABLES["secrets"].items())
def test_a_secret_of_the_line_becomes_a_variable(line: str, variable: str):
    made = of(f"curl {line}" if "--url '" in line else f"curl 'h/x?q=foo' {line}")
    text = toml(made.description)
    assert SECRET not in text + str(made.notes) + made.url
    assert base64.b64encode(b"me:s3cr3t-value").decode() not in text
    assert f"${{{variable}}}" in text
    assert list(made.environment) == [variable]


@pytest.mark.parametrize(
    "line",
    [
        "'h/My-Collection-2024-Documents/search?q=foo&tokenizer=standard&passages=yes-please' -H 'kbn-xsrf: reporting'",
        """h/x --json '{"q": "foo", "note": "see Ab12Cd34Ef56Gh78 there", "model": "text-embedding-3-large"}'""",
    ],
)
def test_names_of_collections_constants_of_kibana_and_texts_with_words_are_no_secrets(line: str):
    assert of(f"curl {line}").environment == {}


def test_a_login_in_the_url_is_a_secret_too():
    made = of("curl 'https://me:s3cr3t-value@h:8443/x?q=foo'")
    assert made.url == "https://h:8443"
    assert made.description["headers"] == {"Authorization": "Basic ${SEARCH_LOGIN}"}


def test_what_is_no_secret_stays_and_what_browsers_add_goes():
    made = of(
        "curl 'h/x?q=foo&author=me&keyword=b&sort=asc' -H 'X-Tenant: acme' -H 'User-Agent: x' -H 'Sec-Fetch-Mode: cors' "
        "-H 'Accept: */*' -H 'Referer: http://h?t=1' -H 'Accept-Language: en' -H \"X-Key: $MY_KEY\""
    )
    assert made.description["headers"] == {"X-Tenant": "acme", "Accept-Language": "en", "X-Key": "${MY_KEY}"}
    assert made.description["params"] == {"q": "{query}", "author": "me", "keyword": "b", "sort": "asc"}


# Answers


HIT = {"id": "a", "score": 2.0, "text": "some text"}
OTHER = {"id": "b", "score": 1.0, "text": "more text"}


USUAL = {"id": "id", "score": "score", "text": "text"}
PAIR = {"id": "[0]", "score": "[1]"}


@pytest.mark.parametrize(
    ("answer", "results"),
    [
        ([HIT, OTHER], {"hits": "@", **USUAL}),
        ({"facets": [{"id": n} for n in range(9)], "hits": [HIT, OTHER]}, {"hits": "hits", **USUAL}),
        ({"hits": {"total": 2, "hits": [HIT]}}, {"hits": "hits.hits", **USUAL}),
        ({"response": {"numFound": 2, "docs": [HIT, OTHER]}}, {"hits": "response.docs", **USUAL}),
        ({"results": [[HIT, OTHER]]}, {"hits": "results[0]", **USUAL}),
        ({"results": [{"hits": [HIT, OTHER]}]}, {"hits": "results[].hits[]", **USUAL}),
        ({"groups": [{"n": 1, "hits": [HIT]}, {"n": 2, "hits": [OTHER]}]}, {"hits": "groups[].hits[]", **USUAL}),
        ({"a b": {"x-y": [HIT, OTHER]}}, {"hits": '"a b"."x-y"', **USUAL}),
        ({"ids": ["a", "b"], "scores": [2, 1]}, {"hits": "zip(ids, scores)", **PAIR}),
        ({"scores": {"a": 0.5, "b": 0.7}}, {"hits": "reverse(sort_by(items(scores), &[1]))", **PAIR}),
        ({"hits": [["a", 2.5], ["b", 1.5]]}, {"hits": "hits", **PAIR}),
        ({"hits": ["a", "b"]}, {"hits": "hits", "id": "@"}),
        # answers to two queries have a list with one element for each
        ([[HIT, OTHER], [HIT, OTHER]], {"lists": "@", **USUAL}),
        ({"results": [[HIT], [HIT]]}, {"lists": "results", **USUAL}),
        ({"data": {"answers": [{"hits": [HIT]}] * 2}}, {"lists": "data.answers", "hits": "hits", **USUAL}),
    ],
)
def test_the_list_of_hits_is_found(answer: Any, results: dict[str, Any]):
    assert guess(answer, 2 if "lists" in results else None).results == results


@pytest.mark.parametrize(
    ("hit", "members"),
    [
        ({"_id": "a", "_score": 1.5, "_source": {"title": "T", "body": "long text"}}, {"id": "_id", "score": "_score", "text": "_source.body", "meta": "_source"}),
        ({"document": {"id": "a", "content": "long text"}, "text_match": 12}, {"id": "document.id", "score": "text_match", "text": "document.content", "meta": "document"}),
        ({"id": 7, "relevance": 0.5, "fields": {"body": "long text"}}, {"id": "id", "score": "relevance", "text": "fields.body", "meta": "fields"}),
        ({"objectID": "a", "name": "long text"}, {"id": "objectID", "text": "name"}),
        ({"@search.score": 1.0, "id": "a", "content": "long text"}, {"id": "id", "score": '"@search.score"', "text": "content"}),
        ({"link": "http://a", "position": 1, "snippet": "long text"}, {"id": "link", "text": "snippet"}),
        ({"id": "a", "score": 0.5, "payload": {"text": "long text", "n": 1}}, {"id": "id", "score": "score", "text": "payload.text", "meta": "payload"}),
        ({"id": "a", "score": 0.5, "zusammenfassung": "a long text of many words"}, {"id": "id", "score": "score", "text": "zusammenfassung"}),
    ],
)  # fmt: skip
def test_members_of_hits_are_found_by_name_and_value(hit: dict[str, Any], members: dict[str, Any]):
    assert guess({"hits": [hit]}).results == {"hits": "hits", **members}


def test_a_file_and_a_part_are_an_id_together():
    hits = [{"file": "a", "chunk": n, "score": 1.0 - n, "text": "x y"} for n in range(3)]
    assert guess(hits).results["id"] == ["file", "chunk"]
    assert guess([{**hit, "id": n} for n, hit in enumerate(hits)]).results["id"] == "id"
    assert guess([{**hit, "url": "u"} for hit in hits]).results["id"] == ["file", "chunk"]


def test_a_rank_is_no_part_of_an_id():
    hits = [{"position": n, "title": f"T{n}", "link": f"http://{n}", "snippet": "x y"} for n in (1, 2, 3)]
    assert guess({"organic_results": hits}).results == {"hits": "organic_results", "id": "link", "text": "snippet"}


def test_an_answer_without_hits_has_its_members_and_no_layout():
    for answer in ({"error": {"code": 3}}, {"hits": []}, [], None, 3, "x"):
        assert guess(answer).results == {}
        assert guess(answer, 2).results == {}
    assert guess({"error": {"code": 3}}).keys == ["error.code"]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.sampled_from(["id", "score", "text", "hits", "ids", 'a"b\\', ""]) | st.text(max_size=3), inner, max_size=4),
    max_leaves=25,
)  # fmt: skip


@given(VALUES, st.sampled_from([None, 2]))
def test_what_is_guessed_of_any_answer_is_a_description(answer: Any, queries: int | None):
    found = guess(answer, queries)
    if found.results:
        path = FieldPath(found.results.get("lists", found.results.get("hits")))
        assert isinstance(path.find(answer), list)
        body = {"q": "{query}" if queries is None else "{queries}"}
        text = toml({"body": body, "results": found.results})
        described("m", toml_value(text.encode(), "m"), {}, "m")


TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)


JSON = st.recursive(
    TEXTS | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(TEXTS, JSON, max_size=4))
def test_a_description_comes_back_out_of_its_toml(value: dict[str, Any]):
    assert toml_value(toml({"body": value}).encode(), "m") == {"body": value}
