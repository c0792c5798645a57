"""One attempt over HTTP. The only place that knows aiohttp's client and its errors."""

import asyncio
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType

import aiohttp
import yarl

from benchbench.client.retry import retry_after
from benchbench.client.room import ROOM, Hold, Room
from benchbench.errors import InputError, UnreachableError, visible

_AT_ONCE = 1 << 20  # bytes; a longer body takes room as it comes, and not all when it is announced
_READ_BUFFER = 1 << 20  # fewer wake-ups for large bodies than aiohttp's 64 KiB
_BODY_IN_ERROR = 200  # characters of a failed answer that are kept
_MOST_SAID = 600  # characters of an error
_HIDDEN = "[hidden]"
_TOO_SHORT = 4  # characters; hiding a shorter value would spoil every message and guard nothing

_HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json",
    "Accept-Encoding": "gzip, deflate",  # not more where more is installed: figures stay comparable
}


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request on the wire; times are seconds of `time.perf_counter`, NaN when never reached."""

    sent: float
    first_byte: float
    end: float
    bytes: int
    status: int | None
    error: str | None
    refused: bool = False  # nothing listens there
    broken: bool = False  # reset or timed out: trying again may help
    retry_after: float | None = None

    def __post_init__(self) -> None:
        """Make what a service or a library says one visible line, for whatever shows or writes it."""
        if self.error is not None:
            object.__setattr__(self, "error", visible(self.error, _MOST_SAID))


class Transport:
    """Connections to one service, kept open and reused; never through a proxy."""

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
        room: int = ROOM,
    ) -> None:
        """Prepare; nothing is opened before `__aenter__`.

        Parameters
        ----------
        url
            Where the service is; `path` is added unless the URL ends with it.
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
        room
            Bytes of all bodies under way, beyond which they wait for each other.
        """
        self.room = Room(room)
        self.url = endpoint(url, path)
        self.shown = str(self.url.with_user(None).with_query(None))  # what may be written down: no secret
        self._connections = connections
        self._timeout = timeout
        self._max_bytes = max_bytes
        self._method = method
        self._headers = {**_HEADERS, **(headers or {})}
        self._tls = tls or True
        self._secrets = _secrets(self.url, headers or {})

    async def __aenter__(self) -> "Transport":
        """Open the session."""
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=self._connections, ssl=self._tls),
            timeout=aiohttp.ClientTimeout(total=None),  # `post` has one that stands still while a body waits for room
            headers=self._headers,
            read_bufsize=_READ_BUFFER,
            trust_env=False,  # no HTTP_PROXY: its time would be measured, and it would see the secrets
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close all connections."""
        await self._session.close()

    async def post(self, payload: bytes, hold: Hold | None = None) -> tuple[Attempt, bytes]:
        """Send one request; every way in which it fails is in the attempt, none is raised.

        The body takes room in `hold`, whose owner leaves it once the body was read; without one, here. The seconds
        that it waits for room are the client's: they are not in the attempt's times, and no timeout counts them.
        """
        if hold is None:
            with self.room.hold() as hold:
                return await self.post(payload, hold)
        clock, waited = time.perf_counter, hold.waited
        sent, first_byte = clock(), float("nan")
        status: int | None = None

        def failed(error: str, *, refused: bool = False, broken: bool = True) -> tuple[Attempt, bytes]:
            return Attempt(sent, first_byte, clock(), 0, status, self.hide(error), refused, broken), b""

        try:
            async with (
                asyncio.timeout(self._timeout) as limit,
                self._session.request(self._method, self.url, data=payload, allow_redirects=False) as response,
            ):
                first_byte = clock()
                status = response.status
                body = await self._read(response, hold, limit)
                if body is None:
                    return failed(f"the body is larger than {self._max_bytes:,} bytes", broken=False)
                end = clock() - (hold.waited - waited)
                wait = retry_after(response.headers.get("Retry-After"))
        except TimeoutError:
            return failed(f"no whole answer within {self._timeout:g} s")
        except aiohttp.ClientConnectorCertificateError as error:
            reason = getattr(error.certificate_error, "verify_message", error.certificate_error)
            return failed(f"TLS: no trust in the certificate: {reason}", refused=True, broken=False)
        except aiohttp.ClientSSLError as error:
            return failed(f"TLS: {error}", refused=True, broken=False)
        except aiohttp.ClientConnectorError as error:
            return failed(f"cannot connect: {error.strerror or error}", refused=True)
        except (aiohttp.ClientError, OSError) as error:
            return failed(f"connection broken: {error or type(error).__name__}")
        error_text = None
        if not 200 <= status < 300:
            start = self.hide(body[: 1 << 16].decode(errors="replace"))[:_BODY_IN_ERROR]
            error_text = f"HTTP {status}: {start}" if start.strip() else f"HTTP {status}"
        return Attempt(sent, first_byte, end, len(body), status, error_text, retry_after=wait), body

    def hide(self, text: str) -> str:
        """Return a text without the secrets of the headers and the URL: a service may send back what it got."""
        for secret in self._secrets:
            text = text.replace(secret, _HIDDEN)
        return text

    async def _read(self, response: aiohttp.ClientResponse, hold: Hold, limit: asyncio.Timeout) -> bytes | None:
        """Return the body, or None as soon as it is known to be too large."""
        announced = response.content_length
        if announced is not None and announced > self._max_bytes:
            response.close()
            return None
        if announced is not None and announced <= _AT_ONCE and not response.headers.get("Content-Encoding"):
            await hold.take(announced, limit)
            return await response.read()
        blocks, size = [], 0
        async for block in response.content.iter_any():
            size += len(block)
            if size > self._max_bytes:
                response.close()
                return None
            await hold.take(len(block), limit)
            blocks.append(block)
        return b"".join(blocks)


def refused(shown: str, attempt: Attempt) -> UnreachableError:
    """Return the error of a service that does not let one connect, with the likely ways out."""
    if attempt.error is not None and attempt.error.startswith("TLS:"):
        return UnreachableError(
            f"{shown} is not trusted ({attempt.error}); name the authority that signed its certificate with --ca-file"
        )
    return UnreachableError(
        f"{shown} refuses connections ({attempt.error}): is the service running, and is this its host and port?"
    )


def endpoint(url: str, path: str) -> yarl.URL:
    """Return where requests go: `url` with `path` added unless it ends with it; InputError for what is no URL."""
    try:
        parsed = yarl.URL(url)
    except ValueError:
        parsed = yarl.URL()
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise InputError(f"--url {url.rpartition('@')[2]} is not a URL such as http://127.0.0.1:8000")
    target = yarl.URL(path)
    if not parsed.path.rstrip("/").endswith(target.path):
        parsed = parsed.joinpath(target.raw_path.lstrip("/"), encoded=True).with_query(parsed.query)
    return parsed.extend_query({name: v for name, v in target.query.items() if name not in parsed.query})


def _secrets(url: yarl.URL, headers: Mapping[str, str]) -> list[str]:
    """Return what must not be shown, longest first: values of headers, their parts, and those of the URL."""
    values = [url.user, url.password, url.raw_user, url.raw_password, *url.query.values(), url.raw_query_string]
    for name, value in headers.items():
        if name not in _HEADERS:
            values += [value, *value.split()]
    secrets = {value for value in values if value and len(value) >= _TOO_SHORT}
    return sorted(secrets - {"Bearer", "Basic", "ApiKey"}, key=len, reverse=True)
