"""One connection to a service: a request is written, and its answer is read.

The usual answer (`client.wire.usual_head`) is taken as it comes: its head is looked at once, and its body is not looked
at. Whatever else comes is left to aiohttp's parser, from the first byte of the answer on.
"""

import asyncio
import time
from typing import Protocol, cast

import aiohttp
from aiohttp.client_proto import ResponseHandler
from msgspec import Struct
from multidict import CIMultiDictProxy

from benchbench.client.memory_budget import MemoryReservation
from benchbench.client.wire.usual_head import usual_head

BUFFER = 1 << 20  # bytes that are taken from the system at once


class Receiver(Protocol):
    """Who counts the answers that are being received."""

    receiving: int  # answers whose head is there, and not yet the whole body


class Usual(Struct):
    """A usual answer, whose status is 200; times are seconds of `time.perf_counter`."""

    first_byte: float
    head: bytes
    missing: int  # bytes of the body that are still to come; below 0 where more came than was announced
    end: float = 0.0
    body: bytes = b""


class Unusual(Struct, frozen=True):
    """The head of an answer that aiohttp reads, and its body to be read."""

    first_byte: float
    status: int
    headers: CIMultiDictProxy[str]
    content: aiohttp.StreamReader


class Connection(asyncio.BufferedProtocol):
    """One connection, which is used for one request after the other."""

    def __init__(self, buffer: memoryview, largest: int, receiver: Receiver) -> None:
        """Prepare.

        Parameters
        ----------
        buffer
            Of all connections of an event loop, as what is in it is taken out at once.
        largest
            Bytes of a body above which aiohttp reads it.
        receiver
            Counts what is being received.
        """
        self.idle_since = 0.0  # `time.monotonic`
        self.usual: Usual | None = None  # the answer to the last request, or the part of it that has come
        self._buffer, self._largest, self._receiver = buffer, largest, receiver
        self._transport: asyncio.Transport | None = None
        self._whole: asyncio.Future[None] | None = None  # done once a usual answer is whole, or another has begun
        self._reservation: MemoryReservation | None = None
        self._blocks: list[bytes] = []  # of its body
        self._handler: ResponseHandler | None = None  # that reads the answer
        self._ends = False  # it cannot be used again

    @property
    def is_usable(self) -> bool:
        """Whether another request can be sent."""
        return not (self._ends or self._transport is None or self._transport.is_closing())

    async def ask(self, request: bytes, reservation: MemoryReservation) -> Usual | Unusual:
        """Send a request, and return its answer; an unusual one without its body.

        The memory of a usual answer is in `reservation`.

        Raises
        ------
        aiohttp.ClientError, aiohttp.http.HttpProcessingError, OSError
            The connection has ended, or what comes is no HTTP.
        """
        transport = self._transport
        if transport is None:
            raise aiohttp.ServerDisconnectedError
        self.usual, self._reservation = None, reservation
        self._whole = asyncio.get_running_loop().create_future()
        transport.write(request)
        try:
            await self._whole
        finally:
            self._whole = None
        return self.usual or await self._unusual_head()

    def finish(self) -> None:
        """End a request, whose answer was read to its end: let go of the answer, and take the connection back."""
        self.usual = None
        handler, self._handler = self._handler, None
        if handler is not None and self._transport is not None:
            self._ends = self._ends or handler.should_close
            if self.is_usable:
                self._transport.set_protocol(self)

    def close(self) -> None:
        """Close the connection at once."""
        self._ends = True
        if self._transport is not None:
            self._transport.abort()

    async def _unusual_head(self) -> Unusual:
        handler = self._handler
        assert handler is not None
        while True:
            message, content = await handler.read()
            if not 100 <= message.code < 200 or message.code == 101:  # others announce an answer
                return Unusual(time.perf_counter(), message.code, message.headers, content)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast("asyncio.Transport", transport)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return where the next bytes go."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Take the bytes that have come."""
        whole, answer, begin = self._whole, self.usual, 0
        if whole is None or whole.done():  # nobody has asked for them
            self.close()
            return
        if answer is None:
            head = usual_head(self._buffer[:nbytes])
            if head is None or head[1] > self._largest or not self._reserved(head[1]):
                self._hand_over(bytes(self._buffer[:nbytes]))
                whole.set_result(None)
                return
            begin, size = head
            answer = self.usual = Usual(time.perf_counter(), bytes(self._buffer[:begin]), size)
            self._receiver.receiving += 1
        self._blocks.append(bytes(self._buffer[begin : min(nbytes, begin + answer.missing)]))
        answer.missing -= nbytes - begin
        if answer.missing <= 0:
            answer.end = time.perf_counter()
            answer.body, self._blocks = b"".join(self._blocks), []
            self._ends = answer.missing < 0
            self._receiver.receiving -= 1
            whole.set_result(None)

    def eof_received(self) -> None:
        """Close, as nothing more will come."""

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._transport = None
        is_cut = self.usual is not None and self.usual.missing > 0
        if is_cut:
            self._receiver.receiving -= 1
        if self._whole is not None and not self._whole.done():
            ended = aiohttp.ClientPayloadError("the body is cut off") if is_cut else aiohttp.ServerDisconnectedError()
            self._whole.set_exception(exc or ended)

    def _reserved(self, size: int) -> bool:
        return self._reservation is not None and self._reservation.try_reserve(size)

    def _hand_over(self, start: bytes) -> None:
        """Let aiohttp read an answer, which starts with some bytes."""
        assert self._transport is not None
        handler = self._handler = ResponseHandler(asyncio.get_running_loop())
        handler.connection_made(self._transport)
        self._transport.set_protocol(handler)
        handler.set_response_params(read_until_eof=True, read_bufsize=BUFFER)
        handler.data_received(start)
