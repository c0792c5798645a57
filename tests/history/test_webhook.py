"""A webhook may hang, dribble, redirect, refuse, and send back what it got: the post ends, and no secret is said."""

import itertools
import re
import threading
import time
from pathlib import Path

import pytest
import services
from cases import check_rows
from hypothesis import given
from hypothesis import strategies as st
from raw_servers import certificate
from webhooks import ENCODINGS, answer, dribble, echo, hang, huge, webhook

from benchbench.errors import InputError
from benchbench.history.alerts import webhook as module
from benchbench.history.alerts.webhook import Webhook

SOON = 0.3  # seconds
AMPLE = 10.0
PATH = "services/T0123ABCD/B9876/xoxb-Secr_tPart?sig=c2VjcmV0c2ln"
SECRETS = ("T0123ABCD", "xoxb-Secr_tPart", "c2VjcmV0c2ln", "B9876")


def test_json_arrives_with_the_headers_and_the_whole_url():
    with webhook(answer()) as received:
        hook = Webhook(f"{received.url}/{PATH}#part", {"Authorization": "Bearer t0ken-value"}, "--alert")
        assert hook.post(b'{"text":"a"}', AMPLE) is None
    assert received.bodies == [{"text": "a"}]
    (head,) = received.heads
    assert head.startswith(f"POST /{PATH} HTTP/1.1")
    assert "Authorization: Bearer t0ken-value" in head
    assert "Content-Type: application/json" in head


@pytest.mark.parametrize("status", ["200 OK", "201 Created", "202 Accepted", "204 No Content"])
def test_every_status_of_success_is_one(status: str):
    with webhook(answer(status, b"")) as received:
        assert Webhook(received.url, {}, "--alert").post(b"{}", AMPLE) is None


@pytest.mark.parametrize(
    ("manner", "failure"),
    [
        (hang, "no complete answer within 0.3 s"),
        (dribble(b""), "the answer is broken|the server there does not speak HTTP|no complete answer"),
        (dribble(b"HTTP/1.1 "), "the server there does not speak HTTP|no complete answer within 0.3 s"),
        (dribble(b"HTTP/1.1 200 OK\r\nX: "), "no complete answer within 0.3 s"),
        (dribble(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nX: "), "no complete answer within 0.3 s"),
        (lambda connection, received, asked: None, "connection broken"),
        (lambda connection, received, asked: connection.sendall(b"no http\r\n\r\n"), "the server there .* HTTP"),
        (answer("500 Internal Server Error", b"<html>"), "HTTP 500"),
        (answer("404 Not Found", b"no_service"), "HTTP 404: no_service"),
        (answer("400 Bad Request", b"invalid_payload"), "HTTP 400: invalid_payload"),
        (answer("302 Found", b"", "Location: /elsewhere"), "HTTP 302: a redirect, which is not followed"),
        (answer("307 Temporary Redirect", b"", "Location: http://127.0.0.1:1/"), "HTTP 307: a redirect, which .*"),
        (answer("429 Too Many Requests", b"", "Retry-After: 3600"), "HTTP 429"),
    ],
)
def test_a_failure_is_one_short_reason_and_comes_in_time(manner, failure: str):
    with webhook(manner) as received:
        before = time.monotonic()
        said = Webhook(f"{received.url}/{PATH}", {}, "--alert").post(b"{}", SOON)
        assert time.monotonic() - before < 5
    assert len(received.heads) == 1, "nothing is sent again"
    assert re.fullmatch(failure, said or ""), said


@pytest.mark.parametrize("manner", [huge, dribble(b"HTTP/1.1 200 OK\r\n\r\n")])
def test_an_answer_that_takes_the_message_counts_though_its_rest_never_ends(manner):
    with webhook(manner) as received:
        assert Webhook(received.url, {}, "--alert").post(b"{}", SOON) is None


def test_nobody_there():
    with services.refusing() as url:
        assert "Connection refused" in (Webhook(url, {}, "--alert").post(b"{}", AMPLE) or "")


def test_a_resolver_that_stands_still_is_not_waited_for(monkeypatch: pytest.MonkeyPatch):
    over = threading.Event()
    monkeypatch.setattr(module.socket, "getaddrinfo", lambda *given, **named: over.wait(30))
    try:
        said = Webhook("http://hooks.example.org/", {}, "--alert").post(b"{}", SOON)
        assert said == "no complete answer within 0.3 s"
        assert {one.daemon for one in threading.enumerate() if "look_up" in one.name} <= {True}
    finally:
        over.set()


def test_certificates_are_checked(tmp_path: Path):
    with webhook(answer(), tls=certificate(tmp_path, 2, "127.0.0.1")) as received:
        said = Webhook(received.url, {}, "--alert").post(b"{}", AMPLE)
    assert (said or "").startswith("TLS: no trust in the certificate")
    assert received.heads == []


def test_no_proxy_sees_it(monkeypatch: pytest.MonkeyPatch):
    with services.refusing() as nowhere, webhook(answer()) as received:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, nowhere)
        assert Webhook(received.url, {}, "--alert").post(b"{}", AMPLE) is None


def test_a_receiver_that_sends_everything_back_makes_no_message_tell_a_secret():
    def check(encoding: str, status: str) -> None:
        token = "Bearer tok_en-Value99"
        with webhook(echo(ENCODINGS[encoding], status)) as received:
            said = Webhook(f"{received.url}/{PATH}", {"Authorization": token}, "--alert").post(b"{}", AMPLE)
        assert said in (f"HTTP {status[:3]}", "HTTP 302: a redirect, which is not followed")

    check_rows(check, itertools.product(ENCODINGS, ["400 Bad Request", "302 Found", "500 Internal Server Error"]))


@pytest.mark.parametrize("secret", ["hunter_two", "hook_part"])
def test_a_word_that_is_part_of_a_secret_is_not_taken_for_a_code(secret: str):
    with webhook(answer("403 Forbidden", secret.encode())) as received:
        said = Webhook(f"{received.url}/hook_part/x", {"Authorization": "Bearer Hunter_Two"}, "--alert").post(b"{}", 5)
    assert said == "HTTP 403"


def test_a_status_line_that_tells_secrets_is_not_quoted():
    def tell(connection, received, asked):
        connection.sendall(f"HTTP/9.9 {asked.split()[1]} xoxb-Secr_tPart\r\n\r\n".encode())

    with webhook(tell) as received:
        said = Webhook(f"{received.url}/{PATH}", {}, "--alert").post(b"{}", AMPLE) or ""
    assert said
    assert not any(one in said for one in SECRETS)


@given(st.text())
def test_no_text_makes_anything_but_a_webhook_or_one_sentence_without_it(text: str):
    try:
        shown = Webhook(text, {}, "--alert").shown
    except InputError as error:
        shown = str(error)
    assert re.fullmatch(r"--alert is not a URL such as https://hooks.example.org/…|https?://[^\s/@?#]+", shown)


@pytest.mark.parametrize("url", ["https://", "ftp://a/b", "hooks.slack.com/x", "https://a b/", "http://[::1", ""])
def test_what_is_no_url_is_refused_without_showing_it(url: str):
    with pytest.raises(InputError) as error:
        Webhook(url, {}, "--alert env:HOOK")
    assert str(error.value) == "--alert env:HOOK is not a URL such as https://hooks.example.org/…"


def test_only_scheme_host_and_port_are_shown():
    hook = Webhook("https://user:pass@Hooks.example.org:8443/secret/path?key=1", {"X": "secret"}, "--alert")
    assert hook.shown == "https://hooks.example.org:8443"
    assert repr(hook) == "Webhook(https://hooks.example.org:8443)"


def test_two_ways_to_log_in_are_one_too_many():
    with pytest.raises(InputError, match="has a user in its URL, and a token is given too"):
        Webhook("https://u:p@example.org/", {"Authorization": "Bearer x"}, "--alert")


def test_user_and_password_are_sent():
    with webhook(answer()) as received:
        assert Webhook(received.url.replace("://", "://u:p@"), {}, "--alert").post(b"{}", AMPLE) is None
    assert "Authorization: Basic dTpw" in received.heads[0]
