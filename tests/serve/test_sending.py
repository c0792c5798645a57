"""Bodies in and answers out over real sockets: what is held in memory, and who is waited for."""

import asyncio
import itertools
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import orjson
import pytest
from aiohttp import web

from benchbench.serve import sending
from benchbench.serve.guard import guarded
from benchbench.serve.sending import Make, Parts, Sending, listed

HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
PART = bytes(1 << 16)

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def serving(
    make: Make, slowest: float = 60.0, said: list[str] | None = None
) -> AsyncIterator[Callable[[], Awaitable[Connection]]]:
    """Answer every POST with what `make` makes, and say when one begins and is cancelled; yield what connects."""
    sender = Sending(slowest)
    said = [] if said is None else said

    async def handler(request: web.Request) -> web.StreamResponse:
        async with sender.body(request):
            said.append("begun")
            try:
                return await sender.answer(request, make)
            except asyncio.CancelledError:
                said.append("cancelled")
                raise

    application = web.Application(middlewares=[guarded("127.0.0.1")])
    application.router.add_post("/", handler)
    runner = web.AppRunner(application, handler_cancellation=True, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield lambda: asyncio.open_connection(*runner.addresses[0])
    finally:
        await runner.cleanup()


def scene(run: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(run(), 60))


async def post(connection: Connection, body: bytes = b"{}") -> None:
    connection[1].write(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
    await connection[1].drain()


async def status(connection: Connection) -> int:
    return int((await connection[0].readline()).split()[1])


async def close(*connections: Connection) -> None:
    for _, writer in connections:
        writer.close()
    await asyncio.gather(*(writer.wait_closed() for _, writer in connections), return_exceptions=True)


class Endless:
    """Makes parts until its reader has left, and counts them."""

    def __init__(self) -> None:
        self.made = 0
        self.ended = threading.Event()

    def __call__(self, is_over: Callable[[], bool]) -> Parts:
        try:
            while not is_over():
                self.made += 1
                yield PART
        finally:
            self.ended.set()


def test_an_answer_is_made_as_far_as_it_is_read_and_not_after_its_reader_left():
    endless = Endless()

    async def run() -> None:
        async with serving(endless) as connect:
            for wanted in (1 << 10, 1 << 24):
                endless.ended.clear()
                endless.made = 0
                connection = await connect()
                await post(connection)
                await connection[0].readexactly(wanted)
                await close(connection)
                assert await asyncio.to_thread(endless.ended.wait, 30)
                assert endless.made * len(PART) <= wanted + (1 << 24)  # a piece, and what sockets hold

    scene(run)


def test_a_reader_that_takes_nothing_is_left():
    endless = Endless()

    async def run() -> None:
        async with serving(endless, slowest=0.1) as connect:
            connection = await connect()
            await post(connection)
            assert await asyncio.to_thread(endless.ended.wait, 30)
            await close(connection)

    scene(run)


def test_what_waits_for_a_thread_is_dropped_when_its_client_leaves():
    begun, go = threading.Semaphore(0), threading.Event()
    made: list[int] = []
    numbers = itertools.count()
    said: list[str] = []

    async def until(wanted: str, times: int) -> None:
        while said.count(wanted) < times:
            await asyncio.sleep(0)

    def make(is_over: Callable[[], bool]) -> Parts:
        made.append(next(numbers))
        begun.release()
        go.wait(30)
        yield b"{}"

    async def run() -> None:
        async with serving(make, said=said) as connect:
            busy = [await connect() for _ in range(2)]
            for connection in busy:
                await post(connection)
                assert await asyncio.to_thread(begun.acquire, timeout=30)
            leaving, staying = await connect(), await connect()
            await post(leaving)
            await until("begun", 3)
            await close(leaving)
            await until("cancelled", 1)
            await post(staying)
            await until("begun", 4)
            go.set()
            assert [await status(connection) for connection in (*busy, staying)] == [200, 200, 200]
            await close(*busy, staying)

    scene(run)
    assert made == [0, 1, 2]


def test_a_body_that_does_not_arrive_gets_408():
    async def run() -> None:
        async with serving(Endless(), slowest=0.1) as connect:
            connection = await connect()
            connection[1].write(HEAD + b"Content-Length: 100\r\n\r\n{")
            assert await status(connection) == 408
            await close(connection)

    scene(run)


@pytest.mark.parametrize("head", [b"Content-Length: 101\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n65\r\n"])
def test_a_body_that_is_too_long_gets_413(monkeypatch: pytest.MonkeyPatch, head: bytes):
    monkeypatch.setattr(sending, "MAX_REQUEST", 100)

    async def run() -> None:
        async with serving(Endless()) as connect:
            connection = await connect()
            connection[1].write(HEAD + head + b"x" * 101)
            assert await status(connection) == 413
            await close(connection)

    scene(run)


def test_bodies_that_are_too_long_together_get_503_until_there_is_room(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sending, "MAX_REQUESTS", 100)

    async def run() -> None:
        async with serving(lambda is_over: (part for part in (b"{}",))) as connect:

            async def until(wanted: int) -> bytes:
                while True:
                    connection = await connect()
                    await post(connection, b"x" * 40)
                    if await status(connection) == wanted:
                        head = await connection[0].readuntil(b"\r\n\r\n")
                        await close(connection)
                        return head
                    await close(connection)

            holding = await connect()
            holding[1].write(HEAD + b"Content-Length: 90\r\n\r\n" + b"x" * 80)
            assert b"Retry-After: 1\r\n" in await until(503)
            await close(holding)
            await until(200)

    scene(run)


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 100])
def test_a_list_in_parts_is_the_list(count: int):
    values = [{"n": number} for number in range(count)]
    assert b"".join(listed(iter(values))) == orjson.dumps(values)
