"""Each cause with a real socket where the loopback has one; the others with the errors that the system raises."""

import asyncio
import errno
import os
import socket
import ssl
from pathlib import Path

import pytest
import services
from raw_servers import certificate, saying, serving

from benchbench.client import causes
from benchbench.client.transport import Attempt, Transport, unreachable


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
