"""Services of other makes, against the recorded shapes of their documented APIs."""

import asyncio
import json
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import jmespath
import orjson
import pytest
import services
from aiohttp import web
from cases import check_rows, tables
from client.answers import BODIES, ONE_FAILED
from client.protocol_table import PAGE, missing_from_table
from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from benchbench.client.decode import decode
from benchbench.client.descriptions import described as described_profile
from benchbench.client.descriptions import profile
from benchbench.client.document_pages import PageRequest
from benchbench.client.jmespath_fields import FieldPath
from benchbench.client.messages import FIELDS, MAX_QUERIES, MAX_TOP_K, PATH, BatchSearch, SingleSearch
from benchbench.client.messages import read as read_request
from benchbench.client.payload import Located
from benchbench.client.profiles import Profile
from benchbench.client.protocols import BUILT_IN, file_of
from benchbench.client.response_layout import ProtocolError
from benchbench.client.service import Service
from benchbench.client.templates import NOTHING, fill, inner_places, places
from benchbench.client.transport import Attempt, endpoint
from benchbench.errors import InputError
from benchbench.tables.hashing import NO_HASH, text_hash
from benchbench.tables.hits import Hits
from benchbench.tables.labels import MISSING, NO_LABELS, Kind, Label, LabelSchema, Vocabulary
from benchbench.tables.strings import Strings

TABLES = tables(__file__)


DESCRIBED = ("elasticsearch", "qdrant", "azure-ai-search")  # built in; opensearch is as the first


EXAMPLES: dict[str, str] = {
    **dict(re.findall(r"`([\w-]+\.(?:toml|json))`[^\n]*\n\n```\w+\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)),
    **{file.name: file.read_text("utf-8") for file in (PAGE.parent / "examples" / "protocols").iterdir()},
    **{f"{name}.toml": file_of(name).read_text("utf-8") for name in DESCRIBED},
}


OPTIONS = {
    "elasticsearch.toml": {"index": "cases"},
    "qdrant.toml": {"collection": "cases", "model": "qdrant/bm25"},
    "azure-ai-search.toml": {"index": "cases"},
    "meilisearch.json": {"index": "cases"},
}


def sets_at(*paths: str) -> LabelSchema:
    """Return a schema of sets, each of a hit's member or of one inside another (`meta.brand`)."""
    return LabelSchema(tuple(Label(path, Kind.SET, (), (tuple(path.split(".")),)) for path in paths))


def read(
    described: Profile,
    answer: Any,
    queries: int,
    labels: Vocabulary | None = None,
    schema: LabelSchema = NO_LABELS,
) -> Hits:
    text_prefixes = [("甲", "乙", "丙")] * queries
    return decode(
        orjson.dumps(answer), text_prefixes, Vocabulary() if labels is None else labels, schema, described.results
    )


@pytest.fixture(params=sorted(EXAMPLES))
def example(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Profile]:
    monkeypatch.setenv("SEARCH_KEY", "k3y")
    file = tmp_path / request.param
    file.write_text(EXAMPLES[request.param], encoding="utf-8")
    return request.param, profile(str(file), OPTIONS.get(request.param))


def test_opensearch_is_described_as_elasticsearch_is():
    assert file_of("opensearch").read_text("utf-8") == EXAMPLES["elasticsearch.toml"]


def test_each_answer_has_its_example_on_the_page_beside_it_or_built_in():
    assert set(EXAMPLES) == set(BODIES)


def test_every_example_reads_the_answer_of_its_service(example: tuple[str, Profile]):
    name, described = example
    labels = Vocabulary()
    paths = (("accusation",), ("meta", "accusation"))
    schema = LabelSchema((Label("accusation", Kind.SET, (), paths),))
    bodies = BODIES[name]
    parts = [read(described, body, 2 // len(bodies), labels, schema) for body in bodies]
    hits = Hits.joined(parts)
    assert hits.counts.tolist() == [2, 1]
    assert hits.ids == ["c1", "c2", "c3"]
    assert hits.score.tolist() == [1.5, 0.5, 2.0]
    assert hits.text.tolist() == [text_hash(text) for text in "甲乙丙"]
    assert labels.sets() == [frozenset({"盗窃"})]
    assert [column.tolist() for column in hits.labels] == [[0, MISSING, MISSING]]
    assert hits.faults == {}


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_table_of_the_page_has_each_built_in_protocol_as_it_is(name: str):
    assert missing_from_table(file_of(name)) == []


# Requests


def test_elasticsearch_is_asked_with_a_line_of_options_and_a_line_of_query_each():
    described = profile("elasticsearch", {"index": "cases", "text_field": "body"})
    assert (described.method, described.path) == ("POST", "/cases/_msearch")
    assert described.media_type == "application/x-ndjson"
    assert described.payload(["甲\n乙", "丙"], 5).decode() == (
        '{}\n{"query":{"match":{"body":"甲\\n乙"}},"size":5,"track_total_hits":false}\n'
        '{}\n{"query":{"match":{"body":"丙"}},"size":5,"track_total_hits":false}\n'
    )


def test_qdrant_is_asked_for_a_batch_of_documents():
    described = profile("qdrant", {"collection": "cases", "model": "qdrant/bm25", "using": "sparse"})
    assert described.path == "/collections/cases/points/query/batch"
    queries = [{"text": text, "model": "qdrant/bm25"} for text in "甲乙"]
    assert json.loads(described.payload(["甲", "乙"], 3))["searches"] == [
        {"query": query, "using": "sparse", "limit": 3, "with_payload": True} for query in queries
    ]
    assert (
        "using" not in json.loads(profile("qdrant", {"collection": "c", "model": "m"}).payload(["a"], 3))["searches"][0]
    )


def test_azure_is_asked_one_query_a_request():
    described = profile("azure-ai-search", {"index": "cases"})
    assert described.path == "/indexes/cases/docs/search?api-version=2024-07-01"
    assert json.loads(described.payload(["甲"], 3)) == {"search": "甲", "top": 3, "queryType": "simple"}
    described.check_batch_size(1)
    with pytest.raises(
        InputError, match=r"^--protocol azure-ai-search asks one query per request: use --batch-size 1, not 32$"
    ):
        described.check_batch_size(32)


@pytest.mark.parametrize("name", ["benchbench", "legal-agent"])
def test_the_fast_profiles_read_the_usual_shapes_without_a_description(name: str):
    ours = profile(name)
    assert (ours.results, ours.path) == (None, PATH)
    assert type(ours.payload(["a"], 1)) is bytes  # and carry bodies to one URL


def test_a_name_that_has_no_place_in_a_path_is_escaped():
    assert profile("elasticsearch", {"index": "a b?c#d,e*"}).path == "/a%20b%3Fc%23d,e*/_msearch"


# Answers

NO_LISTS = r"^(there is no list of result lists|0 result lists)"


@pytest.mark.parametrize(
    ("answer", "queries", "reason"),
    [
        (ONE_FAILED, 2, r"^result 2 of 2 has no list of hits: .*no such index \[cases\]"),
        (BODIES["elasticsearch.toml"][0], 1, "^2 result lists for 1 queries$"),
        (BODIES["elasticsearch.toml"][0], 3, "^2 result lists for 3 queries$"),
        *(
            (answer, 2, NO_LISTS)
            for answer in (None, [], {"error": "no"}, {"responses": None}, {"responses": {"a": []}}, 7)
        ),
    ],
)
def test_an_answer_that_is_not_as_described_is_a_protocol_error(answer: Any, queries: int, reason: str):
    with pytest.raises(ProtocolError, match=reason):
        read(profile("elasticsearch", {"index": "cases"}), answer, queries)


def described(tmp_path: Path, text: str, **options: str) -> Profile:
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    return profile(str(file), options)


def test_hits_that_are_bare_ids_can_be_described(tmp_path: Path):
    mine = described(tmp_path, 'body = {q = "{queries}"}\nresults = {lists = "ids", id = "@"}')
    hits = read(mine, {"ids": [["a", 7, "", None, True], []]}, 2)
    assert (hits.counts.tolist(), hits.ids, hits.text.tolist()) == ([2, 0], ["a", "7"], [NO_HASH] * 2)
    assert hits.faults == {"dropped_hits": 3, "missing_scores": 2, "without_text": 2}


def test_a_described_member_is_looked_for_nowhere_else(tmp_path: Path):
    mine = described(tmp_path, 'body = {q = "{queries}"}\nresults = {lists = "@", id = "uuid", score = "s"}')
    hits = read(mine, [[{"uuid": "a", "id": "wrong", "text": "甲"}, {"id": "wrong", "score": 1, "text": "乙"}]], 1)
    assert (hits.ids, hits.text.tolist()) == (["a", None], [text_hash("甲"), text_hash("乙")])
    assert hits.faults == {"missing_scores": 2}


def sets(described: Profile, hit: Any, *paths: str) -> list[set[str] | None]:
    """Return the labels of a hit."""
    labels = Vocabulary()
    columns = read(described, [[{"id": "a", "score": 1, "text": "甲"} | hit]], 1, labels, sets_at(*paths)).labels
    return [None if code == MISSING else set(labels.sets()[int(code)]) for (code,) in columns]


def test_any_other_name_under_results_is_a_member_in_which_labels_are(tmp_path: Path):
    mine = described(
        tmp_path,
        OK + 'results = {lists = "@", brand = "product.brand", first = "tags[].name", count = "n"}',
    )
    hit = {"product": {"brand": "A", "line": "L"}, "tags": [{"name": "x"}, {"name": "y"}], "brand": "own"}
    assert sets(mine, hit, "brand", "first", "count", "product.line") == [{"A"}, {"x", "y"}, None, {"L"}]


@pytest.mark.parametrize("results", ['lists = "@"', 'lists = "@", id = "id", score = "score", text = "text"'])
def test_a_hit_keeps_its_own_members_for_labels(tmp_path: Path, results: str):
    mine = described(tmp_path, f'body = {{q = "{{queries}}"}}\nresults = {{{results}}}')
    hit = {"meta": {"brand": "A", "sentence": 7}, "brand": ["B", "C"], "sentence": "D", "deep": {"er": {"e": 1.0}}}
    found = sets(mine, hit, "meta.brand", "brand", "sentence", "deep.er.e", "meta.sentence", "meta.nowhere")
    assert found == [{"A"}, {"B", "C"}, {"D"}, {"1"}, {"7"}, None]


def test_a_described_meta_is_where_labels_in_meta_are(tmp_path: Path):
    mine = described(tmp_path, 'body = {q = "{queries}"}\nresults = {lists = "@", meta = "payload"}')
    hit = {"payload": {"brand": "A"}, "meta": {"brand": "B", "other": "C"}}
    assert sets(mine, hit, "meta.brand", "payload.brand", "meta.other") == [{"A"}, {"A"}, None]


def test_hits_that_are_no_objects_have_the_described_members_only(tmp_path: Path):
    mine = described(tmp_path, 'body = {q = "{queries}"}\nresults = {lists = "@", id = "[0]", brand = "[1]"}')
    labels = Vocabulary()
    hits = read(mine, [[["a", "A"], ["b"]]], 1, labels, sets_at("brand", "meta.brand"))
    assert [column.tolist() for column in hits.labels] == [[0, MISSING], [MISSING] * 2]
    assert (hits.ids, labels.sets()) == (["a", "b"], [frozenset({"A"})])


def test_a_description_of_the_request_alone_reads_the_usual_shapes(tmp_path: Path):
    mine = described(tmp_path, 'path = "/s"\nbody = {q = "{queries}", n = "{top_k}"}')
    assert mine.request(["a"], 3) == {"q": ["a"], "n": 3}
    assert read(mine, [[{"fact_id": 7, "score": 1, "fact": "甲"}]], 1).ids == ["7"]


# Bad descriptions

OK = 'body = {q = "{queries}"}\n'


RESULTS = [(f"{request}results = {{{results}}}", reason) for request, results, reason in TABLES["bad_results"]]


@pytest.mark.parametrize(("text", "reason"), [*TABLES["bad_requests"].items(), *RESULTS])
def test_a_bad_description_is_one_sentence_with_its_file_and_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, reason: str
):
    monkeypatch.delenv("UNSET", raising=False)
    with pytest.raises(InputError) as refused:
        described(tmp_path, text)
    message = str(refused.value)
    assert message.startswith(f"{tmp_path / 'mine.toml'}: {reason}")
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "reason"), [("{", r", line 1, column 2: not JSON \("), ("[]", ": is not a table of keys")]
)
def test_a_bad_json_description_is_one_sentence_too(tmp_path: Path, text: str, reason: str):
    file = tmp_path / "mine.json"
    file.write_text(text)
    with pytest.raises(InputError, match=f"^{re.escape(str(file))}{reason}"):
        profile(str(file))


def test_an_unknown_protocol_is_refused_with_what_there_is():
    with pytest.raises(
        InputError, match=r"^--protocol solr is neither built in \(azure-ai-search, benchbench, .*\.json$"
    ):
        profile("solr")


def test_a_missing_description_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match=r"x\.toml cannot be read: File name too long$"):
        profile(f"{'x' * 300}.toml")
    with pytest.raises(InputError, match=r"no\.toml: there is no such file$"):
        profile(str(tmp_path / "no.toml"))


@pytest.mark.parametrize(
    ("name", "given", "reason"),
    [
        ("benchbench", {"index": "a"}, "-option index: benchbench has no such option; it has none"),
        ("elasticsearch", {}, " elasticsearch: {index} has no value; give --protocol-option index=VALUE"),
        ("elasticsearch", {"index": "a", "indx": "b"},
         "-option indx: elasticsearch has no such option; it has index, text_field"),
    ],
)  # fmt: skip
def test_an_option_that_cannot_be_is_refused(name: str, given: dict[str, str], reason: str):
    with pytest.raises(InputError, match="^--protocol" + re.escape(reason) + "$"):
        profile(name, given)


WITH_OPTION = 'body = {{q = "{{queries}}", x = "{{x}}"}}\noptions = {{x = {}}}'


@pytest.mark.parametrize(("default", "given", "value"), [("3", "4", 4), ("0.5", "2", 2.0), ("true", "false", False)])
def test_an_option_has_the_type_of_its_default(tmp_path: Path, default: str, given: str, value: Any):
    assert described(tmp_path, WITH_OPTION.format(default), x=given).request([], 1) == {"q": [], "x": value}
    with pytest.raises(InputError, match=r"^--protocol-option x(: 'odd' is not true| is a .*, and not 'odd'$)"):
        described(tmp_path, WITH_OPTION.format(default), x="odd")


@pytest.mark.parametrize(
    ("default", "given"),
    [
        *(("3", one) for one in ("1e3", str(2**64), "４", "9" * 5000)),
        *(("0.5", one) for one in ("nan", "-inf", "1e400")),
    ],
)
def test_an_option_that_no_request_can_carry_is_refused(tmp_path: Path, default: str, given: str):
    with pytest.raises(InputError, match=r"^--protocol-option x is a .*number from .*, and not "):
        described(tmp_path, WITH_OPTION.format(default), x=given)


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e400", str(2**64), str(-(2**63) - 1)])
@pytest.mark.parametrize(
    ("text", "name"), [('body = {{q = "{{queries}}", deep = [{{x = {}}}]}}', "body.deep.x"), (WITH_OPTION, "options.x")]
)
def test_numbers_that_no_request_can_carry_are_refused_in_a_description(
    tmp_path: Path, number: str, text: str, name: str
):
    with pytest.raises(InputError, match=rf"mine\.toml: {re.escape(name)} is a .*number from .*, and not "):
        described(tmp_path, text.format(number))


# Services that are asked in the URL, by a form, or with several fields as an id: what is sent, and what is read

PLACES_TABLES = tables(__file__, "places")


SECRET = "s3cr3t-value"


ODD = ["two words", "a+b&c=d", "50% of 1/2?", "#5; \"q\" 'q'", "line\nbreak\ttab", "盗窃罪", "🦊 é", "{query} ${KEY}"]


def mine(environment: dict[str, str] | None = None, **description: Any) -> Profile:
    return described_profile("mine", description, {}, "mine.toml", environment or {})


def asked(described_profile: Profile, *texts: str, url: str = "", answer: services.Answer | None = None) -> Any:
    """Return the requests that a service gets for each text alone, with their bodies, and the last attempt."""
    got: list[Any] = []

    async def take(service: services.Service, request: web.Request, message: Any) -> web.StreamResponse:
        got.append((request, await request.read()))
        return web.json_response([]) if answer is None else await answer(service, request, message)

    async def ask(base: str) -> Attempt:
        async with Service(base + url, described_profile).transport() as transport:
            for text in texts:
                attempt, _ = await transport.post(described_profile.payload([text], 7))
        return attempt

    with services.running(take) as service:
        attempt = asyncio.run(ask(service.url))
    return got, attempt


def places_read(described_profile: Profile, answer: Any, queries: int = 1) -> Hits:
    return decode(orjson.dumps(answer), [("甲",)] * queries, Vocabulary(), NO_LABELS, described_profile.results)


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
    described_profile = mine(path="/p", params={"q": "{query}", f"n{name}": f"{constant}!"})
    payload = described_profile.payload([text], 1)
    assert isinstance(payload, Located)
    sent = URL(payload.url(str(endpoint("http://h", described_profile.path, described_profile.placed))), encoded=True)
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
        encoded = (
            described_profile("m", {"path": path, "body": {"q": "{queries}"}}, {}, "m") if "{" not in path else None
        )
        if encoded is not None:
            assert str(endpoint(url, encoded.path, encoded.placed)) == target
        else:
            one = mine(path=path)
            assert str(endpoint(url, one.path, one.placed)) == target

    check_rows(check, PLACES_TABLES["joined"])


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
    described_profile = mine({"SEARCH_KEY": SECRET}, **description)
    got, attempt = asked(described_profile, "a", answer=repeated)
    request, body = got[0]
    assert SECRET in f"{request.url} {request.headers} {body.decode()}"
    assert "[hidden]" in attempt.error
    service = Service("http://h:1", described_profile)
    literal = SECRET in str(description)
    for shown in (attempt.error, str(service), repr(service.shown()), "" if literal else repr(described_profile)):
        assert SECRET not in shown


def test_a_constant_that_is_no_secret_is_left_in_messages():
    described_profile = mine(params={"q": "{query}", "index": "cases", "mode": "hybrid"})
    _, attempt = asked(described_profile, "a", answer=services.status(404, "no index cases in mode hybrid"))
    assert attempt.error.endswith("/batch_search: no index cases in mode hybrid")


def test_a_variable_is_text_and_never_a_place():
    described_profile = mine({"KEY": "{query} {top_k}"}, body={"q": "{query}", "key": "${KEY}", "in": "<${KEY}>"})
    assert described_profile.request(["a"], 3) == {"q": "a", "key": "{query} {top_k}", "in": "<{query} {top_k}>"}


# What is read


def test_an_id_may_be_made_of_several_fields():
    described_profile = mine(params={"q": "{query}"}, results={"hits": "@", "id": ["file", "part.n"]})
    hits = [
        {"file": "a.pdf", "part": {"n": 3}, "score": 1, "text": "甲"},
        {"file": "a.pdf", "score": 1, "text": "甲"},
        {"file": "", "part": {"n": 0}, "score": 1},
        {"file": True, "part": {"n": 0}, "score": 1},
        {"part": {"n": None}, "score": 1, "text": "甲"},
    ]
    found = places_read(described_profile, hits)
    assert found.ids == ["a.pdf#3", None, None]
    assert found.faults == {"dropped_hits": 2, "malformed_ids": 1}


def test_the_fields_of_an_id_are_joined_by_what_is_said():
    described_profile = mine(params={"q": "{query}"}, results={"hits": "@", "id": ["a", "b", "c"], "id_separator": ":"})
    assert places_read(described_profile, [{"a": "x", "b": 1, "c": "y"}]).ids == ["x:1:y"]
    assert places_read(pickle.loads(pickle.dumps(described_profile)), [{"a": "x", "b": 1, "c": "y"}]).ids == ["x:1:y"]


def test_hits_are_found_wherever_real_services_put_them():
    def check(description: dict[str, Any], answer: Any) -> None:
        hits = places_read(mine(params={"q": "{query}"}, **description), answer)
        assert (hits.ids, hits.score.tolist(), hits.text.tolist()) == (["a", "b"], [2.0, 1.0], [NO_HASH] * 2)
        assert hits.faults == {"without_text": 2}

    check_rows(check, [({"results": results}, answer) for results, answer in PLACES_TABLES["hits"]])
    check_rows(check, [({}, answer) for answer in PLACES_TABLES["usual_hits"]])


def test_parallel_lists_may_answer_a_batch():
    described_profile = mine(
        body={"q": "{queries}"}, results={"lists": "zip(ids, distances)", "hits": "zip([0], [1])", "id": "[0]"}
    )
    hits = places_read(described_profile, {"ids": [["a", "b"], []], "distances": [[0.1, 0.2], []]}, 2)
    assert (hits.ids, hits.counts.tolist()) == (["a", "b"], [2, 0])


@pytest.mark.parametrize("answer", [{"results": []}, [], {"hits": []}, {"root": {}}])
def test_no_hit_is_an_answer_too(answer: Any):
    results = {"results": {"hits": "root.children || `[]`"}} if "root" in answer else {}
    assert places_read(mine(params={"q": "{query}"}, **results), answer).counts.tolist() == [0]


@pytest.mark.parametrize("answer", [{"error": "no"}, {"hits": {"total": 1}}, 3, "x", None])
def test_an_answer_to_one_query_without_a_list_is_a_protocol_error(answer: Any):
    with pytest.raises(ProtocolError, match=r"^result 1 of 1 has no list of hits"):
        places_read(mine(params={"q": "{query}"}), answer)


# Templates


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


# Jmespath fields

_names = st.sampled_from(["a", "b", "_source", "@search.score", "标题"])


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=3),
    max_leaves=12,
)


@given(_values, st.lists(_names, min_size=1, max_size=3))
def test_a_dotted_path_finds_what_jmespath_finds(value: Any, names: list[str]):
    expression = ".".join(name if name.isidentifier() and name.isascii() else f'"{name}"' for name in names)
    assert repr(FieldPath(expression).find(value)) == repr(jmespath.search(expression, value))


@pytest.mark.parametrize(
    ("expression", "value", "found"),
    [
        ("@", [1], [1]),
        (" a.b ", {"a": {"b": 1}}, 1),
        ("a[*].b", {"a": [{"b": 1}, {"b": 2}]}, [1, 2]),
        ("a[?b > `1`].b | [0]", {"a": [{"b": 1}, {"b": 2}]}, 2),
        ("a || b", {"b": 3}, 3),
        ("to_number(a)", {"a": "4"}, 4),
    ],
)
def test_any_jmespath_expression_is_followed(expression: str, value: Any, found: Any):
    assert FieldPath(expression).find(value) == found


@pytest.mark.parametrize("expression", ["", "a[", "a..b", "a b", "no_such(a)", "a[*].no_such(@)"])
def test_what_is_no_expression_is_refused_before_anything_is_asked(expression: str):
    with pytest.raises(ValueError, match=r"."):
        FieldPath(expression)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("ceil(a)", {"a": float("nan")}),
        ("length(a)", {"a": 1}),
        ("sort_by(a, &b)", {"a": [{"b": 1}, {"b": "x"}]}),
        ("abs(a, a)", {"a": 1}),
        ("a.b", {"a": [1]}),
        ("a[0].b", "a"),
        ("a[0]", None),
    ],
)
def test_data_that_an_expression_does_not_fit_is_nothing_found(expression: str, value: Any):
    assert FieldPath(expression).find(value) is None


def test_a_path_survives_the_way_to_another_process():
    path = pickle.loads(pickle.dumps(FieldPath("a[0].b")))
    assert path == FieldPath("a[0].b")
    assert path.find({"a": [{"b": 1}]}) == 1


@pytest.mark.slow  # a process
def test_jmespath_is_imported_only_for_what_needs_it():
    code = """
import sys
from benchbench.client.descriptions import profile
profile("elasticsearch", {"index": "cases"})
profile("azure-ai-search", {"index": "cases"})
assert "jmespath" not in sys.modules
from benchbench.client.jmespath_fields import FieldPath
FieldPath("a[0]")
assert "jmespath" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


# Messages

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


def test_our_own_request_asks_for_hashes_instead_of_texts():
    assert profile("benchbench").request(["甲", "乙"], 20) == {
        "queries": ["甲", "乙"],
        "top_k": 20,
        "fields": ["id", "score", "text_hash", "meta"],
    }


def test_the_seeds_request_names_its_texts_facts_and_has_nothing_else():
    assert profile("legal-agent").request(["甲"], 5) == {"facts": ["甲"], "top_k": 5}


@given(st.lists(st.text(), min_size=1, max_size=5), st.integers(1, MAX_TOP_K))
def test_what_our_client_asks_our_service_reads(texts: list[str], top_k: int):
    request = read_request(profile("benchbench").request(texts, top_k), BatchSearch)
    assert (request.queries, request.top_k) == (texts, top_k)


def test_a_request_without_options_gets_ten_hits_with_text_and_labels():
    usual = BatchSearch(queries=["a"], top_k=10, fields=("id", "score", "text", "meta"))
    assert read_request({"queries": ["a"]}, BatchSearch) == usual


def test_a_single_search_reads_the_member_query():
    assert read_request({"query": "a", "top_k": 3}, SingleSearch) == SingleSearch(query="a", top_k=3)


QUERIES = "`queries` is a list of 1 to 4,096 texts of at most 1,000,000 characters each, and not "
FIELDS_OF = "`fields` is a list of names among id, score, text, text_hash, meta, and not "
REFUSED = [
    (BatchSearch, ["a"], "not a JSON object"),
    (BatchSearch, {}, "`queries` is missing; its members are none, and /openapi.json describes requests"),
    (
        SingleSearch,
        {"queries": ["a"]},
        "`query` is missing; its members are queries, and /openapi.json describes requests",
    ),
    *((BatchSearch, {"queries": given}, QUERIES) for given in ("a", ["a", 1], [], ["a"] * (MAX_QUERIES + 1))),
    (BatchSearch, {"queries": ["a", "a" * 1_000_001]}, QUERIES),
    *(
        (BatchSearch, {"queries": ["a"], "top_k": given}, "`top_k` is a whole number from 1 to 2,000, and not ")
        for given in (0, MAX_TOP_K + 1, True, 2.0, None)
    ),
    *((BatchSearch, {"queries": ["a"], "fields": given}, FIELDS_OF) for given in ("id", ["vector"], [["id"]])),
    *(
        (kind, {"query": given}, "`query` is a text of at most 1,000,000 characters, and not ")
        for kind in (SingleSearch, PageRequest)
        for given in (3, "a" * 1_000_001)
    ),
    (PageRequest, {"category": []}, "`category` is a category (empty: documents without one), and not []"),
    (PageRequest, {"skip": -1}, "`skip` is a whole number from 0, and not -1"),
    *(
        (PageRequest, {"top": given}, f"`top` is a whole number from 0 to 1,000, and not {given}")
        for given in (1001, True)
    ),
    (PageRequest, {"text": 1}, "`text` is true or false (whether texts come too), and not 1"),
]


@pytest.mark.parametrize(("kind", "message", "reason"), REFUSED)
def test_a_bad_request_is_refused_with_its_reason(kind: type, message: Any, reason: str):
    with pytest.raises(InputError, match="^the body: " + re.escape(reason)):
        read_request(message, kind)


@given(st.fixed_dictionaries({}, optional={"queries": json_values, "top_k": json_values, "fields": json_values}))
def test_whatever_is_asked_is_read_or_refused_with_a_sentence(message: dict):
    try:
        request = read_request(message, BatchSearch)
    except InputError as error:
        refused = str(error)
        assert refused
    else:
        assert 1 <= request.top_k <= MAX_TOP_K
        assert set(request.fields) <= set(FIELDS)


@given(st.lists(st.text(st.characters(), max_size=5), min_size=1, max_size=4), st.integers(1, 100))
def test_texts_in_one_piece_of_memory_are_asked_as_a_list_of_them(texts: list[str], top_k: int):
    asked = profile("benchbench")
    try:
        wanted = asked.payload(texts, top_k)
    except TypeError:  # half a surrogate pair, of which there is no JSON
        with pytest.raises(TypeError):
            asked.payload(Strings(texts), top_k)
    else:
        assert asked.payload(Strings(texts), top_k) == wanted


@pytest.mark.parametrize("body", [{"q": "all of {queries}"}, {"{queries}": 1, "q": "{queries}"}])
def test_texts_within_a_text_or_a_name_are_those_of_the_list(body: dict[str, object]):
    asked = Profile("elsewhere", body=body)
    assert asked.payload(Strings(["a", "é"]), 3) == asked.payload(["a", "é"], 3)
