"""Each cause with a real socket where the loopback has one; the others with the errors that the system raises."""

import asyncio
import contextlib
import errno
import gzip
import os
import random
import re
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import services
from aiohttp import web
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from raw_servers import certificate, saying, serving

from benchbench.client import causes
from benchbench.client import transport as transport_module
from benchbench.client.transport import Attempt, Transport, unreachable
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


@pytest.mark.parametrize(
    ("answer", "timeout", "status", "error"),
    [
        (services.reset, 60.0, None, "connection broken: "),
        (services.reset_in_body, 60.0, 200, "connection broken: "),
        (services.never, 0.05, None, "no whole answer within 0.05 s"),
    ],
)
def test_an_answer_that_does_not_come_whole_is_a_broken_attempt(
    answer: services.Answer, timeout: float, status: int | None, error: str
):
    attempt = failed(answer, timeout=timeout)
    assert (attempt.status, attempt.broken, attempt.refused) == (status, True, False)
    assert attempt.error.startswith(error)


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


def in_chunks(body: bytes, **headers: str) -> services.Answer:
    """Answer with a body of no known length."""

    async def pieces(service: services.Service, request: web.Request, message: Any) -> web.StreamResponse:
        response = web.StreamResponse(headers=headers)
        response.enable_chunked_encoding()
        await response.prepare(request)
        await response.write(body)
        await response.write_eof()
        return response

    return pieces


NOISE = random.Random(1).randbytes(1000)  # which nothing packs: the length on the wire is above that of the body


ZEROS, GZIP = bytes(1000), {"Content-Encoding": "gzip"}


@pytest.mark.parametrize(
    ("answer", "body", "limit"),
    [
        (services.raw(NOISE), NOISE, 1000),
        (services.raw(gzip.compress(NOISE), **GZIP), NOISE, len(gzip.compress(NOISE))),
        (services.raw(gzip.compress(ZEROS), **GZIP), ZEROS, 1000),
        (in_chunks(ZEROS), ZEROS, 1000),
        (in_chunks(gzip.compress(ZEROS), **GZIP), ZEROS, 1000),
    ],
)
def test_a_body_is_read_up_to_the_limit_and_not_a_byte_more(answer: services.Answer, body: bytes, limit: int):
    with services.running(answer) as service:
        assert post(service.url, max_bytes=limit)[1] == body
    assert failed(answer, max_bytes=limit - 1).error == f"the body is larger than {limit - 1:,} bytes"


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


def test_an_error_is_its_status_and_the_first_200_characters_of_the_body():
    with services.running(services.status(422, "错" * 1000)) as service:
        assert post(service.url)[0].error == f"HTTP 422: {'错' * 200}"
    attempt = failed(services.status(503, Retry_After="7"))
    assert (attempt.status, attempt.error, attempt.retry_after, attempt.broken) == (503, "HTTP 503", 7.0, False)


@contextlib.contextmanager
def hanging_up_after(answers: int) -> Iterator[tuple[str, list[bytes]]]:
    """Yield a URL, and the heads of the requests that came; each connection is closed on its request after so many."""
    heads: list[bytes] = []

    def handle(connection: socket.socket) -> None:
        with connection.makefile("rb") as received:
            for number in range(answers + 1):
                head = b"".join(iter(received.readline, b"\r\n"))
                if not head:
                    return
                heads.append(head)
                received.read(2)
                if number < answers:
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    with serving(handle) as place:
        yield f"http://{place}", heads


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


HEADER_NAMES = ["Retry-After", "Content-Length", "Content-Type", "Content-Encoding", "Set-Cookie", "Location", "Date"]


VALUES = st.sampled_from(["9" * 5000, "-1", "1e400", "nan", "٣", "Mon, 01 Jan 2024 00:00:00 +99999999999999999999"])


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(HEADER_NAMES),
    VALUES | st.text(st.characters(exclude_characters="\r\n", codec="utf-8"), max_size=80),
)
def test_no_header_ends_more_than_its_own_request(name: str, value: str):
    answer = f"HTTP/1.1 200 OK\r\nConnection: close\r\n{name}: {value}\r\n\r\nok".encode()
    with serving(saying(answer)) as place:
        attempt, _ = post(f"http://{place}", timeout=5.0)
    assert attempt.end >= attempt.sent
    assert attempt.error is None or attempt.error.isprintable()


def test_a_long_reason_is_one_line_that_is_cut():
    with serving(saying(b"NOPE \x1b[31m" + b"x" * 5000 + b"\r\n\r\n")) as place:
        attempt, _ = post(f"http://{place}")
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
    with serving(saying(answer)) as place:
        error = post(f"http://{place}")[0].error
    assert error.startswith(said)
    assert not re.search(r"<\w+[:(]|\bb'|, message", error)


NO_URL = "is not a URL such as http://127.0.0.1:8000"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://h:99999/?key=s3cret", f"http://h:99999/ {NO_URL}"),
        ("http//anna:s3cret@h", f"… {NO_URL}"),
        ("http://anna:s3/cr?et@h:99999/?a=b@c", f"… {NO_URL}"),
        *(
            (url, f"{url} {NO_URL}")
            for url in ("127.0.0.1:8000", "localhost", "ftp://host/", "http://", "http:///path")
        ),
        *((url, f"{url} {NO_URL}") for url in ("http://[::1", "http://host:99999")),
        *((url, "is empty; is the variable set that should hold it?") for url in ("", " ")),
    ],
)
def test_a_bad_url_is_bad_input_and_shown_without_what_may_be_secret(url: str, said: str):
    with pytest.raises(InputError) as refused:
        Transport(url, "/batch_search", 1, 1.0, 1)
    assert str(refused.value) == f"--url {said}"


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


# Each cause with a real socket where the loopback has one; the others with the errors that the system raises


def attempt(url: str, tls: ssl.SSLContext | None = None) -> Attempt:
    async def ask() -> Attempt:
        async with Transport(url, "/batch_search", 1, 10.0, 1 << 20, tls=tls) as transport:
            return (await transport.post(b"{}"))[0]

    return asyncio.run(ask())


def sentence(url: str, tls: ssl.SSLContext | None = None) -> str:
    found = attempt(url, tls)
    assert found.error is not None
    return str(unreachable(url, found.error, 1, "is it one?"))


def test_nothing_listens():
    with services.refusing() as url:
        assert attempt(url).broken
        assert "refuses connections (cannot connect: nothing listens there: Connection refused): is the" in sentence(
            url
        )


def test_a_name_that_nobody_knows_is_not_a_refused_connection():
    said = sentence("http://no-such-host.invalid:80")
    assert " cannot be found (cannot connect: the name of the host is not known: " in said
    assert "refuse" not in said


def test_http_where_https_is_asked():
    with serving(saying(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as place:
        said = sentence(f"https://{place}")
        assert not attempt(f"https://{place}").broken
    assert " speaks http and not https (TLS: no TLS is spoken there: " in said
    assert said.endswith(": use http://")
    assert "--ca-file" not in said


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 400 Bad Request\r\nContent-Length: 52\r\n\r\n<h1>The plain HTTP request was sent to HTTPS port.</",
        b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n",
        b"HTTP/1.1 400 Bad Request\r\n\r\nReason: You're speaking plain HTTP to an SSL-enabled server port.<br />",
    ],
    ids=["nginx", "Go", "Apache"],
)
def test_https_where_http_is_asked(answer: bytes):
    with serving(saying(answer)) as place:
        assert " speaks https and not http (HTTP 400: " in sentence(f"http://{place}")
        assert attempt(f"http://{place}").refused


def test_a_server_of_https_that_says_nothing_to_http_leaves_the_question(tmp_path: Path):
    with serving(saying(b""), certificate(tmp_path, 2, "127.0.0.1")) as place:
        assert sentence(f"http://{place}").endswith("is it one? Or does it speak https, and not http?")


@pytest.mark.parametrize(
    ("url", "error", "attempts", "told"),
    [
        ("http://h", "HTTP 503", 3, "gave no usable answer in 3 attempts (HTTP 503); is it one?"),
        ("http://h", "no whole answer in 1 s", 1, "gave no answer in 1 attempt (no whole answer in 1 s); is it one?"),
    ],
)
def test_an_error_of_another_kind_has_the_doubt_of_who_asked(url: str, error: str, attempts: int, told: str):
    assert str(unreachable(url, error, attempts, "is it one?")) == f"{url} {told}"


def test_a_server_that_says_nothing_to_https_leaves_the_question():
    """As a server of http does that waits for the end of the first line."""
    said = str(unreachable("https://h:1", "no whole answer within 3 s", 3, "is it one?"))
    assert said.endswith(" (no whole answer within 3 s); is it one? Or does it speak http, and not https?")


def test_something_else_than_http():
    with serving(saying(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")) as place:
        said = sentence(f"http://{place}")
    assert " does not speak HTTP (" in said
    assert "does it speak https rather than http?" in said


def test_a_server_that_hangs_up_in_the_handshake():
    def hang_up(connection: socket.socket) -> None:
        connection.recv(10)

    with serving(hang_up) as place:
        assert "does it speak https" in sentence(f"https://{place}")


@pytest.mark.parametrize(
    ("days", "name", "trusted", "told"),
    [
        (2, "127.0.0.1", False, "is not trusted (TLS: no trust in the certificate: self-signed certificate)"),
        (2, "127.0.0.2", True, "has a certificate for another host (TLS: the certificate is for another name: "),
        (-1, "127.0.0.1", True, "has a certificate that is not valid today (TLS: the certificate is out of date: "),
    ],
    ids=["unknown authority", "other name", "expired"],
)
def test_a_certificate_that_will_not_do(tmp_path: Path, days: int, name: str, trusted: bool, told: str):
    server = certificate(tmp_path, days, name)
    client = ssl.create_default_context(cafile=tmp_path / "c.pem") if trusted else None
    with serving(saying(b""), server) as place:
        assert told in sentence(f"https://{place}", client)
        assert not attempt(f"https://{place}", client).broken


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(errno.ENETUNREACH, "Connect call failed ('h', 1)"), "is out of reach"),
        (OSError(errno.EHOSTUNREACH, "Connect call failed ('h', 1)"), "is out of reach"),
        (OSError(errno.ETIMEDOUT, "Connect call failed ('h', 1)"), "does not answer"),
        (TimeoutError(), "does not answer"),
        (OSError(errno.EMFILE, "x"), "cannot be reached"),
    ],
)
def test_what_no_loopback_has(error: OSError, told: str):
    cause = causes.of(error)
    assert cause.passing
    assert str(unreachable("http://h", cause.text(error), 1, "")).startswith(f"http://h {told} (")
    assert error.errno is None or os.strerror(error.errno) in cause.text(error)


def test_every_cause_is_found_again_by_what_it_said():
    for cause in causes.CAUSES:
        assert causes.advice(f"{cause.said}: reason") == cause.advice
