"""Connections to one service, opened when they are needed, kept open, and used again; never through a proxy."""

import asyncio
import ipaddress
import socket
import ssl
import time
from collections import deque
from collections.abc import Sequence

import aiohappyeyeballs
import yarl

from benchbench.client.wire.connection import BUFFER, Connection, Receiver

_IDLE = 15.0  # seconds after which a connection is not used again; many servers close it after 20 to 75
_KNOWN = 10.0  # seconds for which the addresses of a host are
_OTHER_ADDRESS = 0.25  # seconds after which the next address of a host is tried too


class NotConnectedError(Exception):
    """No connection was made; `cause` says why."""

    def __init__(self, cause: OSError) -> None:
        """Keep the cause."""
        super().__init__(str(cause))
        self.cause = cause


class Connections:
    """Up to a number of connections to one service."""

    def __init__(self, url: yarl.URL, limit: int, tls: ssl.SSLContext | None, largest: int, receiver: Receiver) -> None:
        """Prepare; nothing is opened before `take`.

        Parameters
        ----------
        url
            Whose host and port to connect to, and by its scheme whether with TLS.
        limit
            Connections open at once.
        tls
            Whose certificates to trust; without it, those of the system's authorities.
        largest
            Bytes of a body above which aiohttp reads it, however usual the answer is.
        receiver
            Counts answers that are being received.
        """
        self._host, self._port = url.raw_host or "", url.port or 80
        self._tls = (tls or ssl.create_default_context()) if url.scheme == "https" else None
        if self._tls is not None:
            self._tls.set_alpn_protocols(["http/1.1"])
        self._largest, self._receiver = min(largest, BUFFER), receiver
        self._places = asyncio.Semaphore(limit)
        self._idle: deque[Connection] = deque()
        self._used: set[Connection] = set()
        self._buffer = memoryview(bytearray(BUFFER))
        self._resolving = asyncio.Lock()
        self._known, self._known_since = deque[aiohappyeyeballs.AddrInfoType](), 0.0

    async def take(self) -> Connection:
        """Return a connection for one request, once there is a place for it; give it back afterwards.

        Raises
        ------
        NotConnectedError
            None could be opened.
        """
        await self._places.acquire()
        try:
            connection = self._kept() or await self._opened()
        except BaseException:
            self._places.release()
            raise
        self._used.add(connection)
        return connection

    def give_back(self, connection: Connection, *, read: bool) -> None:
        """Take a connection back; one whose answer was not read to its end is closed."""
        self._used.discard(connection)
        self._places.release()
        if read:
            connection.finish()
        if read and connection.is_usable:
            connection.idle_since = time.monotonic()
            self._idle.append(connection)
        else:
            connection.close()

    def close(self) -> None:
        """Close all."""
        for connection in (*self._idle, *self._used):
            connection.close()

    def _kept(self) -> Connection | None:
        """Return a connection that is open, and was in use not long ago."""
        while self._idle:
            connection = self._idle.popleft()
            if connection.is_usable and time.monotonic() - connection.idle_since < _IDLE:
                return connection
            connection.close()
        return None

    async def _opened(self) -> Connection:
        loop = asyncio.get_running_loop()
        try:
            connected = await aiohappyeyeballs.start_connection(
                await self._addresses(), happy_eyeballs_delay=_OTHER_ADDRESS, interleave=1
            )
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            _, connection = await loop.create_connection(
                lambda: Connection(self._buffer, self._largest, self._receiver),
                sock=connected,
                ssl=self._tls,
                server_hostname=self._host.rstrip(".") if self._tls else None,
            )
        except OSError as error:
            raise NotConnectedError(error) from None
        return connection

    async def _addresses(self) -> Sequence[aiohappyeyeballs.AddrInfoType]:
        """Return the addresses of the host, each time another first; socket.gaierror where nobody knows it."""
        async with self._resolving:
            if not self._known or time.monotonic() - self._known_since > _KNOWN:
                self._known = deque(await self._resolved())
                self._known_since = time.monotonic()
            self._known.rotate(-1)
            return list(self._known)

    async def _resolved(self) -> Sequence[aiohappyeyeballs.AddrInfoType]:
        try:
            ipaddress.ip_address(self._host)
        except ValueError:
            try:
                return await asyncio.get_running_loop().getaddrinfo(
                    self._host, self._port, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG
                )
            except UnicodeError:  # a label of a name is empty, or has more than 63 bytes
                raise socket.gaierror(socket.EAI_NONAME, "not a valid host name") from None
        return socket.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
