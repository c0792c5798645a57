"""One attempt over HTTP, and what it failed for."""

import asyncio
import re
import ssl
import time
from collections.abc import Collection, Mapping
from types import TracebackType
from urllib.parse import unquote, unquote_plus

import aiohttp
import yarl
from aiohttp.http import HttpProcessingError
from msgspec import Struct

from benchbench.client import causes, retry_after
from benchbench.client.keys import NO_KEY
from benchbench.client.memory_budget import MEMORY, MemoryBudget, MemoryReservation
from benchbench.client.payload import Located, Payload
from benchbench.client.secrets import Secrets, basic
from benchbench.client.wire.connection import Unusual, Usual
from benchbench.client.wire.connections import Connections, NotConnectedError
from benchbench.client.wire.request_head import RequestHead
from benchbench.client.wire.usual_head import header_fields
from benchbench.errors import InputError, TooManyFailuresError, UnreachableError, visible
from benchbench.tables.random_keys import without_keys

_AT_ONCE = 1 << 20  # bytes; a longer body takes room as it comes, and not all when it is announced
_LARGE_BLOCK = (1 << 22) - (1 << 16)  # bytes; glibc then trims above 8 MiB, and heeds none beyond 32 MiB
_TURNS = 8  # of the event loop, in which bodies that arrive go before other work
_OK = 200
_REASON = 300  # characters of what a library says of a failure
_BODY_IN_ERROR = 200  # characters of a failed answer that are kept
_WRONG_PLACE = frozenset({404, 405, 410, 501})  # statuses that the path or the method may be the reason for
_PAGE = re.compile(rb"\s*(<!doctype html|<html)", re.IGNORECASE)
_UNSEEN = re.compile(rb"<(head|script|style)\b.*?</\1\s*>|<[^>]*>", re.IGNORECASE | re.DOTALL)  # of a page


class Attempt(Struct, frozen=True):
    """One request on the wire; times are seconds of `time.perf_counter`, NaN when never reached."""

    sent: float
    first_byte: float
    end: float
    bytes: int
    status: int | None
    error: str | None
    refused: bool = False  # no connection was made
    broken: bool = False  # refused, reset or timed out: trying again may help
    retry_after: float | None = None
    headers: Mapping[str, str] | None = None  # of the answer; only where they were asked for
    page: int = 1  # of a query that is asked page after page


class Transport:
    """Connections to one service, kept open and reused; never through a proxy."""

    keeps_headers: bool = False  # attempts have the headers of their answers
    key_advice: str | None = None  # what to do when a key is refused; None where there can be none
    receiving: int = 0  # answers whose head is there, and not yet the whole body

    def __init__(
        self,
        url: str,
        path: str,
        connections: int,
        timeout: float,
        max_bytes: int,
        *,
        method: str = "POST",
        headers: Mapping[str, str] | None = None,
        tls: ssl.SSLContext | None = None,
        memory: int = MEMORY,
        placed: Collection[str] = (),
        secrets: Secrets | None = None,
        has_body: bool = True,
        key_advice: str | None = None,
    ) -> None:
        """Prepare; nothing is opened before `__aenter__`.

        Parameters
        ----------
        url
            Where the service is, and the encoded `path` with its parameters; `endpoint` joins them.
        connections
            Connections open at once.
        timeout
            Seconds for a whole attempt.
        max_bytes
            A larger body, unpacked, is not read to its end.
        method
            Of every request.
        headers
            Sent with every request. Their values, like what is secret in the URL, are kept out of all errors.
        tls
            Whose certificates to trust; without it, those of the system's authorities.
        memory
            Bytes of all bodies under way, beyond which they wait for each other.
        placed
            Names of parameters that every request fills in: `endpoint` says why.
        secrets
            What is kept out of all errors, where that is more than the secrets of the URL and the headers.
        has_body
            Whether requests have one.
        key_advice
            Which key to check when it is refused; None where none is sent.
        """
        self.key_advice = key_advice or NO_KEY
        self.memory = MemoryBudget(memory)
        self.url = endpoint(url, path, placed)
        self.shown = shown(self.url)
        self.secrets = secrets or Secrets(self.url, headers or {})
        self._limit = connections
        self._timeout = timeout
        self._max_bytes = max_bytes
        self._method = method
        self._target = self.url.with_user(None)
        sent = {**({"Content-Type": "application/json"} if has_body else {}), **(headers or {})}
        if (login := basic(self.url)) is not None:
            sent["Authorization"] = login
        self._head = RequestHead(method, sent, self._target)
        self._tls = tls

    async def __aenter__(self) -> "Transport":
        """Prepare to open connections."""
        _keep_freed_memory()
        self._connections = Connections(self._target, self._limit, self._tls, self._max_bytes, self)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close all connections."""
        self._connections.close()
        await asyncio.sleep(0)  # in which they are told

    async def quiet(self) -> None:
        """Wait a turn of the event loop, and a few more while bodies arrive.

        Who is about to keep the loop busy waits here first, so that the times of other answers do not become late.
        """
        for _ in range(_TURNS):
            await asyncio.sleep(0)
            if not self.receiving:
                return

    async def post(self, payload: Payload, reservation: MemoryReservation | None = None) -> tuple[Attempt, bytes]:
        """Send one request. A failure is part of the attempt and is not raised.

        The memory of the body is in `reservation`, whose owner releases it once the body was read; without one, here.
        The seconds that it waits for memory are the client's: they are not in the attempt's times, and no timeout
        counts them.
        """
        if reservation is None:
            with self.memory.reservation() as reservation:
                return await self.post(payload, reservation)
        if isinstance(payload, Located):
            target = yarl.URL(payload.url(str(self._target)), encoded=True)
            request = self._head.request(payload.body, target)
        else:
            target, request = self._target, self._head.request(payload)
        clock, waited = time.perf_counter, reservation.waited
        sent, first_byte = clock(), float("nan")
        status: int | None = None

        def failed(error: str, *, refused: bool = False, broken: bool = True) -> tuple[Attempt, bytes]:
            reason = visible(" ".join(self.hide(error).split()), _REASON)
            end = clock() - (reservation.waited - waited)
            return Attempt(sent, first_byte, end, 0, status, reason, refused, broken), b""

        limit = asyncio.timeout(self._timeout)
        try:
            async with limit:
                connection, was_read = await self._connections.take(), False
                try:
                    answer = await connection.ask(request, reservation)
                    if isinstance(answer, Usual):
                        was_read = True
                        return self._usual(sent, answer), answer.body
                    first_byte, status = answer.first_byte, answer.status
                    body = await self._read(answer, reservation, limit)
                    end = clock() - (reservation.waited - waited)
                    was_read = body is not None
                finally:
                    if not was_read and connection.usual is not None:
                        first_byte, status = connection.usual.first_byte, _OK
                    self._connections.give_back(connection, read=was_read)
        except NotConnectedError as error:
            cause = causes.cause_of(error.cause)
            return failed(cause.text(error.cause), refused=True, broken=cause.passing)
        except HttpProcessingError as error:
            what = causes.NO_HTTP if "status line" in error.message else "the answer is broken"
            return failed(f"{what}: {causes.broken(error)}")
        except (aiohttp.ClientError, OSError) as error:  # TimeoutError among them
            if limit.expired():
                return failed(f"no complete answer within {self._timeout:g} s")
            return failed(f"connection broken: {causes.broken(error)}")
        except Exception as error:  # a header that breaks what reads it must cost its own request only
            return failed(f"the answer cannot be read: {type(error).__name__}: {causes.broken(error)}", broken=False)
        if body is None:
            return failed(f"the body is larger than {self._max_bytes:,} bytes", broken=False)
        headers = answer.headers
        error_text = None
        if not 200 <= status < 300:
            error_text = self._refusal(status, headers.get("Location"), target, body)
        speaks_tls = status == 400 and causes.expects_tls(error_text or "")  # no answer, but that none will come
        attempt = Attempt(
            sent,
            first_byte,
            end,
            len(body),
            status,
            error_text,
            speaks_tls,
            retry_after=retry_after.seconds(headers.get("Retry-After")),
            headers=headers if self.keeps_headers else None,
        )
        return attempt, body

    def _usual(self, sent: float, answer: Usual) -> Attempt:
        headers = header_fields(answer.head) if self.keeps_headers else None
        return Attempt(sent, answer.first_byte, answer.end, len(answer.body), _OK, None, headers=headers)

    def _refusal(self, status: int, location: str | None, asked: yarl.URL, body: bytes) -> str:
        """Return the error of an answer without a success status: status, path where that may be wrong, body."""
        reason = f"HTTP {status}"
        if status in _WRONG_PLACE or 300 <= status < 400:
            reason += f" from {self._method} {self.shown}"
        if location is not None and 300 <= status < 400:
            reason += f", which sends to {visible(self.hide(location), _BODY_IN_ERROR)}{_slash(asked, location)}"
        text = b" ".join(_UNSEEN.sub(b" ", body).split()) if _PAGE.match(body) else body
        start = visible(self.secrets.start(text).strip(), _BODY_IN_ERROR)
        return f"{reason}: {start}" if start else reason

    def hide(self, text: str) -> str:
        """Return a message without the secrets of the headers and the URL: a service may send back what it got."""
        return self.secrets.hide(text)

    async def _read(self, answer: Unusual, reservation: MemoryReservation, limit: asyncio.Timeout) -> bytes | None:
        """Return the body of an unusual answer, or None as soon as it is known to be too large."""
        if "Set-Cookie" in answer.headers:
            self._head.note_cookies(answer.headers.getall("Set-Cookie"))
        self.receiving += 1
        try:
            return await self._body(answer, reservation, limit)
        finally:
            self.receiving -= 1

    async def _body(self, answer: Unusual, reservation: MemoryReservation, limit: asyncio.Timeout) -> bytes | None:
        content, headers = answer.content, answer.headers
        announced = int(headers["Content-Length"]) if "Content-Length" in headers else None
        if announced is not None and announced > self._max_bytes:
            return None
        if announced is not None and announced <= _AT_ONCE and not headers.get("Content-Encoding"):
            await reservation.reserve(announced, limit)
            if (broken := content.exception()) is not None:  # nobody tells who begins to wait later
                raise broken
            await content.wait_eof()  # reading block by block wakes up for each, and copies once more
            return content.read_nowait()
        blocks, size = [], 0
        async for block in content.iter_any():
            size += len(block)
            if size > self._max_bytes:
                return None
            await reservation.reserve(len(block), limit)
            blocks.append(block)
        return b"".join(blocks)


def _keep_freed_memory() -> None:
    """Let the C library keep the memory that one body leaves for the next.

    Until it has seen a large block freed, glibc returns each freed one of 128 KiB or more to the system and takes the
    next from there, page by page. That costs more time than a body takes to be read. No page of this block is touched.
    """
    bytes(_LARGE_BLOCK)


def key_refused(transport: Transport, error: str, advice: str | None = None) -> TooManyFailuresError:
    """Return the error of a service that refuses the key of every request; the advice is the transport's by default."""
    return TooManyFailuresError(f"{transport.shown} lets nobody in ({error}); {advice or transport.key_advice}")


def unreachable(shown: str, error: str, attempts: int, hint: str) -> UnreachableError:
    """Return the error that ends a run before any usable answer, with the likely ways out.

    Parameters
    ----------
    shown
        The URL, without secrets.
    error
        Of the last attempt.
    attempts
        How many there were.
    hint
        A question to ask oneself where the error itself has no advice.
    """
    advice = causes.advice(error)
    if advice is None:
        times = "1 attempt" if attempts == 1 else f"{attempts} attempts"
        if shown.startswith("http:") and ("disconnected" in error or "reset by peer" in error):
            hint += " Or does it speak https, and not http?"
        if shown.startswith("https:") and "no complete answer" in error:  # it waits for the rest of a line
            hint += " Or does it speak http, and not https?"
        what = "no usable answer" if error.startswith("HTTP") else "no answer"
        return UnreachableError(f"{shown} gave {what} in {times} ({error}); {hint}")
    cause, colon, way = advice.partition(": ")
    return UnreachableError(f"{shown} {cause} ({error}){colon}{way}")


def shown(url: yarl.URL) -> str:
    """Return a URL as it may be written down: no user, no password, no query, and no key in its path."""
    return without_keys(str(url.with_user(None).with_query(None).with_fragment(None)))


def endpoint(url: str, path: str, placed: Collection[str] = ()) -> yarl.URL:
    """Return where requests go: `path`, which is encoded and may have places, added to `url`.

    What a URL ends with and the path begins with stands there once. Parameters of the URL go before constants
    of the path with the same name; those in `placed`, which each request fills in, go before the URL's.

    Raises
    ------
    InputError
        `url` is none.
    """
    try:
        parsed = yarl.URL(url)
    except ValueError:
        parsed = yarl.URL()
    if not url.strip():
        raise InputError("--url is empty; is its variable set?")
    if parsed.scheme not in ("http", "https") or not parsed.host:
        place = "…" if "@" in url else url.partition("?")[0]  # before an @ stands a password
        raise InputError(f"--url {place} is not a URL such as http://127.0.0.1:8000")
    if not path:
        return parsed.with_fragment(None)
    added, _, parameters = path.partition("?")
    own = [
        parameter for parameter in parsed.raw_query_string.split("&") if parameter and _name(parameter) not in placed
    ]
    given = {_name(parameter) for parameter in own}
    own += [parameter for parameter in parameters.split("&") if parameter and _name(parameter) not in given]
    root = str(parsed.with_path("/").with_query(None).with_fragment(None)).removesuffix("/")
    query = f"?{'&'.join(own)}" if own else ""
    return yarl.URL(f"{root}{_joined(parsed.raw_path, added)}{query}", encoded=True)


def _joined(first: str, second: str) -> str:
    """Return two paths as one, in which the names that end one and begin the other stand once."""
    names, more = ([name for name in path.strip("/").split("/") if name] for path in (first, second))
    plain, added = list(map(unquote, names)), list(map(unquote, more))
    same = next(n for n in range(len(more), -1, -1) if n == 0 or plain[-n:] == added[:n])
    joined = "/".join(("", *names, *more[same:]))
    ends = second.endswith("/") or (same == len(more) and first.endswith("/"))
    return joined + "/" if ends or not joined else joined


def _name(parameter: str) -> str:
    return unquote_plus(parameter.partition("=")[0])


def _slash(asked: yarl.URL, location: str) -> str:
    """Return what to do about a redirect that is about the slash at the end of the path."""
    try:
        path = asked.join(yarl.URL(location, encoded=True)).raw_path
    except ValueError:
        return ""
    if path == asked.raw_path or path.rstrip("/") != asked.raw_path.rstrip("/"):
        return ""
    return (
        f"; give the URL or the path of the protocol {'with' if path.endswith('/') else 'without'} a slash at its end"
    )
