"""Connections: answers in pieces or cut off, read by ourselves or by aiohttp, and which connections are used again."""

import asyncio
import gzip
import math
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest
from aiohttp.base_protocol import BaseProtocol
from aiohttp.http import HttpProcessingError, HttpResponseParser, RawResponseMessage
from cases import check_each, tables
from hypothesis import given
from hypothesis import strategies as st

from benchbench.client.transport import Attempt, Transport
from benchbench.client.wire import connections as connections_module
from benchbench.client.wire.connection import BUFFER
from benchbench.client.wire.usual_head import header_fields, usual_head
from benchbench.errors import InputError

TABLES = tables(__file__)

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"


HEAD, BODY = OK[:-5], b"hello"


class Server:
    """Writes scripted pieces to one request after the other, each request's in turn; the last again and again."""

    def __init__(self, *answers: Sequence[bytes]) -> None:
        self.answers, self.requests, self.connections = answers, list[bytes](), 0
        self.tasks = set[asyncio.Task[None]]()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = next(
                    (int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0
                )
                self.requests.append(head + await reader.readexactly(length))
                for piece in self.answers[min(len(self.requests), len(self.answers)) - 1]:
                    if piece is END:
                        return
                    writer.write(piece)
                    await writer.drain()
                    for _ in range(4):  # in which the piece is read
                        await asyncio.sleep(0)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[str]:
        server = await asyncio.start_server(self.handle, "127.0.0.1", 0)
        try:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        finally:
            server.close()
            await asyncio.gather(*self.tasks)


END = b"hang up"


def served(
    *answers: Sequence[bytes], requests: int = 1, by_aiohttp: bool = False, **options: int
) -> tuple[list[tuple[Attempt, bytes]], Server]:
    """Return what comes of requests, one after the other, and the server; aiohttp reads all where it is said so."""

    async def ask() -> tuple[list[tuple[Attempt, bytes]], Server]:
        server = Server(*answers)
        async with server.running() as url:
            transport = Transport(url, "/", 1, 10.0, options.get("max_bytes", 1 << 24))
            transport.keeps_headers = True
            async with transport:
                if by_aiohttp:
                    transport._connections._largest = -1
                got = [await transport.post(b"{}") for _ in range(requests)]
            assert transport.receiving == 0
            return got, server

    return asyncio.run(ask())


def chunks(body: bytes) -> bytes:
    return b"".join(b"%x\r\n%b\r\n" % (len(body[i : i + 3]), body[i : i + 3]) for i in range(0, len(body), 3)) + (
        b"0\r\n\r\n"
    )


def with_lines(*lines: bytes, body: bytes = BODY, status: bytes = b"HTTP/1.1 200 OK") -> bytes:
    return b"\r\n".join((status, *lines, b"", body))


LENGTH = b"Content-Length: 5"


PACKED = gzip.compress(BODY)


ANSWERS = {
    "usual": OK,
    "empty": with_lines(b"Content-Length: 0", body=b""),
    "other names": with_lines(b"content-length:5", b"connection: Keep-Alive", b"x-a: \xff\xfe"),
    "in chunks": with_lines(b"Transfer-Encoding: chunked", body=chunks(BODY)),
    "packed": with_lines(b"Content-Length: %d" % len(PACKED), b"Content-Encoding: gzip", body=PACKED),
    "packed and cut off": with_lines(b"Content-Length: %d" % len(PACKED), b"Content-Encoding: gzip", body=PACKED[:-9]),
    "not packed as it says": with_lines(LENGTH, b"Content-Encoding: gzip"),
    "after others": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + OK,
    "to the end": with_lines(b"Connection: close"),
    "HTTP/1.0": with_lines(LENGTH, status=b"HTTP/1.0 200 OK"),
    "no content": with_lines(status=b"HTTP/1.1 204 No Content", body=b""),
    "not modified": with_lines(LENGTH, status=b"HTTP/1.1 304 Not Modified", body=b""),
    "an error": with_lines(LENGTH, b"Retry-After: 3", status=b"HTTP/1.1 503 Busy"),
    "created": with_lines(LENGTH, status=b"HTTP/1.1 201 Created"),
    "lines that end otherwise": OK.replace(b"\r\n", b"\n"),
    "a line before": b"\r\n" + OK,
    "cut off in the head": HEAD[:20],
    "nothing": b"",
    "cut off in the body": OK[:-2],
    "another protocol": b"SSH-2.0-OpenSSH_9.6\r\n",
    "two lengths": with_lines(LENGTH, b"Content-Length: 6"),
    "a length that is none": with_lines(b"Content-Length: five"),
    "an unknown length": with_lines(b"Content-Length: -1"),
    "an upgrade": with_lines(b"Upgrade: websocket", b"Connection: upgrade", status=b"HTTP/1.1 101 Switching", body=b""),
    "long headers": with_lines(b"X: " + b"x" * 9000, LENGTH),
    "many headers": with_lines(*[b"X: x"] * 200, LENGTH),
    "larger than the buffer": with_lines(b"Content-Length: %d" % (BUFFER + 1), body=bytes(BUFFER + 1)),
    "as large as the buffer": with_lines(b"Content-Length: %d" % BUFFER, body=bytes(BUFFER)),
}


MORE = OK + b"garbage"


LARGE = {"larger than the buffer", "as large as the buffer"}


CUT_OFF = {"cut off in the body"}  # of which ours says less than aiohttp


def comparable(got: tuple[Attempt, bytes], name: str) -> tuple[object, ...]:
    attempt, body = got
    error = attempt.error and ("cut off" if name in CUT_OFF else re.sub(r":\d+/", "/", attempt.error))
    return (
        attempt.headers,
        attempt.status,
        attempt.bytes,
        error,
        attempt.refused,
        attempt.broken,
        attempt.retry_after,
        body,
    )


def sort(error: str | None) -> str | None:
    """Return what kind of error it is; what aiohttp says of a line depends on the pieces."""
    return error and error.partition(": ")[0].partition(" http:")[0]


def test_every_answer_is_read_as_aiohttp_reads_it():
    def check(name: str) -> None:
        pieces = (ANSWERS[name], END)
        ours, theirs = served(pieces)[0], served(pieces, by_aiohttp=True)[0]
        assert comparable(ours[0], name) == comparable(theirs[0], name)

    check_each(check, ANSWERS)


@given(st.sampled_from(sorted(set(ANSWERS) - LARGE)), st.data())
def test_an_answer_may_come_in_any_pieces(name: str, data: st.DataObject):
    answer = ANSWERS[name]
    cuts = sorted(data.draw(st.sets(st.integers(0, len(answer)), max_size=4)))
    pieces = [answer[a:b] for a, b in zip([0, *cuts], [*cuts, len(answer)], strict=True)]
    (whole,), (cut,) = served((answer, END))[0], served((*pieces, END))[0]
    assert [sort(attempt.error) for attempt, _ in (cut, whole)] == [sort(whole[0].error)] * 2
    assert (cut[0].status, cut[1], cut[0].broken) == (whole[0].status, whole[1], whole[0].broken)


def test_a_usual_body_that_is_cut_off_says_so():
    ((attempt, body),), _ = served((OK[:-2], END))
    assert (attempt.status, attempt.broken, body) == (200, True, b"")
    assert attempt.error == "connection broken: the body is cut off"
    assert attempt.sent <= attempt.first_byte <= attempt.end


@pytest.mark.parametrize(("name", "connections"), TABLES["used_again"])
def test_a_connection_is_used_again_where_its_answer_was_read_to_its_end(name: str, connections: int):
    end = () if connections == 1 else (END,)
    got, server = served((ANSWERS[name], *end), requests=3)
    assert (len(got), server.connections, len(server.requests)) == (3, connections, 3)


def test_what_comes_after_the_announced_body_is_no_part_of_it_nor_of_the_next_answer():
    got, server = served([MORE], requests=3)
    assert ([(attempt.error, body) for attempt, body in got], server.connections) == ([(None, BODY)] * 3, 3)


def test_usual_and_other_answers_may_follow_each_other_on_one_connection():
    names = ["usual", "in chunks", "usual", "packed", "an error", "usual"]
    got, server = served(*[[ANSWERS[name]] for name in names], requests=6)
    assert server.connections == 1
    assert [attempt.status for attempt, _ in got] == [200, 200, 200, 200, 503, 200]
    assert {body for _, body in got} == {BODY}


def test_a_connection_on_which_something_comes_unasked_is_not_used_again():
    async def ask() -> int:
        server = Server([OK, b"HTTP/1.1 408 Timeout\r\nContent-Length: 0\r\n\r\n"], [OK])
        async with server.running() as url, Transport(url, "/", 1, 10.0, 1 << 20) as transport:
            await transport.post(b"{}")
            (connection,) = transport._connections._idle
            while connection.is_usable:
                await asyncio.sleep(0)
            assert (await transport.post(b"{}"))[1] == BODY
        return server.connections

    assert asyncio.run(ask()) == 2


def run_with(limit: int, job: Callable[[Transport, Server], Awaitable[None]], *answers: Sequence[bytes]) -> None:
    async def main() -> None:
        server = Server(*answers)
        async with server.running() as url, Transport(url, "/", limit, 10.0, 1 << 20) as transport:
            await job(transport, server)

    asyncio.run(main())


@pytest.mark.parametrize(("idle", "connections"), [(14.9, 1), (15.0, 2)])
def test_a_connection_that_was_idle_for_15_seconds_is_not_used_again(monkeypatch, idle: float, connections: int):
    """Servers close one after 20 seconds or more: a request that is sent at that moment would be lost."""
    now = 1_000.0
    monkeypatch.setattr(connections_module, "time", SimpleNamespace(monotonic=lambda: now))

    async def job(transport: Transport, server: Server) -> None:
        nonlocal now
        for _ in range(2):
            assert (await transport.post(b"{}"))[1] == BODY
            now += idle
        assert server.connections == connections

    run_with(1, job, [OK])


def test_no_more_connections_are_open_than_there_are_places():
    async def job(transport: Transport, server: Server) -> None:
        got = await asyncio.gather(*(transport.post(b"{}") for _ in range(20)))
        assert [body for _, body in got] == [BODY] * 20
        assert 1 <= server.connections <= 3

    run_with(3, job, [OK])


@pytest.mark.parametrize("pieces", [(), (HEAD,), (OK[:-1],), (ANSWERS["in chunks"][:-5],)])
def test_a_request_that_is_given_up_leaves_its_place_and_closes_its_connection(pieces: Sequence[bytes]):
    async def job(transport: Transport, server: Server) -> None:
        asking = asyncio.create_task(transport.post(b"{}"))
        while not (transport.receiving if pieces else server.requests):
            await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert (await transport.post(b"{}"))[1] == BODY
        assert (server.connections, transport.receiving) == (2, 0)

    run_with(1, job, pieces, [OK])


def test_cookies_of_a_named_host_are_sent_back():
    async def ask() -> list[bytes]:
        server = Server([with_lines(LENGTH, b"Set-Cookie: node=a; Path=/", b"Set-Cookie: x=1")], [OK])
        async with server.running() as url:
            named = url.replace("127.0.0.1", "localhost")
            async with Transport(named, "/", 1, 10.0, 1 << 20) as transport:
                assert [(await transport.post(b"{}"))[1] for _ in range(3)] == [BODY] * 3
        return [line for request in server.requests for line in request.split(b"\r\n") if line.startswith(b"Cookie")]

    assert asyncio.run(ask()) == [b"Cookie: node=a; x=1"] * 2


def test_a_request_has_one_line_of_each_header():
    async def ask() -> bytes:
        server = Server([OK])
        async with server.running() as url:
            headers = {"content-type": "text/x", "ACCEPT": "a/b", "X-Key": "ключ"}
            async with Transport(f"{url}/p?q=1#f", "", 1, 10.0, 1 << 20, headers=headers) as transport:
                await transport.post(b"body")
        return server.requests[0]

    head, _, body = asyncio.run(ask()).partition(b"\r\n\r\n")
    line, *lines = head.split(b"\r\n")
    assert (line, body) == (b"POST /p?q=1 HTTP/1.1", b"body")
    names = [one.partition(b":")[0].lower() for one in lines]
    assert sorted(names) == sorted(set(names))
    assert {b"content-type: text/x", b"ACCEPT: a/b", b"Content-Length: 4"} <= set(lines)
    assert "X-Key: ключ".encode() in lines


def test_the_addresses_of_a_host_are_looked_up_once_for_many_connections(monkeypatch: pytest.MonkeyPatch):
    async def ask() -> tuple[int, int]:
        loop, asked = asyncio.get_running_loop(), list[object]()
        look_up = loop.getaddrinfo

        async def counted(*host: object, **options: object) -> object:
            asked.append(host)
            return await look_up(*host, **options)

        monkeypatch.setattr(loop, "getaddrinfo", counted)
        server = Server([with_lines(b"Connection: close"), END])
        async with server.running() as url:
            named = url.replace("127.0.0.1", "localhost")
            async with Transport(named, "/", 3, 10.0, 1 << 20) as transport:
                got = await asyncio.gather(*(transport.post(b"{}") for _ in range(6)))
        assert [body for _, body in got] == [BODY] * 6
        return len(asked), server.connections

    assert asyncio.run(ask()) == (1, 6)


def test_a_host_with_several_addresses_is_found_at_the_one_that_answers():
    async def ask() -> bytes:
        server = Server([OK])
        async with server.running() as url, Transport(url, "/", 1, 10.0, 1 << 20) as transport:
            (there,) = await transport._connections._resolved()
            deaf = (*there[:4], ("127.0.0.1", 1))  # where nothing listens
            transport._connections._known.extend([there, deaf])
            transport._connections._known_since = math.inf
            return (await transport.post(b"{}"))[1]

    assert asyncio.run(ask()) == BODY


@pytest.mark.parametrize("headers", [{"X-Key": "a\r\nHost: b"}, {"X\nY": "a"}, {"X-Key": "a\0"}])
def test_a_header_that_would_be_more_than_one_is_refused(headers: dict[str, str]):
    with pytest.raises(InputError, match=r"^the header X(-Key)? has a line break or a zero byte in it$"):
        Transport("http://127.0.0.1:1", "/", 1, 10.0, 1 << 20, headers=headers)


def test_a_connection_that_waits_for_its_next_request_keeps_no_answer():
    async def job(transport: Transport, server: Server) -> None:
        await transport.post(b"{}")
        (connection,) = transport._connections._idle
        assert connection.usual is None

    run_with(1, job, [OK])


@pytest.mark.parametrize("host", ["a..b", "a" * 300])
def test_a_name_that_no_host_can_have_is_one_that_cannot_be_reached(host: str):
    async def ask() -> Attempt:
        async with Transport(f"http://{host}", "/", 1, 10.0, 1 << 20) as transport:
            return (await transport.post(b"{}"))[0]

    assert "not a valid host name" in (asyncio.run(ask()).error or "")


# Heads that are read without a parser, beside aiohttp's parser

USUAL = b"HTTP/1.1 200 OK\r\nServer: x\r\ncontent-LENGTH:5 \r\nConnection: Keep-Alive\r\nX-Y:\r\n\r\n"


def by_aiohttp(head: bytes) -> tuple[RawResponseMessage, bool] | None:
    """Return what aiohttp reads, and whether it asks for another protocol; None where it is no single head."""
    loop = asyncio.new_event_loop()
    try:
        parser = HttpResponseParser(BaseProtocol(loop), loop, 1 << 16, read_until_eof=True)
        messages, upgraded, _ = parser.feed_data(head)
    except HttpProcessingError:
        return None
    finally:
        loop.close()
    if len(messages) != 1:
        return None
    (message, content) = messages[0]
    assert content.total_bytes == 0
    return message, upgraded


def test_the_usual_head_says_where_the_body_begins_and_how_long_it_is():
    assert usual_head(USUAL + b"12345") == (len(USUAL), 5)
    assert usual_head(memoryview(USUAL)) == (len(USUAL), 5)


def test_any_other_head_is_left_to_aiohttp():
    def check(head: tuple[str, bytes]) -> None:
        assert usual_head(head[1]) is None

    check_each(
        check,
        {
            **{
                name: USUAL.replace(old.encode(), new.encode())
                for name, (old, new) in tables(__file__, "usual_head").items()
            },
            "half of it": USUAL[:-1],
            "a line before": b"\r\n" + USUAL,
            "too many headers": USUAL.replace(b"X-Y:\r\n", b"X-Y:\r\n" * 100),
            "long headers": USUAL.replace(b"X-Y:", b"X-Y:" + b"y" * 8192),
        }.items(),
    )


def bytes_of(characters: bytes, most: int, least: int = 0) -> st.SearchStrategy[bytes]:
    return st.lists(st.sampled_from(characters), min_size=least, max_size=most).map(bytes)


TOKEN = bytes_of(b"!#$%&'*+-.^_`|~09azAZ", 8, 1)


VALUE = bytes_of(bytes([9, 32, *range(0x20, 0x7F, 5), *range(0x80, 0x100, 9)]), 12)


PLAIN = st.tuples(TOKEN, st.sampled_from([b":", b": ", b":\t"]), VALUE)


HEEDED = st.tuples(
    st.sampled_from([b"Connection", b"Content-Length", b"content-encoding", b"Transfer-Encoding", b"Upgrade", b"TE"]),
    st.sampled_from([b":", b": ", b" :"]),
    st.sampled_from([b"5", b" 5\t", b"keep-alive", b"Keep-Alive ", b"close", b"gzip", b"chunked", b"keep-alive, x"]),
)


WILD = st.tuples(st.binary(max_size=6), st.just(b":"), st.binary(max_size=12))


LINES = st.lists(st.one_of(*[PLAIN] * 8, HEEDED, WILD), max_size=3)


STATUS = st.sampled_from([b"HTTP/1.1 200 OK"] * 6 + [b"HTTP/1.1 200 ", b"HTTP/1.1 200", b"HTTP/1.0 200 OK"])


LENGTHS = st.sampled_from([b"Content-Length: 7", b"content-length:0", b"Content-Length:\t 0012 \t"])


ENDS = st.sampled_from([b"\r\n"] * 6 + [b"\n", b"\r\n "])


@given(STATUS, LINES, LENGTHS, LINES, ENDS)
def test_what_is_read_here_aiohttp_reads_alike(
    status: bytes, before: list[tuple[bytes, ...]], length: bytes, after: list[tuple[bytes, ...]], end: bytes
):
    lines = [status, *map(b"".join, before), length, *map(b"".join, after)]
    head = b"".join(line + b"\r\n" for line in lines) + end
    found = usual_head(head)
    if found is not None:
        begin, size = found
        message, upgraded = by_aiohttp(head[:begin])
        assert (message.version, message.code, int(message.headers["Content-Length"])) == ((1, 1), 200, size)
        assert not any((message.compression, message.should_close, message.chunked, message.upgrade, upgraded))
        ours, theirs = header_fields(head[:begin]), message.headers
        assert [(name.lower(), value) for name, value in ours.items()] == [
            (name.lower(), value) for name, value in theirs.items()
        ]
