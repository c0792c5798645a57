# ruff: noqa: E501  # a request, or a hit, is one line
"""Lines of curl as people paste them."""

import base64
import itertools
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import services
from aiohttp import web
from cases import check_each, check_rows, tables
from client.answers import rows
from hypothesis import given
from hypothesis import strategies as st

from benchbench.client.descriptions import described
from benchbench.client.jmespath_fields import FieldPath
from benchbench.client.payload import Located
from benchbench.describe.curl import CurlRequest, parse
from benchbench.describe.guess_hits import guess
from benchbench.describe.guess_request import Draft, draft
from benchbench.describe.shell_words import split
from benchbench.describe.toml_lines import toml
from benchbench.errors import InputError
from benchbench.tables.text_files import toml_value

TABLES = tables(__file__)


def test_a_line_is_read_as_curl_reads_it():
    def check(row: dict[str, Any]) -> None:
        headers = tuple(map(tuple, row["headers"]))
        notes = tuple(row.get("notes", ()))
        assert parse(row["line"]) == CurlRequest(row["method"], row["url"], headers, row["body"], notes)

    check_each(check, rows("curl_lines.jsonl"))


def test_options_that_say_nothing_about_the_request_are_passed_over():
    got = parse("curl -sSL --compressed -o out -m 5 --retry 3 --http2 -A x --no-buffer http://h/ -k")
    assert (got.method, got.url, got.headers, len(got.notes)) == ("GET", "http://h/", (), 1)


def test_a_file_that_is_not_there_is_one_sentence():
    with pytest.raises(InputError, match=r"^--from-curl: there is no file no/such/file to read data from$"):
        parse("curl http://h -d @no/such/file", lambda name: True)


def test_data_of_a_file_is_read(tmp_path: Path):
    file = tmp_path / "q.json"
    file.write_text('{"q":\n "a b"}\n')
    asked: list[str] = []

    def read(line: str) -> CurlRequest:
        return parse(line, lambda name: asked.append(name) or True)

    assert read(f"curl h -d @{file}").body == '{"q": "a b"}'
    assert read(f"curl h --data-binary @{file}").body == '{"q":\n "a b"}\n'
    assert read(f"curl h --json @{file}").body == '{"q":\n "a b"}\n'
    assert read(f"curl h --data-urlencode q@{file}").body == "q=%7B%22q%22%3A%0A+%22a+b%22%7D%0A"
    assert read(f"curl h --url-query q@{file}").url.startswith("http://h?q=%7B")
    assert asked == [str(file)] * 5
    assert read(f"curl h -d @{file}").notes == (f"the content of the local file {file} was put into the request",)
    assert parse(f"curl h --data-raw @{file}").body == f"@{file}"


def test_headers_of_a_file_are_read_and_their_secrets_become_variables(tmp_path: Path):
    file = tmp_path / "headers"
    file.write_text("Authorization: Bearer k3y-s3cr3t-value\nX-Tenant: us\r\n@/etc/passwd\nCookie: session=abc\n")
    request = parse(f"curl http://h/q?q=a -H @{file}", lambda name: True)
    assert request.headers == (
        ("Authorization", "Bearer k3y-s3cr3t-value"), ("X-Tenant", "us"), ("Cookie", "session=abc"),
    )  # fmt: skip
    made = draft(request)
    assert made.description["headers"] == {
        "Authorization": "Bearer ${SEARCH_TOKEN}", "X-Tenant": "us", "Cookie": "${SEARCH_COOKIE}",
    }  # fmt: skip


def test_a_file_is_named_and_not_read_where_nobody_allows_it():
    def check_case(option: str, name: str) -> None:
        with pytest.raises(InputError) as refused:
            parse(f"curl http://h/q {option}{name}")
        assert name in str(refused.value)
        assert "root:" not in str(refused.value)

    options = [
        *("-d @", "--data @", "--data-ascii @", "--data-binary @", "--json @", "--data-urlencode @"),
        *("--data-urlencode q@", "--url-query q@", "-H @", "--header @", "-G -d a=b -d @", "-K ", "--config "),
        *("-b ", "--cookie ", "--netrc-file ", "-T ", "--url @"),
    ]
    check_rows(check_case, itertools.product(options, ["/etc/passwd", "no/such/file"]))


@pytest.mark.parametrize("option", ["-n", "--netrc", "--netrc-optional", "--netrc-file x"])
def test_a_file_of_passwords_is_refused_whatever_is_allowed(option: str):
    with pytest.raises(InputError, match=r"a user and a password from .* write -u 'USER:PASSWORD' in its place"):
        parse(f"curl http://h/q?q=a {option}", lambda name: True)


def test_a_line_that_cannot_be_is_one_sentence():
    def check_case(line: str, reason: str) -> None:
        with pytest.raises(InputError) as refused:
            parse(line)
        whole = reason.startswith(("--from-curl ", "the curl line "))
        assert str(refused.value).startswith(reason if whole else f"--from-curl: {reason}")
        assert "\n" not in str(refused.value)

    check_rows(check_case, TABLES["refused"].items())


def test_a_host_in_a_variable_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BASE", "https://h:9200")
    assert parse("curl $BASE/q?a=$KEY").url == "https://h:9200/q?a=${KEY}"


WORDS = st.text(
    st.characters(codec="utf-8", exclude_characters="\0`") | st.sampled_from("'\"\\$^ \n{}&|;=@%"), max_size=12
)


PARTS = st.sampled_from(
    ["curl", "-H", "-d", "-X", "POST", "--data-raw", "--json", "-G", "-u", "-b", "-F", "--url", "http://h/q?a=b&q=c",
     "'{\"query\": \"x\", \"k\": 3}'", "\\\n", "^\n", "$'a\\'b\\u4f60'", "'A: b'", '"$KEY"', "a=b", "@", "--",
     "-", "^\""]
)  # fmt: skip


@given(st.lists(PARTS | WORDS, max_size=8).map(" ".join))
def test_whatever_stands_there_is_read_or_refused_in_one_sentence(line: str):
    for text in (line, f"curl http://h/?q=a {line}", f"curl {line}"):
        try:
            draft(parse(text))
        except InputError as error:
            assert str(error).isprintable()  # noqa: PT017


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash, whose words are the measure")
@given(st.lists(st.text("ab'\"\\ \n{}:?", max_size=8), min_size=1, max_size=4))
def test_quoted_words_are_those_of_bash(words: list[str]):
    quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
    assert split(quoted) == words
    doubled = " ".join('"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"' for word in words)
    done = subprocess.run(["bash", "-c", f"printf '%s\\0' {doubled}"], capture_output=True, check=True)
    assert split(doubled) == done.stdout.decode().split("\0")[:-1] == words


@pytest.mark.skipif(shutil.which("curl") is None or shutil.which("bash") is None, reason="needs curl and bash")
@pytest.mark.parametrize("line", TABLES["same"])
def test_a_line_asks_what_curl_asks(line: str):
    got: list[Any] = []

    async def take(service: services.Service, request: web.Request, message: Any) -> web.Response:
        got.append((request.method, request.raw_path, dict(request.headers), (await request.read()).decode()))
        return web.Response(text="{}")

    with services.running(take) as service:
        command = line.replace("{{", "{").replace("}}", "}").replace("{url}", service.url)
        subprocess.run(["bash", "-c", command], check=True, capture_output=True)
        read = parse(command)
    method, path, headers, body = got[0]
    assert (read.method, read.body or "") == (method, body)
    assert read.url.lower() == f"{service.url}{path}".lower()  # of escapes such as %2F
    own = {"Host", "User-Agent", "Accept", "Accept-Encoding", "Content-Length", "Content-Type"}
    assert dict(read.headers).items() >= {name: value for name, value in headers.items() if name not in own}.items()


# What is made of a request and of an answer that nobody has described

GUESS_TABLES = tables(__file__, "guess")


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


@pytest.mark.parametrize(("line", "variable"), GUESS_TABLES["secrets"].items())
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


# Lines of curl as documentation and browsers have them: what is made of them is a description that reads back

NAMES = ("NAMESPACE", "PINECONE_API_KEY", "TYPESENSE_API_KEY")


def test_a_line_becomes_a_description_that_reads_back_and_asks_for_the_query(monkeypatch: pytest.MonkeyPatch):
    for variable in ("INDEX_HOST", *NAMES):
        monkeypatch.setenv(variable, "a-value")

    def check(row: dict[str, str]) -> None:
        name, made = row["name"], draft(parse(row["line"]))
        assert (made.query_at, made.top_k_at) == (row["query_at"], row["top_k_at"])
        text = toml(made.description)
        read = toml_value(text.encode(), name)
        assert read == json.loads(json.dumps(made.description))
        assert not [value for value in made.environment.values() if value in text]
        asked = described(name, read, {}, name, {**dict.fromkeys(NAMES, "v"), **made.environment})
        payload = asked.payload(["wanted"], 7)
        is_located = isinstance(payload, Located)
        sent = payload.url(f"http://h{asked.path}") + str(payload.body) if is_located else payload.decode()
        assert "wanted" in sent
        assert not row["top_k_at"] or "7" in sent

    check_each(check, rows("real_lines.jsonl"))
