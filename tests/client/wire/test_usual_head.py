"""Heads that are read without a parser, beside aiohttp's parser."""

import asyncio

from aiohttp.base_protocol import BaseProtocol
from aiohttp.http import HttpProcessingError, HttpResponseParser, RawResponseMessage
from cases import check_each, tables
from hypothesis import given
from hypothesis import strategies as st

from benchbench.client.wire.usual_head import header_fields, usual_head

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
            **{name: USUAL.replace(old.encode(), new.encode()) for name, (old, new) in tables(__file__).items()},
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
