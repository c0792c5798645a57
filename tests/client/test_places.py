"""Services that are asked in the URL, by a form, or with several fields as an id: what is sent, and what is read."""

import asyncio
import pickle
from typing import Any
from urllib.parse import parse_qsl

import orjson
import pytest
import services
from aiohttp import web
from cases import check_rows, tables
from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from benchbench.client.decode import decode
from benchbench.client.describe import described
from benchbench.client.payload import Located
from benchbench.client.profiles import PROFILES, Profile
from benchbench.client.response_layout import ProtocolError
from benchbench.client.service import Service
from benchbench.client.transport import Attempt, endpoint
from benchbench.errors import InputError
from benchbench.tables.hashing import NO_HASH
from benchbench.tables.hits import Hits
from benchbench.tables.labels import NO_LABELS, Vocabulary

TABLES = tables(__file__)

SECRET = "s3cr3t-value"
ODD = ["two words", "a+b&c=d", "50% of 1/2?", "#5; \"q\" 'q'", "line\nbreak\ttab", "盗窃罪", "🦊 é", "{query} ${KEY}"]


def mine(environment: dict[str, str] | None = None, **description: Any) -> Profile:
    return described("mine", description, {}, "mine.toml", environment or {})


def asked(described: Profile, *texts: str, url: str = "", answer: services.Answer | None = None) -> Any:
    """Return the requests that a service gets for each text alone, with their bodies, and the last attempt."""
    got: list[Any] = []

    async def take(service: services.Service, request: web.Request, message: Any) -> web.StreamResponse:
        got.append((request, await request.read()))
        return web.json_response([]) if answer is None else await answer(service, request, message)

    async def ask(base: str) -> Attempt:
        async with Service(base + url, described).transport() as transport:
            for text in texts:
                attempt, _ = await transport.post(described.payload([text], 7))
        return attempt

    with services.running(take) as service:
        attempt = asyncio.run(ask(service.url))
    return got, attempt


def read(described: Profile, answer: Any, queries: int = 1) -> Hits:
    return decode(orjson.dumps(answer), [("甲",)] * queries, Vocabulary(), NO_LABELS, described.results)


# What is sent


def test_a_get_carries_the_query_in_its_parameters_and_has_no_body():
    params = {"text": "{query}", "n": "{top_k}", "full": True, "tag": ["a", "b"], "no": None}
    got, _ = asked(mine(path="/q", params=params), *ODD, "")
    assert {(one.method, one.path, body) for one, body in got} == {("GET", "/q", b"")}
    assert [one.query["text"] for one, _ in got] == [*ODD, ""]
    assert list(got[0][0].query.items())[1:] == [("n", "7"), ("full", "true"), ("tag", "a"), ("tag", "b")]
    assert not {"Content-Type", "Content-Length"} & set(got[0][0].headers)


@pytest.mark.parametrize(("path", "end"), [("/v 1/{query}?n={top_k}", ""), ("/v%201/{query}/?n={top_k}", "/")])
def test_a_query_in_the_path_is_one_name_of_it(path: str, end: str):
    texts = [text for text in ODD if "\n" not in text]  # the service's own router has no use for that
    got, _ = asked(mine(path=path), *texts)
    assert [one.match_info["path"] for one, _ in got] == [f"v 1/{text}{end}" for text in texts]
    assert {tuple(one.query.items()) for one, _ in got} == {(("n", "7"),)}
    assert got[2][0].raw_path == f"/v%201/50%25%20of%201%2F2%3F{end}?n=7"


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_a_form_is_sent_as_browsers_send_it(method: str):
    got, _ = asked(mine(path="/f", method=method, form={"q": "{query}", "size": "{top_k}", "lang": ["en", "fr"]}), *ODD)
    for (one, body), text in zip(got, ODD, strict=True):
        assert (one.method, one.content_type) == (method, "application/x-www-form-urlencoded")
        pairs = parse_qsl(body.decode(), keep_blank_values=True)
        assert pairs == [("q", text), ("size", "7"), ("lang", "en"), ("lang", "fr")]


def test_a_url_alone_may_have_parameters():
    got, _ = asked(mine(path="", params={"q": "{query}"}), "a b", url="/any/thing?lang=en")
    assert got[0][0].raw_path == "/any/thing?lang=en&q=a%20b"


def test_a_form_may_carry_a_batch():
    form = mine(form={"q": "{queries}"})
    assert form.payload(["a b", "c&d"], 3) == b"q=a+b&q=c%26d"
    form.check_batch_size(32)


ANY = st.text(st.characters(codec="utf-8"))
PLAIN = st.text(st.characters(codec="utf-8", exclude_characters="{"))


@given(ANY, PLAIN, PLAIN)
def test_any_text_comes_back_out_of_the_url(text: str, name: str, constant: str):
    described = mine(path="/p", params={"q": "{query}", f"n{name}": f"{constant}!"})
    payload = described.payload([text], 1)
    assert isinstance(payload, Located)
    sent = URL(payload.url(str(endpoint("http://h", described.path, described.placed))), encoded=True)
    assert list(sent.query.items()) == [("q", text), (f"n{name}", f"{constant}!")]


def test_a_get_may_have_a_body_and_a_post_none():
    got, _ = asked(mine(method="GET", path="/_search", body={"q": "{query}"}), "a")
    assert (got[0][0].method, got[0][0].content_type, got[0][1]) == ("GET", "application/json", b'{"q":"a"}')
    got, _ = asked(mine(method="POST", params={"q": "{query}"}), "a")
    assert (got[0][0].method, got[0][1], "Content-Type" in got[0][0].headers) == ("POST", b"", False)
    got, _ = asked(mine(params={"q": "{query}"}, body={"rerank": True}), "a")
    assert (got[0][0].method, got[0][0].query["q"], got[0][1]) == ("POST", "a", b'{"rerank":true}')


def test_a_query_that_is_too_long_for_a_url_is_a_failure_as_any_other():
    got, attempt = asked(mine(params={"q": "{query}"}), "长" * 20_000)
    assert got == []
    assert (attempt.status, attempt.broken) == (400, False)
    assert attempt.error.startswith("HTTP 400")
    assert len(attempt.error) < 300


def test_a_query_in_the_url_is_sent_alone():
    for one in (mine(path="/{query}"), mine(params={"q": "{query}"}), mine(form={"q": "{query}"})):
        assert one.one_query
        with pytest.raises(InputError, match=r"^--protocol mine asks one query per request: use --batch-size 1"):
            one.check_batch_size(32)


# Where it is sent


def test_a_url_and_a_path_are_joined_as_a_person_means_it():
    def check(url: str, path: str, target: str) -> None:
        encoded = described("m", {"path": path, "body": {"q": "{queries}"}}, {}, "m") if "{" not in path else None
        if encoded is not None:
            assert str(endpoint(url, encoded.path, encoded.placed)) == target
        else:
            one = mine(path=path)
            assert str(endpoint(url, one.path, one.placed)) == target

    check_rows(check, TABLES["joined"])


def test_a_redirect_that_is_about_a_slash_says_so():
    async def slash(service: services.Service, request: web.Request, message: Any) -> web.Response:
        raise web.HTTPTemporaryRedirect(f"{request.path}/?{request.query_string}")

    got, attempt = asked(mine(path="/q", params={"text": "{query}"}), "a", answer=slash)
    assert len(got) == 1
    assert (
        "which sends to /q/?text=a; give the URL or the path of the protocol with a slash at its end" in attempt.error
    )
    _, other = asked(mine(path="/q", params={"text": "{query}"}), "a", answer=services.status(307, Location="/login"))
    assert other.error.endswith("which sends to /login")


# Secrets


async def repeated(service: services.Service, request: web.Request, message: Any) -> web.Response:
    """Fail, and send back what was got, as a careless service does."""
    text = f"{request.url} {request.query_string} {request.headers.get('X-Key')} {await request.text()}"
    return web.Response(status=400, text=text)


@pytest.mark.parametrize(
    "description",
    [
        {"params": {"q": "{query}", "key": "${SEARCH_KEY}"}},
        {"params": {"q": "{query}", "filter": "k:${SEARCH_KEY}"}},
        {"path": "/v1/${SEARCH_KEY}/search?q={query}"},
        {"path": "/search?q={query}&key=${SEARCH_KEY}"},
        {"form": {"q": "{query}", "key": "${SEARCH_KEY}"}},
        {"body": {"q": "{query}", "login": {"key": "${SEARCH_KEY}"}}},
        {"body": {"q": "{each}"}, "each": {"q": "{query}", "key": "${SEARCH_KEY}"}},
        {"lines": [{"key": "${SEARCH_KEY}"}, {"q": "{query}"}]},
        {"params": {"q": "{query}"}, "headers": {"X-Key": "${SEARCH_KEY}"}},
        {"params": {"q": "{query}", "api_key": SECRET}},
        {"form": {"q": "{query}", "password": SECRET}},
    ],
)
def test_a_secret_of_a_description_is_sent_and_shown_nowhere(description: dict[str, Any]):
    described = mine({"SEARCH_KEY": SECRET}, **description)
    got, attempt = asked(described, "a", answer=repeated)
    request, body = got[0]
    assert SECRET in f"{request.url} {request.headers} {body.decode()}"
    assert "[hidden]" in attempt.error
    service = Service("http://h:1", described)
    literal = SECRET in str(description)
    for shown in (attempt.error, str(service), repr(service.shown()), "" if literal else repr(described)):
        assert SECRET not in shown


def test_a_constant_that_is_no_secret_is_left_in_messages():
    described = mine(params={"q": "{query}", "index": "cases", "mode": "hybrid"})
    _, attempt = asked(described, "a", answer=services.status(404, "no index cases in mode hybrid"))
    assert attempt.error.endswith("/batch_search: no index cases in mode hybrid")


def test_a_variable_is_text_and_never_a_place():
    described = mine({"KEY": "{query} {top_k}"}, body={"q": "{query}", "key": "${KEY}", "in": "<${KEY}>"})
    assert described.request(["a"], 3) == {"q": "a", "key": "{query} {top_k}", "in": "<{query} {top_k}>"}


# What is read


def test_an_id_may_be_made_of_several_fields():
    described = mine(params={"q": "{query}"}, results={"hits": "@", "id": ["file", "part.n"]})
    hits = [
        {"file": "a.pdf", "part": {"n": 3}, "score": 1, "text": "甲"},
        {"file": "a.pdf", "score": 1, "text": "甲"},
        {"file": "", "part": {"n": 0}, "score": 1},
        {"file": True, "part": {"n": 0}, "score": 1},
        {"part": {"n": None}, "score": 1, "text": "甲"},
    ]
    found = read(described, hits)
    assert found.ids == ["a.pdf#3", None, None]
    assert found.faults == {"dropped_hits": 2, "malformed_ids": 1}


def test_the_fields_of_an_id_are_joined_by_what_is_said():
    described = mine(params={"q": "{query}"}, results={"hits": "@", "id": ["a", "b", "c"], "id_separator": ":"})
    assert read(described, [{"a": "x", "b": 1, "c": "y"}]).ids == ["x:1:y"]
    assert read(pickle.loads(pickle.dumps(described)), [{"a": "x", "b": 1, "c": "y"}]).ids == ["x:1:y"]


def test_hits_are_found_wherever_real_services_put_them():
    def check(description: dict[str, Any], answer: Any) -> None:
        hits = read(mine(params={"q": "{query}"}, **description), answer)
        assert (hits.ids, hits.score.tolist(), hits.text.tolist()) == (["a", "b"], [2.0, 1.0], [NO_HASH] * 2)
        assert hits.faults == {"without_text": 2}

    check_rows(check, [({"results": results}, answer) for results, answer in TABLES["hits"]])
    check_rows(check, [({}, answer) for answer in TABLES["usual_hits"]])


def test_parallel_lists_may_answer_a_batch():
    described = mine(
        body={"q": "{queries}"}, results={"lists": "zip(ids, distances)", "hits": "zip([0], [1])", "id": "[0]"}
    )
    hits = read(described, {"ids": [["a", "b"], []], "distances": [[0.1, 0.2], []]}, 2)
    assert (hits.ids, hits.counts.tolist()) == (["a", "b"], [2, 0])


@pytest.mark.parametrize("answer", [{"results": []}, [], {"hits": []}, {"root": {}}])
def test_no_hit_is_an_answer_too(answer: Any):
    results = {"results": {"hits": "root.children || `[]`"}} if "root" in answer else {}
    assert read(mine(params={"q": "{query}"}, **results), answer).counts.tolist() == [0]


@pytest.mark.parametrize("answer", [{"error": "no"}, {"hits": {"total": 1}}, 3, "x", None])
def test_an_answer_to_one_query_without_a_list_is_a_protocol_error(answer: Any):
    with pytest.raises(ProtocolError, match=r"^result 1 of 1 has no list of hits"):
        read(mine(params={"q": "{query}"}), answer)


def test_the_built_in_protocols_carry_bodies_to_one_url():
    assert {type(one.payload(["a"], 1)) for one in PROFILES.values()} == {bytes}
