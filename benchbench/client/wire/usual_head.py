"""The head of the usual answer, which is read without a parser of HTTP.

An answer is usual when it is HTTP/1.1, has status 200, announces its length, is neither packed nor in chunks, keeps the
connection open, and says nothing else that a client must heed. `client.wire.connection` hands any other to aiohttp.
"""

import re

from multidict import CIMultiDict, CIMultiDictProxy

_LONGEST = 1 << 13  # bytes of a head; aiohttp takes as many in one line
_FIELDS = 60  # on each side of Content-Length, together fewer than aiohttp takes
_HEEDED = rb"(?i:connection|content-(?:encoding|length)|retry-after|set-cookie|trailer|transfer-encoding|upgrade)"
_REST = rb"[^\x00-\x08\x0a-\x1f\x7f]*+\r\n"  # of a line
_FIELD = rb"(?:(?!%b:)[!#$%%&'*+\-.^_`|~0-9A-Za-z]++:%b|(?i:connection: *keep-alive) *\r\n)" % (_HEEDED, _REST)
_USUAL = re.compile(
    rb"HTTP/1\.1 200 %(rest)b%(fields)b(?i:content-length): *+([0-9]{1,9}+) *+\r\n%(fields)b\r\n"
    % {b"rest": _REST, b"fields": _FIELD + b"{0,%d}+" % _FIELDS}
)


def usual_head(start: bytes | memoryview) -> tuple[int, int] | None:
    """Return where the body begins and how many bytes it has; None where the answer is not known to be usual.

    Parameters
    ----------
    start
        What came first of an answer.
    """
    head = _USUAL.match(start, 0, _LONGEST)
    return None if head is None else (head.end(), int(head[1]))


def header_fields(head: bytes) -> CIMultiDictProxy[str]:
    """Return the headers of a usual head as aiohttp returns them."""
    lines = head.decode("utf-8", "surrogateescape").split("\r\n")[1:-2]
    return CIMultiDictProxy(
        CIMultiDict((name, value.strip("\t ")) for name, _, value in (line.partition(":") for line in lines))
    )
