import asyncio
import contextlib
import gzip
import math
import random
import re
import socketserver
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import services
from aiohttp import web
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchbench.client import transport as transport_module
from benchbench.client.transport import Attempt, Transport
from benchbench.errors import InputError


def post(url: str, timeout: float = 60.0, max_bytes: int = 1 << 20, payload: bytes = b"{}") -> tuple[Attempt, bytes]:
    async def ask() -> tuple[Attempt, bytes]:
        async with Transport(url, "/batch_search", 1, timeout, max_bytes) as transport:
            return await transport.post(payload)

    return asyncio.run(ask())


def failed(*answers: services.Answer, **options: float) -> Attempt:
    with services.running(*answers) as service:
        attempt, body = post(service.url, **options)
    assert body == b""
    return attempt


def test_an_answer_is_its_body_and_a_record_of_the_attempt():
    with services.running(services.raw("whole")) as service:
        attempt, body = post(service.url, payload=b'{"queries": ["a"]}')
    assert body == b"whole"
    assert (attempt.status, attempt.error, attempt.bytes) == (200, None, 5)
    assert attempt.sent <= attempt.first_byte <= attempt.end
    assert service.messages == [{"queries": ["a"]}]
    assert service.headers[0]["Content-Type"] == "application/json"


def test_a_refused_connection_is_a_failed_attempt():
    with services.refusing() as url:
        attempt, _ = post(url)
    assert (attempt.status, attempt.refused) == (None, True)
    assert attempt.error.startswith("cannot connect: ")
    assert math.isnan(attempt.first_byte)


@pytest.mark.parametrize(("answer", "status"), [(services.reset, None), (services.reset_in_body, 200)])
def test_a_reset_is_a_broken_attempt(answer: services.Answer, status: int | None):
    attempt = failed(answer)
    assert (attempt.status, attempt.broken, attempt.refused) == (status, True, False)
    assert attempt.error.startswith("connection broken: ")


def test_no_answer_in_time_is_a_broken_attempt():
    attempt = failed(services.never, timeout=0.05)
    assert (attempt.broken, attempt.error) == (True, "no whole answer within 0.05 s")


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(services.announce_too_much, id="announced by Content-Length"),
        pytest.param(services.endless, id="without Content-Length"),
        pytest.param(services.raw(gzip.compress(bytes(1 << 20)), Content_Encoding="gzip"), id="compressed"),
    ],
)
def test_a_body_above_the_limit_is_not_read_to_its_end_nor_asked_for_again(answer: services.Answer):
    attempt = failed(answer, max_bytes=100_000)
    assert (attempt.error, attempt.broken) == ("the body is larger than 100,000 bytes", False)


@pytest.mark.parametrize(
    "answer", [services.raw(bytes(100)), services.raw(gzip.compress(bytes(100)), Content_Encoding="gzip")]
)
def test_a_body_at_the_limit_is_read(answer: services.Answer):
    with services.running(answer) as service:
        assert post(service.url, max_bytes=100)[1] == bytes(100)


@pytest.mark.parametrize("packed", [True, False])
def test_what_is_announced_to_be_as_long_as_the_limit_is_read_and_one_byte_more_is_not(packed: bool):
    content = random.Random(1).randbytes(1000)  # which nothing packs: the length on the wire is above that of the body
    sent, headers = (gzip.compress(content), {"Content_Encoding": "gzip"}) if packed else (content, {})
    with services.running(services.raw(sent, **headers)) as service:
        assert post(service.url, max_bytes=len(sent))[1] == content
    assert failed(services.raw(sent, **headers), max_bytes=len(sent) - 1).error.startswith("the body is larger than ")


@pytest.mark.parametrize("packed", [True, False])
def test_a_body_of_no_known_length_is_read_up_to_the_limit(packed: bool):
    async def pieces(service: services.Service, request: web.Request, message: Any) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Encoding": "gzip"} if packed else {})
        response.enable_chunked_encoding()
        await response.prepare(request)
        await response.write(gzip.compress(bytes(1000)) if packed else bytes(1000))
        await response.write_eof()
        return response

    with services.running(pieces) as service:
        assert post(service.url, max_bytes=1000)[1] == bytes(1000)
    assert failed(pieces, max_bytes=999).error == "the body is larger than 999 bytes"


@pytest.mark.parametrize(("receiving", "turns"), [(0, 1), (1, transport_module._TURNS)])
def test_other_work_waits_a_turn_and_not_for_ever_while_bodies_arrive(receiving: int, turns: int):
    async def waited() -> int:
        transport, seen = Transport("http://127.0.0.1:1", "/", 1, 60.0, 1), 0
        transport.receiving = receiving
        waiting = asyncio.ensure_future(transport.quiet())
        await asyncio.sleep(0)
        while not waiting.done():
            seen += 1
            await asyncio.sleep(0)
        return seen

    assert asyncio.run(waited()) == turns


def test_a_redirect_is_not_followed():
    with (
        services.running(services.echo) as elsewhere,
        services.running(services.status(307, Location=elsewhere.url)) as service,
    ):
        attempt, _ = post(service.url)
    asked = f"HTTP 307 from POST {service.url}/batch_search, which sends to {elsewhere.url}"
    assert (attempt.status, attempt.error, attempt.broken) == (307, asked, False)
    assert elsewhere.messages == []


def test_an_error_keeps_the_first_200_characters_of_the_body():
    with services.running(services.status(422, "错" * 1000)) as service:
        attempt, _ = post(service.url)
    assert attempt.error == f"HTTP 422: {'错' * 200}"


def test_an_error_without_a_body_is_its_status():
    with services.running(services.status(503, Retry_After="7")) as service:
        attempt, _ = post(service.url)
    assert (attempt.status, attempt.error, attempt.retry_after, attempt.broken) == (503, "HTTP 503", 7.0, False)


@contextlib.contextmanager
def hanging_up_after(answers: int) -> Iterator[tuple[str, list[bytes]]]:
    """Yield a URL, and the heads of the requests that came; each connection is closed on its request after so many."""
    heads: list[bytes] = []

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            for number in range(answers + 1):
                head = b"".join(iter(self.rfile.readline, b"\r\n"))
                if not head:
                    return
                heads.append(head)
                self.rfile.read(2)
                if number < answers:
                    self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    with socketserver.ThreadingTCPServer((services.HOST, 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://{services.HOST}:{server.server_address[1]}", heads
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("method", ["POST", "PUT", "GET"])
def test_each_request_is_sent_once_whatever_its_method_though_the_connection_ends(method: str):
    """An aiohttp that cannot be told so would send PUT and GET again, and nobody would count it."""

    async def ask(url: str) -> list[Attempt]:
        async with Transport(url, "/batch_search", 1, 60.0, 1 << 20, method=method) as transport:
            return [(await transport.post(b"{}"))[0] for _ in range(9)]

    with hanging_up_after(2) as (url, heads):
        attempts = asyncio.run(ask(url))
    assert len(heads) == len(attempts)
    assert [attempt.error is None for attempt in attempts] == [True, True, False] * 3


@contextlib.contextmanager
def saying(answer: bytes) -> Iterator[str]:
    """Yield a URL at which these bytes are the answer to everything."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.request.recv(1 << 16)
            self.wfile.write(answer)

    with socketserver.ThreadingTCPServer((services.HOST, 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://{services.HOST}:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


HEADER_NAMES = ["Retry-After", "Content-Length", "Content-Type", "Content-Encoding", "Set-Cookie", "Location", "Date"]
VALUES = st.sampled_from(["9" * 5000, "-1", "1e400", "nan", "٣", "Mon, 01 Jan 2024 00:00:00 +99999999999999999999"])


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(HEADER_NAMES),
    VALUES | st.text(st.characters(exclude_characters="\r\n", codec="utf-8"), max_size=80),
)
def test_no_header_ends_more_than_its_own_request(name: str, value: str):
    with saying(f"HTTP/1.1 200 OK\r\nConnection: close\r\n{name}: {value}\r\n\r\nok".encode()) as url:
        attempt, _ = post(url, timeout=5.0)
    assert attempt.end >= attempt.sent
    assert attempt.error is None or attempt.error.isprintable()


def test_a_long_reason_is_one_line_that_is_cut():
    with saying(b"NOPE \x1b[31m" + b"x" * 5000 + b"\r\n\r\n") as url:
        attempt, _ = post(url)
    assert attempt.error.isprintable()
    assert len(attempt.error) <= 300


HEAD = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"
PACKED = b"Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nabcde"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (HEAD, "connection broken: the connection was closed within the head of the answer"),
        (HEAD + PACKED, "connection broken: Can not decode content-encoding: gzip"),
        (HEAD + CHUNKED + b"5\r\nabcde\r\n", "connection broken: Response payload is not completed: Not enough data"),
        (HEAD + CHUNKED + b"zz\r\nabcde\r\n", "the answer is broken: Invalid character in chunk size: 'zz'"),
        (HEAD + b"A B: y\r\n\r\n", "the answer is broken: Invalid header token: 'A B: y'"),
        (b"HTTP/1.1 abc OK\r\n\r\n", "what answers there does not speak HTTP: Bad status line: Invalid status code"),
    ],
)
def test_a_broken_answer_is_named_without_a_python_object(answer: bytes, said: str):
    with saying(answer) as url:
        error = post(url)[0].error
    assert error.startswith(said)
    assert not re.search(r"<\w+[:(]|\bb'|, message", error)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://h:99999/?key=s3cret", "--url http://h:99999/ is"),
        ("http//anna:s3cret@h", "--url … is"),
        ("http://anna:s3/cr?et@h:99999/?a=b@c", "--url … is"),
    ],
)
def test_a_bad_url_is_shown_without_what_may_be_secret(url: str, shown: str):
    with pytest.raises(InputError) as refused:
        Transport(url, "/batch_search", 1, 1.0, 1)
    assert str(refused.value).startswith(shown)


@pytest.mark.parametrize(
    "url",
    ["127.0.0.1:8000", "localhost", "ftp://host/", "http://", "http:///path", "http://[::1", "http://host:99999"],
)
def test_a_bad_url_is_bad_input(url: str):
    with pytest.raises(InputError, match=r"^--url .* is not a URL such as http://127\.0\.0\.1:8000$"):
        Transport(url, "/batch_search", 1, 1.0, 1)


@pytest.mark.parametrize("url", ["", " "])
def test_an_empty_url_is_named_as_such(url: str):
    with pytest.raises(InputError, match=r"^--url is empty; is the variable set that should hold it\?$"):
        Transport(url, "/batch_search", 1, 1.0, 1)


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        ("http://h:1", "http://h:1/batch_search"),
        ("http://h:1/", "http://h:1/batch_search"),
        ("http://h:1/v2/", "http://h:1/v2/batch_search"),
        ("http://h:1/batch_search", "http://h:1/batch_search"),
        ("http://h:1/v2/batch_search/", "http://h:1/v2/batch_search/"),
        ("https://h/batch_search?key=1", "https://h/batch_search?key=1"),
        ("https://h/v2?key=1", "https://h/v2/batch_search?key=1"),
    ],
)
def test_the_path_is_added_unless_the_url_ends_with_it(url: str, endpoint: str):
    assert str(Transport(url, "/batch_search", 1, 1.0, 1).url) == endpoint


def test_user_and_password_of_the_url_are_sent_and_not_shown():
    with services.running(services.echo) as service:
        url = service.url.replace("http://", "http://anna:s3cret@")
        transport = Transport(url + "?key=t0ken", "/batch_search", 1, 1.0, 1)
        post(url, payload=b'{"queries": []}')
    assert service.headers[0]["Authorization"] == "Basic YW5uYTpzM2NyZXQ="
    assert transport.shown == f"{service.url}/batch_search"


def test_the_headers_of_answers_are_kept_only_where_they_are_asked_for():
    async def ask(url: str, keeps: bool) -> Attempt:
        async with Transport(url, "/batch_search", 1, 60.0, 1 << 20) as transport:
            transport.keeps_headers = keeps
            return (await transport.post(b"{}"))[0]

    with services.running(services.status(429, X_RateLimit_Remaining_Requests="0")) as service:
        kept = asyncio.run(ask(service.url, True)).headers
        assert kept is not None
        assert kept["x-ratelimit-remaining-requests"] == "0"
        assert asyncio.run(ask(service.url, False)).headers is None
