"""Real services on a free loopback port that answer as a test tells them.

with services.running(services.status(503), services.echo) as service:
    ...  # the first request to `service.url` gets 503, every later one its own queries back as hits
"""

import asyncio
import contextlib
import functools
import math
import queue
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from typing import Any

import orjson
from aiohttp import web

from benchbench.retrieval.bm25_options import BM25Options
from benchbench.serve.bm25 import BM25
from benchbench.tables.collection import Collection

HOST = "127.0.0.1"


class Service:
    """Gives its answers in turn and repeats the last; `messages` are the requests it got, parsed."""

    def __init__(self, answers: tuple["Answer", ...]) -> None:
        self.messages: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.asked: queue.SimpleQueue[int] = queue.SimpleQueue()  # the number of each request, from 0, as it comes
        self.thread: threading.Thread
        self._answers = answers

    async def run(self, started: "Future[None]") -> None:
        self.ended = asyncio.Event()
        self.came = asyncio.Condition()  # told of every request
        self._loop = asyncio.get_running_loop()
        application = web.Application(client_max_size=1 << 26)
        application.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        self._site = web.TCPSite(runner, HOST, 0)
        await self._site.start()
        self.url = f"http://{HOST}:{runner.addresses[0][1]}"
        started.set_result(None)
        await self.ended.wait()
        async with self.came:
            self.came.notify_all()
        await self.listen_no_more()
        await runner.cleanup()

    async def listen_no_more(self) -> None:
        """Refuse connections from now on, and keep those that were accepted: nobody else would close them."""
        server, self._site._server = self._site._server, None
        if server is None:
            return
        for listening in server.sockets:
            self._loop.remove_reader(listening.fileno())
        accepting = [task for task in asyncio.all_tasks() if "_accept_connection" in repr(task.get_coro())]
        await asyncio.gather(*accepting, return_exceptions=True)  # a server that is closed attaches no connection
        server.close()

    def end(self) -> None:
        with contextlib.suppress(RuntimeError):  # it has left
            self._loop.call_soon_threadsafe(self.ended.set)

    def leave(self) -> None:
        """Be gone: connections to it are refused from now on."""
        self.end()
        self.thread.join()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        number = len(self.messages)
        if request.content_type == "application/x-www-form-urlencoded":
            self.messages.append(dict(await request.post()))
        elif request.content_type == "application/x-ndjson":
            self.messages.append([orjson.loads(line) for line in (await request.read()).splitlines()])
        else:
            self.messages.append(orjson.loads(await request.read() or b"null"))
        self.headers.append(dict(request.headers))
        self.asked.put(number)
        async with self.came:
            self.came.notify_all()
        return await self._answers[min(number, len(self._answers) - 1)](self, request, self.messages[number])


Answer = Callable[[Service, web.Request, Any], Awaitable[web.StreamResponse]]


@contextlib.contextmanager
def running(*answers: Answer) -> Iterator[Service]:
    """Run a service in a thread while the block lasts."""
    service, started = Service(answers), Future()
    service.thread = threading.Thread(target=lambda: asyncio.run(service.run(started)))
    service.thread.start()
    started.result()
    try:
        yield service
    finally:
        service.leave()


@contextlib.contextmanager
def refusing() -> Iterator[str]:
    """Yield a URL at which connections are refused: its port is taken, and nobody listens."""
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        yield f"http://{HOST}:{taken.getsockname()[1]}"


def status(code: int, text: str = "", **headers: str) -> Answer:
    """Answer with a status; `Retry_After="1"` sets the header `Retry-After`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return _plain(lambda message: web.Response(status=code, text=text, headers=named))


def raw(body: bytes | str, **headers: str) -> Answer:
    """Answer 200 with these bytes."""
    data = body.encode() if isinstance(body, str) else body
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return _plain(lambda message: web.Response(body=data, headers=named))


def _plain(respond: Callable[[Any], web.Response]) -> Answer:
    async def answer(service: Service, request: web.Request, message: Any) -> web.Response:
        return respond(message)

    return answer


def _json(value: Any) -> web.Response:
    return web.Response(body=orjson.dumps(value), content_type="application/json")


echo = _plain(lambda message: _json({"results": [[{"id": q, "score": 1.0, "text": q}] for q in message["queries"]]}))
no_hits = _plain(lambda message: _json({"results": [[] for _ in message["queries"]]}))
useless = _plain(lambda message: _json([[{"id": "unknown", "score": 1.0}] for _ in message["queries"]]))
other_keys = _plain(lambda message: _json([[{"docno": "c3", "rel_score": 1.0}] for _ in message["queries"]]))
too_few_lists = _plain(lambda message: _json({"results": [[] for _ in message["queries"][1:]]}))
truncated = raw('{"results": [[{"id": "a", "sco')
html = raw("<!doctype html><title>Sign in</title>", Content_Type="text/html")
not_a_number = _plain(  # as Python's json module writes it
    lambda message: web.json_response([[{"id": "a", "score": math.nan}] for _ in message["queries"]])
)


def answering(hits: Callable[[str, int], list[dict[str, Any]]]) -> Answer:
    """Answer in our shape with what a function returns for a query and `top_k`."""
    return _plain(lambda message: _json({"results": [hits(q, message["top_k"]) for q in message["queries"]]}))


def index_of(collection: Collection, options: BM25Options | None = None) -> BM25:
    """Return a BM25 over a collection; tests that ask about the same texts share it."""
    return _index_of(tuple(collection.texts), options or BM25Options())


@functools.lru_cache(maxsize=8)
def _index_of(texts: tuple[str, ...], options: BM25Options) -> BM25:
    return BM25(Collection(list(map(str, range(len(texts)))), texts, [{}] * len(texts)), options)


def searching(collection: Collection) -> Answer:
    """Answer in our shape, whole texts included, from a BM25 over a collection."""
    index = index_of(collection)

    def hits(query: str, top_k: int) -> list[dict[str, Any]]:
        numbers, scores = index.search(query, top_k)
        return [
            {"id": collection.ids[d], "score": score, "text": collection.texts[d], "meta": collection.meta[d]}
            for d, score in zip(numbers.tolist(), scores.tolist(), strict=True)
        ]

    return answering(hits)


def legal_agent(collection: Collection) -> Answer:
    """Answer as the services of the Chinese seed do: `facts` in, a bare list of lists out, no ids, labels on top."""
    index = index_of(collection)

    def hits(fact: str, top_k: int) -> list[dict[str, Any]]:
        return [{"fact": collection.texts[d], **collection.meta[d]} for d in index.search(fact, top_k)[0].tolist()]

    return _plain(lambda message: _json([hits(fact, message["top_k"]) for fact in message["facts"]]))


async def never(service: Service, request: web.Request, message: Any) -> web.Response:
    """Keep the request until the service ends."""
    await service.ended.wait()
    return web.Response()


async def reset(service: Service, request: web.Request, message: Any) -> web.Response:
    """Break the connection instead of answering."""
    request.transport.abort()
    return web.Response()


async def reset_in_body(service: Service, request: web.Request, message: Any) -> web.StreamResponse:
    """Break the connection after the head and some of the body."""
    response = web.StreamResponse(headers={"Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b'{"results": [[')
    request.transport.abort()
    return response


async def die(service: Service, request: web.Request, message: Any) -> web.Response:
    """Break the connection and listen no more."""
    await service.listen_no_more()
    return await reset(service, request, message)


async def announce_too_much(service: Service, request: web.Request, message: Any) -> web.StreamResponse:
    """Announce a terabyte, and send nothing of it."""
    response = web.StreamResponse(headers={"Content-Length": str(1 << 40)})
    await response.prepare(request)
    await service.ended.wait()
    return response


async def endless(service: Service, request: web.Request, message: Any) -> web.StreamResponse:
    """Send a body without a length and without an end, until the client has had enough."""
    response = web.StreamResponse()
    await response.prepare(request)
    with contextlib.suppress(ConnectionError):
        while True:
            await response.write(bytes(1 << 16))
    return response


def choosing(pick: Callable[[int, Any], Answer]) -> Answer:
    """Answer as `pick` says, from the number of the request (from 0) and its message."""

    async def answer(service: Service, request: web.Request, message: Any) -> web.StreamResponse:
        return await pick(len(service.messages) - 1, message)(service, request, message)

    return answer


def held(until: int, answer: Answer) -> Answer:
    """Answer once so many requests have come, or the service ends."""

    async def waiting(service: Service, request: web.Request, message: Any) -> web.StreamResponse:
        async with service.came:
            await service.came.wait_for(lambda: len(service.messages) >= until or service.ended.is_set())
        return await answer(service, request, message)

    return waiting


def dripping(answer: Answer) -> Answer:
    """Answer in a hundred small pieces, one a turn of the loop, with a length."""

    async def drip(service: Service, request: web.Request, message: Any) -> web.StreamResponse:
        whole = await answer(service, request, message)
        assert isinstance(whole, web.Response)
        assert isinstance(whole.body, bytes)
        response = web.StreamResponse(headers={"Content-Length": str(len(whole.body))})
        await response.prepare(request)
        size = len(whole.body) // 100 + 1
        for start in range(0, len(whole.body), size):
            await response.write(whole.body[start : start + size])
            await asyncio.sleep(0)
        return response

    return drip


def changed(answer: Answer, change: Callable[[Any], Any]) -> Answer:
    """Answer with another JSON value."""

    async def other(service: Service, request: web.Request, message: Any) -> web.Response:
        whole = await answer(service, request, message)
        assert isinstance(whole, web.Response)
        assert isinstance(whole.body, bytes)
        return _json(change(orjson.loads(whole.body)))

    return other


def backwards(value: Any) -> Any:
    """Return a JSON value with the members of all objects in reverse order."""
    if isinstance(value, dict):
        return {name: backwards(value[name]) for name in reversed(value)}
    return [backwards(one) for one in value] if isinstance(value, list) else value
