import asyncio
import contextlib
import io
import itertools
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import command_line
import data_sets
import indexes
import orjson
import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from cases import check_rows, tables
from jsonschema import Draft202012Validator

from benchbench.client.document_pages import PageRequest
from benchbench.errors import InputError
from benchbench.retrieval.bm25_options import BM25Options
from benchbench.serve import child, foreground, sending
from benchbench.serve.app import SearchService
from benchbench.serve.child import child_service
from benchbench.serve.document_pages import CollectionIndex
from benchbench.serve.foreground import serve
from benchbench.serve.guard import guarded
from benchbench.serve.sending import Make, Parts, Sending, listed
from benchbench.tables.collection import Collection
from benchbench.tables.hashing import text_hash


@pytest.fixture
def ask(tmp_path: Path) -> Callable[..., tuple[int, Any]]:
    """A function that sends one request to the service over the tiny collection: status and parsed answer."""
    application = SearchService(data_sets.collection(data_sets.write(tmp_path))).application

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


def described(document: dict[str, Any], path: str, method: str, status: int) -> Draft202012Validator:
    """Return what says whether an answer has the shape that the service describes."""
    return validator(document, document["paths"][path][method]["responses"][str(status)])


def validator(document: dict[str, Any], part: dict[str, Any]) -> Draft202012Validator:
    schema = part["content"]["application/json"]["schema"]
    return Draft202012Validator({**schema, "components": document["components"]})


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
    assert described(document, path, method, status).is_valid(answer)


@pytest.mark.parametrize(
    ("path", "message", "wrong"),
    [
        ("/batch_search", {"queries": [QUERY], "top_k": 2, "fields": ["id"]}, {"top_k": 0}),
        ("/search", {"query": QUERY}, {"fields": ["vector"]}),
        ("/documents", {"query": None, "skip": 1, "text": False}, {"top": 1001}),
    ],
)
def test_requests_are_read_as_the_service_describes_them(ask, path: str, message: Any, wrong: Any):
    _, document = ask("GET", "/openapi.json")
    is_valid = validator(document, document["paths"][path]["post"]["requestBody"]).is_valid
    for request, status in ((message, 200), ({**message, **wrong}, 400), ({}, 200 if path == "/documents" else 400)):
        assert (is_valid(request), ask("POST", path, request)[0]) == (status == 200, status)


def test_null_counts_as_left_out_of_a_request_for_documents(ask):
    wanted = {"query": QUERY, "top": 2}
    nulls = dict.fromkeys(("category", "skip", "text", "categories"))
    assert ask("POST", "/documents", {**wanted, **nulls}) == ask("POST", "/documents", wanted)
    everything = dict.fromkeys(("query", "category", "skip", "top", "text", "categories"))
    status, page = ask("POST", "/documents", everything)
    assert (status, page) == ask("POST", "/documents", {})
    assert (status, page["total"]) == (200, 28)


def test_the_described_shape_excludes_something(ask):
    _, document = ask("GET", "/openapi.json")
    shape = described(document, "/batch_search", "post", 200)
    for wrong in ({}, {"results": [{}]}, {"results": [[{"text_hash": "xyz"}]]}, {"results": [[{"score": "1"}]]}):
        assert not shape.is_valid(wrong)


@pytest.mark.parametrize(
    ("path", "message", "reason"),
    [
        (
            "/batch_search",
            {"queries": [], "query": "a"},
            "the body: `queries` is a list of 1 to 4,096 texts of at most",
        ),
        ("/search", {"queries": ["a"]}, "the body: `query` is missing; its members are queries, and /openapi.json"),
        ("/documents", {"top": 1001}, "the body: `top` is a whole number from 0 to 1,000, and not 1001"),
    ],
)
def test_a_bad_request_gets_400_and_the_reason(ask, path: str, message: Any, reason: str):
    status, answer = ask("POST", path, message)
    assert status == 400
    assert answer["error"].startswith(reason)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff", b'{"queries": ["\\ud800"]}', b"[" * 10_000, b"[" * 1_000 + b"]" * 1_000]
)
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
    service = SearchService(data_sets.collection(data_sets.write(tmp_path)))
    queries = [case["text"] for case in data_sets.cases()]

    async def ask_all() -> list[str]:
        async with TestClient(TestServer(service.application())) as client:

            async def best(query: str) -> str:
                async with client.post("/search", json={"query": query, "top_k": 1}) as response:
                    return (await response.json())["results"][0]["text"]

            asked: list[Awaitable[str]] = [best(query) for query in queries]
            return await asyncio.gather(*asked)

    assert asyncio.run(ask_all()) == queries


# Bodies in and answers out over real sockets: what is held in memory, and who is waited for

HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


PART = bytes(1 << 16)


Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def serving(
    make: Make, slowest: float = 60.0, said: list[str] | None = None
) -> AsyncIterator[Callable[[], Awaitable[Connection]]]:
    """Answer every POST with what `make` makes, and say when one begins and is cancelled; yield what connects."""
    sender = Sending(slowest)
    said = [] if said is None else said

    async def handler(request: web.Request) -> web.StreamResponse:
        async with sender.body(request):
            said.append("begun")
            try:
                return await sender.answer(request, make)
            except asyncio.CancelledError:
                said.append("cancelled")
                raise

    application = web.Application(middlewares=[guarded("127.0.0.1")])
    application.router.add_post("/", handler)
    runner = web.AppRunner(application, handler_cancellation=True, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield lambda: asyncio.open_connection(*runner.addresses[0])
    finally:
        await runner.cleanup()


def scene(run: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(run(), 60))


async def post(connection: Connection, body: bytes = b"{}") -> None:
    connection[1].write(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
    await connection[1].drain()


async def status(connection: Connection) -> int:
    return int((await connection[0].readline()).split()[1])


async def close(*connections: Connection) -> None:
    for _, writer in connections:
        writer.close()
    await asyncio.gather(*(writer.wait_closed() for _, writer in connections), return_exceptions=True)


class Endless:
    """Makes parts until its reader has left, and counts them."""

    def __init__(self) -> None:
        self.made = 0
        self.ended = threading.Event()

    def __call__(self, is_over: Callable[[], bool]) -> Parts:
        try:
            while not is_over():
                self.made += 1
                yield PART
        finally:
            self.ended.set()


def test_an_answer_is_made_as_far_as_it_is_read_and_not_after_its_reader_left():
    endless = Endless()

    async def run() -> None:
        async with serving(endless) as connect:
            for wanted in (1 << 10, 1 << 24):
                endless.ended.clear()
                endless.made = 0
                connection = await connect()
                await post(connection)
                await connection[0].readexactly(wanted)
                await close(connection)
                assert await asyncio.to_thread(endless.ended.wait, 30)
                assert endless.made * len(PART) <= wanted + (1 << 24)  # a piece, and what sockets hold

    scene(run)


def test_a_reader_that_takes_nothing_is_left():
    endless = Endless()

    async def run() -> None:
        async with serving(endless, slowest=0.1) as connect:
            connection = await connect()
            await post(connection)
            assert await asyncio.to_thread(endless.ended.wait, 30)
            await close(connection)

    scene(run)


def test_what_waits_for_a_thread_is_dropped_when_its_client_leaves():
    begun, go = threading.Semaphore(0), threading.Event()
    made: list[int] = []
    numbers = itertools.count()
    said: list[str] = []

    async def until(wanted: str, times: int) -> None:
        while said.count(wanted) < times:
            await asyncio.sleep(0)

    def make(is_over: Callable[[], bool]) -> Parts:
        made.append(next(numbers))
        begun.release()
        go.wait(30)
        yield b"{}"

    async def run() -> None:
        async with serving(make, said=said) as connect:
            busy = [await connect() for _ in range(2)]
            for connection in busy:
                await post(connection)
                assert await asyncio.to_thread(begun.acquire, timeout=30)
            leaving, staying = await connect(), await connect()
            await post(leaving)
            await until("begun", 3)
            await close(leaving)
            await until("cancelled", 1)
            await post(staying)
            await until("begun", 4)
            go.set()
            assert [await status(connection) for connection in (*busy, staying)] == [200, 200, 200]
            await close(*busy, staying)

    scene(run)
    assert made == [0, 1, 2]


def test_a_body_that_does_not_arrive_gets_408():
    async def run() -> None:
        async with serving(Endless(), slowest=0.1) as connect:
            connection = await connect()
            connection[1].write(HEAD + b"Content-Length: 100\r\n\r\n{")
            assert await status(connection) == 408
            await close(connection)

    scene(run)


@pytest.mark.parametrize("head", [b"Content-Length: 101\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n65\r\n"])
def test_a_body_that_is_too_long_gets_413(monkeypatch: pytest.MonkeyPatch, head: bytes):
    monkeypatch.setattr(sending, "MAX_REQUEST", 100)

    async def run() -> None:
        async with serving(Endless()) as connect:
            connection = await connect()
            connection[1].write(HEAD + head + b"x" * 101)
            assert await status(connection) == 413
            await close(connection)

    scene(run)


def test_bodies_that_are_too_long_together_get_503_until_there_is_room(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sending, "MAX_REQUESTS", 100)

    async def run() -> None:
        async with serving(lambda is_over: (part for part in (b"{}",))) as connect:

            async def until(wanted: int) -> bytes:
                while True:
                    connection = await connect()
                    await post(connection, b"x" * 40)
                    if await status(connection) == wanted:
                        head = await connection[0].readuntil(b"\r\n\r\n")
                        await close(connection)
                        return head
                    await close(connection)

            holding = await connect()
            holding[1].write(HEAD + b"Content-Length: 90\r\n\r\n" + b"x" * 80)
            assert b"Retry-After: 1\r\n" in await until(503)
            await close(holding)
            await until(200)

    scene(run)


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 100])
def test_a_list_in_parts_is_the_list(count: int):
    values = [{"n": number} for number in range(count)]
    assert b"".join(listed(iter(values))) == orjson.dumps(values)


# Who is answered, over real sockets: raw requests, as a page of the web or a careless tool may cause them

TABLES = tables(__file__, "guard")


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


SERVICE = SearchService(Collection(["a"], ["text"], [{}]))


def guard_ask(*headers: str, method: str = "POST", path: str = "/search", host: str = "127.0.0.1") -> tuple[int, str]:
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
    status, reason = guard_ask("Host: evil.example", JSON, method=method, path=path)
    assert status == 421
    assert reason == "the Host of this request is evil.example; this service answers to localhost and 127.0.0.1"


def test_a_service_is_asked_by_the_names_of_its_own_machine():
    def check(name: str, host: str) -> None:
        assert guard_ask(f"Host: {name}", JSON, host=host) == (200, "")

    check_rows(
        check,
        itertools.product(
            TABLES["own"],
            ["127.0.0.1", "localhost", "::1", "search.example", "0.0.0.0"],
        ),
    )


def test_any_other_name_is_refused():
    def check(name: str, host: str) -> None:
        assert guard_ask(f"Host: {name}", JSON, host=host)[0] == 421

    check_rows(
        check,
        itertools.product(
            TABLES["other"],
            ["127.0.0.1", "localhost", "::1", "search.example"],
        ),
    )


@pytest.mark.parametrize("hosts", [(), ("Host: localhost", "Host: localhost")])
def test_a_request_has_one_host(hosts: tuple[str, ...]):
    assert guard_ask(*hosts, JSON)[0] in (400, 421)  # 400 where the parser refuses it first


def test_a_service_answers_to_the_name_that_it_listens_on():
    assert guard_ask("Host: Search.Example.:8000", JSON, host="search.example") == (200, "")
    status, reason = guard_ask("Host: other.example", JSON, host="search.example")
    assert (status, reason.partition(";")[2]) == (421, " this service answers to localhost and search.example")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", ""])
def test_behind_every_address_any_name_is_answered_but_no_page_of_a_name(host: str):
    assert guard_ask("Host: retriever:8000", JSON, host=host) == (200, "")
    assert guard_ask("Host: retriever:8000", "Origin: http://retriever:8000", JSON, host=host)[0] == 403
    assert guard_ask("Host: 10.0.0.1:8000", "Origin: http://10.0.0.1:8000", JSON, host=host) == (200, "")


def test_a_page_of_another_place_is_refused():
    def check(method: str, path: str, origin: str) -> None:
        status, reason = guard_ask("Host: localhost:8000", f"Origin: {origin}", JSON, method=method, path=path)
        assert status == 403
        assert reason == f"the Origin of this request is {origin}; requests from other sites' pages are refused"

    check_rows(
        check,
        (
            (*row, origin)
            for row in ROUTES
            for origin in ["http://evil.example", "null", "http://localhost", "ftp://localhost:8000", ""]
        ),
    )


def test_a_page_of_its_own_place_is_answered():
    assert guard_ask("Host: localhost:8000", "Origin: http://LOCALHOST:8000", JSON) == (200, "")


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
    assert guard_ask("Host: localhost", header, path=path) == (415, reason)


@pytest.mark.parametrize("media", ["application/json; charset=utf-8", "Application/JSON"])
def test_json_may_have_parameters(media: str):
    assert guard_ask("Host: localhost", f"Content-Type: {media}") == (200, "")


def test_a_packed_body_is_refused():
    status, reason = guard_ask("Host: localhost", JSON, "Content-Encoding: gzip")
    assert status == 415
    assert "compressed" in reason


def test_control_characters_of_a_header_are_shown_and_cut():
    _, reason = guard_ask(f"Host: \t\x80{'x' * 300}", JSON)
    assert reason.startswith("the Host of this request is ")
    assert reason.isprintable()
    assert len(reason) < 250


# Run


def collection(folder: Path) -> Path:
    return data_sets.write(folder) / "collection.jsonl"


async def healthy(url: str) -> bool:
    async with aiohttp.ClientSession() as session, session.get(f"{url}/healthz") as response:
        return response.status == 200


def test_a_request_in_flight_is_answered_before_the_service_ends():
    async def scene() -> None:
        begun, go = asyncio.Event(), asyncio.Event()

        async def slow(request: web.Request) -> web.Response:
            begun.set()
            await go.wait()
            return web.Response(text="whole")

        async def stopping(application: web.Application) -> None:
            go.set()  # not before the signal has arrived

        application = web.Application()
        application.router.add_get("/", slow)
        application.on_shutdown.append(stopping)
        ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        serving = asyncio.create_task(serve(application, "127.0.0.1", 0, ready.set_result))
        url = await ready
        async with aiohttp.ClientSession() as session:

            async def ask() -> str:
                async with session.get(url) as response:
                    return await response.text()

            asked = asyncio.create_task(ask())
            await begun.wait()
            signal.raise_signal(signal.SIGINT)
            assert await asked == "whole"
            await serving
            with pytest.raises(aiohttp.ClientConnectorError):
                await ask()

    asyncio.run(asyncio.wait_for(scene(), 60))


@pytest.mark.slow  # two processes
def test_the_real_process_ends_with_code_0_on_sigterm_and_when_standard_input_ends(tmp_path: Path):
    path = collection(tmp_path)
    told = command_line.process("serve", path)
    orphan = command_line.process("serve", path, "--until-eof", stdin=subprocess.PIPE)
    with told, orphan:
        for one in (told, orphan):
            assert asyncio.run(healthy(one.stdout.readline().strip()))
        told.send_signal(signal.SIGTERM)
        orphan.stdin.close()
        assert told.wait(30) == 0
        assert orphan.wait(30) == 0


@pytest.mark.slow  # a process
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_it_ends_at_once_beside_connections_that_stand_still(tmp_path: Path, number: int):
    head = b"POST /batch_search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
    search = orjson.dumps({"queries": [data_sets.cases()[0]["text"]] * 4096, "top_k": 1000})
    with contextlib.ExitStack() as stack:
        service = stack.enter_context(command_line.process("serve", collection(tmp_path)))
        port = int(service.stdout.readline().strip().rpartition(":")[2])
        for sent in (b"", head[:20], head + b"100\r\n\r\n{", head + b"%d\r\n\r\n%b" % (len(search), search)):
            still = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            still.sendall(sent)
        still.recv(1)  # of an answer of which nothing more is taken
        service.send_signal(number)
        assert service.wait(10) == 0


def test_a_connection_without_a_whole_request_is_closed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(foreground, "_IDLE", 0.1)

    async def scene() -> None:
        ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        serving = asyncio.create_task(serve(web.Application(), "127.0.0.1", 0, ready.set_result))
        reader, writer = await asyncio.open_connection("127.0.0.1", int((await ready).rpartition(":")[2]))
        writer.write(b"POST /batch_search HTTP/1.1\r\nHost:")
        assert await reader.read() == b""
        writer.close()
        signal.raise_signal(signal.SIGTERM)
        await serving

    asyncio.run(asyncio.wait_for(scene(), 60))


def test_a_port_that_is_taken_is_bad_input():
    async def scene() -> None:
        async with contextlib.AsyncExitStack() as stack:
            taken = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
            await stack.enter_async_context(taken)
            port = taken.sockets[0].getsockname()[1]
            with pytest.raises(InputError, match=f"^cannot listen on 127.0.0.1:{port}: "):
                await serve(web.Application(), "127.0.0.1", port, lambda url: None)

    asyncio.run(scene())


# The embedded service beside a benchmark: started as a command by a program, and forked by the command line

fresh = pytest.mark.usefixtures("fresh_processes")


_SCENE = """
import asyncio, os, sys
from benchbench.cli.main import main
from benchbench.serve import child
from benchbench.retrieval.bm25_options import BM25Options

given = ([sys.argv[1]], None, BM25Options(b=0.5))
print("before", end=" ")
child.begin(*given, main)
((_, forked),) = child._early
assert "polars" not in sys.modules

async def scene():
    import aiohttp

    async with child.child_service(*given) as ready:
        try:
            url, about = await ready()
        except Exception as error:
            print(error)
            return
        async with aiohttp.ClientSession() as session, session.get(f"{url}/healthz") as response:
            print(response.status, about, os.getsid(forked.pid) == forked.pid)
        if sys.argv[2] == "killed":
            print(forked.pid, url, flush=True)
            os.kill(os.getpid(), 9)

asyncio.run(scene())
try:
    os.kill(forked.pid, 0)
except ProcessLookupError:
    print("gone")
"""


def child_scene(path: Path, end: str = "") -> list[str]:
    done = subprocess.run([sys.executable, "-c", _SCENE, path, end], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.splitlines()


@fresh
def test_it_serves_while_the_block_lasts_and_not_after(tmp_path: Path):
    async def child_scene() -> None:
        async with child_service([str(collection(tmp_path))], None, BM25Options(b=0.5)) as ready:
            url, about = await ready()
            assert await healthy(url)
            assert about == "BM25, words and CJK bigrams, k1 1.2, b 0.5"
        with pytest.raises(aiohttp.ClientConnectorError):
            await healthy(url)

    asyncio.run(child_scene())


_SLOW = """
import signal, sys

def end(*_):
    sys.stdin.read()  # to its end, which comes after the signal
    sum(range(1_000_000))
    open(sys.argv[1], "w").write("in its own time")
    sys.exit()

signal.signal(signal.SIGTERM, end)
print("http://127.0.0.1:1", "slow", sep="\\n", flush=True)
signal.pause()
"""


@fresh
def test_one_that_takes_a_while_to_end_is_not_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def started(arguments: list[str]) -> "subprocess.Popen[bytes]":
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        return subprocess.Popen([sys.executable, "-c", _SLOW, tmp_path / "ended"], **pipes)

    async def child_scene() -> None:
        async with child_service([str(tmp_path)], None, BM25Options()) as ready:
            assert (await ready()).about == "slow"

    monkeypatch.setattr(child, "_started", started)
    asyncio.run(child_scene())
    assert (tmp_path / "ended").read_text() == "in its own time"


@fresh
def test_one_that_cannot_start_says_why(tmp_path: Path):
    async def child_scene() -> None:
        async with child_service([str(tmp_path / "missing.jsonl")], None, BM25Options()) as ready:
            await ready()

    with pytest.raises(InputError, match=r"^the embedded service did not start: .*missing\.jsonl does not exist$"):
        asyncio.run(child_scene())


@fresh
@pytest.mark.skipif(sys.platform != "linux", reason="no other system forks safely")
class TestForked:
    def test_it_serves_in_a_session_of_its_own_and_is_gone_after_the_block(self, tmp_path: Path):
        assert child_scene(collection(tmp_path)) == [
            "before 200 BM25, words and CJK bigrams, k1 1.2, b 0.5 True",
            "gone",
        ]

    def test_what_it_prints_is_read_though_ours_goes_to_a_file_in_ascii(self, tmp_path: Path):
        """A stream that was made for a file fails on a pipe when click wraps it, as it does where it is of ASCII."""
        printed, environment = tmp_path / "printed", {**os.environ, "PYTHONIOENCODING": "ascii"}
        with printed.open("w") as file:
            command = [sys.executable, "-c", _SCENE, str(collection(tmp_path)), ""]
            done = subprocess.run(command, stdout=file, stderr=subprocess.PIPE, text=True, env=environment, check=False)
        assert done.stderr == ""
        assert printed.read_text() == "before 200 BM25, words and CJK bigrams, k1 1.2, b 0.5 True\ngone\n"

    def test_one_that_cannot_start_says_why(self, tmp_path: Path):
        said, gone = child_scene(tmp_path / "missing.jsonl")
        assert said.startswith("before the embedded service did not start: ")
        assert said.endswith("missing.jsonl does not exist")
        assert gone == "gone"

    def test_it_ends_when_the_benchmark_was_killed(self, tmp_path: Path):
        _, last = child_scene(collection(tmp_path), "killed")
        url = last.split()[1]

        async def refused() -> None:
            while await healthy(url):
                await asyncio.sleep(0)

        with pytest.raises(aiohttp.ClientError):
            asyncio.run(asyncio.wait_for(refused(), 30))

    def test_no_fork_beside_another_thread(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.delitem(sys.modules, "polars", raising=False)
        over = threading.Event()
        beside = threading.Thread(target=over.wait)
        beside.start()
        child.begin(["collection.jsonl"], None, BM25Options(), lambda arguments: None)
        over.set()
        beside.join()
        assert child._early == []


# Document pages


@pytest.fixture
def documents() -> CollectionIndex:
    return CollectionIndex(indexes.collection(), "here")


@pytest.mark.parametrize(("skip", "top", "ids"), [(0, 2, ["part36-1", "part36-2"]), (3, 5, ["notes"]), (4, 1, [])])
def test_a_page_is_a_stretch_of_the_collection(documents: CollectionIndex, skip: int, top: int, ids: list[str]):
    page = documents.answer(PageRequest(skip=skip, top=top))
    assert ([one.id for one in page.documents], page.total) == (ids, 4)


def test_a_page_of_a_search_is_a_stretch_of_the_ranking(documents: CollectionIndex):
    whole = documents.answer(PageRequest("disclosure offer", top=10)).documents
    pages = [documents.answer(PageRequest("disclosure offer", skip=n, top=1)).documents for n in range(len(whole))]
    assert [one for page in pages for one in page] == whole
    assert len(whole) == 4


def test_categories_are_counted_among_what_a_query_finds(documents: CollectionIndex):
    page = documents.answer(PageRequest("disclosure", categories=True))
    assert page.categories == {indexes.GUIDE: 1, "": 1}


def test_documents_without_names_and_categories_are_documents():
    plain = CollectionIndex(Collection(["a"], ["text"], [{}]))
    page = asyncio.run(plain.page(PageRequest(category="", categories=True)))
    assert [(one.name, one.category, one.called) for one in page.documents] == [("", "", "a")]
    assert page.categories == {"": 1}


def test_the_title_is_taken_from_the_front_of_the_text():
    titled = CollectionIndex(Collection(["a", "b"], ["Title text", "Title text"], [{}, {}], ["Title", ""]))
    assert [one.text for one in titled.answer(PageRequest()).documents] == ["text", "Title text"]
