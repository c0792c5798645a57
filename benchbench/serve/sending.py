"""Reads requests and sends answers, with a bound on the memory of all of them together."""

import asyncio
import contextlib
import itertools
import threading
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import orjson
from aiohttp import web

from benchbench.serve.guard import JSON, RefusedError

MAX_REQUEST = 64 << 20  # bytes of a request's body
MAX_REQUESTS = 128 << 20  # bytes of all bodies that have not been answered
_PIECE = 1 << 20  # bytes of an answer that are put together before they are sent
_ANSWERS = 32  # under way at once, a piece each; the other requests wait
_SEARCHERS = 2  # numpy releases the interpreter in its loops, so two threads keep two cores busy
_GROUP = 32  # values that become JSON at once
_SLOWEST = 60.0  # seconds that a body may take to arrive, and a piece to be taken

Parts = Generator[bytes, None, None]
Make = Callable[[Callable[[], bool]], Parts]  # the parts of an answer; is told whether its reader has left


class Sending:
    """Reads bodies and sends answers; an answer is made in a thread, and stops when its reader has left."""

    def __init__(self, slowest: float = _SLOWEST) -> None:
        self._slowest = slowest
        self._threads = ThreadPoolExecutor(_SEARCHERS, thread_name_prefix="search")
        self._turn = asyncio.Semaphore(_ANSWERS)
        self._held = 0  # bytes of bodies

    @contextlib.asynccontextmanager
    async def body(self, request: web.Request) -> AsyncIterator[bytearray]:
        """Read the body of a request, and count it as held while the block lasts.

        Raises
        ------
        RefusedError
            When it is too long, or comes too slowly, or when the bodies of all requests are too long together.
        """
        if (request.content_length or 0) > MAX_REQUEST:
            raise _too_long()
        body = bytearray()
        held = 0
        try:
            try:
                async with asyncio.timeout(self._slowest):
                    async for part in request.content.iter_any():
                        held += len(part)
                        self._held += len(part)
                        if held > MAX_REQUEST:
                            raise _too_long()
                        if self._held > MAX_REQUESTS:
                            together = f"the requests under way have more than {MAX_REQUESTS >> 20} MiB together"
                            raise RefusedError(503, f"{together}; ask again", Retry_After="1")
                        body += part
            except TimeoutError:
                raise RefusedError(408, f"the body did not arrive within {self._slowest:g} seconds") from None
            yield body
        finally:
            self._held -= held

    async def answer(self, request: web.Request, make: Make) -> web.StreamResponse:
        """Send the parts; they are made in a thread, as far as they are read."""
        gone = threading.Event()
        parts = make(gone.is_set)
        loop = asyncio.get_running_loop()
        response: web.StreamResponse
        try:
            async with self._turn:
                piece, is_last = await loop.run_in_executor(self._threads, _piece, parts, gone)
                async with asyncio.timeout(self._slowest) as patience:
                    if is_last:
                        response = web.Response(body=piece, content_type=JSON)
                        await response.prepare(request)
                    else:
                        response = web.StreamResponse(headers={"Content-Type": JSON})
                        await response.prepare(request)
                        await response.write(piece)
                    while not is_last:
                        patience.reschedule(None)
                        piece, is_last = await loop.run_in_executor(self._threads, _piece, parts, gone)
                        patience.reschedule(loop.time() + self._slowest)
                        await response.write(piece)
                    await response.write_eof()
        except (TimeoutError, ConnectionError):  # nobody takes it
            if request.transport is not None:
                request.transport.abort()
        finally:
            gone.set()
            with contextlib.suppress(ValueError):  # a thread is at it, and closes it
                parts.close()
        return response


def listed(values: Iterable[Any]) -> Iterator[bytes]:
    """Yield a JSON list, some values at a time."""
    separator = b"["
    rest = iter(values)
    while group := list(itertools.islice(rest, _GROUP)):
        yield separator + orjson.dumps(group)[1:-1]
        separator = b","
    yield b"[]" if separator == b"[" else b"]"


def _piece(parts: Parts, gone: threading.Event) -> tuple[bytes, bool]:
    """Return the next parts joined, and whether they are the last."""
    taken: list[bytes] = []
    size = 0
    for part in parts:
        taken.append(part)
        size += len(part)
        if gone.is_set():
            parts.close()
            break
        if size >= _PIECE:
            return b"".join(taken), False
    return b"".join(taken), True


def _too_long() -> RefusedError:
    return RefusedError(413, f"the body is longer than {MAX_REQUEST >> 20} MiB")
