import asyncio
import contextlib
import errno
import gzip
import json
import os
import pickle
import random
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import orjson
import pytest
import services
from aiohttp import web
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from raw_servers import certificate, saying, serving

import benchbench as bb
from benchbench.cli.options import ServiceOptions
from benchbench.cli.signatures import described_command
from benchbench.client import causes
from benchbench.client import transport as transport_module
from benchbench.client.decode import decode
from benchbench.client.descriptions import profile
from benchbench.client.headers import Headers, read_headers
from benchbench.client.jmespath_fields import FieldPath as Expression
from benchbench.client.profiles import Profile
from benchbench.client.response_layout import ProtocolError, ResponseLayout
from benchbench.client.retry import Retry
from benchbench.client.service import Service
from benchbench.client.transport import Attempt, Transport, unreachable
from benchbench.errors import BenchbenchError, InputError, TooManyFailuresError, UnreachableError
from benchbench.results.settings import Opt
from benchbench.tables.labels import NO_LABELS, Vocabulary

OURS = profile("benchbench")


SECRET = "s3cr3t-value"


def asked(service: Service, payload: bytes = b'{"queries": ["a"]}') -> tuple[Attempt, bytes]:
    async def ask() -> tuple[Attempt, bytes]:
        async with service.transport() as transport:
            return await transport.post(payload)

    return asyncio.run(ask())


async def repeat(service: services.Service, request: web.Request, message: Any) -> web.Response:
    """Fail, and send back what was got, as a careless service does."""
    text = (
        f"{request.headers.get('Authorization')} {request.headers.get('api-key')} {request.query_string} {request.url}"
    )
    return web.Response(status=400, text=text)


# Headers


def test_a_header_takes_its_value_from_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("API_KEY", SECRET)
    headers = read_headers(["api-key: ${API_KEY}", "X-Two: a:${API_KEY}-b", "X-Plain: $API_KEY {a}"])
    assert dict(headers) == {"api-key": SECRET, "X-Two": f"a:{SECRET}-b", "X-Plain": "$API_KEY {a}"}


def test_a_token_from_the_environment_is_a_bearer_token(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TOKEN", SECRET)
    assert dict(read_headers([], "TOKEN")) == {"Authorization": f"Bearer {SECRET}"}


@pytest.mark.parametrize(
    ("lines", "token_env", "reason"),
    [
        (["api-key"], None, "--header takes 'Name: value', such as 'api-key: ${API_KEY}'"),
        (["a b: c"], None, "--header takes 'Name: value', such as 'api-key: ${API_KEY}'"),
        ([": c"], None, "--header takes 'Name: value', such as 'api-key: ${API_KEY}'"),
        (["a: ${NOT_SET}"], None, "--header a: the environment variable NOT_SET is not set"),
        ([], "NOT_SET", "--token-env: the environment variable NOT_SET is not set"),
        (["a: 1", "A: 2"], None, "--header A: the header A is set twice"),
        (["authorization: 1"], "KEY", "--token-env: the header Authorization is set twice"),
        (["Host: a"], None, "--header Host: the header Host is the client's own to set"),
        (["a: ${BROKEN}"], None, "--header a: the value has a line break or another control character in it"),
    ],
)
def test_a_header_that_cannot_be_is_refused_without_its_value(
    lines: list[str], token_env: str | None, reason: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("NOT_SET", raising=False)
    monkeypatch.setenv("KEY", SECRET)
    monkeypatch.setenv("BROKEN", f"{SECRET}\r\nX-More: 1")
    with pytest.raises(InputError) as refused:
        read_headers(lines, token_env)
    assert str(refused.value) == reason


def test_headers_of_the_service_win_over_those_of_its_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("KEY", SECRET)
    file = tmp_path / "mine.toml"
    file.write_text('body = {q = "{queries}"}\nheaders = {api-key = "${KEY}", X-Mode = "a", Content-Type = "text/x"}')
    with services.running(services.no_hits) as target:
        asked(Service(target.url, profile(str(file)), {"x-mode": "b"}), b'{"queries": []}')
    got = target.headers[0]
    assert (got["api-key"], got["x-mode"], got["Content-Type"]) == (SECRET, "b", "text/x")


def test_what_a_request_is_made_of_is_said_in_its_head():
    lines = profile("elasticsearch", {"index": "c"})
    service = Service("http://127.0.0.1:9", lines)
    assert b"\r\nContent-Type: application/x-ndjson\r\n" in service.transport()._head.request(b"")


# Secrets


def test_no_secret_is_shown_anywhere():
    service = Service(f"http://anna:{SECRET}@h:1/?key={SECRET}", OURS, {"api-key": SECRET})
    for shown in (repr(service), str(service), repr(service.headers), repr(service.shown()), repr(service.transport())):
        assert SECRET not in shown
        assert "anna" not in shown
    assert service.shown()["headers"] == ["Content-Type", "api-key"]
    assert orjson.loads(orjson.dumps(service.shown()))["url"] == "http://h:1/batch_search"


def test_writing_a_service_down_in_passing_fails_instead_of_showing_its_headers():
    values = asdict(Service("http://h:1", OURS, {"api-key": SECRET}))
    with pytest.raises(TypeError):
        json.dumps(values)
    assert SECRET not in json.dumps(values, default=repr)


def test_a_secret_that_the_service_sends_back_is_hidden_in_the_error():
    with services.running(repeat) as target:
        url = target.url.replace("http://", "http://anna:passw0rd@") + f"/?key={SECRET}"
        attempt, _ = asked(Service(url, OURS, {"api-key": "k3y-value"}))
        bearer, _ = asked(Service(target.url, OURS, {"Authorization": f"Bearer {SECRET}"}))
    for error in (attempt.error, bearer.error):
        assert error.startswith("HTTP 400: ")
        assert "[hidden]" in error
        assert not any(secret in error for secret in (SECRET, "k3y-value", "passw0rd"))


def test_a_secret_in_an_answer_that_cannot_be_read_is_hidden_before_it_is_cut():
    hide = Service("http://h:1", OURS, {"api-key": SECRET}).transport().hide
    described = ResponseLayout(Expression("h"), Expression("r"))
    for body, results in (
        (f"{'x' * 55}{SECRET}".encode(), None),
        (orjson.dumps({"r": [{"error": f"{'x' * 180}{SECRET}"}]}), described),
        (orjson.dumps({"error": SECRET}), described),
    ):
        with pytest.raises(ProtocolError) as refused:
            decode(body, [()], Vocabulary(), NO_LABELS, results)
        shown = refused.value.text(hide)
        assert "[hid" in shown
        assert SECRET[:4] not in shown


def test_headers_are_equal_by_what_they_hold():
    assert Headers({"a": "1"}) == Headers({"a": "1"}) != Headers({"a": "2"})


# TLS


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """Return an authority of our own, a certificate it signed for 127.0.0.1, and that one's key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs the openssl command, to make certificates")
    folder = tmp_path_factory.mktemp("tls")
    (folder / "leaf.ext").write_text("subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n")
    for command in (
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ca.key -out ca.pem -days 2 "
        "-subj /CN=test-authority -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign",
        "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout leaf.key -out leaf.csr -subj /CN=leaf",
        "x509 -req -in leaf.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out leaf.pem -days 2 -extfile leaf.ext",
    ):
        subprocess.run([openssl, *command.split()], cwd=folder, check=True, capture_output=True)
    return folder / "ca.pem", folder / "leaf.pem", folder / "leaf.key"


def hello(connection: socket.socket) -> None:
    connection.recv(1 << 16)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")


@contextlib.contextmanager
def tls_service(certificates: tuple[Path, Path, Path]) -> Iterator[str]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates[1], certificates[2])
    with serving(hello, context) as place:
        yield f"https://{place}"


def test_a_certificate_is_trusted_where_its_authority_is_named_and_for_its_own_name(certificates):
    with tls_service(certificates) as url:
        unknown, nothing = asked(Service(url, OURS))
        other, _ = asked(Service(url.replace("127.0.0.1", "localhost"), OURS, ca_file=certificates[0]))
        trusted, body = asked(Service(url, OURS, ca_file=certificates[0]))
    assert (unknown.status, unknown.refused, unknown.broken, nothing) == (None, True, False, b"")
    assert unknown.error.startswith("TLS: no trust in the certificate: ")
    assert other.error.startswith("TLS: the certificate is for another name: ")
    assert (trusted.error, body) == (None, b"hello")


@pytest.mark.slow  # two processes
def test_worker_processes_trust_it_too(certificates):
    service = Service("", OURS, ca_file=certificates[0])
    said = "the body is not JSON: it starts with 'hello'"
    with tls_service(certificates) as url, pytest.raises(TooManyFailuresError, match=said):
        bb.run(bb.Settings(bb.locate("synthetic-cases"), url=url, service=service, workers=2))


def test_a_run_that_meets_an_unknown_authority_says_where_to_name_it(certificates):
    with tls_service(certificates) as url, pytest.raises(UnreachableError, match=r"is not trusted .* with --ca-file$"):
        bb.run(bb.Settings(bb.locate("synthetic-cases"), url=url))


@pytest.mark.parametrize(
    ("url", "options", "reason"),
    [
        ("https://h", {"ca_file": "empty.pem"}, r"--ca-file .*empty\.pem cannot be used: no certificate in it$"),
        ("https://h", {"ca_file": "none.pem"}, r"--ca-file .*none\.pem cannot be used: No such file"),
        ("http://h", {"ca_file": "any.pem"}, "--ca-file has no effect"),
        ("http://a:b@h", {"headers": {"authorization": "x"}}, "the URL has a user name, and a header is Authorization"),
    ],
)
def test_a_service_that_cannot_be_is_refused(tmp_path: Path, url: str, options: dict[str, Any], reason: str):
    (tmp_path / "empty.pem").write_text("")
    if "ca_file" in options:
        options = {"ca_file": tmp_path / options["ca_file"]}
    with pytest.raises(InputError, match=f"^{reason}"):
        Service(url, OURS, **options)


# Transport


def test_packed_answers_are_asked_for_and_bounded_by_what_they_unpack_to():
    packed = gzip.compress(bytes(2 << 20))
    assert len(packed) < 1 << 20
    with services.running(services.raw(packed, Content_Encoding="gzip")) as target:
        attempt, _ = asked(Service(target.url, OURS, max_response_mb=1))
        _, body = asked(Service(target.url, OURS, max_response_mb=2))
    assert target.headers[0]["Accept-Encoding"] == "gzip, deflate"
    assert attempt.error == "the body is larger than 1,048,576 bytes"
    assert body == bytes(2 << 20)


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch):
    with services.refusing() as proxy, services.running(services.echo) as target:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        attempt, _ = asked(Service(target.url, OURS))
    assert attempt.status == 200


def test_connections_are_kept_and_no_more_are_opened_than_allowed():
    peers: set[Any] = set()

    async def note(service: services.Service, request: web.Request, message: Any) -> web.StreamResponse:
        peers.add(request.transport.get_extra_info("peername"))
        return await services.echo(service, request, message)

    async def ask(service: Service) -> list[int | None]:
        async with service.transport() as transport:
            answers = await asyncio.gather(*(transport.post(b'{"queries": ["a"]}') for _ in range(20)))
            return [attempt.status for attempt, _ in answers]

    with services.running(note) as target:
        statuses = asyncio.run(ask(Service(target.url, OURS, connections=2)))
    assert statuses == [200] * 20
    assert len(peers) == 2


def test_the_method_and_the_path_are_those_of_the_profile():
    seen: list[tuple[str, str]] = []

    async def note(service: services.Service, request: web.Request, message: Any) -> web.StreamResponse:
        seen.append((request.method, request.path_qs))
        return web.Response(text="{}")

    mine = Profile("mine", {"q": "{queries}"}, path="/a/b?version=2", method="PUT")
    with services.running(note) as target:
        asked(Service(target.url + "/base?key=1", mine), b"{}")
    assert seen == [("PUT", "/base/a/b?key=1&version=2")]


def test_a_url_that_is_whole_keeps_its_own_version():
    azure = profile("azure-ai-search", {"index": "cases"})
    service = Service("https://h/indexes/cases/docs/search?api-version=2025-09-01", azure)
    assert str(service.transport().url) == "https://h/indexes/cases/docs/search?api-version=2025-09-01"


def test_a_url_may_come_later_and_is_checked_then():
    service = Service("", OURS, timeout=3.0)
    assert service.shown()["url"] is None
    assert service.at("http://h:1").transport().shown == "http://h:1/batch_search"
    with pytest.raises(InputError, match="is not a URL"):
        service.at("h:1")


# Options of a command


def made(*arguments: str) -> Service | str:
    """Return the service that a command with these options would ask, or the sentence that refuses them."""
    result: list[Service] = []

    @described_command("ask")
    def command(
        service: ServiceOptions, other: Annotated[str | None, Opt("Of the command, and not of a service.")] = None
    ) -> None:
        result.append(service.at("http://h:1", 4))

    done = CliRunner().invoke(command, list(arguments), max_content_width=1000, terminal_width=1000)
    if done.exception is not None:
        assert SECRET not in done.output
        return str(done.exception) if isinstance(done.exception, BenchbenchError) else done.output
    return result[0] if result else done.output


def test_options_left_out_make_the_usual_service():
    assert made() == Service("http://h:1", OURS, connections=4)


def test_each_option_reaches_the_service(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TOKEN", SECRET)
    service = made(
        *("--protocol", "qdrant", "--protocol-option", "collection=cases", "--protocol-option", "model=a=b"),
        *("--header", "X-Tenant: 7", "--header", "X-Mode: a", "--token-env", "TOKEN"),
        *("--timeout", "1.5", "--retries", "0", "--retry-for", "2m", "--max-response-mb", "9"),
    )
    assert isinstance(service, Service)
    assert service.profile.options == {"collection": "cases", "model": "a=b", "text_field": "text", "using": ""}
    assert dict(service.headers) == {"X-Tenant": "7", "X-Mode": "a", "Authorization": f"Bearer {SECRET}"}
    assert (service.timeout, service.retry(), service.max_response_mb) == (1.5, Retry(0, 120.0), 9)


@pytest.mark.parametrize(
    ("text", "seconds"), [("60s", 60.0), ("500ms", 0.5), ("1.5 min", 90.0), ("2m", 120.0), ("7", 7.0), ("0", 0.0)]
)
def test_a_time_is_written_with_or_without_a_unit(text: str, seconds: float):
    service = made("--retry-for", text)
    assert isinstance(service, Service)
    assert service.retry_for == seconds


NO_TIME = "is a time such as 30s, 500ms or 2m"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--protocol", "solr"], "--protocol solr is neither built in"),
        (["--protocol", "qdrant", "--protocol-option", "model"], "--protocol-option model is not NAME=VALUE"),
        (["--protocol-option", "a=1", "--protocol-option", "a=2"], "--protocol-option a is given twice"),
        (["--token-env", "NOT_SET"], "--token-env: the environment variable NOT_SET is not set"),
        (["--header", SECRET], "--header takes 'Name: value'"),
        (["--ca-file", "x.pem"], "--ca-file has no effect, because the URL does not begin with https://"),
        *((["--retry-for", text], f"(?s).*{NO_TIME}") for text in ("", "soon", "nan", "inf", "-1s", "1h", "٣s")),
        *(
            (["--retry-for", text], "--retry-for is a number of seconds from 0 to 1,000,000, and not ")
            for text in ("9" * 400, "1000001s", "100000min")
        ),
    ],
)
def test_options_that_cannot_be_are_one_sentence(arguments: list[str], reason: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("NOT_SET", raising=False)
    assert re.match(reason, str(made(*arguments)))


def test_the_help_has_no_way_around_certificates():
    text = " ".join(str(made("--help")).split())
    assert "insecure" not in text
    assert "verify" not in text


@pytest.mark.parametrize(("name", "options"), [("benchbench", {}), ("elasticsearch", {"index": "cases"})])
def test_a_service_comes_out_of_its_pickle_with_its_secrets(name: str, options: dict[str, str]):
    """So it gets to worker processes."""
    service = Service("http://127.0.0.1:1", profile(name, options), Headers({"X-Key": SECRET}))
    again = pickle.loads(pickle.dumps(service))
    assert (again, dict(again.headers)) == (service, {"X-Key": SECRET})


# Each cause with a real socket where the loopback has one; the others with the errors that the system raises


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
        (services.never, 0.05, None, "no complete answer within 0.05 s"),
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
        (HEAD, "connection broken: the connection was closed in the middle of the response head"),
        (HEAD + PACKED, "connection broken: Can not decode content-encoding: gzip"),
        (HEAD + CHUNKED + b"5\r\nabcde\r\n", "connection broken: Response payload is not completed: Not enough data"),
        (HEAD + CHUNKED + b"zz\r\nabcde\r\n", "the answer is broken: Invalid character in chunk size: 'zz'"),
        (HEAD + b"A B: y\r\n\r\n", "the answer is broken: Invalid header token: 'A B: y'"),
        (b"HTTP/1.1 abc OK\r\n\r\n", "the server there does not speak HTTP: Bad status line: Invalid status code"),
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
        *((url, "is empty; is its variable set?") for url in ("", " ")),
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
        (
            "http://h",
            "no complete answer in 1 s",
            1,
            "gave no answer in 1 attempt (no complete answer in 1 s); is it one?",
        ),
    ],
)
def test_an_error_of_another_kind_has_the_doubt_of_who_asked(url: str, error: str, attempts: int, told: str):
    assert str(unreachable(url, error, attempts, "is it one?")) == f"{url} {told}"


def test_a_server_that_says_nothing_to_https_leaves_the_question():
    """As a server of http does that waits for the end of the first line."""
    said = str(unreachable("https://h:1", "no complete answer within 3 s", 3, "is it one?"))
    assert said.endswith(" (no complete answer within 3 s); is it one? Or does it speak http, and not https?")


def test_something_else_than_http():
    with serving(saying(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")) as place:
        said = sentence(f"http://{place}")
    assert " does not speak HTTP (" in said
    assert "does it speak https rather than http?" in said


def test_a_server_that_hangs_up_in_the_handshake():
    def hang_up(connection: socket.socket) -> None:
        connection.recv(10)

    with serving(hang_up) as place:
        assert "does it really speak https" in sentence(f"https://{place}")


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
    cause = causes.cause_of(error)
    assert cause.passing
    assert str(unreachable("http://h", cause.text(error), 1, "")).startswith(f"http://h {told} (")
    assert error.errno is None or os.strerror(error.errno) in cause.text(error)


def test_every_cause_is_found_again_by_what_it_said():
    for cause in causes.CAUSES:
        assert causes.advice(f"{cause.begins}: reason") == cause.advice
