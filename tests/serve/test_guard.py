"""Who is answered, over real sockets: raw requests, as a page of the web or a careless tool may cause them."""

import asyncio
import itertools

import orjson
import pytest
from aiohttp.test_utils import TestServer
from cases import check_rows, tables

from benchbench.serve.app import Service
from benchbench.tables.collection import Collection

TABLES = tables(__file__)

BODY = orjson.dumps({"query": "text", "queries": ["text"]})
ROUTES = [
    ("POST", "/batch_search"),
    ("POST", "/search"),
    ("POST", "/documents"),
    ("GET", "/healthz"),
    ("GET", "/openapi.json"),
    ("GET", "/nowhere"),
]
JSON = "Content-Type: application/json"
SERVICE = Service(Collection(["a"], ["text"], [{}]))


def ask(*headers: str, method: str = "POST", path: str = "/search", host: str = "127.0.0.1") -> tuple[int, str]:
    """Send one request with these headers to a service that was told to listen on a host: status and reason."""

    async def exchange() -> bytes:
        async with TestServer(SERVICE.application(host)) as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            lines = (f"{method} {path} HTTP/1.1", *headers, "Connection: close", f"Content-Length: {len(BODY)}", "", "")
            writer.write("\r\n".join(lines).encode() + BODY)
            whole = await reader.read()
            writer.close()
            await writer.wait_closed()
            return whole

    head, _, body = asyncio.run(exchange()).partition(b"\r\n\r\n")
    return int(head.split()[1]), orjson.loads(body).get("error", "") if body.startswith(b"{") else body.decode()


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_no_route_answers_under_the_name_of_a_page(method: str, path: str):
    status, reason = ask("Host: evil.example", JSON, method=method, path=path)
    assert status == 421
    assert reason == "the Host of this request is evil.example; this service answers to localhost and 127.0.0.1"


def test_a_service_is_asked_by_the_names_of_its_own_machine():
    def check(name: str, host: str) -> None:
        assert ask(f"Host: {name}", JSON, host=host) == (200, "")

    check_rows(
        check,
        itertools.product(
            TABLES["own"],
            ["127.0.0.1", "localhost", "::1", "search.example", "0.0.0.0"],
        ),
    )


def test_any_other_name_is_refused():
    def check(name: str, host: str) -> None:
        assert ask(f"Host: {name}", JSON, host=host)[0] == 421

    check_rows(
        check,
        itertools.product(
            TABLES["other"],
            ["127.0.0.1", "localhost", "::1", "search.example"],
        ),
    )


@pytest.mark.parametrize("hosts", [(), ("Host: localhost", "Host: localhost")])
def test_a_request_has_one_host(hosts: tuple[str, ...]):
    assert ask(*hosts, JSON)[0] in (400, 421)  # 400 where the parser refuses it first


def test_a_service_answers_to_the_name_that_it_listens_on():
    assert ask("Host: Search.Example.:8000", JSON, host="search.example") == (200, "")
    status, reason = ask("Host: other.example", JSON, host="search.example")
    assert (status, reason.partition(";")[2]) == (421, " this service answers to localhost and search.example")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", ""])
def test_behind_every_address_any_name_is_answered_but_no_page_of_a_name(host: str):
    assert ask("Host: retriever:8000", JSON, host=host) == (200, "")
    assert ask("Host: retriever:8000", "Origin: http://retriever:8000", JSON, host=host)[0] == 403
    assert ask("Host: 10.0.0.1:8000", "Origin: http://10.0.0.1:8000", JSON, host=host) == (200, "")


def test_a_page_of_another_place_is_refused():
    def check(method: str, path: str, origin: str) -> None:
        status, reason = ask("Host: localhost:8000", f"Origin: {origin}", JSON, method=method, path=path)
        assert status == 403
        assert reason == f"the Origin of this request is {origin}; pages of other places are not answered"

    check_rows(
        check,
        (
            (*row, origin)
            for row in ROUTES
            for origin in ["http://evil.example", "null", "http://localhost", "ftp://localhost:8000", ""]
        ),
    )


def test_a_page_of_its_own_place_is_answered():
    assert ask("Host: localhost:8000", "Origin: http://LOCALHOST:8000", JSON) == (200, "")


@pytest.mark.parametrize("path", [path for method, path in ROUTES if method == "POST"])
@pytest.mark.parametrize(
    ("header", "shown"),
    [
        ("Content-Type: text/plain", "text/plain"),
        ("Content-Type: text/plain; a=application/json", "text/plain; a=application/json"),
        ("Content-Type: application/x-www-form-urlencoded", "application/x-www-form-urlencoded"),
        ("Accept: application/json", "missing"),
    ],
)
def test_what_a_form_can_send_is_refused(header: str, shown: str, path: str):
    reason = f"the Content-Type of this request is {shown}; it must be application/json"
    assert ask("Host: localhost", header, path=path) == (415, reason)


@pytest.mark.parametrize("media", ["application/json; charset=utf-8", "Application/JSON"])
def test_json_may_have_parameters(media: str):
    assert ask("Host: localhost", f"Content-Type: {media}") == (200, "")


def test_a_packed_body_is_refused():
    status, reason = ask("Host: localhost", JSON, "Content-Encoding: gzip")
    assert status == 415
    assert "packed" in reason


def test_control_characters_of_a_header_are_shown_and_cut():
    _, reason = ask(f"Host: \t\x80{'x' * 300}", JSON)
    assert reason.startswith("the Host of this request is ")
    assert reason.isprintable()
    assert len(reason) < 250
