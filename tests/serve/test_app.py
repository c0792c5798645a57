import asyncio
import io
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import data_sets
import orjson
import pytest
from aiohttp.test_utils import TestClient, TestServer

from benchbench.client.messages import MAX_QUERIES
from benchbench.serve.app import Service
from benchbench.tables.hashing import text_hash

TYPES = {"null": type(None), "object": dict, "array": list, "string": str, "integer": int, "number": (int, float)}


@pytest.fixture
def ask(tmp_path: Path) -> Callable[..., tuple[int, Any]]:
    """A function that sends one request to the service over the tiny collection: status and parsed answer."""
    application = Service(data_sets.collection(data_sets.write(tmp_path))).application

    def ask(method: str, path: str, message: Any = None, body: bytes | None = None) -> tuple[int, Any]:
        async def exchange() -> tuple[int, Any]:
            async with TestClient(TestServer(application())) as client:
                data = io.BytesIO(body if body is not None else orjson.dumps(message))
                headers = {"Content-Type": "application/json"} if method == "POST" else {}
                async with client.request(method, path, data=data, headers=headers) as response:
                    assert response.content_type == "application/json"
                    return response.status, orjson.loads(await response.read())

        return asyncio.run(exchange())

    return ask


def conforms(value: Any, schema: dict[str, Any]) -> bool:
    """Say whether a value has the shape that the service describes; as much of JSON Schema as it uses."""
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    return (
        (not types or any(isinstance(value, TYPES[name]) and not isinstance(value, bool) for name in types))
        and value == schema.get("const", value)
        and value in schema.get("enum", [value])
        and ("pattern" not in schema or re.search(schema["pattern"], value) is not None)
        and (not isinstance(value, dict) or set(schema.get("required", ())) <= value.keys())
        and (not isinstance(value, list) or all(conforms(one, schema.get("items", {})) for one in value))
        and (
            not isinstance(value, dict)
            or all(
                conforms(value[name], shape) for name, shape in schema.get("properties", {}).items() if name in value
            )
        )
    )


def described(document: dict[str, Any], path: str, method: str, status: int) -> dict[str, Any]:
    return document["paths"][path][method]["responses"][str(status)]["content"]["application/json"]["schema"]


QUERY = data_sets.cases()[0]["text"]


def test_a_batch_gets_one_list_a_query_in_their_order_best_first(ask):
    other = data_sets.cases()[7]["text"]
    status, answer = ask("POST", "/batch_search", {"queries": [QUERY, "unknown", other], "top_k": 3})
    assert status == 200
    assert [len(hits) for hits in answer["results"]] == [3, 0, 3]
    assert [answer["results"][q][0]["text"] for q in (0, 2)] == [QUERY, other]
    for hits in answer["results"]:
        scores = [hit["score"] for hit in hits]
        assert scores == sorted(scores, reverse=True)


def test_batching_does_not_matter(ask):
    queries = [case["text"] for case in data_sets.cases()]
    _, together = ask("POST", "/batch_search", {"queries": queries, "top_k": 7})
    alone = [ask("POST", "/batch_search", {"queries": [query], "top_k": 7})[1]["results"][0] for query in queries[:6]]
    assert together["results"][:6] == alone


def test_a_single_search_gets_the_list_of_its_batch(ask):
    _, single = ask("POST", "/search", {"query": QUERY, "top_k": 4})
    _, batch = ask("POST", "/batch_search", {"queries": [QUERY], "top_k": 4})
    assert single["results"] == batch["results"][0]


def test_a_hit_has_the_members_asked_for_and_no_other(ask):
    fields = ["id", "text_hash", "meta"]
    _, answer = ask("POST", "/batch_search", {"queries": [QUERY], "top_k": 1, "fields": fields})
    meta = data_sets.cases()[0]["meta"]
    assert answer["results"] == [[{"id": "c0", "text_hash": f"{text_hash(QUERY):016x}", "meta": meta}]]


def test_documents_are_listed_page_by_page(ask):
    pages = [ask("POST", "/documents", {"skip": skip, "top": 20, "text": False})[1] for skip in (0, 20, 40)]
    assert [page["total"] for page in pages] == [28] * 3
    ids = [one["id"] for page in pages for one in page["documents"]]
    assert ids == [case["_id"] for case in data_sets.cases()]


def test_documents_are_searched_as_a_batch_is(ask):
    _, page = ask("POST", "/documents", {"query": QUERY, "skip": 1, "top": 3})
    _, hits = ask("POST", "/batch_search", {"queries": [QUERY], "top_k": 4})
    found = [(one["id"], one["score"], one["text"]) for one in page["documents"]]
    assert found == [(one["id"], one["score"], one["text"]) for one in hits["results"][0][1:]]


def test_health_says_how_many_documents_there_are(ask):
    assert ask("GET", "/healthz") == (
        200,
        {"status": "ok", "documents": 28, "retriever": "BM25, words and CJK bigrams, k1 1.2, b 0.75"},
    )


@pytest.mark.parametrize(
    ("method", "path", "message"),
    [
        (
            "post",
            "/batch_search",
            {"queries": [QUERY, "unknown"], "fields": ["id", "score", "text", "text_hash", "meta"]},
        ),
        ("post", "/batch_search", {"queries": 3}),
        ("post", "/search", {"query": QUERY}),
        ("post", "/search", {}),
        ("post", "/documents", {"top": 2, "categories": True}),
        ("post", "/documents", {"query": QUERY}),
        ("post", "/documents", {"top": "x"}),
        ("get", "/healthz", None),
    ],
)
def test_answers_have_the_shape_that_the_service_describes(ask, method: str, path: str, message: Any):
    _, document = ask("GET", "/openapi.json")
    status, answer = ask(method.upper(), path, message)
    assert conforms(answer, described(document, path, method, status))


def test_the_described_shape_excludes_something(ask):
    _, document = ask("GET", "/openapi.json")
    shape = described(document, "/batch_search", "post", 200)
    for wrong in ({}, {"results": [{}]}, {"results": [[{"text_hash": "xyz"}]]}, {"results": [[{"score": "1"}]]}):
        assert not conforms(wrong, shape)


@pytest.mark.parametrize(
    ("path", "message", "reason"),
    [
        ("/batch_search", [], "the body is not a JSON object"),
        ("/batch_search", {"facts": ["a"]}, '"queries" is not a list of strings'),
        ("/batch_search", {"queries": []}, f'"queries" has 0 members, not 1 to {MAX_QUERIES}'),
        ("/batch_search", {"queries": ["a"], "top_k": 0}, '"top_k" is not a whole number from 1 to 2000'),
        ("/batch_search", {"queries": ["a"], "fields": ["x"]}, '"fields" is not a list of names among'),
        ("/search", {"queries": ["a"]}, '"query" is not a string'),
        ("/search", {"query": "a" * 1_000_001}, "a query has 1,000,001 characters, more than 1,000,000"),
        ("/documents", {"query": "a" * 1_000_001}, "a query has 1,000,001 characters, more than 1,000,000"),
        ("/documents", {"top": 1001}, '"top" is not a whole number from 0 to 1000'),
    ],
)
def test_a_bad_request_gets_400_and_the_reason(ask, path: str, message: Any, reason: str):
    status, answer = ask("POST", path, message)
    assert status == 400
    assert answer["error"].startswith(reason)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b'{"queries": ["\\ud800"]}', b"[" * 10_000])
def test_a_body_that_is_not_json_gets_400_and_a_reason(ask, body: bytes):
    status, answer = ask("POST", "/batch_search", body=body)
    assert status == 400
    assert answer["error"]


@pytest.mark.parametrize(
    "body",
    [
        b'{"queries": [' + b'"a",' * 400_000 + b'"a"]}',
        b'{"queries": ["a"], "x": [' + b"[]," * 400_000 + b"[]]}",
        b'{"queries": ["a"], "x": [' + b'"\\"",' * 400_000 + b'"a"]}',
        b'"' + b"\\" * (2 << 20),
        b" " * (2 << 20),
    ],
)
def test_a_long_body_of_many_values_is_refused_before_it_is_parsed(ask, body: bytes):
    status, answer = ask("POST", "/batch_search", body=body)
    assert status == 400
    assert answer == {"error": "the body has more values than 4096 queries need"} or body[:1] == b'"'


@pytest.mark.slow  # a megabyte of words
def test_a_long_body_of_few_long_queries_is_answered(ask):
    queries = [f'{QUERY} "quoted" \\ [{{,' * 1500 for _ in range(8)]
    assert len(orjson.dumps(queries)) > 1 << 20
    status, answer = ask("POST", "/batch_search", {"queries": queries, "top_k": 1})
    assert status == 200
    assert [[hit["text"] for hit in hits] for hits in answer["results"]] == [[QUERY]] * 8


def test_an_answer_of_many_pieces_is_that_of_its_queries(ask):
    queries = [case["text"] for case in data_sets.cases()] * 60
    status, together = ask("POST", "/batch_search", {"queries": queries, "top_k": 28})
    assert status == 200
    assert len(orjson.dumps(together)) > 4 << 20
    _, once = ask("POST", "/batch_search", {"queries": queries[:28], "top_k": 28})
    assert together["results"] == once["results"] * 60


def test_a_field_asked_for_twice_is_there_once(ask):
    _, answer = ask("POST", "/search", {"query": QUERY, "top_k": 1, "fields": ["id"] * 1000})
    assert answer == {"results": [{"id": "c0"}]}


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/batch_search", 405), ("POST", "/nowhere", 404)])
def test_a_wrong_path_or_method_gets_its_status_and_a_json_reason(ask, method: str, path: str, status: int):
    assert ask(method, path, {}) == (status, {"error": {404: "Not Found", 405: "Method Not Allowed"}[status]})


def test_requests_at_once_do_not_disturb_each_other(tmp_path: Path):
    service = Service(data_sets.collection(data_sets.write(tmp_path)))
    queries = [case["text"] for case in data_sets.cases()]

    async def ask_all() -> list[str]:
        async with TestClient(TestServer(service.application())) as client:

            async def best(query: str) -> str:
                async with client.post("/search", json={"query": query, "top_k": 1}) as response:
                    return (await response.json())["results"][0]["text"]

            asked: list[Awaitable[str]] = [best(query) for query in queries]
            return await asyncio.gather(*asked)

    assert asyncio.run(ask_all()) == queries
